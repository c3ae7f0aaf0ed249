/**
 * The guides do what they say: their commands and programs are run from their own text, against the demo that readers
 * start. Not here: those of `conformance.md`, which are the kit itself and run in rooms of their own.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { silentLog } from '@clockproof/platform/log';
import {
  blocksOf,
  type RunningSample,
  repository,
  runSample,
  type SampleLanguage,
  sampleFolder,
  startCommands,
  startSample,
} from '@clockproof/platform/testing/guide';
import { minute } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { createWebhookSender } from '../src/extensions/webhooks/send.js';
import { signedHeaders } from '../src/extensions/webhooks/signature.js';
import { sendCollection } from './bruno.js';
import { type Demo, startDemo } from './demo.js';
import { challenge, consentTo, parametersOf, returnAfterConsent, verifier } from './linking.js';
import { closedPort, startReceiver } from './receivers.js';

const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;
const withPython = isInstalled('python3') ? it : it.skip;
const withJq = isInstalled('jq') ? it : it.skip;
const inEach = [
  ['ts', it],
  ['py', withPython],
] as const;

const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

const folder = sampleFolder();
const runningPrograms: RunningSample[] = [];
let demoStart: Promise<Demo>;
let demo: Demo;
beforeAll(async () => {
  demoStart = startDemo();
  demo = await demoStart;
});
afterEach(async () => {
  for (const program of runningPrograms.splice(0)) await program.stop();
});
afterAll(async () => {
  // Also one that began too late for its hook: it would go on.
  await (await demoStart).stop();
  folder.remove();
});

/** With the key that `make run` prints, unless the guide has the reader make one. */
const run = (
  language: SampleLanguage,
  code: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
) =>
  runSample(folder, language, code, { BASE_URL: demo.url, API_KEY: demo.extension('Schichtplan').key, ...env }, words);

function start(command: readonly [string, ...string[]], env: Readonly<Record<string, string>>): RunningSample {
  const program = startSample(folder, command, { BASE_URL: demo.url, ...env });
  runningPrograms.push(program);
  return program;
}
const startProgram = (
  language: SampleLanguage,
  name: string,
  code: string,
  { words = [], ...env }: { readonly words?: readonly string[]; readonly [name: string]: unknown },
) => start([...startCommands[language], folder.save(name, code), ...words], env as Record<string, string>);

/** Runs the commands of a guide with a `.curlrc` that prints one response a line. @returns the responses */
async function answersOf(guide: string, env: Record<string, string> = {}): Promise<Record<string, unknown>[]> {
  writeFileSync(join(folder.path, 'curl/.curlrc'), 'silent\nshow-error\nfail\nwrite-out = "\\n"\n');
  const commands = blocksOf(guide, 'sh').join('\n');
  const output = await run('sh', commands, { CURL_HOME: join(folder.path, 'curl'), ...env });
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toHaveLength(commands.match(/^curl /gm)!.length);
  return answers;
}

/** Asks again, not so often that the service would refuse. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(20);
}

/** What is recorded of a person from now on. */
function stampReader(personId: number): () => Promise<(readonly string[])[]> {
  const since = new Date().toISOString();
  return async () => {
    const { data } = await demo.ask<{ data: { stamps: { action: string }[] }[] }>(
      'GET',
      `/time/entries?user_id=${personId}&updated_since=${since}`,
    );
    return data.map(({ stamps }) => stamps.map(({ action }) => action));
  };
}

const stamp = (verb: string, personId: number) => demo.ask('POST', `/clock/${verb}`, { user_id: personId });
/** Each on a Wednesday of its own, of somebody whom no guide names. */
async function requestAbsence(): Promise<{ readonly id: number; readonly start_date: string }> {
  const date = new Date(Date.UTC(2027, 5, 2 + 7 * requestCount++)).toISOString().slice(0, 10);
  const person = demo.person('Sina').id;
  return demo.ask('POST', '/absences', { user_id: person, type: 'training', start_date: date, end_date: date });
}
let requestCount = 0;

describe('the guide to a first request', () => {
  withJq('has five lines of curl that clock somebody in and out, and can be run again', async () => {
    const commands = blocksOf('first-request.md', 'sh');
    expect(commands.join('').match(/\bcurl /g)).toHaveLength(5);
    for (const _ of ['once', 'again']) {
      const [status, clockedIn, clockedOut, entries] = await answersOf('first-request.md');
      expect(status).toMatchObject({ api_versions: ['v1'] });
      expect([clockedIn, clockedOut]).toMatchObject([
        { clock_state: { state: 'in' } },
        { clock_state: { state: 'out' } },
      ]);
      const [entry] = (entries!['data'] as { stamps: { action: string }[] }[]).slice(-1);
      expect(entry!.stamps.map(({ action }) => action)).toEqual(['in', 'out']);
    }
  });

  for (const [language, test] of inEach)
    test(`the guide to a first request has an equivalent program in ${language}`, async () => {
      expect(await run(language, blocksOf('first-request.md', language)[0]!)).toMatch(/^(\d+) in\n\1 out\n$/);
    });
});

