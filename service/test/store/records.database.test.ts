/**
 * What somebody with write access to the database can do to records and to the log that vouches for them, and what
 * `audit verify` says to it. Everything is done with the database's own guards switched off, and without DATA_KEY.
 */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row, Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { hour } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stamp } from '../../src/clock/stamp.js';
import { appendHead } from '../../src/commands/head-file.js';
import { headLine, runVerify } from '../../src/commands/verify.js';
import { personalColumns } from '../../src/hr/personal-data.js';
import { type RecordTable, recordTables } from '../../src/store/audit/record-formats.js';
import { isRecord, isRecordTable, personOf, recordHash, recordTableNames } from '../../src/store/audit/records.js';
import { readHead } from '../../src/store/audit/rows.js';
import { sealAll } from '../../src/store/seal.js';
import { createStore } from '../../src/store/write.js';
import { createWorld, monday, type World } from '../world.js';
import { everyRecord } from './every-record.js';

const system = { kind: 'system' } as const;

describe.each(dialects)('records on %s', (dialect) => {
  let world: World;
  const store = () => world.service.store;
  const verify = (heads?: string) => runVerify(world.db, { sign: store().sign, heads });

  beforeAll(async () => {
    world = await createWorld(dialect, { prepared: everyRecord });
  });
  afterAll(() => world.close());

  /** Runs statements with the guards off, verifies, and takes everything back. */
  async function tamper(change: (tx: Transaction) => Promise<unknown>, heads?: string): Promise<string> {
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

  const alter = (value: unknown) =>
    value === null ? '7' : typeof value === 'number' ? value + 1_000_003 : `${String(value)} `;
  /** Changes something without foreign keys. @returns what the check says; undefined if the schema refuses the change */
  const attempt = async (change: (tx: Transaction) => Promise<unknown>): Promise<string | undefined> => {
    const text = await tamper(async (tx) => {
      await tx.run(
        dialect === 'sqlite' ? 'PRAGMA defer_foreign_keys = ON' : 'SET LOCAL session_replication_role = replica',
      );
      await change(tx);
    }).catch((error: Error) => error.message);
    return /constraint/i.test(text) ? undefined : text;
  };

  it.each(recordTableNames)('the check of records detects changed, removed and added rows in %s', async (table) => {
    const { key, columns }: RecordTable = recordTables[table];
    const where = key.map((column) => `${column} = :key_${column}`).join(' AND ');
    const row = (await world.db.get(`SELECT * FROM ${table} ORDER BY ${key.join(', ')} DESC LIMIT 1`))!;
    const changedColumns: string[] = [];
    const keyParameters = Object.fromEntries(key.map((column) => [`key_${column}`, row[column] as string | number]));
    const record = `record NOT intact: ${table} ${key.map((column) => row[column]).join('.')}`;
    for (const column of columns) {
      const text = await attempt((tx) =>
        tx.run(`UPDATE ${table} SET ${column} = :value WHERE ${where}`, {
          ...keyParameters,
          value: alter(row[column]),
        }),
      );
      if (text !== undefined) changedColumns.push(column);
      expect([column, text ?? record]).toEqual([column, expect.stringContaining(record)]);
    }
    const removalText = await attempt((tx) => tx.run(`DELETE FROM ${table} WHERE ${where}`, keyParameters));
    expect(removalText).toContain(`${record} is missing`);
    // Unique beside the key.
    const uniqueColumns = [
      'uid_hash',
      'content_hash',
      'valid_from',
      'subject_id',
      'yearly',
      'period',
      'tx',
      'proof_token',
    ];
    const distinctColumns = [key[0]!, ...uniqueColumns].filter((column) => column in row);
    const copy = { ...row, ...Object.fromEntries(distinctColumns.map((column) => [column, alter(row[column])])) };
    const names = Object.keys(copy);
    const additionText = await attempt((tx) =>
      tx.run(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
        copy as never,
      ),
    );
    expect(additionText).toMatch(/is surplus \(no entry knows it\)/);
    // The schema refuses few changes.
    expect(changedColumns.length).toBeGreaterThan(columns.length / 2);
  });

  if (dialect === 'sqlite')
    it('the check of records detects every changed or removed entry of the log', async () => {
      const silentChanges: string[] = [];
      const rows = await world.db.all<Row & { sequence: number }>('SELECT * FROM audit_entries ORDER BY sequence');
      const sampleRows = [rows[0], rows[rows.length >> 1], rows.at(-1)];
      for (const row of rows) {
        const { sequence } = row;
        const changes = Object.keys(row).map((column): [string, (tx: Transaction) => Promise<unknown>] => [
          column,
          (tx) =>
            tx.run(`UPDATE audit_entries SET ${column} = :value WHERE sequence = :sequence`, {
              sequence,
              value: alter(row[column]),
            }),
        ]);
        const removal = (tx: Transaction) =>
          tx.run('DELETE FROM audit_entries WHERE sequence = :sequence', { sequence });
        for (const [label, change] of [...(sampleRows.includes(row) ? changes : []), ['removed', removal] as const]) {
          const text = await attempt(change);
          if (text !== undefined && !/NOT intact/.test(text)) silentChanges.push(`${sequence} ${label}`);
        }
      }
      expect(silentChanges).toEqual([]);
    });

  it('an added entry beyond the settled place does not excuse a record', async () => {
    const text = await tamper(async (tx) => {
      await tx.run("UPDATE companies SET country = 'AT' WHERE id = :id", { id: world.nord });
      const row = (await tx.get('SELECT * FROM companies WHERE id = :id', { id: world.nord }))!;
      const newestEntry = (await tx.get('SELECT * FROM audit_entries ORDER BY sequence DESC LIMIT 1'))!;
      const forgedEntry = {
        ...newestEntry,
        sequence: 2 ** 52,
        records: JSON.stringify({ [`companies ${world.nord}`]: recordHash({ table: 'companies', row, salt: '' }) }),
      };
      const names = Object.keys(forgedEntry);
      await tx.run(
        `INSERT INTO audit_entries (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
        forgedEntry as never,
      );
    });
    expect(text).toContain(`record NOT intact: companies ${world.nord}`);
  });

  it('records cannot be guessed from hashes of people, because a salt goes with the person', async () => {
    const log = (await world.db.all<{ records: string }>('SELECT records FROM audit_entries WHERE records IS NOT NULL'))
      .map(({ records }) => records)
      .join();
    for (const table of recordTableNames)
      for (const row of await world.db.all(`SELECT * FROM ${table}`)) {
        if (!isRecord(table, row)) continue;
        const guess = recordHash({ table, row, salt: '' });
        expect([table, log.includes(guess)]).toEqual([table, personOf(table, row) === undefined]);
      }
    // Rows that erasing deletes have the salt of their person.
    const erasedColumns = personalColumns.filter(({ table, how }) => how === 'delete' && isRecordTable(table));
    expect(
      erasedColumns.filter(({ table }) => isRecordTable(table) && recordTables[table].person === undefined),
    ).toEqual([]);
    expect(erasedColumns.length).toBeGreaterThan(15);
  });

  it('the check of records without DATA_KEY says what it could not do, and fails', async () => {
    expect(await runVerify(world.db, {})).toEqual({
      exitCode: 1,
      text: expect.stringMatching(
        /^signatures NOT checked: the log is signed from entry \d+ on, and DATA_KEY is not set$/,
      ),
    });
    await world.db
      .write(async (tx) => {
        await tx.run('UPDATE absences SET updated_at = updated_at + 1 WHERE id = 2');
        expect((await runVerify(tx, {})).text).toContain('record NOT intact: absences 2 was altered');
        throw new Error('undo');
      })
      .catch((error: Error) => expect(error.message).toBe('undo'));
  });

  it('unchanged records are intact', async () => {
    const { exitCode, text } = await verify();
    expect(text).toMatch(
      /^audit log intact: \d+ entries\nrecords intact: \d+ checked\nclosed months intact: \d+ commitments checked\n(\d+ entries are not sealed yet; the service seals them\n)?signed from entry \d+ on\nhead \d+:[0-9a-f]{64}$/,
    );
    expect(exitCode).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    [
      'a start that was moved',
      'UPDATE time_entries SET start_at = start_at + 60000 WHERE id = 2',
      /^record NOT intact: time_entries 2 was altered \(see entry \d+\)$/m,
    ],
    [
      'a deleted entry',
      'DELETE FROM time_entries WHERE id = 2',
      /^record NOT intact: time_entries 2 is missing \(see entry \d+\)$/m,
    ],
    [
      'an invented absence',
      `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed) VALUES (1, 1, 'vacation', '2026-12-24', '2026-12-24', 2, 'approved', 'person', 1, 1, 1)`,
      /^record NOT intact: absences \d+ is surplus \(no entry knows it\)$/,
    ],
    ['a salt', "UPDATE people SET record_salt = 'x' WHERE id = 2", /^record NOT intact: time_entries 1 was altered/],
  ])('the check of records reports %s', async (_, statement, message) => {
    const text = await tamper(run(statement));
    expect(text).toMatch(message);
    expect((await verify()).exitCode).toBe(0);
  });

  it('the check of records detects a log whose signatures were all removed', async () => {
    const text = await tamper(async (tx) => {
      await tx.run("DELETE FROM audit_entries WHERE action = 'audit.signed'");
      await tx.run("UPDATE audit_entries SET mac = 'sha256:' || substr(mac, 13)");
      await tx.run('UPDATE audit_heads SET signature = NULL');
    });
    expect(text).toContain('audit log NOT signed');
    expect(text).toContain('is missing');
  });

  it('the check of records detects an entry written without the key, sealed or not', async () => {
    const unsignedStore = createStore(world.db);
    const undo = new Error('undo');
    let text = '';
    await world.db
      .write(async (tx) => {
        const innerStore = createStore({ ...world.db, write: (effect) => effect(tx) });
        await innerStore.write({ actor: system, at: monday }, (write) => write.audit({ action: 'data_key.rotated' }));
        ({ text } = await runVerify(tx, { sign: store().sign }));
        throw undo;
      })
      .catch((error: unknown) => expect(error).toBe(undo));
    // The transaction is not settled while it is open.
    expect(text).toMatch(dialect === 'sqlite' ? /entry \d+ is not signed/ : /^audit log intact/);
    expect(unsignedStore.sign).toBeUndefined();
  });

  it('a removed entry of the unsealed end is detected by its remaining event', async () => {
    await store().write({ actor: system, at: monday }, (write) =>
      stamp(write, { personId: world.people.ben, companyId: world.nord, kind: 'in', source: { kind: 'web' } }),
    );
    const { sequence } = (await world.db.get<{ sequence: number }>(
      'SELECT max(sequence) AS sequence FROM audit_entries',
    ))!;
    const text = await tamper(async (tx) => {
      await tx.run('DELETE FROM audit_entries WHERE sequence = :sequence', { sequence });
    });
    expect(text).toContain(`entry ${sequence} is missing`);
    expect(text).toMatch(/time_entries \d+ is surplus/);
    await store().write({ actor: system, at: monday }, (write) =>
      stamp(write, { personId: world.people.ben, companyId: world.nord, kind: 'out', source: { kind: 'web' } }),
    );
  });

  it('a noted head reveals a cut tail, and a head that was tampered with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'heads-'));
    const file = join(folder, 'heads');
    // Later, the loop of the service would seal the rest behind the noted head.
    await sealAll(store(), () => monday);
    try {
      const writtenSize = await appendHead(store(), file, monday, 0);
      expect(await appendHead(store(), file, monday + hour, writtenSize)).toBe(writtenSize);
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
      expect(await tamper(cut)).not.toContain('ends before');
      expect(await tamper(cut, heads)).toContain(`audit log NOT intact: it ends before entry number ${size}`);
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

  it('records are not verified without the key', async () => {
    expect(await runVerify(world.db, {})).toMatchObject({ exitCode: 1, text: expect.stringContaining('NOT checked') });
  });
});
