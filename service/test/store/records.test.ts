/**
 * What somebody with write access to the database can do to records and to the log that vouches for them, and what
 * `audit verify` says to it. Everything is done with the database's own guards switched off, and without DATA_KEY.
 */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { hour, minute } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decideAbsence } from '../../src/absences/decide-absence.js';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { correctEntry, requestCorrection } from '../../src/clock/corrections.js';
import { stamp } from '../../src/clock/stamp.js';
import { appendHead } from '../../src/commands/head-file.js';
import { headLine, runVerify } from '../../src/commands/verify.js';
import { closeMonth } from '../../src/months/close-month.js';
import { addPerson } from '../../src/people/people.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { recordTableNames, recordTables } from '../../src/store/audit/records.js';
import { readHead } from '../../src/store/audit/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { noteSigning, sealAll } from '../../src/store/seal.js';
import { insertReturning } from '../../src/store/tables.js';
import { createStore } from '../../src/store/write.js';
import { createWorld, monday, type World } from '../world.js';

const system = { kind: 'system' } as const;

describe.each(dialects)('records on %s', (dialect) => {
  let world: World;
  let ada: PersonRow;
  let boss: PersonRow;
  const person = async (id: number) => (await findPerson(world.db, id, allCompanies))!;
  const store = () => world.service.store;
  const verify = (heads?: string) => runVerify(world.db, { sign: store().sign, heads });

  beforeAll(async () => {
    world = await createWorld(dialect);
    world.set(monday - 40 * 24 * hour);
    await noteSigning(store(), world.now());
    await noteSigning(store(), world.now());
    await store().write({ actor: system, at: monday }, async (write) => {
      await insertReturning(write, 'time_entries', {
        company_id: world.nord,
        person_id: world.people.ben,
        date: '2026-10-01',
        start_at: 1_790_834_400_000,
        end_at: 1_790_838_000_000,
        breaks: '[]',
        status: 'recorded',
        source_kind: 'web',
        created_at: 1,
        updated_at: 1,
      });
      await write.audit({ action: 'entry.corrected' });
    });
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-10-01'"));
    const at = () => world.now();
    boss = await person(
      await store().write({ actor: system, at: at() }, (write) =>
        addPerson(write, {
          companyId: world.nord,
          firstName: 'Olga',
          lastName: 'Boss',
          role: 'company_admin',
          language: 'en',
          employmentStart: '2020-01-01',
        }),
      ),
    );
    ada = await person(world.people.ada);
    const source = { kind: 'web' } as const;
    for (const kind of ['in', 'break_start', 'break_end', 'out'] as const) {
      await store().write({ actor: system, at: at() }, (write) =>
        stamp(write, { personId: ada.id, companyId: ada.company_id, kind, source }),
      );
      world.advance(30 * minute);
    }
    const [entry] = await world.db.all<{ id: number; start_at: number }>(
      'SELECT id, start_at FROM time_entries WHERE person_id = :id',
      { id: ada.id },
    );
    const draft = {
      entryId: entry!.id,
      times: { start: entry!.start_at - minute, end: entry!.start_at + hour, breaks: [] },
    };
    await store().write({ actor: system, at: at() }, (write) =>
      correctEntry(write, { person: ada, by: boss, draft, reason: 'Forgot' }),
    );
    for (const day of ['2026-12-01', '2026-12-02'])
      await store().write({ actor: system, at: at() }, (write) =>
        requestAbsence(write, {
          personId: ada.id,
          companyId: ada.company_id,
          draft: draftOf({ type: 'vacation', start_date: day, end_date: day }),
          author: { kind: 'person', personId: ada.id },
        }),
      );
    await store().write({ actor: system, at: at() }, (write) =>
      decideAbsence(write, { id: 1, decision: 'approve', decider: boss }),
    );
    await store().write({ actor: system, at: monday + 40 * 24 * hour }, (write) =>
      closeMonth(write, { companyId: world.nord, month: '2026-10' }),
    );
    await sealAll(store(), () => monday);
    world.set(monday);
    await store().write({ actor: system, at: monday }, (write) =>
      requestCorrection(write, {
        person: ada,
        by: ada,
        draft: { times: { start: monday - 3 * hour, end: monday - hour, breaks: [] } },
        reason: 'Phone was empty',
      }),
    );
  });
  afterAll(() => world.close());

  /** Runs statements with the guards off, verifies, and takes everything back. */
  async function tampered(change: (tx: Transaction) => Promise<unknown>, heads?: string): Promise<string> {
    let text = '';
    const undo = new Error('undo');
    await world.db
      .write(async (tx) => {
        const guards =
          dialect === 'sqlite'
            ? ['audit_entries', 'audit_parties', 'audit_heads'].flatMap((table) => [
                `DROP TRIGGER ${table}_no_update`,
                `DROP TRIGGER ${table}_no_delete`,
              ])
            : ['audit_entries', 'audit_parties', 'audit_heads'].map(
                (table) => `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
              );
        for (const statement of guards) await tx.run(statement);
        await change(tx);
        ({ text } = await runVerify(tx, { sign: store().sign, heads }));
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return text;
  }
  const run =
    (...statements: string[]) =>
    async (tx: Transaction) => {
      for (const statement of statements) expect(await tx.run(statement)).toBeGreaterThan(0);
    };

  // Foreign keys can wait for a commit that never comes on SQLite alone; the hashes are the same on both.
  if (dialect === 'sqlite')
    it('name every value that was changed, every record that was removed and every one that was added', async () => {
      let changes = 0;
      const silent: string[] = [];
      const attempt = async (what: string, change: (tx: Transaction) => Promise<unknown>) => {
        const text = await tampered(async (tx) => {
          await tx.run('PRAGMA defer_foreign_keys = ON');
          await change(tx);
        }).catch((error: Error) => error.message);
        // A value that the schema refuses cannot be written by anybody.
        if (/constraint/i.test(text)) return;
        changes++;
        if (!/NOT intact/.test(text)) silent.push(what);
      };
      const other = (value: unknown) =>
        value === null ? 1 : typeof value === 'number' ? value + 1_000_003 : `${String(value)} `;
      for (const table of recordTableNames) {
        const { key, columns } = recordTables[table];
        const where = key.map((column) => `${column} = :key_${column}`).join(' AND ');
        for (const row of await world.db.all(`SELECT * FROM ${table}`)) {
          const found = Object.fromEntries(key.map((column) => [`key_${column}`, row[column] as string | number]));
          for (const column of columns)
            await attempt(`${table}.${column}`, (tx) =>
              tx.run(`UPDATE ${table} SET ${column} = :value WHERE ${where}`, { ...found, value: other(row[column]) }),
            );
          await attempt(`${table} removed`, (tx) => tx.run(`DELETE FROM ${table} WHERE ${where}`, found));
          const copy = { ...row, [key[0]!]: other(row[key[0]!]) };
          await attempt(`${table} added`, (tx) =>
            tx.run(
              `INSERT INTO ${table} (${Object.keys(copy).join(', ')}) VALUES (${Object.keys(copy)
                .map((column) => `:${column}`)
                .join(', ')})`,
              copy as never,
            ),
          );
        }
      }
      for (const row of await world.db.all('SELECT * FROM audit_entries')) {
        const { sequence } = row as { sequence: number };
        for (const column of Object.keys(row))
          await attempt(`entry ${column}`, (tx) =>
            tx.run(`UPDATE audit_entries SET ${column} = :value WHERE sequence = :sequence`, {
              sequence,
              value: other(row[column]) as string,
            }),
          );
        await attempt('entry removed', (tx) =>
          tx.run('DELETE FROM audit_entries WHERE sequence = :sequence', { sequence }),
        );
      }
      expect(silent).toEqual([]);
      expect(changes).toBeGreaterThan(200);
    });

  it('are checked without DATA_KEY too, and the check says what it could not do and fails', async () => {
    expect(await runVerify(world.db, {})).toEqual({
      exitCode: 1,
      text: expect.stringMatching(
        /^signatures NOT checked: the log is signed from entry \d+ on, and DATA_KEY is not set$/,
      ),
    });
    await world.db
      .write(async (tx) => {
        await tx.run('UPDATE absences SET updated_at = updated_at + 1 WHERE id = 2');
        expect((await runVerify(tx, {})).text).toContain('record NOT intact: absence 2 was altered');
        throw new Error('undo');
      })
      .catch((error: Error) => expect(error.message).toBe('undo'));
  });

  it('are intact where nobody touched them', async () => {
    const { exitCode, text } = await verify();
    expect(text).toMatch(
      /^audit log intact: \d+ entries\nrecords intact: \d+ checked\n(\d+ entries are not sealed yet; the service seals them\n)?signed from entry \d+ on\nhead \d+:[0-9a-f]{64}$/,
    );
    expect(exitCode).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    [
      'a start that was moved',
      'UPDATE time_entries SET start_at = start_at + 60000 WHERE id = 2',
      /^record NOT intact: entry 2 was altered \(see entry \d+\)$/,
    ],
    ['a comment', "UPDATE time_entries SET comment = 'x' WHERE id = 1", /^record NOT intact: entry 1 was altered/],
    [
      'a deleted entry',
      'DELETE FROM time_entries WHERE id = 2',
      /^record NOT intact: entry 2 is missing \(see entry \d+\)$/,
    ],
    [
      'a version',
      "UPDATE entry_versions SET reason = 'Other' WHERE entry_id = 2 AND version = 2",
      /^record NOT intact: version 2\.2 was altered/,
    ],
    [
      'an absence approved by hand',
      "UPDATE absences SET status = 'approved' WHERE id = 2",
      /^record NOT intact: absence 2 was altered/,
    ],
    ['an approval', 'UPDATE approvals SET decided_by = 1 WHERE id = 1', /^record NOT intact: approval 1 was altered/],
    [
      "a correction's reason",
      "UPDATE corrections SET reason = 'None' WHERE id = 1",
      /^record NOT intact: correction 1 was altered/,
    ],
    [
      'a balance',
      'UPDATE month_balances SET worked_minutes = worked_minutes + 60 WHERE person_id = 1',
      /^record NOT intact: balance 1\.2026-10\.1 was altered/,
    ],
    ['a month opened by hand', 'DELETE FROM closed_months', /^record NOT intact: month 1\.2026-10 is missing/],
    [
      'an invented absence',
      `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed) VALUES (1, 1, 'vacation', '2026-12-24', '2026-12-24', 2, 'approved', 'person', 1, 1, 1)`,
      /^record NOT intact: absence \d+ is surplus \(no entry knows it\)$/,
    ],
    ['a salt', "UPDATE people SET record_salt = 'x' WHERE id = 2", /^record NOT intact: entry 1 was altered/],
  ])('show %s', async (_, statement, said) => {
    const text = await tampered(run(statement));
    expect(text).toMatch(said);
    expect((await verify()).exitCode).toBe(0);
  });

  it('show a log whose signatures were all taken away', async () => {
    const text = await tampered(async (tx) => {
      await tx.run("DELETE FROM audit_entries WHERE action = 'audit.signed'");
      await tx.run("UPDATE audit_entries SET mac = 'sha256:' || substr(mac, 13)");
      await tx.run('UPDATE audit_heads SET signature = NULL');
    });
    expect(text).toContain('audit log NOT signed');
    expect(text).toContain('is missing');
  });

  it('show an entry that was written without the key, sealed or not', async () => {
    const unsigned = createStore(world.db);
    const undo = new Error('undo');
    let text = '';
    await world.db
      .write(async (tx) => {
        const inside = createStore({ ...world.db, write: (effect) => effect(tx) });
        await inside.write({ actor: system, at: monday }, (write) => write.audit({ action: 'people_access.switched' }));
        ({ text } = await runVerify(tx, { sign: store().sign }));
        throw undo;
      })
      .catch((error: unknown) => expect(error).toBe(undo));
    // The transaction is not settled while it is open.
    expect(text).toMatch(dialect === 'sqlite' ? /entry \d+ is not signed/ : /^audit log intact/);
    expect(unsigned.sign).toBeUndefined();
  });

  it('show a removed entry of the unsealed end by the event that it left', async () => {
    await store().write({ actor: system, at: monday }, (write) =>
      stamp(write, { personId: world.people.ben, companyId: world.nord, kind: 'in', source: { kind: 'web' } }),
    );
    const { sequence } = (await world.db.get<{ sequence: number }>(
      'SELECT max(sequence) AS sequence FROM audit_entries',
    ))!;
    const text = await tampered(async (tx) => {
      await tx.run('DELETE FROM audit_entries WHERE sequence = :sequence', { sequence });
    });
    expect(text).toContain(`entry ${sequence} is missing`);
    expect(text).toMatch(/entry \d+ is surplus/);
    await store().write({ actor: system, at: monday }, (write) =>
      stamp(write, { personId: world.people.ben, companyId: world.nord, kind: 'out', source: { kind: 'web' } }),
    );
  });

  it('show a cut tail to those who have a head, and a head that was tampered with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'heads-'));
    const file = join(folder, 'heads');
    // Later, the loop of the service would seal the rest behind the noted head.
    await sealAll(store(), () => monday);
    try {
      const written = await appendHead(store(), file, monday, 0);
      expect(await appendHead(store(), file, monday + hour, written)).toBe(written);
      const heads = await readFile(file, 'utf8');
      expect(heads).toBe(`${await headLine(world.db, monday, store().sign)}\n`);
      expect(await verify(heads)).toMatchObject({ exitCode: 0 });
      const { size, previous } = await readHead(world.db);
      const { last } = (await world.db.get<{ last: number }>(
        'SELECT last FROM audit_heads WHERE size <= :previous ORDER BY size DESC LIMIT 1',
        { previous },
      )) ?? { last: 0 };
      // The newest head with its entries, records and events: nothing else in the database says that they were there.
      const cut = async (tx: Transaction) => {
        for (const statement of [
          'DELETE FROM audit_entries WHERE sequence > :last',
          'DELETE FROM events WHERE sequence > :last',
        ])
          await tx.run(statement, { last });
        await tx.run('DELETE FROM audit_heads WHERE last > :last', { last });
      };
      expect(await tampered(cut)).not.toContain('ends before');
      expect(await tampered(cut, heads)).toContain(`audit log NOT intact: it ends before entry number ${size}`);
      await appendFile(
        file,
        heads.replace(/^\d/, (digit) => String(((Number(digit) + 1) % 9) + 1)),
      );
      expect((await verify(await readFile(file, 'utf8'))).text).toContain(
        'heads NOT intact: line 2 is forged or damaged',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are not verified without the key', async () => {
    expect(await runVerify(world.db, {})).toMatchObject({ exitCode: 1, text: expect.stringContaining('NOT checked') });
  });
});
