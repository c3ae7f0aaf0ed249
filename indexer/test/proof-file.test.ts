/** The verifier and the program of the guide against the published vectors. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';
import { askIndex, type Fetch } from '../verifier/ask.js';
import { checkProof, type IndexAnswer, type ListedProof, type Step } from '../verifier/check.js';
import { verifyCommand } from '../verifier/command.js';
import { sentenceOf, words } from '../verifier/words.js';

const { pageWords } = (await import(join(packageFolder, 'verifier/page-words.js'))) as {
  readonly pageWords: Record<'de' | 'en', object>;
};

interface Case {
  readonly name: string;
  readonly input: { readonly kind: string; readonly file: string };
  readonly output: { readonly valid: boolean; readonly step?: number };
}
const vectors = join(packageFolder, '../conformance/vectors/month-proof.json');
const cases = (JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly Case[] }).cases.filter(
  ({ input }) => input.kind === 'file',
);
const fileOf = (name: string) => cases.find((candidate) => candidate.name === name)!.input.file;

function expectSentences(steps: readonly Step[]): void {
  for (const step of steps)
    for (const language of ['de', 'en'] as const) expect(sentenceOf(step, language)).toBeTruthy();
}

describe('the verifier', () => {
  it.each(cases.map((item) => [item.name, item] as const))(
    'the verifier reads %s as the page says',
    (_, { input, output }) => {
      const { steps } = checkProof(input.file);
      expect(steps.find(({ outcome }) => outcome === 'failed')?.number).toBe(output.step);
      expectSentences(steps);
      // Nothing but the file was at hand.
      expect(steps.slice(3).map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'open']);
    },
  );

  const sender = `0x${'ab'.repeat(32)}`;
  const otherSender = `0x${'cd'.repeat(32)}`;
  const wholeMonth = fileOf('a whole month');
  const reopenedMonth = fileOf('a month that was re-opened');
  const rootOf = (file: string) => (JSON.parse(file) as { root: string }).root;
  const listedProof = (checkpoint: number, merkle_root: string, by = sender) => ({
    tx: `tx${checkpoint}`,
    sender: by,
    merkle_root,
    checkpoint,
  });
  const answer = (more: Partial<IndexAnswer>): IndexAnswer => ({
    index: 'https://a.example',
    verdict: 'match',
    listedProofs: [listedProof(5, rootOf(wholeMonth))],
    complete: true,
    ...more,
  });
  const company = 'ks3q7c5m2nfyd4hz6a8x0rgtwe';
  const person = 'jana0000000000000000000000';
  const ppp = 'passed passed passed ';
  it.each([
    ['nothing else is known', wholeMonth, {}, [], `${ppp}open open open open`],
    ['both tokens are known', wholeMonth, { company, person }, [], `${ppp}passed open open open`],
    ['one token is known', wholeMonth, { company }, [], `${ppp}open open open open`],
    ['another person was told', wholeMonth, { company, person: 'x' }, [], `${ppp}failed open open open`],
    ['another company was told', wholeMonth, { company: 'x', person }, [], `${ppp}failed open open open`],
    ['a sender is known and nobody is asked', wholeMonth, { sender }, [], `${ppp}open open open open`],
    ['an index agrees', wholeMonth, { sender }, [answer({})], `${ppp}open passed passed passed`],
    ['an index agrees and no sender is known', wholeMonth, {}, [answer({})], `${ppp}open passed open open`],
    [
      'one of two contradicts',
      wholeMonth,
      { sender },
      [answer({}), answer({ verdict: 'mismatch' })],
      `${ppp}open failed failed open`,
    ],
    [
      'one of two cannot know',
      wholeMonth,
      { sender },
      [answer({}), answer({ verdict: 'unknown' })],
      `${ppp}open open open open`,
    ],
    ['an index is partial', wholeMonth, { sender }, [answer({ complete: false })], `${ppp}open passed passed open`],
    [
      'a list has no end',
      wholeMonth,
      { sender },
      [answer({ listedProofs: undefined })],
      `${ppp}open passed passed open`,
    ],
    [
      'a later root stands there',
      wholeMonth,
      { sender },
      [answer({ listedProofs: [listedProof(5, rootOf(wholeMonth)), listedProof(9, rootOf(reopenedMonth))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'a stranger wrote later',
      wholeMonth,
      { sender },
      [
        answer({
          listedProofs: [listedProof(5, rootOf(wholeMonth)), listedProof(9, rootOf(reopenedMonth), otherSender)],
        }),
      ],
      `${ppp}open passed passed passed`,
    ],
    [
      'a first revision is not the first',
      wholeMonth,
      { sender },
      [answer({ listedProofs: [listedProof(5, rootOf(wholeMonth)), listedProof(2, rootOf(reopenedMonth))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'the revision before is named',
      reopenedMonth,
      { sender },
      [answer({ listedProofs: [listedProof(5, rootOf(wholeMonth)), listedProof(9, rootOf(reopenedMonth))] })],
      `${ppp}open passed passed passed`,
    ],
  ] as const)('the verifier says which steps hold when %s', (_, file, knowledge, answers, outcome) => {
    const { steps } = checkProof(file, knowledge, answers);
    expectSentences(steps);
    expect(steps.map((step) => step.outcome).join(' ')).toBe(outcome);
  });

  it.each([
    ['half a character', (text: string) => text.replace('Jana', '\ud800')],
    ['half a character, escaped', (text: string) => text.replace('Jana', '\\ud800')],
    ['a fraction', (text: string) => text.replace('"balance":', '"balance":0.5,"b":')],
  ])('the verifier takes no text with %s for canonical', (_, change) => {
    const file = JSON.parse(wholeMonth) as { parts: { text: string }[] };
    file.parts = file.parts.map((part) => ({ ...part, text: change(part.text) }));
    expect(checkProof(JSON.stringify(file)).steps[0]!.outcome).toBe('failed');
  });

  it('the verifier does not break on any file', () => {
    for (const text of ['', 'null', '[]', '{"format":"clockproof proof 1"}', '['.repeat(100_000)])
      expect(checkProof(text).steps[0]!.outcome).toBe('failed');
  });

  it('agrees with the program of the guide, which needs Python alone', () => {
    const guide = readFileSync(join(packageFolder, '../docs/guides/check-a-proof-file.md'), 'utf8');
    const program = /^```py\n([\s\S]*?)^```$/m.exec(guide)![1]!;
    expect(program.split('\n').length).toBeLessThanOrEqual(64);
    const folder = mkdtempSync(join(tmpdir(), 'proof-file-'));
    try {
      writeFileSync(join(folder, 'check.py'), program);
      for (const { name, input, output } of cases) {
        writeFileSync(join(folder, 'file'), input.file);
        const { status, stderr } = spawnSync('python3', ['check.py', 'file'], { cwd: folder, encoding: 'utf8' });
        expect([name, status, stderr.trim()]).toEqual(
          output.valid ? [name, 0, ''] : [name, 1, `step ${output.step} does not hold`],
        );
      }
      const wholeFile = JSON.parse(wholeMonth) as { readonly parts: readonly { readonly text: string }[] };
      const [head, person, ...otherParts] = wholeFile.parts;
      const withHead = (member: object) => {
        const text = JSON.stringify({ ...(JSON.parse(head!.text) as object), ...member });
        return { ...wholeFile, parts: [{ ...head, text }, person, ...otherParts] };
      };
      for (const file of [
        withHead({ format: 'clockproof month 2' }),
        withHead({ revision: 0 }),
        withHead({ attempt: '1' }),
        withHead({ company_token: 'a\nb' }),
        withHead({ person_token: 'ä ö' }),
        { ...wholeFile, parts: [head, { ...person, hash: '0'.repeat(64) }, ...otherParts] },
      ]) {
        const text = JSON.stringify(file);
        writeFileSync(join(folder, 'file'), text);
        const { stderr } = spawnSync('python3', ['check.py', 'file'], { cwd: folder, encoding: 'utf8' });
        expect([checkProof(text).steps[0]!.outcome, stderr.trim()]).toEqual(['failed', 'step 1 does not hold']);
      }
      for (const [content, error] of [
        ['', 'this is no proof file'],
        ['PDF', 'this is no proof file'],
        ['[]', 'step 1 does not hold'],
        [`\ufeff${wholeMonth}`, ''],
      ]) {
        writeFileSync(join(folder, 'file'), content!);
        expect(spawnSync('python3', ['check.py', 'file'], { cwd: folder, encoding: 'utf8' }).stderr.trim()).toBe(error);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('the verifier has the same sentences in both languages', () => {
    expect(Object.keys(words.de.sentences)).toEqual(Object.keys(words.en.sentences));
    expect(Object.keys(pageWords.de)).toEqual(Object.keys(pageWords.en));
  });

  describe('the command', () => {
    const listing = (...proofs: readonly ListedProof[]) => ({ data: proofs, next_cursor: null });
    const ready = { state: 'ready', history: 'complete', addresses: [] };
    /** An index that answers so; it is asked with all that is known. */
    const indexWith =
      (verify: object, list: object, status: object = ready): Fetch =>
      async (url) => {
        const { pathname, searchParams } = new URL(url);
        const isVerify = pathname.startsWith('/api/v1/verify/');
        if (isVerify)
          expect(Object.fromEntries(searchParams)).toEqual({
            root: rootOf(wholeMonth),
            company_token: company,
            period: '2026-10',
            sender,
          });
        const body = isVerify ? verify : pathname === '/api/v1/status' ? status : list;
        return new Response(JSON.stringify(body));
      };
    const ownListing = listing(listedProof(5, rootOf(wholeMonth)));
    const indexOptions = ['--sender', sender, '--index', 'https://a.example', '--index', 'https://b.example'];
    const noNetwork: Fetch = () => Promise.reject(new Error('no network'));
    it.each([
      ['nothing was asked', wholeMonth, [], noNetwork, 0],
      ['a minute was changed', fileOf('a changed minute'), [], noNetwork, 1],
      ['another person was told', wholeMonth, ['--person', 'x'], noNetwork, 1],
      ['nobody answers', wholeMonth, indexOptions, noNetwork, 2],
      ['all agree', wholeMonth, indexOptions, indexWith({ verdict: 'match' }, ownListing), 0],
      ['the ledger has another root', wholeMonth, indexOptions, indexWith({ verdict: 'mismatch' }, ownListing), 1],
      ['nothing was ever written', wholeMonth, indexOptions, indexWith({}, listing()), 2],
      [
        'there is no such transaction',
        wholeMonth,
        indexOptions,
        indexWith({ verdict: 'unknown', reason: 'not_found' }, ownListing),
        1,
      ],
      [
        'history is partial',
        wholeMonth,
        indexOptions,
        indexWith({ verdict: 'match' }, ownListing, { ...ready, history: 'partial' }),
        2,
      ],
      [
        'a later version exists',
        wholeMonth,
        indexOptions,
        indexWith(
          { verdict: 'match' },
          listing(listedProof(9, rootOf(reopenedMonth)), listedProof(5, rootOf(wholeMonth))),
        ),
        1,
      ],
      [
        'the list never ends',
        wholeMonth,
        indexOptions,
        indexWith({ verdict: 'match' }, { ...ownListing, next_cursor: 'x' }),
        2,
      ],
      ['an option is not known', wholeMonth, ['--what'], noNetwork, 64],
      ['a byte order mark is before it', `\ufeff${wholeMonth}`, [], noNetwork, 0],
      ['the file is much too large', wholeMonth.padEnd(5_000_001), [], noNetwork, 1],
    ] as const)('the command ends as documented when %s', async (_, file, options, fetch, code) => {
      const folder = mkdtempSync(join(tmpdir(), 'proof-file-'));
      try {
        writeFileSync(join(folder, 'file'), file);
        const lines: string[] = [];
        const context = { print: (line: string) => lines.push(line), complain: () => undefined, fetch };
        expect(await verifyCommand([join(folder, 'file'), ...options], context)).toBe(code);
        expect(lines).toHaveLength(code === 64 ? 0 : 7);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    const anchored = JSON.stringify({
      ...(JSON.parse(wholeMonth) as object),
      anchors: [{ tx: 'tx5', sender, package: '0x1', chain: 'aaaaaaaa' }],
    });
    const sameLedger = { ...ready, package: '0x1', chain_id: 'aaaaaaaa' };
    const notFound = { verdict: 'unknown', reason: 'not_found' };
    it.each<readonly [string, Fetch, Partial<IndexAnswer>]>([
      [
        'of another chain',
        indexWith(notFound, listing(), { ...sameLedger, chain_id: 'b' }),
        { reason: 'other_ledger' },
      ],
      [
        'of another package',
        indexWith(notFound, listing(), { ...sameLedger, package: 'b' }),
        { reason: 'other_ledger' },
      ],
      ['of the same ledger', indexWith(notFound, listing(), sameLedger), { verdict: 'mismatch' }],
      ['with another root', indexWith({ verdict: 'mismatch' }, listing()), { verdict: 'mismatch' }],
      [
        'that lags behind',
        indexWith({ verdict: 'unknown', reason: 'not_synced' }, listing()),
        { reason: 'not_synced' },
      ],
      ['with unknown words', indexWith({ verdict: 'unknown', reason: 'Run!\n' }, listing()), { reason: 'no_index' }],
      ['without a network', noNetwork, { verdict: 'unreachable', reason: 'unreachable' }],
      ['with a limit', async () => new Response('{}', { status: 429 }), { verdict: 'unreachable', reason: 'http_429' }],
      ['that is a web site', async () => new Response('<p>'), { verdict: 'unreachable', reason: 'no_index' }],
      [
        'with words in its list',
        indexWith({}, listing(listedProof(5, 'paid'))),
        { verdict: 'unreachable', reason: 'no_index' },
      ],
    ])('an index %s decides no more than it can', async (_, fetch, answer) => {
      const { file } = checkProof(anchored);
      expect(await askIndex('https://a.example', file!, sender, fetch)).toMatchObject({
        verdict: 'unknown',
        ...answer,
      });
    });

    it('an index that never ends its answer is left in time', async () => {
      const time = new AbortController();
      const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
      // As in Node 20: the signal does not end the body.
      const endless: Fetch = async () => {
        setImmediate(() => time.abort());
        return new Response(new ReadableStream());
      };
      const { file } = checkProof(anchored);
      expect(await askIndex('https://a.example', file!, sender, endless)).toMatchObject({ reason: 'unreachable' });
      timeout.mockRestore();
    });

    it('an index counts once, however its address is written', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'proof-file-'));
      try {
        writeFileSync(join(folder, 'file'), wholeMonth);
        const lines: string[] = [];
        const fetch = indexWith({ verdict: 'match' }, ownListing);
        const context = { print: (line: string) => lines.push(line), complain: () => undefined, fetch };
        const addresses = ['--index', 'https://a.example', '--index', 'https://A.example/'];
        await verifyCommand([join(folder, 'file'), '--sender', sender, ...addresses], context);
        expect(lines[4]).toContain('One index found the fingerprint on the ledger: https://a.example.');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
});
