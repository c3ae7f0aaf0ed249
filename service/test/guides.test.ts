/** The guides do what they say: their commands and programs are run from their own text. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  blocksOf,
  repository,
  runSample,
  type SampleLanguage,
  sampleFolder,
  starts,
} from '@clockproof/platform/testing/guide';
import { writeCardFile } from '@clockproof/terminal-agent/simulator/card-file';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIssuing } from '../src/terminals/issuing.js';
import { confirmTerminal } from '../src/terminals/pairing.js';
import { type Browser, createBrowser, factorKeysOf, giveCredentials, signIn } from './browser.js';
import { addDoor, issueBadge, openDoor } from './door.js';
import { addApp, parametersOf, redirectUri, returnAfterConsent } from './linking.js';
import { closedPort } from './receivers.js';
import { createWorld, dataKey, type World } from './world.js';

const folder = sampleFolder();
const installed = (command: string) => spawnSync(command, ['--version']).status === 0;
const withPython = installed('python3') ? it : it.skip;
const withJq = installed('jq') ? it : it.skip;

// Client libraries compare the issuer with the address: the service has to know its port.
let world: World;
beforeEach(async () => {
  const address = `127.0.0.1:${await closedPort()}`;
  world = await createWorld('sqlite', { env: { LISTEN_ADDR: address, BASE_URL: `http://${address}` } });
});
afterEach(() => world.close());
afterAll(() => folder.remove());

const run = (
  language: SampleLanguage,
  code: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
) => runSample(folder, language, code, { BASE_URL: world.url, API_KEY: world.planner.key, ...env }, words);

/** Runs the commands of a guide with a `.curlrc` that prints one response a line. @returns the responses */
async function answersOf(guide: string, env: Record<string, string>): Promise<Record<string, unknown>[]> {
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

describe('the guide to a first request', () => {
  it('has commands that all succeed', async () => {
    const answers = await answersOf('first-request.md', { PERSON: String(world.people.ada) });
    expect(answers[1]).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: world.people.ada })]),
    });
    expect(answers.at(-1)).toMatchObject({
      data: [{ type: 'clock.in', data: { clock_state: { user_id: world.people.ada } } }],
    });
  });

  for (const [language, test] of [
    ['ts', it],
    ['py', withPython],
  ] as const)
    test(`has a program in ${language} that clocks somebody in`, async () => {
      expect(await run(language, blocksOf('first-request.md', language)[0]!)).toMatch(/^\S.* in\n$/);
    });
});

describe('the guide to acting for a company', () => {
  it('has commands that find a person, clock them in and out, and record an absence', async () => {
    const { ada } = world.people;
    const answers = await answersOf('act-for-a-company.md', { PERSON: String(ada), COMPANY: String(world.nord) });
    const [companies, people, clockedIn, clockedOut, absence, absences] = answers;
    expect(companies).toMatchObject({ data: [{ id: world.nord }] });
    expect(people).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: ada })]) });
    expect(clockedIn).toMatchObject({ clock_state: { user_id: ada, state: 'in' } });
    expect(clockedOut).toMatchObject({ clock_state: { user_id: ada, state: 'out' } });
    expect(absence).toMatchObject({ user_id: ada, type: 'vacation' });
    expect(absences).toMatchObject({ data: [{ id: absence!['id'] }] });
  });

  for (const [language, test] of [
    ['ts', it],
    ['py', withPython],
  ] as const)
    test(`has a program in ${language} that does the same, and can be run again`, async () => {
      const [program] = blocksOf('act-for-a-company.md', language);
      for (const _ of ['once', 'again'])
        expect(await run(language, program!, { EMAIL: 'Ada@clockproof.example' })).toBe('in\nout\nwaiting\n');
      const { body } = await world.call('GET', '/api/v1/events', { key: world.planner.key });
      expect((body['data'] as { type: string }[]).map(({ type }) => type)).toEqual([
        'clock.in',
        'clock.out',
        'leave.requested',
      ]);
    });
});