describe('the guide to acting for a company', () => {
  it('the guide to acting for a company finds a person, clocks them in and out, and records an absence', async () => {
    const { id } = demo.takePerson();
    const answers = await answersOf('act-for-a-company.md', { PERSON: String(id), COMPANY: String(demo.companyId) });
    const [companies, people, clockedIn, clockedOut, absence, absences] = answers;
    expect(companies).toMatchObject({ data: [{ id: demo.companyId }] });
    expect(people).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id })]) });
    expect(clockedIn).toMatchObject({ clock_state: { user_id: id, state: 'in' } });
    expect(clockedOut).toMatchObject({ clock_state: { user_id: id, state: 'out' } });
    expect(absence).toMatchObject({ user_id: id, type: 'vacation' });
    expect(absences).toMatchObject({ data: [{ id: absence!['id'] }] });
  });

  for (const [language, test] of inEach)
    test(`the guide to acting for a company has an equivalent program in ${language}, which can run again`, async () => {
      const [program] = blocksOf('act-for-a-company.md', language);
      const { id, email } = demo.takePerson();
      const readStamps = stampReader(id);
      for (const _ of ['once', 'again'])
        expect(await run(language, program!, { EMAIL: email.toUpperCase() })).toBe('in\nout\nwaiting\n');
      expect(await readStamps()).toEqual([['in', 'out']]);
    });
});

describe('the guide to linking an app', () => {
  const allowedScopes = ['read:clock_states', 'write:clock'];
  /** Mia in front of the program: follows what it prints, and hands it what her browser comes back with. */
  async function linkAndRun(language: SampleLanguage, code: string, inputOf: (redirect: string) => string) {
    const app = demo.extension('Feierabend');
    const program = startProgram(language, language === 'ts' ? 'link.mts' : 'link', code, {
      CLIENT_ID: app.client_id,
      API_KEY: app.key,
      REDIRECT: app.redirect_uris[0]!,
    });
    await program.until(({ length }) => length > 0);
    const consentUrl = new URL(program.lines[0]!);
    expect(consentUrl.origin).toBe(demo.url);
    const redirect = await returnAfterConsent(
      await demo.signIn('Mia'),
      consentUrl.pathname + consentUrl.search,
      allowedScopes,
    );
    program.answer(inputOf(redirect));
    const [, ...output] = await program.ended();
    const { data: links } = await demo.ask<{ data: { type: string }[] }>(
      'GET',
      '/events?limit=500',
      undefined,
      app.key,
    );
    expect(links.at(-1)).toMatchObject({ type: 'link.ended' });
    return output;
  }

  withJq('has commands from the consent to the end of the link', async () => {
    const commands = blocksOf('link-an-app.md', 'sh').join('\n');
    const output = await linkAndRun('sh', commands, (redirect) => parametersOf(redirect)['code']!);
    expect(output).toEqual(['Mia Brandt', 'in', 'in', 'token_revoked']);
  });
  const libraries = blocksOf('link-an-app.md', 'ts').map((program) => ({
    library: /npm install (\S+);/.exec(program)![1]!,
    program,
  }));
  it('the guide to linking an app has a program for each library', () => {
    expect(libraries.map(({ library }) => library)).toEqual(['oauth4webapi', 'openid-client', 'simple-oauth2']);
  });
  it.each(libraries)('the guide to linking an app has a program with $library', async ({ program }) => {
    expect(await linkAndRun('ts', program, (redirect) => redirect)).toEqual(['Mia Brandt', allowedScopes.join(' ')]);
  });
  withPython('has a program in Python without any package', async () => {
    const [program] = blocksOf('link-an-app.md', 'py');
    expect(await linkAndRun('py', program!, (redirect) => redirect)).toEqual(['Mia Brandt', allowedScopes.join(' ')]);
  });
});

