import { readFileSync } from 'node:fs';
import { openDatabase } from '@clockproof/platform/database/open';
import { connect } from '@clockproof/platform/database/sqlite';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { day, hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { findAbsence } from '../../src/absences/rows.js';
import { saveEntitlement } from '../../src/absences/vacation/vacation-account.js';
import { submitCorrection } from '../../src/clock/corrections.js';
import { erasePerson } from '../../src/hr/erasure.js';
import { personalColumns } from '../../src/hr/personal-data.js';
import { purgeExpiredRemovals } from '../../src/people/removals.js';
import { findPerson } from '../../src/people/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { allCompanies } from '../../src/store/every-company.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import type { CompanyScope } from '../../src/store/scope.js';
import { insert } from '../../src/store/tables.js';
import { addSchedule } from '../../src/working-time/change-schedule.js';
import { columnTypes } from '../../tools/column-types.js';
import { type Answer, createWorld, mondayMinute, type World } from '../world.js';

describe.each(dialects)('erasing a person on %s', (dialect) => {
  let world: World;
  let uwe: number;
  let adaAbsence: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    uwe = await world.hire({
      firstName: 'Quirin',
      lastName: 'Zschokke',
      email: 'q.zschokke@clockproof.example',
      personnelNumber: 'PN-ZSCH-77',
      departmentId: world.office,
      role: 'approver',
      language: 'de',
    });
    const call = (path: string, body: object, headers: Record<string, string> = {}) =>
      world.call('POST', `/api/v1/${path}`, { key: world.planner.key, body: { user_id: uwe, ...body }, headers });
    for (const path of ['clock/in', 'clock/break/start', 'clock/break/end', 'clock/out', 'clock/in']) {
      expect((await call(path, {}, { 'idempotency-key': `uwe-${path}-${world.now()}` })).status).toBe(200);
      world.advance(hour);
    }
    for (const start_date of ['2026-12-01', '2026-12-02'])
      await call(
        'absences',
        {
          type: 'vacation',
          start_date,
          end_date: start_date,
          comment: 'zu Besuch bei Zschokkes',
          external_id: `ZSCH-${start_date}`,
        },
        { 'idempotency-key': start_date },
      );
    await world.call('PATCH', `/api/v1/absences/1`, { key: world.planner.key, body: { comment: 'Zschokke geändert' } });
    await world.write(async (write) => {
      await saveEntitlement(write, (await findPerson(write, uwe, allCompanies))!, 2026, {
        days: 30,
        carriedDays: 2,
        carriedUntil: null,
      });
      await addSchedule(write, {
        companyId: world.nord,
        personId: uwe,
        validFrom: '2027-01-01',
        week: [300, 300, 300, 300, 0, 0, 0],
      });
    });
    await world.service.store.write({ actor: { kind: 'person', id: String(uwe) }, at: world.now() }, async (write) => {
      const { absence } = await requestAbsence(write, {
        personId: world.people.ada,
        companyId: world.nord,
        draft: draftOf({ type: 'sickness', start_date: '2026-11-24', end_date: '2026-11-24' }),
        author: { kind: 'admin', personId: uwe },
      });
      adaAbsence = absence.id;
      const person = (await findPerson(write, uwe, allCompanies))!;
      await submitCorrection(write, {
        person,
        by: person,
        draft: { times: { start: mondayMinute - 26 * hour, end: mondayMinute - 20 * hour, breaks: [] } },
        reason: 'Zschokke was there on Sunday',
      });
      await insert(write, 'links', {
        id: 'lnk_zschokke',
        extension_id: world.planner.id,
        person_id: uwe,
        company_id: world.nord,
        scopes: '[]',
        refresh_hash: 'refresh',
        created_at: 0,
        expires_at: 1,
      });
      await insert(write, 'access_tokens', { hash: 'access', link_id: 'lnk_zschokke', scopes: '[]', expires_at: 1 });
      await insert(write, 'pins', { person_id: uwe, hash: 'pin of zschokke', updated_at: 0 });
    });
    await world.as(uwe);
  });
  afterEach(() => world.close());

  const erase = (
    personId: number,
    scope: CompanyScope = { company: world.nord },
    reason: string | undefined = 'The person asked for it',
  ) => world.write((write) => erasePerson(write, { personId, scope, reason }));
  const get = (path: string) => world.call('GET', `/api/v1/${path}`, { key: world.auditor.key });
  const data = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  async function dumpTables(): Promise<string> {
    const tables =
      dialect === 'sqlite'
        ? await world.db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        : await world.db.all<{ name: string }>(
            "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
          );
    return JSON.stringify(
      await Promise.all(tables.map(async ({ name }) => [name, await world.db.all(`SELECT * FROM ${name}`)])),
    );
  }

  it('erasure needs a deactivated person, of a company one may act in', async () => {
    await expect(erase(uwe)).rejects.toMatchObject({ code: 'still_in_use' });
    await expect(erase(uwe, { company: world.sued })).rejects.toMatchObject({ code: 'not_found' });
    await expect(erase(424242)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('erasure is refused as long as working time must be kept, unless there is a reason', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :uwe', { uwe }));
    const withoutReason = () => world.write((write) => erasePerson(write, { personId: uwe, scope: allCompanies }));
    // The last entry is of 23 November 2026.
    await expect(withoutReason()).rejects.toMatchObject({
      code: 'retention_running',
      options: { details: [{ field: 'reason', error: expect.stringContaining('ArbZG §16 (2), MiLoG §17 (1)') }] },
    });
    world.set(parseInstant('2028-11-23T22:00:00Z')!);
    await expect(withoutReason()).rejects.toMatchObject({
      options: { details: [{ error: expect.stringContaining('2028-11-24') }] },
    });
    await erase(uwe);
    expect(await dumpTables()).toContain('The person asked for it');
  });

  it('erasure needs no reason once the time is over', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :uwe', { uwe }));
    world.set(parseInstant('2028-11-23T23:00:00Z')!);
    await world.write((write) => erasePerson(write, { personId: uwe, scope: allCompanies }));
    expect(await findPerson(world.db, uwe, allCompanies)).toBeUndefined();
  });

  it('erasure leaves ids, company and time in the lists of removals, and nothing else of the person', async () => {
    const [entries, absences] = [
      await world.db.all<{ id: number }>('SELECT id FROM time_entries WHERE person_id = :uwe ORDER BY id', { uwe }),
      await world.db.all<{ id: number }>('SELECT id FROM absences WHERE person_id = :uwe ORDER BY id', { uwe }),
    ];
    expect([entries.length, absences.length]).toEqual([2, 2]);
    for (const trace of ['Zschokke', 'Quirin', 'PN-ZSCH-77', 'ZSCH-2026']) expect(await dumpTables()).toContain(trace);
    const updatedSince = (await get('time/leaves?updated_since=1970-01-01')).body['next_updated_since'] as string;
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :uwe', { uwe }));
    await erase(uwe);
    const dump = await dumpTables();
    // The last: the week of the person's schedule, which the audit log showed.
    const traces = [/zschokke/i, /quirin/i, /PN-ZSCH/, /ZSCH-2026/, /300,300,300/];
    for (const trace of traces) expect(dump).not.toMatch(trace);
    if (dialect === 'sqlite') {
      const file = world.settings['DB_DSN']!;
      const connection = await connect(file, 1_024);
      await connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      await connection.close();
      const bytes = readFileSync(file, 'latin1');
      expect(traces.filter((trace) => trace.test(bytes))).toEqual([]);
    }
    for (const [path, ids] of [
      ['users', [{ id: uwe }]],
      ['time/entries', entries],
      ['time/leaves', absences],
    ] as const) {
      expect(data(await get(`${path}/removed?since=2026-11-20`))).toEqual(
        ids.map(({ id }) => ({ id, company_id: world.nord, removed_at: '2026-11-23T12:00:00.684Z' })),
      );
    }
    const removalEvents = data(await get('events?limit=500')).filter((event) => event['type'] === 'leave.removed');
    expect(removalEvents.map((event) => event['data'])).toEqual(
      absences.map(({ id }) => ({ id, company_id: world.nord, removed_at: '2026-11-23T12:00:00.684Z' })),
    );
    expect(data(await get(`time/leaves?updated_since=${updatedSince}`))).toEqual([]);
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    expect(data(await get('users')).map((row) => row['id'])).not.toContain(uwe);
    await expect(erase(uwe)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('erasure keeps what the person recorded for others, without the name', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :uwe', { uwe }));
    await erase(uwe);
    expect(await findAbsence(world.db, adaAbsence, allCompanies)).toMatchObject({ status: 'approved', author: null });
    expect(data(await get('time/leaves?from=2026-11-24&to=2026-11-24'))).toMatchObject([
      { id: adaAbsence, created_by: { kind: 'admin', name: '–' } },
    ]);
  });

  it('erasure takes nothing from other people', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :id', { id: world.people.cem }));
    const readOthers = async () => [
      await world.db.all('SELECT * FROM absences WHERE person_id <> :cem ORDER BY id', { cem: world.people.cem }),
      await world.db.all('SELECT * FROM people WHERE id <> :cem ORDER BY id', { cem: world.people.cem }),
    ];
    const othersBefore = await readOthers();
    await erase(world.people.cem);
    expect(await readOthers()).toEqual(othersBefore);
  });

  it('removals are deleted after 90 days', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :uwe', { uwe }));
    await erase(uwe);
    const count = async () => (await world.db.get<{ n: number }>('SELECT count(*) AS n FROM removals'))!.n;
    expect(await world.db.write((tx) => purgeExpiredRemovals(tx, world.now() + 90 * day, 500))).toBe(0);
    // The person, two entries and two absences.
    expect(await count()).toBe(5);
    expect(await world.db.write((tx) => purgeExpiredRemovals(tx, world.now() + 90 * day + 1, 500))).toBe(5);
  });
});

describe('the list of personal data', () => {
  it('the list of personal data names every column of the schema that names a person', async () => {
    const home = await createTestDatabase('sqlite');
    const db = await openDatabase(home.settings);
    await db.migrate(migrations);
    const columns = await db.all<{ table: string; column: string; refers: number }>(
      `SELECT m.name AS "table", c.name AS "column",
         EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) f WHERE f."table" = 'people' AND f."from" = c.name) AS refers
       FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
    );
    await db.close();
    await home.drop();
    const listedColumns = new Set(personalColumns.map(({ table, column }) => `${table}.${column}`));
    // By what the column holds, whatever it is called: a reference to a person, or the type of a person's id.
    const typeOf = (table: string, column: string) =>
      columnTypes.tables[table]?.[column]?.type ?? columnTypes.everywhere[column];
    const schemaColumns = columns
      .filter(({ table, column, refers }) => refers === 1 || typeOf(table, column) === 'PersonId')
      .map(({ table, column }) => `${table}.${column}`)
      .filter((name) => name !== 'people.id');
    expect([...schemaColumns].sort()).toEqual([...listedColumns].sort());
  });
});