describe('the guide to linking an app', () => {
  /** Ada in front of the program: follows what it prints, and hands it what her browser comes back with. */
  async function linked(
    language: SampleLanguage,
    program: string,
    handedOver: (back: string) => string,
  ): Promise<readonly string[]> {
    const { ada } = world.people;
    await giveCredentials(world, [ada], await factorKeysOf(world, dataKey));
    const app = await addApp(world, 'Chat');
    const [command, ...options] = starts[language];
    const file = folder.save(language === 'ts' ? 'link.mts' : 'link', program);
    const child = spawn(command, [...options, file], {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'] ?? '',
        BASE_URL: world.url,
        CLIENT_ID: app.clientId,
        API_KEY: app.key,
        REDIRECT: redirectUri,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const asked = new URL((await lines.next()).value as string);
    expect(asked.origin).toBe(world.url);
    const browser = await signIn(world, ada, atHome(createBrowser(world.url)));
    const scopes = ['read:clock_states', 'write:clock'];
    child.stdin.end(`${handedOver(await returnAfterConsent(browser, asked.pathname + asked.search, scopes))}\n`);
    const printed: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) printed.push(line.value);
    const { body } = await world.call('GET', '/api/v1/events', { key: app.key });
    expect((body['data'] as { type: string }[]).map(({ type }) => type)).toContain('link.ended');
    return printed;
  }
  /** A browser on a page of this service, which is not where the other tests have theirs. */
  const atHome = (browser: Browser): Browser => ({
    cookies: browser.cookies,
    call: (method, path, call = {}) =>
      browser.call(method, path, {
        ...call,
        headers: { ...(method === 'GET' ? {} : { origin: world.url }), ...call.headers },
      }),
  });

  withJq('has commands from the consent to the end of the link', async () => {
    const commands = blocksOf('link-an-app.md', 'sh').join('\n');
    const printed = await linked('sh', commands, (back) => parametersOf(back)['code']!);
    expect(printed).toEqual(['Ada Lang', 'in', 'in', 'token_revoked']);
  });
  const libraries = blocksOf('link-an-app.md', 'ts').map((program) => ({
    library: /npm install (\S+);/.exec(program)![1]!,
    program,
  }));
  it('has a program for each library', () => {
    expect(libraries.map(({ library }) => library)).toEqual(['oauth4webapi', 'openid-client', 'simple-oauth2']);
  });
  it.each(libraries)('has a program with $library', async ({ program }) => {
    expect(await linked('ts', program, (back) => back)).toEqual(['Ada Lang', 'read:clock_states write:clock']);
  });
  withPython('has a program in Python without any package', async () => {
    const [program] = blocksOf('link-an-app.md', 'py');
    expect(await linked('py', program!, (back) => back)).toEqual(['Ada Lang', 'read:clock_states write:clock']);
  });
});

describe('the guide to synchronisation', () => {
  /** A position of a history that this installation does not have. */
  const replaced = `s1_0badc0de${'1'.padStart(14, '0')}`;
  const request = async (start: string) =>
    expect(
      await world.call('POST', '/api/v1/absences', {
        key: world.planner.key,
        body: { user_id: world.people.ada, type: 'vacation', start_date: start, end_date: start },
      }),
    ).toMatchObject({ status: 201 });

  for (const [language, test] of [
    ['ts', it],
    ['py', withPython],
  ] as const)
    test(`has a program in ${language} that reads everything once, and then what changed`, async () => {
      const [program] = blocksOf('synchronisation.md', language);
      const copy = join(folder.path, `copy-${language}.json`);
      await request('2026-12-21');
      expect(await run(language, program!, {}, [copy])).toBe('1 absences\n');
      const { since } = JSON.parse(readFileSync(copy, 'utf8')) as { since: string };
      await request('2026-12-22');
      expect(await run(language, program!, {}, [copy])).toBe('2 absences\n');
      expect((JSON.parse(readFileSync(copy, 'utf8')) as { since: string }).since).not.toBe(since);
      // History changed: what only the copy has is gone.
      writeFileSync(copy, JSON.stringify({ since: replaced, absences: { 987654: { id: 987654 } } }));
      expect(await run(language, program!, {}, [copy])).toBe('2 absences\n');
    });

  withJq('has commands that do the same', async () => {
    const [commands] = blocksOf('synchronisation.md', 'sh');
    await request('2026-12-21');
    expect(await run('sh', commands!)).toBe('1 absences\n');
    await request('2026-12-22');
    expect(await run('sh', commands!)).toBe('2 absences\n');
    const changes = readFileSync(join(folder.path, 'changes.jsonl'), 'utf8').trim().split('\n');
    expect(changes.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ start_date: '2026-12-22' }),
    ]);
    writeFileSync(join(folder.path, 'since.txt'), replaced);
    writeFileSync(join(folder.path, 'copy.jsonl'), '{"id":987654}\n');
    expect(await run('sh', commands!)).toBe('2 absences\n');
  });
});

