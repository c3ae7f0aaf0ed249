/** What an operator runs beside the service: the page that lists it, doctor, admin, migrate. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkPasswordLink } from '../../src/access/invitation.js';
import { AdminFault, inviteSuperAdmin, resetPerson } from '../../src/commands/admin.js';
import { program } from '../../src/commands/command-line.js';
import { type DoctorNeeds, doctor } from '../../src/commands/doctor.js';
import { recordCompany } from '../../src/people/people.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import type { Write } from '../../src/store/write.js';
import { createWorld, dataKey, minute, monday, seededBytes, type World } from '../world.js';
import { berlin } from '../zones.js';

// The built one: what an operator runs.
const main = fileURLToPath(new URL('../../bin/clockproof.js', import.meta.url));
const page = new URL('../../../docs/operations/commands.md', import.meta.url);

describe('commands', () => {
  it('the docs list the commands as the code does (UPDATE_DOCS=1 writes them)', () => {
    const rows = [
      ['serve', `${program.serves}; the default`],
      ...Object.values(program.commands).map(({ form, meaning }) => [form, meaning]),
      ['--help, --version', 'print the list of commands, or the version'],
    ];
    const table = [
      '| Command | Effect |',
      '|---|---|',
      ...rows.map(([form, meaning]) => `| \`${form}\` | ${meaning} |`),
    ];
    const text = readFileSync(page, 'utf8');
    const newText = text.replace(
      /(<!-- commands of the service -->\n)[\s\S]*?(<!-- end -->)/,
      `$1${table.join('\n').replaceAll('$', '$$$$')}\n$2`,
    );
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, newText);
    expect(newText).toBe(process.env['UPDATE_DOCS'] === '1' ? newText : text);
  });

  it('the commands migrate, back up and restore a database as processes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'clockproof-commands-'));
    const run = (file: string, ...words: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', DB_DSN: join(folder, file), BACKUP_PASSPHRASE: 'twelve letters' },
      });
      return [status, stdout + stderr] as const;
    };
    expect(run('a.sqlite', 'migrate', '--dry-run')).toEqual([1, expect.stringContaining('there is no database at')]);
    expect(run('a.sqlite', 'backup', join(folder, 'b'))).toEqual([
      1,
      expect.stringMatching(/^DB_DSN: there is no .*\n$/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
    expect(run('a.sqlite', 'migrate')).toEqual([0, expect.stringMatching(/^applied:\n {2}[\s\S]*0001-baseline/)]);
    expect(run('a.sqlite', 'migrate')).toEqual([0, expect.stringContaining('nothing to do')]);
    expect(run('a.sqlite', 'backup', join(folder, 'b'))).toEqual([0, expect.stringContaining(', encrypted\n')]);
    for (const [words, sentence] of [
      [['backup', join(folder, 'none', 'b')], `there is no ${folder}/none/b, or a folder on the way to it is missing`],
      [['audit', 'verify', '--heads', join(folder, 'none')], `there is no ${folder}/none, or a folder`],
      [['restore', folder], 'what was given is a folder'],
    ] as const)
      expect([words, run(words[0] === 'restore' ? 'c.sqlite' : 'a.sqlite', ...words)]).toEqual([
        words,
        [1, expect.stringContaining(sentence)],
      ]);
    expect(run('a.sqlite', 'data-key', 'rotate')).toEqual([78, expect.stringContaining('set DATA_KEY')]);
    expect(run('c.sqlite', 'restore', join(folder, 'b'))).toEqual([0, expect.stringMatching(/^restored\n/)]);
    expect(run('c.sqlite', 'restore', join(folder, 'b'))).toEqual([1, expect.stringContaining('exists: restore into')]);
    expect(run('c.sqlite', 'admin', 'reset', 'a@b.example')).toEqual([1, 'nobody here has the address a@b.example\n']);
    expect(run('c.sqlite', 'move', '--to', 'mysql://x')).toEqual([64, expect.stringMatching(/^move: name the target/)]);
    rmSync(folder, { recursive: true });
  });
});

describe('doctor', () => {
  const homes: TestDatabase[] = [];
  afterAll(async () => {
    for (const home of homes) await home.drop();
  });
  const key = dataKey.toString('base64');
  async function examine(env: Record<string, string>, overrides: Partial<DoctorNeeds> = {}) {
    const lines: string[] = [];
    const code = await doctor({
      env: { BASE_URL: 'https://time.example.com', TRUSTED_PROXIES: '10.0.0.1', ...env },
      print: (line) => lines.push(line),
      clock: () => monday,
      randomBytes: seededBytes('doctor'),
      fetch: async () => ({ status: 200 }),
      diskOf: async () => ({ free: 2 ** 40, total: 2 ** 41 }),
      ...overrides,
    });
    return { code, text: lines.join('\n') };
  }

  it('doctor says that nothing is wrong', async () => {
    const world = await createWorld('sqlite');
    const mail = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'time@example.com' };
    const { code, text } = await examine({ DB_DSN: world.settings['DB_DSN']!, DATA_KEY: key, ...mail });
    await world.close();
    expect(text).toContain('nothing is wrong');
    expect(text).not.toMatch(/^(note|FAIL)/m);
    expect(code).toBe(0);
  });

  it('doctor names what is wrong', async () => {
    const home = await createTestDatabase('sqlite', migrations);
    homes.push(home);
    const DB_DSN = home.settings.dsn;
    const cases: readonly [Record<string, string>, RegExp, number, Partial<DoctorNeeds>?][] = [
      [{ DB_DRIVER: 'oracle' }, /^FAIL {2}configuration: DB_DRIVER must be/, 78],
      [{ DB_DSN: '/nowhere/at.all' }, /^FAIL {2}database: DB_DSN: there is no database/m, 1],
      [{ DB_DSN, BASE_URL: 'http://time.example.com' }, /^FAIL {2}BASE_URL: .* is not https/m, 1],
      [{ DB_DSN }, /^note {2}DATA_KEY: not set/m, 0],
      [{ DB_DSN, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, /^note {2}webhooks: /m, 0],
      [{ DB_DSN }, /^FAIL {2}disk: 0.0 GiB/m, 1, { diskOf: async () => ({ free: 1_000, total: 2 ** 30 }) }],
      [
        { DB_DSN },
        /^FAIL {2}reach: the certificate of .* is refused: CERT_HAS_EXPIRED/m,
        1,
        {
          fetch: () => Promise.reject(Object.assign(new Error(), { cause: { code: 'CERT_HAS_EXPIRED' } })),
        },
      ],
    ];
    for (const [env, pattern, expectedCode, overrides] of cases) {
      const { code, text } = await examine(env, overrides);
      expect(text).toMatch(pattern);
      expect([env, code]).toEqual([env, expectedCode]);
    }
  });

  (dialects.includes('postgres') ? it : it.skip)('names a role with too few connections', async () => {
    const home = await createTestDatabase('postgres', migrations);
    homes.push(home);
    const db = await openDatabase(home.settings);
    const role = `limited_${process.pid}`;
    await db.all(`CREATE ROLE ${role} SUPERUSER LOGIN CONNECTION LIMIT 11`);
    const dsn = new URL(home.settings.dsn);
    dsn.username = role;
    const env = { DB_DRIVER: 'postgres', DB_DSN: dsn.href };
    const warning = /^FAIL {2}connections: the role may have 11, and a process takes up to 12/m;
    expect((await examine(env, { clock: Date.now })).text).toMatch(warning);
    expect((await examine({ ...env, DB_POOL_SIZE: '9' }, { clock: Date.now })).text).not.toMatch(warning);
    await db.all(`DROP ROLE ${role}`);
    await db.close();
  });

  it('doctor finds another DATA_KEY, a clock that went back, and a database of another version', async () => {
    const world = await createWorld('sqlite');
    const DB_DSN = world.settings['DB_DSN']!;
    const otherKey = Buffer.from(seededBytes('other')(32)).toString('base64');
    expect(await examine({ DB_DSN, DATA_KEY: otherKey })).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^FAIL {2}DATA_KEY: DATA_KEY is not the key/m) as unknown,
    });
    expect(await examine({ DB_DSN, DATA_KEY: key }, { clock: () => monday - 2 * minute })).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^FAIL {2}clock: the newest entry/m) as unknown,
    });
    await world.close();
    const home = await createTestDatabase('sqlite', migrations);
    homes.push(home);
    const db = await openDatabase(home.settings);
    await db.write((tx) => tx.run("INSERT INTO schema_migrations (id) VALUES ('9999-future')"));
    expect(await examine({ DB_DSN: home.settings.dsn })).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^FAIL {2}database: .*by a newer version .*9999-future/m) as unknown,
    });
    await db.write((tx) =>
      tx.run("DELETE FROM schema_migrations WHERE id IN ('9999-future', :last)", { last: migrations.at(-1)!.id }),
    );
    expect((await examine({ DB_DSN: home.settings.dsn })).text).toMatch(/^note {2}migrations: 1 wait/m);
    await db.close();
  });
});

describe('admin', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld('sqlite');
  });
  afterAll(() => world.close());
  const run = (effect: (write: Write) => Promise<string>) =>
    world.service.store.write({ actor: { kind: 'system', name: 'Command line' }, at: world.now() }, effect);
  const needs = () => ({
    baseUrl: 'https://time.example.com',
    randomBytes: seededBytes(`admin ${++callCount}`),
    keys: world.service.sealingKeys,
  });
  let callCount = 0;
  const invite = (email: string, name?: readonly [string, string], companyId?: number) =>
    run((write) => inviteSuperAdmin(write, { email, name, companyId }, needs()));
  const inviteeOf = async (text: string) => {
    const token = /https:\/\/time\.example\.com\/invitation#(\S+)/.exec(text)![1]!;
    return (await checkPasswordLink(world.db, 'invitation', token, world.now())).person;
  };

  it('admin invite makes a known person a super admin, with a link that works', async () => {
    const text = await invite('ada@clockproof.example');
    expect(text).toMatch(/^Ada Lang <ada@clockproof.example> of Nordlicht Logistik GmbH is a super admin\n/);
    expect(await inviteeOf(text)).toMatchObject({ id: world.people.ada, role: 'super_admin' });
  });

  it('admin invite adds a new person in the named company', async () => {
    await expect(invite('new@clockproof.example')).rejects.toThrow(/nobody here has the address .* --name/);
    await expect(invite('new@clockproof.example', ['Grace', 'Neu'])).rejects.toThrow(
      /say which company with --company/,
    );
    const text = await invite('new@clockproof.example', ['Grace', 'Neu'], world.sued);
    expect(await inviteeOf(text)).toMatchObject({ role: 'super_admin', first_name: 'Grace', company_id: world.sued });
  });

  it('admin invite finds any of more than a thousand companies', async () => {
    const lastId = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      let id = 0;
      for (let index = 0; index < 1_001; index++)
        id = await recordCompany(write, { name: `Company ${index}`, timeZone: berlin, country: 'DE' });
      return id;
    });
    const text = await invite('last@clockproof.example', ['Lea', 'Last'], lastId);
    expect(await inviteeOf(text)).toMatchObject({ first_name: 'Lea', company_id: lastId });
    await expect(invite('other@clockproof.example', ['Ole', 'Other'])).rejects.toThrow(/--company: .*, …$/);
  });

  it('admin reset ends sessions, removes second factors, and leaves a notice and entries in the log', async () => {
    const text = await run((write) => resetPerson(write, 'ben@clockproof.example', needs()));
    expect(await inviteeOf(text)).toMatchObject({ id: world.people.ben, role: 'employee' });
    const actions = await world.db.all<{ action: string }>(
      "SELECT action FROM audit_entries WHERE actor_name = 'Command line' AND subject = :subject ORDER BY sequence",
      { subject: `person ${world.people.ben}` },
    );
    expect(actions.map(({ action }) => action)).toEqual(['second_factor.removed', 'person.invited']);
    expect(await world.db.get('SELECT kind FROM notices WHERE person_id = :id', { id: world.people.ben })).toEqual({
      kind: 'access_changed',
    });
    await expect(run((write) => resetPerson(write, 'nobody@clockproof.example', needs()))).rejects.toThrow(AdminFault);
  });

  it('admin invite adds no person with an address that a page would refuse', async () => {
    await expect(invite('a,b@clockproof.example', ['Grace', 'Neu'], world.sued)).rejects.toThrow('invalid_request');
  });
});