describe('the guide to synchronisation', () => {
  /** A position of a history that this installation does not have. */
  const foreignPosition = `s1_0badc0de${'1'.padStart(14, '0')}`;
  const count = async () =>
    (await demo.ask<{ data: unknown[] }>('GET', '/time/leaves?updated_since=1970-01-01&limit=500')).data.length;
  const summary = (absences: number) => `${absences} absences\n`;

  for (const [language, test] of inEach)
    test(`the guide to synchronisation has a program in ${language} that reads all once, then changes`, async () => {
      const [program] = blocksOf('synchronisation.md', language);
      const copy = join(folder.path, `copy-${language}.json`);
      const countBefore = await count();
      expect(await run(language, program!, {}, [copy])).toBe(summary(countBefore));
      const { since } = JSON.parse(readFileSync(copy, 'utf8')) as { since: string };
      await requestAbsence();
      expect(await run(language, program!, {}, [copy])).toBe(summary(countBefore + 1));
      expect((JSON.parse(readFileSync(copy, 'utf8')) as { since: string }).since).not.toBe(since);
      // History changed: what only the copy has is gone.
      writeFileSync(copy, JSON.stringify({ since: foreignPosition, absences: { 987654: { id: 987654 } } }));
      expect(await run(language, program!, {}, [copy])).toBe(summary(countBefore + 1));
    });

  withJq('has commands that do the same', async () => {
    const [commands] = blocksOf('synchronisation.md', 'sh');
    const countBefore = await count();
    expect(await run('sh', commands!)).toBe(summary(countBefore));
    const { start_date: date } = await requestAbsence();
    expect(await run('sh', commands!)).toBe(summary(countBefore + 1));
    const changes = readFileSync(join(folder.path, 'changes.jsonl'), 'utf8').trim().split('\n');
    expect(changes.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ start_date: date })]);
    writeFileSync(join(folder.path, 'since.txt'), foreignPosition);
    writeFileSync(join(folder.path, 'copy.jsonl'), '{"id":987654}\n');
    expect(await run('sh', commands!)).toBe(summary(countBefore + 1));
  });
});

