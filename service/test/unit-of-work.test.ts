import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordHash, recordKey } from '../src/audit/records.js';
import { verifyAudit } from '../src/audit/verify.js';
import { migrations } from '../src/migrations/migrations.js';
import { addCompany, addPerson } from '../src/people/people.js';
import { onceForNonce } from '../src/terminals/request-signature.js';
import type { TerminalRow } from '../src/terminals/rows.js';
import { createStore, type Store, UnauditedWrite, UnrecordedWrite } from '../src/write/write.js';
import { monday } from './world.js';

const cause = { actor: { kind: 'person', id: '12' }, at: monday } as const;

describe.each(dialects)('a unit of work on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  let store: Store;
  beforeEach(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    store = createStore(db);
  });
  afterEach(async () => {
    await db.close();
    await home.drop();
  });
  const remember = "INSERT INTO idempotency_keys (caller, key, fingerprint, at) VALUES ('ext_1', :key, 'x', 1)";
  const remembered = async (key: string) =>
    (await db.get('SELECT 1 AS one FROM idempotency_keys WHERE key = :key', { key })) !== undefined;

  it('does not commit a change without an entry in the audit log', async () => {
    await expect(store.write(cause, (write) => write.run(remember, { key: 'silent' }))).rejects.toThrow(UnauditedWrite);
    expect(await remembered('silent')).toBe(false);
  });

  it('does not commit a change made by a query either', async () => {
    const changing = store.write(cause, (write) => write.get(`${remember} RETURNING key`, { key: 'returning' }));
    await expect(changing).rejects.toThrow(UnauditedWrite);
    const several = store.write(cause, (write) => write.all(`${remember} RETURNING key`, { key: 'returning' }));
    await expect(several).rejects.toThrow(UnauditedWrite);
    expect(await remembered('returning')).toBe(false);
  });

  it('does not write a batch without an entry in the audit log', async () => {
    const head = { name: 'head', table: 'event_head', where: 'one = 1', parameters: {}, read: [] };
    const row = { caller: 'ext_1', key: 'batch', fingerprint: 'x', at: 1 };
    const steps = [{ name: 'silent', insert: 'idempotency_keys', row }];
    await expect(store.batch({ locks: [head], steps })).rejects.toThrow(UnauditedWrite);
    await expect(store.together([{ locks: [head], steps }])).rejects.toThrow(UnauditedWrite);
    expect(await remembered('batch')).toBe(false);
  });

  it('commits a change whose entry names who did it and when', async () => {
    await store.write(cause, async (write) => {
      await write.run(remember, { key: 'told' });
      await write.audit({ action: 'profile.changed', subject: 'person 12' });
    });
    expect(await remembered('told')).toBe(true);
    expect(
      await db.get('SELECT at, actor_kind, actor_id, action FROM audit_entries ORDER BY sequence DESC LIMIT 1'),
    ).toEqual({ at: monday, actor_kind: 'person', actor_id: '12', action: 'profile.changed' });
    expect(await verifyAudit(db)).toMatchObject({ intact: true });
  });

  it('commits a change that says why it has no entry', async () => {
    await store.write(cause, async (write) => {
      write.unaudited('repeated');
      await write.run(remember, { key: 'reasoned' });
    });
    expect(await remembered('reasoned')).toBe(true);
  });

  it('needs an entry or a reason from a signed request too, which changes its nonce at least', async () => {
    const caller = (nonce: string) =>
      ({ kind: 'terminal', terminal: { id: 'trm_1', name: 'Door' } as TerminalRow, nonce, request: nonce }) as const;
    const issued = onceForNonce(store, caller('nonce-of-issuing-1'), monday, (write) =>
      write.run(remember, { key: 'issued' }),
    );
    await expect(issued).rejects.toThrow(UnauditedWrite);
    expect(await remembered('issued')).toBe(false);
    await expect(onceForNonce(store, caller('nonce-of-status-01'), monday, async () => 1)).rejects.toThrow(
      UnauditedWrite,
    );
    await onceForNonce(store, caller('nonce-of-status-02'), monday, async (write) => write.unaudited('nonce'));
  });

  it('needs no entry where nothing changed', async () => {
    const none = "UPDATE idempotency_keys SET fingerprint = 'y' WHERE key = 'nobody has it'";
    await expect(store.write(cause, (write) => write.run(none))).resolves.toBe(0);
    await expect(store.write(cause, (write) => write.get('SELECT 1 AS one'))).resolves.toEqual({ one: 1 });
  });

  describe('and records', () => {
    let personId: number;
    let companyId: number;
    beforeEach(async () => {
      await store.write(cause, async (write) => {
        companyId = await addCompany(write, { name: 'Nord', timeZone: 'Europe/Berlin', country: 'DE' });
        personId = await addPerson(write, {
          companyId,
          firstName: 'Ada',
          lastName: 'Lang',
          role: 'employee',
          language: 'en',
        });
      });
    });
    const newest = () =>
      db.get<{ records: string | null }>('SELECT records FROM audit_entries ORDER BY sequence DESC LIMIT 1');
    const absent = () =>
      `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed)
       VALUES (${companyId}, ${personId}, 'vacation', '2026-12-01', '2026-12-02', 4, 'waiting', 'person', 1, 1, 1)`;
    const stored = async () => (await db.all('SELECT id FROM absences')).length;

    it('puts the hash of each record into the entry that caused it, however it was written', async () => {
      await store.write(cause, async (write) => {
        const added = (await write.get<{ id: number }>(`${absent()} RETURNING *`))!;
        await write.audit({ action: 'absence.requested' });
        expect(await write.run('UPDATE absences SET half_days = 2 WHERE id = :id', { id: added.id })).toBe(1);
        await write.audit({ action: 'absence.changed' });
      });
      const entries = await db.all<{ records: string }>(
        'SELECT records FROM audit_entries ORDER BY sequence DESC LIMIT 2',
      );
      const [after, before] = entries.map(({ records }) => JSON.parse(records) as Record<string, string>);
      expect(Object.keys(before!)).toEqual(Object.keys(after!));
      expect(Object.values(before!)).not.toEqual(Object.values(after!));
      const row = (await db.get('SELECT * FROM absences'))!;
      const { record_salt: salt } = (await db.get<{ record_salt: string }>(
        'SELECT record_salt FROM people WHERE id = :personId',
        { personId },
      ))!;
      expect(salt).toMatch(/^[0-9a-f]{32}$/);
      expect(after).toEqual({ [recordKey('absences', row)]: recordHash({ table: 'absences', row, salt }) });
    });

    it('puts records written after the last entry into that entry, and a removed one as null', async () => {
      await store.write(cause, async (write) => {
        await write.run(absent());
        await write.audit({ action: 'absence.requested' });
      });
      await store.write(cause, async (write) => {
        await write.audit({ action: 'absence.cancelled' });
        await write.run('DELETE FROM absences');
      });
      expect((await newest())!.records).toMatch(/^\{"absence \d+":null\}$/);
    });

    it('does not commit a record without an entry, whatever the reason given', async () => {
      const silent = store.write(cause, async (write) => {
        write.unaudited('progress');
        await write.run(absent());
      });
      await expect(silent).rejects.toThrow(UnrecordedWrite);
      await expect(store.maintain('housekeeping', (tx) => tx.run(absent()))).rejects.toThrow(UnrecordedWrite);
      const step = { name: 'entry', insert: 'absences', row: {} } as const;
      await expect(store.maintain('housekeeping', (tx) => tx.batch({ locks: [], steps: [step] }))).rejects.toThrow(
        UnrecordedWrite,
      );
      expect(await stored()).toBe(0);
    });

    it.each([
      ['returns a part of the record', (sql: string) => `${sql} RETURNING id`],
      ['hides the record in a larger one', (sql: string) => `WITH added AS (${sql} RETURNING *) SELECT * FROM added`],
    ])('refuses a statement that %s', async (_, change) => {
      const unclear = store.write(cause, async (write) => {
        await write.audit({ action: 'absence.requested' });
        await write.all(change(absent()));
      });
      await expect(unclear).rejects.toThrow(UnrecordedWrite);
      expect(await stored()).toBe(0);
    });

    it('does not write a batch that stores a record without its hash', async () => {
      const lock = { name: 'log', table: 'audit_head', where: 'one = 1', parameters: {}, read: [] };
      const steps = [
        { name: 'absent', update: 'absences', set: { half_days: 1 }, where: { id: 1 } },
        {
          name: 'told',
          insert: 'audit_entries',
          row: { sequence: 9_999, at: 1, actor_kind: 'system', action: 'clock.in', hash: '' },
        },
      ];
      await expect(store.batch({ locks: [lock], steps })).rejects.toThrow(UnrecordedWrite);
      await expect(store.write(cause, (write) => write.batch({ locks: [lock], steps }))).rejects.toThrow(
        UnrecordedWrite,
      );
    });
  });
});
