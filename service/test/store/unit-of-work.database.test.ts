import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { presentAbsence } from '../../src/absences/present.js';
import { findAbsence } from '../../src/absences/rows.js';
import { announcePerson } from '../../src/people/announce-person.js';
import { recordCompany, recordPerson } from '../../src/people/people.js';
import { touchPeople } from '../../src/people/rows.js';
import { recordHash, recordKey } from '../../src/store/audit/records.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { settledPosition, span } from '../../src/store/position.js';
import { insert, insertReturning, remove, update, updateWhere } from '../../src/store/tables.js';
import {
  createStore,
  type Store,
  UnannouncedWrite,
  UnauditedWrite,
  UnrecordedWrite,
  type Write,
} from '../../src/store/write.js';
import { onceForNonce } from '../../src/terminals/request-signature.js';
import type { TerminalRow } from '../../src/terminals/rows.js';
import { hire } from '../builders.js';
import { monday } from '../world.js';
import { berlin } from '../zones.js';

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
  const remember = (write: Write, key: string) =>
    insert(write, 'idempotency_keys', { caller: 'ext_1', key, fingerprint: 'x', at: 1 });
  const isRemembered = async (key: string) =>
    (await db.get('SELECT 1 AS one FROM idempotency_keys WHERE key = :key', { key })) !== undefined;

  it('a unit of work does not commit a change without an entry in the audit log', async () => {
    await expect(store.write(cause, (write) => remember(write, 'silent'))).rejects.toThrow(UnauditedWrite);
    expect(await isRemembered('silent')).toBe(false);
  });

  it('a unit of work can only write by table and row', () => {
    const runByHand = (write: Write) => {
      // @ts-expect-error a statement by hand says nothing of what it writes
      return write.run;
    };
    expect(runByHand).toBeInstanceOf(Function);
    const removeAbsence = () =>
      store.runMaintenance('housekeeping', (tx) =>
        // @ts-expect-error a table of records
        remove(tx, 'absences', { id: 1 }),
      );
    return expect(removeAbsence()).rejects.toThrow(UnrecordedWrite);
  });

  it('a unit of work refuses records in maintenance, and lets it write uncounted columns', async () => {
    await store.runMaintenance('attempt counter', (tx) => update(tx, 'badges', { id: 'bdg_1' }, { pin_tries: 0 }));
    const changeHolder = () =>
      store.runMaintenance('attempt counter', (tx) => update(tx, 'badges', { id: 'bdg_1' }, { person_id: 1 }));
    await expect(changeHolder()).rejects.toThrow(UnrecordedWrite);
    const removeSchedule = () =>
      store.runMaintenance('housekeeping', (tx) =>
        // @ts-expect-error a table of records
        remove(tx, 'schedules', { id: 1 }),
      );
    await expect(removeSchedule()).rejects.toThrow(UnrecordedWrite);
  });

  it('a unit of work does not commit an event without an entry in the audit log', async () => {
    const silentWrite = store.write(cause, (write) =>
      write.event({ type: 'ping', data: { extension: { id: 'ext_1', name: 'Planner' } } }),
    );
    await expect(silentWrite).rejects.toThrow(UnauditedWrite);
    const excusedWrite = store.write(cause, async (write) => {
      write.unaudited('progress');
      await write.event({ type: 'ping', data: { extension: { id: 'ext_1', name: 'Planner' } } });
    });
    await expect(excusedWrite).rejects.toThrow(UnauditedWrite);
    expect(await db.all('SELECT 1 AS one FROM events')).toEqual([]);
  });

  it('a unit of work commits a change whose entry names author and time', async () => {
    await store.write(cause, async (write) => {
      await remember(write, 'told');
      await write.audit({ action: 'profile.changed', subject: 'person 12', details: { changed: [] } });
    });
    expect(await isRemembered('told')).toBe(true);
    expect(
      await db.get('SELECT at, actor_kind, actor_id, action FROM audit_entries ORDER BY sequence DESC LIMIT 1'),
    ).toEqual({ at: monday, actor_kind: 'person', actor_id: '12', action: 'profile.changed' });
    expect(await verifyAudit(db)).toMatchObject({ intact: true });
  });

  it('a unit of work commits a change that says why it has no entry', async () => {
    await store.write(cause, async (write) => {
      write.unaudited('repeated');
      await remember(write, 'reasoned');
    });
    expect(await isRemembered('reasoned')).toBe(true);
  });

  it('a signed request needs an entry or a reason too, because it changes its nonce', async () => {
    const caller = (nonce: string) =>
      ({ kind: 'terminal', terminal: { id: 'trm_1', name: 'Door' } as TerminalRow, nonce, request: nonce }) as const;
    const signedRequest = onceForNonce(store, caller('nonce-of-issuing-1'), monday, (write) =>
      remember(write, 'issued'),
    );
    await expect(signedRequest).rejects.toThrow(UnauditedWrite);
    expect(await isRemembered('issued')).toBe(false);
    await expect(onceForNonce(store, caller('nonce-of-status-01'), monday, async () => 1)).rejects.toThrow(
      UnauditedWrite,
    );
    await onceForNonce(store, caller('nonce-of-status-02'), monday, async (write) => write.unaudited('nonce'));
  });

  it('a unit of work needs no entry where nothing changed', async () => {
    await expect(
      store.write(cause, (write) => update(write, 'idempotency_keys', { key: 'of no one' }, { fingerprint: 'y' })),
    ).resolves.toBe(0);
    await expect(store.write(cause, (write) => write.get('SELECT 1 AS one'))).resolves.toEqual({ one: 1 });
  });

  describe('records', () => {
    let personId: number;
    let companyId: number;
    beforeEach(async () => {
      await store.write(cause, async (write) => {
        companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
        personId = await hire(write, {
          companyId,
          firstName: 'Ada',
          lastName: 'Lang',
        });
      });
    });
    const findNewestEntry = () =>
      db.get<{ records: string | null }>('SELECT records FROM audit_entries ORDER BY sequence DESC LIMIT 1');
    const announce = async (write: Write, id: number) => {
      const absence = (await findAbsence(write, id, { company: companyId }))!;
      const data = presentAbsence(absence, []);
      await write.event({ type: 'leave.requested', companyId, personId, data });
    };
    const addAbsence = async (write: Write) => {
      const absence = await insertReturning(write, 'absences', {
        company_id: companyId,
        person_id: personId,
        type: 'vacation',
        start_date: '2026-12-01',
        end_date: '2026-12-02',
        half_days: 4,
        status: 'waiting',
        author_kind: 'person',
        created_at: 1,
        updated_at: 1,
      });
      await announce(write, absence.id);
      return absence;
    };
    const countAbsences = async () => (await db.all('SELECT id FROM absences')).length;

    it('a unit of work puts the hash of each record into its entry, for every kind of write', async () => {
      await store.write(cause, async (write) => {
        const absence = await addAbsence(write);
        await write.audit({ action: 'absence.requested', details: { person: personId, status: 'waiting' } });
        expect(await update(write, 'absences', { id: absence.id }, { half_days: 2 })).toBe(1);
        await write.audit({ action: 'absence.changed', details: { person: personId, status: 'waiting' } });
      });
      const entries = await db.all<{ records: string }>(
        'SELECT records FROM audit_entries ORDER BY sequence DESC LIMIT 2',
      );
      const [newHashes, oldHashes] = entries.map(({ records }) => JSON.parse(records) as Record<string, string>);
      expect(Object.keys(oldHashes!)).toEqual(Object.keys(newHashes!));
      expect(Object.values(oldHashes!)).not.toEqual(Object.values(newHashes!));
      const row = (await db.get('SELECT * FROM absences'))!;
      const { record_salt: salt } = (await db.get<{ record_salt: string }>(
        'SELECT record_salt FROM people WHERE id = :personId',
        { personId },
      ))!;
      expect(salt).toMatch(/^[0-9a-f]{32}$/);
      expect(newHashes).toEqual({ [recordKey('absences', row)]: recordHash({ table: 'absences', row, salt }) });
    });

    it('a record written after the last entry goes into that entry, and a removed one as null', async () => {
      const { id } = await store.write(cause, async (write) => {
        const absence = await addAbsence(write);
        await write.audit({ action: 'absence.requested', details: { person: personId, status: 'waiting' } });
        return absence;
      });
      await store.write(cause, async (write) => {
        await write.audit({ action: 'absence.cancelled', details: { person: personId, status: 'waiting' } });
        await remove(write, 'absences', { id });
        const data = { id, company_id: companyId, removed_at: '2026-11-23T07:00:00.000Z' };
        await write.event({ type: 'leave.removed', companyId, data });
      });
      expect((await findNewestEntry())!.records).toMatch(/^\{"absences \d+":null\}$/);
    });

    it('a unit of work hashes a person when a counted column has changed, and not when touched', async () => {
      await store.write(cause, async (write) => {
        await touchPeople(write, companyId, 2);
        await update(write, 'people', { id: personId }, { language: 'de' });
        await announcePerson(write, { id: personId, companyId });
        await write.audit({ action: 'profile.changed', details: { changed: [] } });
      });
      expect((await findNewestEntry())!.records).toBeNull();
      await store.write(cause, async (write) => {
        await update(write, 'people', { id: personId }, { opening_minutes: 60 });
        await announcePerson(write, { id: personId, companyId });
        await write.audit({ action: 'person.changed', details: { changed: ['opening_minutes'] } });
      });
      expect((await findNewestEntry())!.records).toMatch(/^\{"people \d+":"1:[0-9a-f]{64}"\}$/);
    });

    it('a unit of work does not commit a change of a list without an event that shows it', async () => {
      const writeAudited = (effect: (write: Write) => Promise<unknown>) =>
        store.write(cause, async (write) => {
          await effect(write);
          await write.audit({ action: 'profile.changed', details: { changed: [] } });
        });
      const { id } = await store.write(cause, async (write) => {
        const absence = await addAbsence(write);
        await write.audit({ action: 'absence.requested', details: { person: personId, status: 'waiting' } });
        return absence;
      });
      const absencesBefore = await db.all('SELECT * FROM absences');
      const removal = { kind: 'absence', id, company_id: companyId, person_id: null, removed_at: 1 } as const;
      for (const silentEffect of [
        (write) => update(write, 'people', { company_id: companyId }, { updated_at: 2 }),
        (write) => update(write, 'clock_states', { person_id: personId }, { state: 'in' }),
        (write) => updateWhere(write, 'absences', { updated_at: 2 }, 'id = :id', { id }),
        (write) => remove(write, 'absences', { id }),
        (write) => insert(write, 'removals', removal),
        async (write) => {
          await update(write, 'absences', { id }, { updated_at: 2 });
          await announcePerson(write, { id: personId, companyId });
        },
      ] as readonly ((write: Write) => Promise<unknown>)[])
        await expect(writeAudited(silentEffect)).rejects.toThrow(UnannouncedWrite);
      expect(await db.all('SELECT * FROM absences')).toEqual(absencesBefore);
    });

    it('a unit of work does not commit a record without an entry, for any reason', async () => {
      const silentWrite = store.write(cause, async (write) => {
        write.unaudited('progress');
        await addAbsence(write);
      });
      await expect(silentWrite).rejects.toThrow(UnrecordedWrite);
      expect(await countAbsences()).toBe(0);
    });
  });

  describe('people', () => {
    let people: number[];
    let companyId: number;
    beforeEach(async () => {
      await store.write(cause, async (write) => {
        companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
        people = [];
        for (const firstName of ['Ada', 'Ben'])
          people.push(
            await recordPerson(write, { companyId, firstName, lastName: 'Lang', role: 'employee', language: 'en' }),
          );
      });
    });
    const ping = (write: Write, personId: number) =>
      write.event({
        type: 'ping',
        companyId,
        personId,
        data: { extension: { id: 'ext_1', name: 'Planner' } },
      });
    const events = () =>
      db.all<{ person_id: number; sequence: number }>(
        "SELECT * FROM events WHERE type <> 'user.created' ORDER BY sequence",
      );

    it('a unit of work numbers the events of a write in sequence, and the rows with the first number', async () => {
      await store.write(cause, async (write) => {
        await write.lock({ people });
        for (const person of [...people, ...people]) await ping(write, person);
        await update(write, 'people', { id: people[0]! }, { language: 'de' });
        await announcePerson(write, { id: people[0]!, companyId });
        await write.audit({ action: 'profile.changed', details: { changed: [] } });
      });
      const [firstEvent, ...laterEvents] = await events();
      expect(laterEvents.map(({ sequence }) => sequence - firstEvent!.sequence)).toEqual([1, 2, 3, 4]);
      expect(await db.get('SELECT changed FROM people WHERE id = :id', { id: people[0]! })).toEqual({
        changed: firstEvent!.sequence,
      });
      expect(await settledPosition(db)).toMatchObject({ place: firstEvent!.sequence + span - 1 });
    });

    if (dialect === 'postgres')
      it('a unit of work repeats a write overtaken by a newer one about the same person', async () => {
        const [ada, ben] = people as [number, number];
        const otherDb = await openDatabase(home.settings);
        const otherStore = createStore(otherDb);
        let runs = 0;
        // Ben first, so it has its place; then Ada, of whom somebody has written in between.
        await store.write(cause, async (write) => {
          await ping(write, ben);
          if (runs++ === 0)
            await otherStore.write(cause, async (newerWrite) => {
              await ping(newerWrite, ada);
              await newerWrite.audit({ action: 'profile.changed', details: { changed: [] } });
            });
          await ping(write, ada);
          await write.audit({ action: 'profile.changed', details: { changed: [] } });
        });
        await otherDb.close();
        expect(runs).toBe(2);
        expect((await events()).map(({ person_id }) => person_id)).toEqual([ada, ben, ada]);
      });

    it('a unit of work does not settle places behind an open write', async () => {
      const positionBefore = await settledPosition(db);
      const readPosition = async () => {
        const { epoch, place } = await settledPosition(db);
        return { epoch, place };
      };
      let open = () => {};
      const opening = new Promise<void>((resolve) => (open = resolve));
      let end = () => {};
      const ending = new Promise<void>((resolve) => (end = resolve));
      const longWrite = store.write(cause, async (write) => {
        await ping(write, people[0]!);
        await write.audit({ action: 'profile.changed', details: { changed: [] } });
        open();
        await ending;
      });
      await opening;
      if (dialect === 'postgres') {
        await store.write(cause, async (write) => {
          await ping(write, people[1]!);
          await write.audit({ action: 'profile.changed', details: { changed: [] } });
        });
        expect(await events()).toHaveLength(1);
      }
      expect(await readPosition()).toEqual({ epoch: positionBefore.epoch, place: positionBefore.place });
      end();
      await longWrite;
      expect((await settledPosition(db)).place).toBeGreaterThan((await events()).at(-1)!.sequence);
    });
  });
});