describe('the guide to receiving events', () => {
  const examples = join(repository, 'docs/examples/events');
  const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  /** A position of a history that this installation does not have. */
  const foreignPosition = `evt_0badc0de${'1'.padStart(14, '0')}`;
  const isReady = (lines: readonly string[]) => lines.some((line) => /^ready$|Development Server/.test(line));
  /** Lines with an event, without what else is printed. */
  const eventTypes = (lines: readonly string[]) =>
    lines.filter((line) => /^\d+ /.test(line)).map((line) => line.split(' ')[1]!);
  const endsWith = (types: readonly string[]) => (lines: readonly string[]) =>
    eventTypes(lines).slice(-types.length).join() === types.join();

  /** Sees some dozens of events, and not each stamp of the weeks before. */
  const ofAbsences = { scopes: ['read:leave_entries'] };
  /** @returns the types of its events */
  async function askAndWithdraw() {
    const { id } = await requestAbsence();
    await demo.ask('DELETE', `/absences/${id}`);
    return ['leave.requested', 'leave.withdrawn'];
  }

  /** Waits until a program has its newest event in its file: it stores it after it has handled it. */
  async function isStored(state: string, { lines }: RunningSample) {
    const newestSequence = Number(lines.at(-1)!.split(' ')[0]);
    const readPosition = () => (existsSync(state) ? Number(`0x${readFileSync(state, 'utf8').slice(12)}`) : 0);
    await until(() => readPosition() >= newestSequence);
  }

  const receivers = [
    ['node', (_: number) => ['--import', 'tsx', join(examples, 'receiver.mts')]],
    ['python3', (_: number) => [join(examples, 'receiver.py')]],
    ['php', (port: number) => ['-S', `127.0.0.1:${port}`, join(examples, 'receiver.php')]],
  ] as const;
  for (const [command, words] of receivers)
    (isInstalled(command) ? it : it.skip)(`has a receiver in ${command} that takes what is genuine, once`, async () => {
      const port = await closedPort();
      const url = `http://127.0.0.1:${port}/`;
      const { extension, webhook_secret: secret = '' } = await demo.addExtension({
        mode: 'webhooks',
        webhook_url: url,
      });
      const handledFolder = mkdtempSync(join(folder.path, 'handled-'));
      const receiver = start([command, ...words(port)], {
        WEBHOOK_SECRET: secret,
        PORT: String(port),
        HANDLED: handledFolder,
      });
      await receiver.until(isReady);

      const { body: ping } = await demo.admin.call('POST', `/app/admin/extensions/${extension.id}/ping`);
      expect(ping).toMatchObject({ outcome: 'delivered', status: 204 });
      await stamp('in', demo.takePerson().id);
      await receiver.until((lines) => lines.filter((line) => /^\d+ \S+$| Closing$/.test(line)).length === 2);
      await demo.admin.call('DELETE', `/app/admin/extensions/${extension.id}`);

      // What the service never sends, or seldom.
      const {
        data: [{ epoch: ownEpoch }],
      } = await demo.ask<{ data: [{ epoch: string }] }>('GET', '/events?limit=1');
      let now = Date.now();
      const send = createWebhookSender({ allowPrivateTargets: true, clock: () => now, log: silentLog });
      const status = async (secrets: string[], sequence: number, epoch = ownEpoch) => {
        const id = `evt_${epoch}0000000000000${sequence}`;
        const body = JSON.stringify({ id, type: 'clock.in', sequence, epoch, note: 'ü' });
        const attempt = await send({ url, id, body, secrets });
        return attempt.outcome === 'unreachable' ? attempt.outcome : attempt.status;
      };
      expect(await status([secret], 1)).toBe(204);
      expect(await status([secret], 1)).toBe(204);
      // While secrets are being replaced, either comes first.
      expect(await status([otherSecret, secret], 2)).toBe(204);
      expect(await status([secret, otherSecret], 3)).toBe(204);
      expect(await status([otherSecret], 4)).toBe(400);
      for (const offset of [-6 * minute, 6 * minute]) {
        now = Date.now() + offset;
        expect(await status([secret], 5)).toBe(400);
      }
      // Signed, then altered on the way.
      const body = Buffer.from(
        `{"id":"evt_${ownEpoch}00000000000006","sequence":6,"epoch":"${ownEpoch}","type":"clock.in"}`,
      );
      const headers = signedHeaders(`evt_${ownEpoch}00000000000006`, Math.floor(Date.now() / 1000), body, [secret]);
      expect((await fetch(url, { method: 'POST', headers, body: `${body} ` })).status).toBe(400);
      // A new epoch: it reads the lists in full, once.
      now = Date.now();
      expect(await status([secret], 7, '0badc0de')).toBe(204);
      expect(await status([secret], 8, '0badc0de')).toBe(204);
      expect(await status([secret], 9)).toBe(204);

      const readHandled = () =>
        readdirSync(handledFolder).map((name) => readFileSync(join(handledFolder, name), 'utf8').trim());
      const isHandled = (line: string) => /^\d+ (ping|clock\.in)$|^history/.test(line);
      const lines = (command === 'php' ? readHandled().sort() : receiver.lines).filter(isHandled);
      expect(lines.filter((line) => /^\d\d/.test(line)).map((line) => line.split(' ')[1])).toEqual(
        expect.arrayContaining(['clock.in', 'ping']),
      );
      expect(lines.filter((line) => !/^\d\d/.test(line))).toEqual([
        ...['1 clock.in', '2 clock.in', '3 clock.in'],
        ...(command === 'php' ? [] : ['history changed: read the lists in full']),
        ...['7 clock.in', '8 clock.in', '9 clock.in'],
      ]);
    });

  withJq('has commands that pull what is new, and go on where they were', async () => {
    const { key } = await demo.addExtension(ofAbsences);
    const state = join(folder.path, 'pulled');
    const pull = async () => {
      const { stdout } = await promisify(execFile)(join(examples, 'pull.sh'), [state], {
        env: { PATH: process.env['PATH'] ?? '', BASE_URL: demo.url, API_KEY: key },
        maxBuffer: 64 << 20,
      });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { type: string }).type);
    };
    const history = await pull();
    expect(history.length).toBeGreaterThan(10);
    const ofAbsence = await askAndWithdraw();
    expect(await pull()).toEqual(ofAbsence);
    expect(await pull()).toEqual([]);
    // A position of another history: it reads the lists in full, and begins again.
    writeFileSync(state, foreignPosition);
    expect(await pull()).toEqual([...history, ...ofAbsence]);
  });

  withPython('has a program that follows by long polling, and goes on where it was', async () => {
    const [, program] = blocksOf('receive-events.md', 'py');
    const { key } = await demo.addExtension(ofAbsences);
    const state = join(folder.path, 'followed');
    const follow = () => startProgram('py', 'follow.py', program!, { words: [state], API_KEY: key });
    const firstRun = follow();
    const ofAbsence = await askAndWithdraw();
    await firstRun.until(endsWith(ofAbsence));
    await isStored(state, firstRun);
    await firstRun.stop();
    await askAndWithdraw();
    const secondRun = follow();
    await secondRun.until(endsWith(ofAbsence));
    expect(eventTypes(secondRun.lines)).toEqual(ofAbsence);
    await secondRun.stop();
    writeFileSync(state, foreignPosition);
    const thirdRun = follow();
    // All of them: earlier tests may have asked and withdrawn too, so the last two alone are no sign of the end.
    const history = [...eventTypes(firstRun.lines), ...ofAbsence];
    await thirdRun.until((lines) => eventTypes(lines).length >= history.length);
    expect(thirdRun.lines).toContain('history_changed: read the lists in full');
    expect(eventTypes(thirdRun.lines)).toEqual(history);
  });

  it('the guide to receiving events has a program that stays connected and misses nothing while away', async () => {
    const { key } = await demo.addExtension({ mode: 'websocket' });
    const { id } = demo.takePerson();
    const state = join(folder.path, 'connected');
    const connect = async () => {
      const program = start(['node', '--import', 'tsx', join(examples, 'stay-connected.mts'), state], { API_KEY: key });
      await program.until(isReady);
      return program;
    };
    const firstRun = await connect();
    await stamp('in', id);
    await firstRun.until(endsWith(['clock.in']));
    await isStored(state, firstRun);
    await firstRun.stop();
    await stamp('out', id);
    await stamp('in', id);
    const secondRun = await connect();
    await secondRun.until(endsWith(['clock.out', 'clock.in']));
    await stamp('out', id);
    await secondRun.until(endsWith(['clock.out', 'clock.in', 'clock.out']));
    expect([eventTypes(firstRun.lines), eventTypes(secondRun.lines)]).toEqual([
      ['clock.in'],
      ['clock.out', 'clock.in', 'clock.out'],
    ]);
    await secondRun.stop();
    writeFileSync(state, foreignPosition);
    const thirdRun = await connect();
    await stamp('in', id);
    await thirdRun.until(endsWith(['clock.in']));
    expect(eventTypes(thirdRun.lines)).toEqual(['clock.in']);
  });
});

