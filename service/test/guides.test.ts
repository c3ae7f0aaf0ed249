/** The guides do what they say: their commands and programs are run from their own text. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { factorKeysOf, giveCredentials, signIn } from './browser.js';
import { addApp, consentTo, redirectUri } from './linking.js';
import { createWorld, dataKey, type World } from './world.js';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clockproof-guides-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The fenced blocks of a guide in a language, in order. */
function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(join(docs, 'guides', guide), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code!);
}

const installed = (command: string) => spawnSync(command, ['--version']).status === 0;

let world: World;
beforeEach(async () => {
  world = await createWorld('sqlite');
});
afterEach(() => world.close());

/** @throws with what the program wrote, if it fails */
async function run(command: string, words: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words, {
    cwd: repository,
    env: { PATH: process.env['PATH'] ?? '', BASE_URL: world.url, API_KEY: world.planner.key, ...env },
  });
  return stdout;
}
/** As `npx tsx` runs it. */
function runTypeScript(code: string, ...words: string[]): Promise<string> {
  const file = join(folder, 'program.mts');
  writeFileSync(file, code);
  return run(process.execPath, ['--import', 'tsx', file, ...words]);
}

/** Runs the commands of a guide with a `.curlrc` that prints one response a line. @returns the responses */
async function answersOf(guide: string, env: Record<string, string>): Promise<Record<string, unknown>[]> {
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nfail\nwrite-out = "\\n"\n');
  const commands = blocksOf(guide, 'sh').join('\n');
  const output = await run('bash', ['-e', '-c', commands], { CURL_HOME: folder, ...env });
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

  it('has a program in TypeScript that clocks somebody in', async () => {
    expect(await runTypeScript(blocksOf('first-request.md', 'ts')[0]!)).toMatch(/^\S.* in\n$/);
  });

  (installed('python3') ? it : it.skip)('has a program in Python that does the same', async () => {
    expect(await run('python3', ['-c', blocksOf('first-request.md', 'py')[0]!])).toMatch(/^\S.* in\n$/);
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
});

describe('the guide to linking an app', () => {
  (installed('jq') ? it : it.skip)('has commands from the consent to the end of the link', async () => {
    const { ada } = world.people;
    await giveCredentials(world, [ada], await factorKeysOf(world, dataKey));
    const app = await addApp(world, 'Chat');
    const child = spawn('bash', ['-e', '-c', blocksOf('link-an-app.md', 'sh').join('\n')], {
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
    const browser = await signIn(world, ada);
    child.stdin.end(
      `${await consentTo(browser, asked.pathname + asked.search, ['read:clock_states', 'write:clock'])}\n`,
    );
    const printed: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) printed.push(line.value);
    expect(printed).toEqual(['Ada Lang', 'in', 'in', 'token_revoked']);
  });
});

describe('the guide to synchronisation', () => {
  it('has a program that reads everything once, and then what changed', async () => {
    const [program] = blocksOf('synchronisation.md', 'ts');
    const copy = join(folder, 'copy.json');
    const request = (start: string) =>
      world.call('POST', '/api/v1/absences', {
        key: world.planner.key,
        body: { user_id: world.people.ada, type: 'vacation', start_date: start, end_date: start },
      });
    expect((await request('2026-12-21')).status).toBe(201);
    expect(await runTypeScript(program!, copy)).toBe('1 absences\n');
    const { since } = JSON.parse(readFileSync(copy, 'utf8')) as { since: string };
    expect((await request('2026-12-22')).status).toBe(201);
    expect(await runTypeScript(program!, copy)).toBe('2 absences\n');
    expect((JSON.parse(readFileSync(copy, 'utf8')) as { since: string }).since).not.toBe(since);
  });
});

it.each([
  ['first-request.md', 'ts', 'first-request.ts'],
  ['first-request.md', 'py', 'first-request.py'],
  ['synchronisation.md', 'ts', 'synchronise.ts'],
])('the guide %s prints the %s of docs/examples/requests/%s', (guide, language, example) => {
  expect(blocksOf(guide, language)).toContain(readFileSync(join(docs, 'examples/requests', example), 'utf8'));
});
