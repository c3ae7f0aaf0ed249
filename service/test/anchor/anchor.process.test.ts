/** The anchor service writes each root once, whatever dies or lies, and says what is wrong. */

import { day, minute } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Anchoring, createAnchoring, type HubRequest } from './anchoring.js';

let anchoring: Anchoring;

beforeEach(async () => {
  anchoring = await createAnchoring();
});
afterEach(() => anchoring.close());

const states = async () => (await anchoring.commitments()).map(({ state }) => state);
const periods = () => anchoring.anchors().map(({ period }) => period);
const wait = () => anchoring.world.advance(10 * minute);

/** Passes, with time between them, until nothing waits. */
async function settle(): Promise<void> {
  for (let pass = 0; pass < 4; pass++) {
    if ((await anchoring.run()).code === 0) return;
    wait();
  }
  throw new Error(`still waiting: ${await states()}`);
}

describe('one pass', () => {
  it('one pass writes a root, has both indexes confirm it, and writes nothing the second time', async () => {
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    const [commitment] = await anchoring.commitments();
    const { company_token: token, period, merkle_root: root, state, anchors } = commitment!;
    expect(anchoring.anchors()).toEqual([{ token, period, root }]);
    expect(state).toBe('anchored');
    expect(anchors[0]!.checks).toMatchObject([{ verdict: 'match' }, { verdict: 'match' }]);
    anchoring.lines.length = 0;
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect(periods()).toEqual(['2026-11']);
    expect(anchoring.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('the anchor asks again for an anchored root after a month', async () => {
    const readCheckTimes = async () =>
      (await anchoring.commitments())[0]!.anchors[0]!.checks.map((check) => check.checked_at);
    await anchoring.run();
    const before = await readCheckTimes();
    anchoring.world.advance(29 * day);
    await anchoring.run();
    expect(await readCheckTimes()).toEqual(before);
    anchoring.world.advance(2 * day);
    await anchoring.run();
    expect((await readCheckTimes()).filter((at) => before.includes(at))).toEqual([]);
  });
});

describe('several roots', () => {
  beforeEach(() => anchoring.closeMonth());

  it('several roots are anchored in one pass', async () => {
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect(periods()).toEqual(['2026-11', '2026-12']);
  });

  it('several roots wait for the first one of a sender, which a wrong ANCHOR_SENDER hides', async () => {
    const env = { ANCHOR_SENDER: `0x${'5e'.repeat(32)}` };
    await anchoring.run(['--once'], env);
    await anchoring.run(['--once'], env);
    expect([periods(), await states()]).toEqual([['2026-11'], ['contradicted', 'made']]);
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect([periods(), await states()]).toEqual([
      ['2026-11', '2026-12'],
      ['anchored', 'anchored'],
    ]);
  });
});

describe('a killed anchor process', () => {
  it('kill -9 leaves one anchor for each root, and none missing, at any step', async () => {
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    // Before and after everything that changes something, and once its answer was read.
    const kills = anchoring.lines.flatMap((line, step): (readonly [step: number, moment: 'before' | 'after'])[] =>
      line.startsWith('POST')
        ? [
            [step, 'before'],
            [step, 'after'],
            [step + 1, 'before'],
          ]
        : [],
    );
    expect(
      anchoring.lines.map((line) => line.replace(/.*\//, '')).filter((word) => /claims|anchors?$/.test(word)),
    ).toEqual([...['claims', 'anchor', 'anchors', 'anchors']]);
    for (const [step, moment] of kills) {
      await anchoring.closeMonth();
      let count = 0;
      const { child, end } = anchoring.start();
      anchoring.intercept = async (request) => {
        if (count++ !== step) return false;
        if (moment === 'after') await request.forward();
        child.kill('SIGKILL');
        return true;
      };
      expect(await end).toMatchObject({ code: null });
      anchoring.intercept = undefined;
      wait();
      await settle();
      expect(new Set(periods()).size).toBe(periods().length);
      expect(periods().length).toBe((await states()).length);
    }
    expect((await states()).every((state) => state === 'anchored')).toBe(true);
  });

  it('kill -9 ends the command with the process', async () => {
    const { child, end } = anchoring.start(['--once'], {
      ANCHOR_COMMAND: anchoring.command(`void write(); setTimeout(write, 1_000);`),
    });
    anchoring.intercept = async ({ line, forward }) => {
      if (!line.endsWith('/ledger/anchor')) return false;
      await forward();
      child.kill('SIGKILL');
      return true;
    };
    await end;
    anchoring.intercept = undefined;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(periods()).toEqual(['2026-11']);
  });

  it('the anchor writes again after kill -9 only once the indexes have read past the claim', async () => {
    const { child, end } = anchoring.start();
    anchoring.intercept = async ({ line, forward }) => {
      if (!line.endsWith('/ledger/anchor')) return false;
      await forward();
      child.kill('SIGKILL');
      return true;
    };
    await end;
    anchoring.intercept = undefined;
    anchoring.world.advance(60 * minute);
    anchoring.indexesFollow = false;
    expect(await anchoring.run()).toMatchObject({ code: 1 });
    expect(await states()).toEqual(['made']);
    anchoring.indexesFollow = true;
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect(periods()).toEqual(['2026-11']);
  });
});

it('two anchor processes at once write one anchor', async () => {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  let signalStart: () => void = () => undefined;
  const writeStart = new Promise<void>((resolve) => {
    signalStart = resolve;
  });
  anchoring.intercept = async ({ line }: HubRequest) => {
    if (!line.endsWith('/ledger/anchor')) return false;
    signalStart();
    await hold;
    return false;
  };
  const firstRun = anchoring.run();
  await writeStart;
  expect(await anchoring.run()).toMatchObject({ code: 1, output: expect.stringContaining('commitment_claimed') });
  release();
  expect(await firstRun).toMatchObject({ code: 0 });
  expect(periods()).toEqual(['2026-11']);
});

describe('a failing command', () => {
  it.each([
    ['ends with an error', `console.error('no gas'); process.exit(3);`, /failed, exit code 3: no gas/],
    ['ends with an error after writing', `await write(); process.exit(3);`, /failed, exit code 3/],
    ['prints rubbish', `console.log('Transaction sent!');`, /no_digest, it printed \\"Transaction sent!/],
    ['prints rubbish after writing', `console.log('ok', await write());`, /no_digest/],
    ['prints 33 bytes in place of a digest', `console.log('z'.repeat(44));`, /no_digest/],
    ['prints nothing', '', /no_digest/],
    ['hangs', `setInterval(() => undefined, 1000);`, /timeout, it was ended/, true],
    ['hangs after writing', `await write(); setInterval(() => undefined, 1000);`, /timeout, it was ended/, true],
    ['prints without an end', `for (;;) process.stdout.write('x'.repeat(4096));`, /timeout/, true],
  ] as [string, string, RegExp, boolean?][])(
    'a command that %s is reported, and nothing is lost or written twice',
    async (_, body, words, isEndless = false) => {
      const env = { ANCHOR_COMMAND: anchoring.command(body), ANCHOR_TIMEOUT: isEndless ? '5s' : '2m' };
      const { code, output } = await anchoring.run(['--once'], env);
      expect(code).toBe(1);
      expect(output).toMatch(words);
      expect(await states()).not.toContain('anchored');
      await settle();
      expect(periods()).toEqual(['2026-11']);
      expect(await states()).toEqual(['anchored']);
    },
  );

  it('a missing command is reported', async () => {
    const { code, output } = await anchoring.run(['--once'], { ANCHOR_COMMAND: '/nowhere/client' });
    expect(code).toBe(1);
    expect(output).toMatch(/not_started, .*ENOENT/);
  });

  it('a digest that is not on the ledger leaves the root unconfirmed, and overdue after a day', async () => {
    const env = { ANCHOR_COMMAND: anchoring.command(`console.log('6QD8kve7mf8KhDATh7b2xp7vPjNiFeUxuGbY7P9FA4DV');`) };
    expect((await anchoring.run(['--once'], env)).output).toContain('"verdict":"unknown"');
    anchoring.world.advance(day + minute);
    const { code, output } = await anchoring.run(['--once'], env);
    expect(code).toBe(1);
    expect(output).toContain('is overdue');
    expect([periods(), await states()]).toEqual([[], ['reported']]);
    wait();
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect([periods(), await states()]).toEqual([['2026-11'], ['anchored']]);
  });

  it('the anchor waits for a command that answers late', async () => {
    const body = `setTimeout(async () => console.log(await write()), 1500);`;
    expect(await anchoring.run(['--once'], { ANCHOR_COMMAND: anchoring.command(body) })).toMatchObject({ code: 0 });
    expect(await states()).toEqual(['anchored']);
  });

  it('the anchoring command does not get the service key in its environment', async () => {
    const body = `console.error(process.env.MARK, process.env.SERVICE_KEY); process.exit(1);`;
    const { output } = await anchoring.run(['--once'], { ANCHOR_COMMAND: anchoring.command(body), MARK: 'marked' });
    expect(output).toContain('marked undefined');
  });
});

describe('an unhelpful index', () => {
  const lie = (body: (line: string) => object | undefined, status = 200) => {
    anchoring.intercept = async ({ line, answer }) => {
      const falseBody = line.startsWith('GET /index-1') ? body(line) : undefined;
      if (falseBody !== undefined) answer(status, JSON.stringify(falseBody));
      return falseBody !== undefined;
    };
  };
  const verdictOf = (verdict: object) => (line: string) => (line.includes('/verify/') ? verdict : undefined);

  it('an index that says mismatch contradicts the anchor', async () => {
    lie(verdictOf({ verdict: 'mismatch', verified: false, differs: ['sender'] }));
    const { code, output } = await anchoring.run();
    expect([code, await states()]).toEqual([1, ['contradicted']]);
    expect(output).toContain('an index contradicts the anchor of 2026-11');
  });

  it.each([
    ['does not know', verdictOf({ verdict: 'unknown', verified: false, reason: 'not_synced' }), 200],
    ['breaks the contract', verdictOf({ verdict: 'perhaps' }), 200],
    ['is overloaded', () => ({ code: 'rate_limited', error: 'Later.' }), 429],
  ])('an index that %s leaves the root unconfirmed until it confirms it', async (_, body, status) => {
    lie(body, status);
    expect(await anchoring.run()).toMatchObject({ code: 1 });
    expect(await states()).toEqual(['reported']);
    anchoring.intercept = undefined;
    expect(await anchoring.run()).toMatchObject({ code: 0 });
    expect(await states()).toEqual(['anchored']);
    expect(periods()).toEqual(['2026-11']);
  });

  it('an index without a response keeps the root unconfirmed until it is left out', async () => {
    const env = { LEDGER_URLS: `${anchoring.url}/index-0, http://127.0.0.1:9` };
    expect(await anchoring.run(['--once'], env)).toMatchObject({ code: 1 });
    expect(await states()).toEqual(['reported']);
    expect(await anchoring.run(['--once'], { LEDGER_URLS: `${anchoring.url}/index-0` })).toMatchObject({ code: 0 });
    expect(await states()).toEqual(['anchored']);
  });

  it.each([
    ['does not answer', () => ({}), 503],
    ['still reads the history', (status: object) => ({ ...status, state: 'backfilling' }), 200],
  ])('an added index that %s takes nothing back', async (_, statusOf, code) => {
    const readyStatus = (await (await fetch(`${anchoring.url}/index-1/api/v1/status`)).json()) as object;
    const firstOnly = { LEDGER_URLS: `${anchoring.url}/index-0` };
    await anchoring.run(['--once'], firstOnly);
    anchoring.world.advance(2 * day);
    lie((line) => {
      if (line.endsWith('/status')) return statusOf(readyStatus);
      return line.includes('/verify/') ? { verdict: 'unknown', verified: false, reason: 'not_synced' } : undefined;
    }, code);
    await anchoring.run();
    expect(await anchoring.commitments()).toMatchObject([{ state: 'anchored', overdue: false }]);
    anchoring.intercept = undefined;
    await anchoring.run();
    const [commitment] = await anchoring.commitments();
    expect(commitment!.anchors[0]!.checks).toMatchObject([{ verdict: 'match' }, { verdict: 'match' }]);
  });

  it('an index of another ledger stops all anchors', async () => {
    const status = await (await fetch(`${anchoring.url}/index-1/api/v1/status`)).json();
    lie((line) => (line.endsWith('/status') ? { ...(status as object), chain_id: 'ffffffff' } : undefined));
    expect(await anchoring.run()).toMatchObject({ code: 1, output: expect.stringContaining('different ledgers') });
    expect(periods()).toEqual([]);
  });
});

describe('the process', () => {
  it('the anchor process serves metrics and health, is unready while the command fails, and stops', async () => {
    const { child, end } = anchoring.start([], {
      ANCHOR_COMMAND: '/nowhere/client',
      METRICS_ADDR: '127.0.0.1:19777',
      POLL_INTERVAL: '100ms',
    });
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:19777${path}`);
      return { status: response.status, text: await response.text() };
    };
    for (;;) {
      const metrics = await get('/metrics').catch(() => undefined);
      if (metrics?.text.includes('clockproof_anchor_commands_total{outcome="not_started"} ') === true) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    expect(await get('/readyz')).toMatchObject({ status: 503 });
    expect((await get('/metrics')).text).toMatch(/^clockproof_anchor_waiting 1$/m);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0 });
  });

  it('the anchor process names every wrong setting and ends with 78', async () => {
    const { code, output } = await anchoring.run(['--once'], {
      SERVICE_URL: 'ftp://example.org',
      LEDGER_URLS: 'https://one.example, https://me:secret@two.example',
      ANCHOR_SENDER: 'anchor',
      ANCHOR_COMMAND: '',
    });
    expect(code).toBe(78);
    for (const name of ['SERVICE_URL', 'LEDGER_URLS', 'ANCHOR_SENDER', 'ANCHOR_COMMAND'])
      expect(output).toContain(`configuration: ${name} `);
    expect(output).not.toContain('secret');
  });

  it('the doctor of the anchor checks its surroundings and writes nothing', async () => {
    expect(await anchoring.run(['doctor'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('nothing is wrong'),
    });
    const result = await anchoring.run(['doctor'], {
      SERVICE_KEY: 'cpk_other',
      LEDGER_URLS: 'http://127.0.0.1:9',
      ANCHOR_COMMAND: '/nowhere/client',
    });
    expect(result.code).toBe(1);
    expect(result.output).toMatch(
      /FAIL {2}service: .*401[\s\S]*FAIL {2}http:\/\/127.0.0.1:9: [\s\S]*FAIL {2}ANCHOR_COMMAND: /,
    );
    expect(periods()).toEqual([]);
  });

  it('the anchor process explains its commands', async () => {
    expect(await anchoring.run(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('--once') });
    expect(await anchoring.run(['write'])).toMatchObject({ code: 64 });
  });
});