/** An admin who adds an entrance, as the page *Entrances → Terminals* does. */
async function addDoor(): Promise<{ readonly terminalId: string; readonly code: string }> {
  // Without a lock: Jana stamped when the demo began.
  const { status, body } = await demo.admin.call('POST', '/app/admin/terminals', {
    body: {
      company_id: demo.companyId,
      name: `Gate ${++doors}`,
      location: 'Hamburg',
      issuing_allowed: true,
      repeat_lock_seconds: 0,
    },
  });
  expect(status).toBe(201);
  return { terminalId: (body['terminal'] as { id: string }).id, code: String(body['code']) };
}
let doors = 0;

/** An admin who compares the fingerprint as soon as the device has used its code. */
async function confirmOnceItIsThere(terminalId: string, fingerprint: string): Promise<void> {
  const path = `/app/admin/terminals/${terminalId}`;
  await until(async () => (await demo.admin.call('GET', path)).body['fingerprint'] === fingerprint);
  const confirmation = await demo.admin.call('POST', `${path}/confirmation`, { body: { fingerprint } });
  expect(confirmation).toMatchObject({ status: 200 });
}

describe('the guide to building a terminal', () => {
  // Jana was clocked in at the door when the demo began.
  for (const [language, test, name, state] of [
    ['sh', withJq, 'emre', 'Emre in'],
    ['ts', it, 'ole', 'Ole in'],
    ['py', withPython, 'jana', 'Jana out'],
  ] as const)
    test(`the guide to a terminal has samples in ${language} from pairing to offline stamps`, async () => {
      const readStamps = stampReader(demo.person(state.split(' ')[0]!).id);
      const card = folder.save('card.mjs', blocksOf('build-a-terminal.md', 'js')[0]!);
      const { terminalId, code } = await addDoor();
      const program = startProgram(
        language,
        `terminal.${language === 'ts' ? 'mts' : language}`,
        blocksOf('build-a-terminal.md', language).join('\n'),
        { CODE: code, CARD: `${process.execPath} ${card} ${join(demo.folder, 'cards', `${name}.json`)}` },
      );
      await program.until(({ length }) => length > 0);
      await confirmOnceItIsThere(terminalId, program.lines[0]!);
      expect((await program.ended()).slice(1)).toEqual([`confirmed: Gate ${doors}`, state, 'accepted']);
      expect((await readStamps()).flat()).toEqual(expect.arrayContaining([state.split(' ')[1], 'out']));
    });
});

describe('the guide to an entrance PC', () => {
  withPython('has commands and programs that pair a simulated door, issue a badge and stamp', async () => {
    const [pair, run_, hold] = blocksOf('entrance-pc.md', 'sh');
    const { terminalId, code } = await addDoor();
    const person = demo.takePerson();
    const readStamps = stampReader(person.id);
    const env = {
      SERVICE_URL: demo.url,
      CODE: code,
      STATE_DIR: join(folder.path, 'door'),
      CARDS_DIR: join(folder.path, 'cards'),
      SIMULATOR_PORT: String(await closedPort()),
    };
    const inRepository = (commands: string) => start(['bash', '-e', '-c', `cd '${repository}'\n${commands}`], env);
    const pairing = inRepository(pair!);
    const fingerprint = (line: string) => /^Fingerprint: (.+)$/.exec(line)?.[1];
    await pairing.until((lines) => lines.some(fingerprint));
    await confirmOnceItIsThere(terminalId, pairing.lines.map(fingerprint).find(Boolean)!);
    expect(await pairing.ended()).toContain(`Confirmed: Gate ${doors}`);

    const door = inRepository(`export READER=simulated; exec ${run_}`);
    await door.until((lines) => lines.some((line) => line.startsWith('Simulator: ')));
    const issuing = `/app/admin/terminals/${terminalId}/issuing`;
    expect(await demo.admin.call('POST', issuing, { body: { user_id: person.id } })).toMatchObject({ status: 201 });
    expect(JSON.parse(await run('sh', hold!, env))).toMatchObject({ outcome: 'issued' });
    const message = new RegExp(`^stamped ${person.first_name}: `);
    expect(await run('ts', blocksOf('entrance-pc.md', 'ts')[0]!, env, ['ada', 'in'])).toMatch(message);
    expect(await run('py', blocksOf('entrance-pc.md', 'py')[0]!, env, ['ada', 'break_start'])).toMatch(message);
    expect(await readStamps()).toEqual([['in', 'break_start']]);
  });
});