it.each([
  ['first-request.md', 'ts', 'first-request.mts'],
  ['first-request.md', 'py', 'first-request.py'],
  ['synchronisation.md', 'ts', 'synchronise.mts'],
  ['synchronisation.md', 'py', 'synchronise.py'],
] as const)('the guide %s prints the %s of docs/examples/requests/%s', (guide, language, example) => {
  expect(blocksOf(guide, language)).toContain(
    readFileSync(join(repository, 'docs/examples/requests', example), 'utf8'),
  );
});

describe('the guide to building a terminal', () => {
  for (const [language, test] of [
    ['sh', withJq],
    ['ts', it],
    ['py', withPython],
  ] as const)
    test(`has samples in ${language} that join to a terminal, from pairing to stamps without a connection`, async () => {
      const badge = await issueBadge(world, await openDoor(world, 'office'), world.people.ada, '04782e21801d80');
      folder.save('ada.json', writeCardFile(badge));
      const simulated = folder.save('card.mjs', blocksOf('build-a-terminal.md', 'js')[0]!);
      const { terminalId, code } = await addDoor(world);
      const [command, ...options] = starts[language];
      const program = folder.save(
        `terminal.${language === 'ts' ? 'mts' : language}`,
        blocksOf('build-a-terminal.md', language).join('\n'),
      );
      const child = spawn(command, [...options, program], {
        cwd: folder.path,
        env: {
          PATH: process.env['PATH'] ?? '',
          BASE_URL: world.url,
          CODE: code,
          CARD: `${process.execPath} ${simulated} ada.json`,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const fingerprint = (await lines.next()).value as string;
      await confirmOnceItIsThere(terminalId, fingerprint);
      const printed: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) printed.push(line.value);
      expect(printed).toEqual(['confirmed: Gate', 'Ada in', 'accepted']);
      const { body } = await world.call('GET', '/api/v1/time/entries?updated_since=1970-01-01', {
        key: world.planner.key,
      });
      const proofs = (body['data'] as { status: string; stamps: { proof: string }[] }[]).flatMap(({ stamps }) =>
        stamps.map(({ proof }) => proof),
      );
      expect(proofs).toEqual(expect.arrayContaining(['badge', 'none']));
    });
});

/** An admin who compares the fingerprint as soon as the device has used its code. */
async function confirmOnceItIsThere(terminalId: string, fingerprint: string): Promise<void> {
  const paired = () =>
    world.db.get('SELECT 1 AS paired FROM terminals WHERE id = :terminalId AND public_key IS NOT NULL', { terminalId });
  while ((await paired()) === undefined) await world.call('GET', '/api/v1/status');
  await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
    confirmTerminal(write, terminalId, world.nord, fingerprint),
  );
}

describe('the guide to an entrance PC', () => {
  withPython('has commands and programs that pair a simulated door, issue a badge and stamp', async () => {
    const [pair, start, hold] = blocksOf('entrance-pc.md', 'sh');
    const { terminalId, code } = await addDoor(world);
    const env = {
      PATH: process.env['PATH'] ?? '',
      SERVICE_URL: world.url,
      CODE: code,
      STATE_DIR: join(folder.path, 'door'),
      CARDS_DIR: join(folder.path, 'cards'),
      SIMULATOR_PORT: String(await closedPort()),
    };
    const pairing = spawn('bash', ['-e', '-c', pair!], { cwd: repository, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    for await (const line of createInterface({ input: pairing.stdout })) {
      printed.push(line);
      const fingerprint = /^Fingerprint: (.+)$/.exec(line)?.[1];
      if (fingerprint !== undefined) await confirmOnceItIsThere(terminalId, fingerprint);
    }
    expect(printed).toContain('Confirmed: Gate');

    const door = spawn('bash', ['-c', `exec ${start}`], {
      cwd: repository,
      env: { ...env, READER: 'simulated' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      for await (const line of createInterface({ input: door.stdout })) if (line.startsWith('Simulator: ')) break;
      await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
        startIssuing(write, terminalId, { id: world.people.ada, company_id: world.nord }),
      );
      expect(JSON.parse(await run('sh', hold!, env))).toMatchObject({ outcome: 'issued' });
      expect(await run('ts', blocksOf('entrance-pc.md', 'ts')[0]!, env, ['ada', 'in'])).toMatch(/^stamped Ada: /);
      expect(await run('py', blocksOf('entrance-pc.md', 'py')[0]!, env, ['ada', 'break_start'])).toMatch(
        /^stamped Ada: /,
      );
    } finally {
      door.kill('SIGKILL');
      await once(door, 'exit');
    }
    const { body } = await world.call('GET', '/api/v1/events', { key: world.planner.key });
    expect((body['data'] as { type: string }[]).map(({ type }) => type)).toEqual(['clock.in', 'clock.break_start']);
  });
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