describe('the guide to verifying a proof', () => {
  for (const [language, test] of [
    ['sh', it],
    ['ts', it],
    ['py', withPython],
  ] as const)
    test(`the guide to verifying a proof compares a root with the ledger in ${language}`, async () => {
      const [code] = blocksOf('verify-a-proof.md', language);
      const [proof] = demo.target.proofs;
      const env = { INDEX: demo.target.indexer.url, TX: proof!.tx, ROOT: proof!.merkle_root };
      const output = await run(language, code!, env);
      if (language === 'sh') return expect(JSON.parse(output)).toMatchObject({ verdict: 'match', verified: true });
      expect(output).toBe('match\n');
      const mismatch = run(language, code!, { ...env, ROOT: '0'.repeat(64) });
      await expect(mismatch).rejects.toMatchObject({ code: 1, stdout: 'mismatch\n' });
    });
});

it('the guide to generated clients has a program that stamps and reads events', async () => {
  const output = await run('ts', blocksOf('generated-clients.md', 'ts')[0]!);
  expect(output).toMatch(/^(\d+ in\n)+$/);
});

describe('the recipes', () => {
  const recipes = join(repository, 'docs/examples/recipes');
  const command = (name: string, ...words: string[]): [string, ...string[]] => [
    ...startCommands[name.endsWith('.py') ? 'py' : 'ts'],
    join(recipes, name),
    ...words,
  ];
  /** @returns what the program printed, errors too. @throws with it, if it fails */
  const recipe = async (name: string, words: readonly string[], env: Readonly<Record<string, string>>) =>
    (await start(command(name, ...words), env).ended()).join('\n');
  const keyOf = async (...scopes: string[]) => (await demo.addExtension({ scopes })).key;

  it('each recipe has at most sixty lines, and is in the guide unchanged', () => {
    const names = readdirSync(recipes).filter((name) => !name.endsWith('.md'));
    const files = names.map((name) => readFileSync(join(recipes, name), 'utf8'));
    expect(files.filter((text) => text.trimEnd().split('\n').length > 60)).toEqual([]);
    const programs = ['ts', 'py'].flatMap((language) => blocksOf('what-you-can-build.md', language));
    expect(programs.sort()).toEqual(files.sort());
    expect(programs).toHaveLength(6);
  });

  withPython('roster sync copies once, then what changed, and begins again after history changed', async () => {
    const key = await keyOf('read:users', 'read:leave_entries');
    const copy = join(folder.path, 'roster.db');
    const sync = () => recipe('roster.py', [copy], { API_KEY: key });
    const inCopy = (statement: string) =>
      run('py', `import sqlite3\nwith sqlite3.connect("${copy}") as db: print(*db.execute("${statement}"))`);
    const outputBefore = await sync();
    const [, absences] = /^\d+ \/users\n(\d+) \/time\/leaves$/.exec(outputBefore)!;
    await requestAbsence();
    const outputAfter = outputBefore.replace(/\d+ (?=\/time)/, `${Number(absences) + 1} `);
    expect(await sync()).toBe(outputAfter);
    await inCopy("INSERT INTO records VALUES ('/time/leaves', 987654, '{}')");
    await inCopy(`UPDATE positions SET position = 's1_0badc0de${'1'.padStart(14, '0')}' WHERE list = '/time/leaves'`);
    expect(await sync()).toBe(outputAfter);
    expect(await inCopy('SELECT count(*) FROM records WHERE id = 987654')).toBe('(0,)\n');
  });

  it('the presence board recipe shows who is at work, and follows', async () => {
    const { id, display_name: name } = demo.takePerson();
    const key = await keyOf('read:users', 'read:clock_states', 'read:time_entries');
    const board = start(command('board.mts'), { API_KEY: key });
    const namesOf = (lines: readonly string[]) =>
      /^at work: (.*); on a break: (.*)$/.exec(lines.at(-1) ?? '')?.slice(1);
    await board.until((lines) => namesOf(lines)?.some((names) => names.includes(name)) === false);
    await stamp('in', id);
    await board.until((lines) => namesOf(lines)![0]!.includes(name));
    await stamp('break/start', id);
    await board.until((lines) => namesOf(lines)![1]!.includes(name));
    await stamp('out', id);
    await board.until((lines) => !lines.at(-1)!.includes(name));
  });

  withPython('payroll sync waits for the month to be closed, and writes its hours', async () => {
    const company = demo.target.companies[1]!;
    const { key } = await demo.addExtension({ company_id: company.id, scopes: ['read:users', 'read:time_entries'] });
    const [today] = new Date().toISOString().split('T');
    const endOfMonth = new Date(`${today!.slice(0, 7)}-01`).getTime() - 24 * 60 * minute;
    const lastDay = new Date(endOfMonth).toISOString().slice(0, 10);
    const month = lastDay.slice(0, 7);
    const file = join(folder.path, 'payroll.csv');
    const write = () => recipe('payroll.py', [month, file], { API_KEY: key });
    await expect(write()).rejects.toThrow(`${month} is not closed yet for ${company.users.length} people`);
    expect(existsSync(file)).toBe(false);
    const closing = `/app/admin/companies/${company.id}/months/${month}/close`;
    expect(await demo.admin.call('POST', closing)).toMatchObject({ status: 200 });
    const balances = await demo.ask<{ data: { user_name: string; worked_minutes: number }[] }>(
      'GET',
      `/time/balances?date=${lastDay}`,
      undefined,
      key,
    );
    const hours = balances.data.map(({ worked_minutes: minutes }) => minutes / 60);
    const total = hours.reduce((sum, value) => sum + value, 0);
    expect(total).toBeGreaterThan(0);
    expect(await write()).toBe(`${month}: ${hours.length} people, ${total.toFixed(2)} hours`);
    const [, ...rows] = readFileSync(file, 'utf8').trim().split('\r\n');
    expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual(
      balances.data.map(({ user_name: name }, index) => [
        expect.stringMatching(/^SU-\d{4}$/),
        name,
        hours[index]!.toFixed(2),
      ]),
    );
  });

  it('the chat bot recipe clocks people in, tells the chat once, and trusts no other sender', async () => {
    const chat = await startReceiver();
    const port = await closedPort();
    const { key, webhook_secret: secret = '' } = await demo.addExtension({
      mode: 'webhooks',
      webhook_url: `http://127.0.0.1:${port}/events`,
      scopes: ['write:clock', 'read:clock_states', 'read:time_entries'],
    });
    const person = demo.takePerson().id;
    const people = folder.save('people.json', JSON.stringify({ jana: person }));
    const bot = start(command('chat-bot.mts', people), {
      ...{ API_KEY: key, WEBHOOK_SECRET: secret, PORT: String(port) },
      ...{ CHAT_URL: `http://127.0.0.1:${chat.port}/`, CHAT_TOKEN: 'of the chat' },
    });
    await bot.until((lines) => lines.includes('ready'));
    const post = (path: string, form: Readonly<Record<string, string>>) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: new URLSearchParams(form) });
    const say = async (text: string, trigger: string, user = 'jana') => {
      const answer = await post('/command', { token: 'of the chat', user_name: user, text, trigger_id: trigger });
      return ((await answer.json()) as { text: string }).text;
    };
    expect(await say('in', 'command-1')).toBe('Done.');
    expect(await say('in', 'command-1')).toBe('Done.');
    expect(await say('in', 'command-2')).toBe('Not done: already_clocked_in');
    expect(await say('lunch', 'command-3')).toBe('Say in or out.');
    expect(await say('in', 'command-4', 'eve')).toBe('Ask HR to link you to the time clock.');
    expect((await post('/command', { token: 'guessed', user_name: 'jana', text: 'out' })).status).toBe(401);
    const event = { id: 'evt_0', type: 'clock.in', data: { clock_state: { user_id: person, state: 'in' } } };
    const body = Buffer.from(JSON.stringify(event));
    const headers = signedHeaders(event.id, Math.floor(Date.now() / 1000), body, [`whsec_${'A'.repeat(44)}`]);
    expect((await fetch(`http://127.0.0.1:${port}/events`, { method: 'POST', headers, body })).status).toBe(401);
    expect(await say('out', 'command-5')).toBe('Done.');
    await until(() => chat.received.length === 2);
    await chat.close();
    expect(chat.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: '@jana is in' },
      { text: '@jana is out' },
    ]);
  });

  withPython('door of another maker clocks in who is out, and out who is in', async () => {
    const { id } = demo.takePerson();
    const readStamps = stampReader(id);
    const door = start(command('door.py', folder.save('cards.csv', `04782E21,${id}\n`)), {
      API_KEY: await keyOf('read:clock_states', 'write:clock'),
    });
    door.answer('04782E21\n04782E21\n04782E22');
    expect(await door.ended()).toEqual(['in', 'out', 'card not known']);
    expect(await readStamps()).toEqual([['in', 'out']]);
  });

  it('the verifier recipe finds the record in the ledger, and not an altered one', async () => {
    const [proof] = demo.target.proofs;
    const env = { INDEX: demo.target.indexer.url, LEDGER: demo.target.ledger.url, TX: proof!.tx };
    const file = join(demo.folder, 'anchored.jsonl');
    const expected = `root ${proof!.merkle_root}\nledger: match, index: match`;
    expect(await recipe('verifier.mts', [file, '4'], env)).toBe(`record 4 of 5, 1 steps: ${expected}`);
    const alteredFile = folder.save('altered.jsonl', readFileSync(file, 'utf8').replace('clock.in', 'clock.out'));
    await expect(recipe('verifier.mts', [alteredFile, '4'], env)).rejects.toThrow('ledger: mismatch, index: mismatch');
  });
});

it('the workflows of the contract run from the first step to the last', async () => {
  const receiver = await startReceiver();
  const app = demo.extension('Feierabend');
  const [redirectUri] = app.redirect_uris;
  const browser = await demo.signIn('Mia');
  const question = new URLSearchParams({
    ...{ response_type: 'code', client_id: app.client_id, redirect_uri: redirectUri!, state: 'xyz' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  });
  const inputs = {
    apiKey: demo.extension('Schichtplan').key,
    today: new Date().toISOString().slice(0, 10),
    basic: Buffer.from(`${app.client_id}:${app.key}`).toString('base64'),
    code: await consentTo(browser, `/oauth/authorize?${question}`, ['read:clock_states']),
    redirectUri,
    verifier,
    cookie: `session=${demo.admin.cookies.get('session')}`,
    origin: demo.url,
    name: 'Roster',
    address: `http://127.0.0.1:${receiver.port}/`,
  };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      redocly,
      ...['respect', 'workflows.arazzo.yaml', '--input', JSON.stringify(inputs)],
      ...['service', 'app'].flatMap((document) => ['--server', `${document}=${demo.url}`]),
    ],
    {
      cwd: join(repository, 'openapi'),
      env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' },
    },
  ).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  await receiver.close();
  expect(stdout + stderr).toMatch(/Workflows: 4 passed, 4 total/);
  expect(receiver.received).toHaveLength(1);
});

it('every request of the collection for Bruno is answered as it asserts', async () => {
  const download = await fetch(`${demo.url}/docs/downloads/clockproof-bruno.zip`);
  const entries = Object.entries(unzipSync(new Uint8Array(await download.arrayBuffer())));
  const files = new Map(entries.map(([path, text]) => [path.replace(/^clockproof\//, ''), strFromU8(text)]));
  const requests = await sendCollection(files, {
    baseUrl: demo.url,
    indexerUrl: demo.target.indexer.url,
    apiKey: (await demo.addExtension({})).key,
  });
  expect(requests.length).toBeGreaterThan(25);
  expect(requests.filter(({ isExpected }) => !isExpected)).toEqual([]);
});

it.each([
  ['first-request.md', 'ts', 'requests/first-request.mts'],
  ['first-request.md', 'py', 'requests/first-request.py'],
  ['synchronisation.md', 'ts', 'requests/synchronise.mts'],
  ['synchronisation.md', 'py', 'requests/synchronise.py'],
  ['receive-events.md', 'ts', 'events/receiver.mts'],
  ['receive-events.md', 'py', 'events/receiver.py'],
  ['receive-events.md', 'sh', 'events/verify.sh'],
  ['receive-events.md', 'ts', 'events/stay-connected.mts'],
  ['receive-events.md', 'sh', 'events/pull.sh'],
] as const)('the guide %s prints the %s of docs/examples/%s', (guide, language, example) => {
  expect(blocksOf(guide, language)).toContain(readFileSync(join(repository, 'docs/examples', example), 'utf8'));
});

it.each([
  'first-request.md',
  'synchronisation.md',
  'act-for-a-company.md',
  'link-an-app.md',
  'receive-events.md',
  'entrance-pc.md',
  'build-a-terminal.md',
  'verify-a-proof.md',
])('%s has samples for a shell, TypeScript and Python', (guide) => {
  for (const language of ['sh', 'ts', 'py']) expect([language, blocksOf(guide, language)]).not.toEqual([language, []]);
});
