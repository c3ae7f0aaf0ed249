import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  correctWithNotice,
  decideCorrection,
  type EntryDraft,
  retractCorrection,
  submitCorrection,
} from '../../src/clock/corrections.js';
import { decidePendingEntry } from '../../src/clock/decide-pending-entry.js';
import { findEntry } from '../../src/clock/rows.js';
import { presentEntry } from '../../src/clock/time-entry.js';
import { historyOf } from '../../src/clock/versions.js';
import { listApprovalRows } from '../../src/inbox/approval-rows.js';
import { actorOf } from '../../src/people/actor.js';
import { changeRoles } from '../../src/people/roles.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { allCompanies } from '../../src/store/every-company.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { closeMonth, hire, offlineStamp, recordWork, sendStamp } from '../builders.js';
import { createWorld, minute, type World } from '../world.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('corrections on %s', (dialect) => {
  let world: World;
  /** Approves for the office; so Ada, not Ben. */
  let olga: number;
  /** Admin of Nord. */
  let adam: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    [olga, adam] = await world.write(async (write) => {
      const person = (firstName: string, fields: object) =>
        hire(write, {
          companyId: world.nord,
          firstName,
          lastName: 'Nord',
          ...fields,
        });
      const olga = await person('Olga', {});
      await changeRoles(write, olga, world.nord, [
        { role: 'approver', companyId: world.nord, departmentIds: [world.office] },
      ]);
      return [olga, await person('Adam', { role: 'company_admin' })] as const;
    });
  });
  afterEach(() => world.close());

  const person = async (id: number): Promise<PersonRow> => (await findPerson(world.db, id, allCompanies))!;
  const clock = (verb: string, personId: number) => sendStamp(world, verb, personId);
  const times = (start: string, end: string, ...breaks: [string, string][]) => ({
    start: at(start),
    end: at(end),
    breaks: breaks.map(([from, to]) => ({ start: at(from), end: at(to) })),
  });
  const request = async (personId: number, draft: EntryDraft, reason = 'Forgot to clock out') => {
    const requester = await person(personId);
    return world.write((write) => submitCorrection(write, { person: requester, by: requester, draft, reason }));
  };
  const correct = async (approverId: number, personId: number, draft: EntryDraft) => {
    const [approver, employee] = [await person(approverId), await person(personId)];
    return world.write((write) =>
      correctWithNotice(write, { person: employee, by: approver, draft, reason: 'Shift plan' }),
    );
  };
  const decide = async (approverId: number, id: number, decision: 'approved' | 'rejected' = 'approved') => {
    const approver = await person(approverId);
    return world.write((write) => decideCorrection(write, { id, by: approver, decision, comment: 'Seen' }));
  };
  const entry = async (id: number) => (await findEntry(world.db, id, allCompanies))!;
  const pendingApprovals = (companyId = world.nord) =>
    listApprovalRows(world.db, { company: companyId }, { state: 'waiting', exceptPeople: [0], limit: 100 });
  const stampDay = async (personId: number, day: string, from = '07:00', to = '15:00') => {
    world.set(at(`${day}T${from.padEnd(8, ':00')}Z`));
    await clock('in', personId);
    world.set(at(`${day}T${to.padEnd(8, ':00')}Z`));
    return (await clock('out', personId)).time_entry.id;
  };

  /** What the audit log says of corrections and entries, in its order. */
  const actions = async () =>
    (
      await world.db.all<{ action: string }>(
        "SELECT action FROM audit_entries WHERE action LIKE 'correction.%' OR action LIKE 'entry.%' ORDER BY sequence",
      )
    ).map((row) => row.action);

  it('an entry without a minute does not block a correction, which strikes it out', async () => {
    const { ada } = world.people;
    const emptyEntryId = await stampDay(ada, '2026-11-23', '09:00', '09:00');
    const adjoiningEntryId = await stampDay(ada, '2026-11-23', '15:00', '15:00');
    world.set(at('2026-11-23T17:00:00Z'));
    const correction = await request(ada, { times: times('2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z') });
    expect(await entry(emptyEntryId)).toMatchObject({ status: 'recorded' });
    const { entry_id: id } = await decide(olga, correction.id);
    expect(await entry(id!)).toMatchObject({ status: 'approved' });
    expect(await entry(emptyEntryId)).toMatchObject({ status: 'rejected' });
    expect(await historyOf(world.db, await entry(emptyEntryId))).toMatchObject([
      { change: 'recorded' },
      { change: 'struck_out', changed_by: olga, reason: 'Forgot to clock out' },
    ]);
    // It begins where the entry ends.
    expect(await entry(adjoiningEntryId)).toMatchObject({ status: 'recorded' });
    expect(await actions()).toEqual([
      'correction.requested',
      'entry.struck_out',
      'entry.corrected',
      'correction.approved',
    ]);
    const page = await world.call('GET', `/api/v1/time/entries?updated_since=2026-11-23T17:00:00Z&limit=1`, {
      key: world.reader.key,
    });
    expect(page.body).toMatchObject({ has_more: true });
  });

  it('an entry with a minute in it blocks a correction', async () => {
    const { ada } = world.people;
    await stampDay(ada, '2026-11-23', '09:00', '09:01');
    world.set(at('2026-11-23T17:00:00Z'));
    const draft = { times: times('2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z') };
    await expect(request(ada, draft)).rejects.toMatchObject({ code: 'entry_overlap' });
  });

  it('corrections strike nothing out in a closed month', async () => {
    const { ada } = world.people;
    world.set(at('2026-10-31T22:59:30Z'));
    await clock('in', ada);
    world.set(at('2026-10-31T23:00:10Z'));
    const { id } = (await clock('out', ada)).time_entry;
    world.set(at('2026-11-23T17:00:00Z'));
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-10-01'"));
    await closeMonth(world, { month: '2026-10' });
    const night = { times: times('2026-10-31T23:00:00Z', '2026-11-01T05:00:00Z') };
    await expect(correct(olga, ada, night)).rejects.toMatchObject({ code: 'month_closed' });
    expect(await entry(id)).toMatchObject({ status: 'recorded' });
  });

  it('a correction changes nothing before approval, and then keeps old and new times, author and reason', async () => {
    const { ada } = world.people;
    const id = await stampDay(ada, '2026-11-23');
    world.set(at('2026-11-23T16:30:00Z'));
    const correction = await request(ada, {
      entryId: id,
      times: times('2026-11-23T07:00:00Z', '2026-11-23T16:00:00Z', ['2026-11-23T11:00:00Z', '2026-11-23T11:30:00Z']),
    });
    expect(correction).toMatchObject({ status: 'waiting', entry_id: id, requested_by: ada, decided_by: null });
    expect(await entry(id)).toMatchObject({ end_at: at('2026-11-23T15:00:00Z'), status: 'recorded' });
    expect(await pendingApprovals()).toMatchObject([
      { kind: 'correction', subject_id: correction.id, person_id: ada, from_date: '2026-11-23', to_date: '2026-11-23' },
    ]);
    world.advance(60 * minute);
    expect(await decide(olga, correction.id)).toMatchObject({
      status: 'approved',
      decided_by: olga,
      decision_reason: 'Seen',
    });
    const correctedEntry = await entry(id);
    expect(correctedEntry).toMatchObject({
      end_at: at('2026-11-23T16:00:00Z'),
      status: 'approved',
      source_kind: 'extension',
      updated_at: world.now(),
    });
    expect(await pendingApprovals()).toEqual([]);
    expect(await historyOf(world.db, correctedEntry)).toMatchObject([
      {
        version: 1,
        change: 'recorded',
        source_name: 'Planner',
        changed_by: null,
        end_at: at('2026-11-23T15:00:00Z'),
        at: at('2026-11-23T15:00:00Z'),
      },
      {
        version: 2,
        change: 'corrected',
        changed_by: olga,
        reason: 'Forgot to clock out',
        end_at: at('2026-11-23T16:00:00Z'),
        at: world.now(),
      },
    ]);
    // Those who follow what changed see it.
    const page = await world.call('GET', `/api/v1/time/entries?updated_since=2026-11-23T17:00:00Z&user_id=${ada}`, {
      key: world.reader.key,
    });
    expect(page.body['data']).toMatchObject([
      { id, end: '2026-11-23T16:00:00Z', worked_minutes: 510, break_minutes: 30, status: 'approved' },
    ]);
  });

  it('approvers of the department and admins decide corrections, never oneself or others', async () => {
    const { ben, ada, zoe } = world.people;
    const draft: EntryDraft = { times: times('2026-11-16T07:00:00Z', '2026-11-16T15:00:00Z') };
    const correction = await request(ben, draft);
    for (const personId of [olga, ada, zoe])
      await expect(decide(personId, correction.id)).rejects.toMatchObject({ code: 'not_found' });
    const sue = await world.hire({
      companyId: world.sued,
      firstName: 'Sue',
      lastName: 'Süd',
      role: 'company_admin',
      language: 'de',
    });
    await expect(decide(sue, correction.id)).rejects.toMatchObject({ code: 'not_found' });
    const ownCorrection = await request(adam, draft);
    await expect(decide(adam, ownCorrection.id)).rejects.toMatchObject({ code: 'own_request' });
    await expect(correct(adam, adam, draft)).rejects.toMatchObject({ code: 'own_request' });
    await expect(correct(olga, ben, draft)).rejects.toMatchObject({ code: 'not_found' });
    expect(await decide(adam, correction.id)).toMatchObject({ status: 'approved', person_id: ben });
    expect(await decide(adam, (await request(olga, draft)).id, 'rejected')).toMatchObject({
      status: 'rejected',
      entry_id: null,
    });
    const requester = await person(adam);
    expect(
      await world.write((write) => retractCorrection(write, { id: ownCorrection.id, by: requester })),
    ).toMatchObject({ status: 'withdrawn' });
    await expect(
      world.write((write) => retractCorrection(write, { id: ownCorrection.id, by: requester })),
    ).rejects.toMatchObject({ code: 'already_decided' });
  });

  it('corrections are pending in the lists of the deciders, never in one’s own', async () => {
    const { id } = await request(adam, { times: times('2026-11-16T07:00:00Z', '2026-11-16T15:00:00Z') });
    const listFor = (exceptId: number) =>
      listApprovalRows(world.db, { company: world.nord }, { state: 'waiting', exceptPeople: [exceptId], limit: 100 });
    expect(await listFor(adam)).toEqual([]);
    expect(await listFor(olga)).toMatchObject([{ subject_id: id }]);
  });

  it('an approver who has left decides no corrections', async () => {
    const correction = await request(world.people.ada, {
      times: times('2026-11-16T07:00:00Z', '2026-11-16T15:00:00Z'),
    });
    await world.write((write) =>
      changePersonRecord(write, olga, world.nord, { active: 0, employment_end: '2026-11-23' }),
    );
    await expect(decide(olga, correction.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a correction adds an entry that was never stamped, at once if an approver makes it', async () => {
    const { ada } = world.people;
    const correction = await correct(olga, ada, { times: times('2026-11-18T07:00:00Z', '2026-11-18T12:00:00Z') });
    expect(correction).toMatchObject({ status: 'approved', requested_by: olga, decided_by: olga });
    const newEntry = await entry(correction.entry_id!);
    expect(newEntry).toMatchObject({ date: '2026-11-18', status: 'approved', source_kind: 'web', person_id: ada });
    expect(await historyOf(world.db, newEntry)).toMatchObject([
      { version: 1, change: 'corrected', changed_by: olga, reason: 'Shift plan' },
    ]);
  });

  it('a correction ends a forgotten open entry, and followers of the clock get an event', async () => {
    const { ada } = world.people;
    world.set(at('2026-11-24T07:00:00Z'));
    const { id } = (await clock('in', ada)).time_entry;
    await clock('break/start', ada);
    world.set(at('2026-11-25T06:00:00Z'));
    await correct(olga, ada, { entryId: id, times: times('2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z') });
    expect(
      (await world.call('GET', `/api/v1/clock/states?user_id=${ada}`, { key: world.reader.key })).body,
    ).toMatchObject({ data: [{ state: 'out' }] });
    const events = await world.db.all<{ type: string; payload: string }>(
      'SELECT type, payload FROM events ORDER BY sequence DESC LIMIT 1',
    );
    expect(events[0]!.type).toBe('clock.out');
    expect(JSON.parse(events[0]!.payload)).toMatchObject({
      data: {
        clock_state: { user_id: ada, state: 'out' },
        time_entry: { id, end: '2026-11-24T15:00:00Z', breaks: [] },
      },
    });
    expect(await clock('in', ada)).toMatchObject({
      clock_state: { state: 'in' },
      time_entry: { start: '2026-11-25T06:00:00Z' },
    });
    await clock('out', ada);
  });

  it('a correction strikes an entry out without losing it', async () => {
    const { ada } = world.people;
    const id = await stampDay(ada, '2026-11-26');
    await correct(olga, ada, { entryId: id, remove: true });
    const struckOutEntry = await entry(id);
    expect(struckOutEntry).toMatchObject({
      status: 'rejected',
      start_at: at('2026-11-26T07:00:00Z'),
      end_at: at('2026-11-26T15:00:00Z'),
    });
    expect((await historyOf(world.db, struckOutEntry)).map((version) => version.change)).toEqual([
      'recorded',
      'struck_out',
    ]);
    // What does not count leaves its time free, and is not corrected any further.
    await expect(correct(olga, ada, { entryId: id, remove: true })).rejects.toMatchObject({ code: 'not_found' });
    await correct(olga, ada, { times: times('2026-11-26T08:00:00Z', '2026-11-26T14:00:00Z') });
    world.set(at('2026-11-27T07:00:00Z'));
    const openEntryId = (await clock('in', ada)).time_entry.id;
    await clock('break/start', ada);
    await correct(olga, ada, { entryId: openEntryId, remove: true });
    expect(await entry(openEntryId)).toMatchObject({ status: 'rejected', end_at: at('2026-11-27T07:00:00Z') });
  });

  it('a correction keeps seconds and stamp of an unchanged time, also between adjoining entries', async () => {
    const { ada } = world.people;
    await stampDay(ada, '2026-11-23', '07:00', '11:00');
    const id = await stampDay(ada, '2026-11-23', '11:00:25.125', '15:00');
    const { start_at: start } = await entry(id);
    await correct(olga, ada, { entryId: id, times: { start, end: at('2026-11-23T14:30:00Z'), breaks: [] } });
    expect(start).toBe(at('2026-11-23T11:00:25.125Z'));
    expect(await entry(id)).toMatchObject({ start_at: start, end_at: at('2026-11-23T14:30:00Z') });
    expect(presentEntry(await entry(id)).stamps).toMatchObject([
      { action: 'in', source: { kind: 'extension' } },
      { action: 'out', corrected: true },
    ]);
  });

  it.each([
    ['an end before the start', '2026-11-12T15:00:00Z', '2026-11-12T07:00:00Z', [], 'end'],
    ['no time at all', '2026-11-12T07:00:00Z', '2026-11-12T07:00:00Z', [], 'end'],
    ['an end in the future', '2026-11-23T06:00:00Z', '2026-11-23T07:01:00Z', [], 'end'],
    ['more than 36 hours', '2026-11-12T07:00:00Z', '2026-11-13T19:01:00Z', [], 'end'],
    [
      'a break before the start',
      '2026-11-12T07:00:00Z',
      '2026-11-12T15:00:00Z',
      [['2026-11-12T06:00:00Z', '2026-11-12T08:00:00Z']],
      'breaks[0].start',
    ],
    [
      'a break after the end',
      '2026-11-12T07:00:00Z',
      '2026-11-12T15:00:00Z',
      [['2026-11-12T14:00:00Z', '2026-11-12T15:01:00Z']],
      'breaks[0].end',
    ],
    [
      'a break backwards',
      '2026-11-12T07:00:00Z',
      '2026-11-12T15:00:00Z',
      [['2026-11-12T12:00:00Z', '2026-11-12T11:00:00Z']],
      'breaks[0].end',
    ],
    [
      'breaks over each other',
      '2026-11-12T07:00:00Z',
      '2026-11-12T15:00:00Z',
      [
        ['2026-11-12T11:00:00Z', '2026-11-12T12:00:00Z'],
        ['2026-11-12T11:59:00Z', '2026-11-12T13:00:00Z'],
      ],
      'breaks[1].start',
    ],
  ] as [string, string, string, [string, string][], string][])(
    'a correction with %s is refused',
    async (_, start, end, breaks, field) => {
      await expect(request(world.people.ada, { times: times(start, end, ...breaks) })).rejects.toMatchObject({
        code: 'invalid_request',
        options: { details: [{ field }] },
      });
    },
  );

  it.each([
    ['36 hours', '2026-11-10T07:00:00Z', '2026-11-11T19:00:00Z', []],
    ['an end now', '2026-11-23T06:00:00Z', '2026-11-23T07:00:00Z', []],
    ['one minute', '2026-11-10T07:00:00Z', '2026-11-10T07:01:00Z', []],
    [
      'breaks that touch each other and both ends',
      '2026-11-10T07:00:00Z',
      '2026-11-10T09:00:00Z',
      [
        ['2026-11-10T07:00:00Z', '2026-11-10T08:00:00Z'],
        ['2026-11-10T08:00:00Z', '2026-11-10T09:00:00Z'],
      ],
    ],
  ] as [string, string, string, [string, string][]][])('a correction may have %s', async (_, start, end, breaks) => {
    world.set(at('2026-11-23T07:00:00Z'));
    expect(await request(world.people.ada, { times: times(start, end, ...breaks) })).toMatchObject({
      status: 'waiting',
    });
  });

  it('a correction that overlaps other work is refused, also at its approval', async () => {
    const { ada } = world.people;
    const [first, second] = [
      await stampDay(ada, '2026-11-30', '07:00', '11:00'),
      await stampDay(ada, '2026-11-30', '12:00', '15:00'),
    ];
    world.set(at('2026-11-30T17:00:00Z'));
    for (const [start, end] of [
      ['10:59', '11:30'],
      ['11:30', '12:01'],
      ['06:00', '16:00'],
      ['08:00', '09:00'],
      ['07:00', '11:00'],
    ]) {
      await expect(
        request(ada, { times: times(`2026-11-30T${start}:00Z`, `2026-11-30T${end}:00Z`) }),
      ).rejects.toMatchObject({ code: 'entry_overlap' });
    }
    await expect(
      correct(olga, ada, { entryId: first, times: times('2026-11-30T07:00:00Z', '2026-11-30T12:01:00Z') }),
    ).rejects.toMatchObject({ code: 'entry_overlap' });
    await expect(request(world.people.ben, { entryId: second, remove: true })).rejects.toMatchObject({
      code: 'not_found',
    });
    const correction = await request(ada, { times: times('2026-11-30T11:00:00Z', '2026-11-30T12:00:00Z') });
    await correct(olga, ada, { entryId: first, times: times('2026-11-30T07:00:00Z', '2026-11-30T11:30:00Z') });
    await expect(decide(olga, correction.id)).rejects.toMatchObject({ code: 'entry_overlap' });
    expect(await decide(olga, correction.id, 'rejected')).toMatchObject({ status: 'rejected' });
    await expect(decide(olga, correction.id)).rejects.toMatchObject({ code: 'already_decided' });
  });

  it('a correction may touch other work and not overlap it, also an open entry', async () => {
    const { ada } = world.people;
    world.set(at('2026-11-30T17:00:00Z'));
    await clock('in', ada);
    world.set(at('2026-11-30T18:00:00Z'));
    const requestUntil = (end: string) =>
      request(ada, { times: times('2026-11-30T16:30:00Z', `2026-11-30T${end}:00Z`) });
    await expect(requestUntil('17:01')).rejects.toMatchObject({ code: 'entry_overlap' });
    expect(await requestUntil('17:00')).toMatchObject({ status: 'waiting' });
  });

  it('corrections are decided once, also in a race', async () => {
    const { ada } = world.people;
    world.set(at('2026-12-05T12:00:00Z'));
    const correction = await request(ada, { times: times('2026-12-05T07:00:00Z', '2026-12-05T09:00:00Z') });
    const replica = await world.replica();
    const [approver, admin] = [await person(olga), await person(adam)];
    const tries = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? world.service : replica).store
        .write({ actor: system, at: world.now() }, (write) =>
          index === 7
            ? person(ada).then((by) => retractCorrection(write, { id: correction.id, by }))
            : decideCorrection(write, {
                id: correction.id,
                by: index % 4 < 2 ? approver : admin,
                decision: index % 3 === 0 ? 'rejected' : 'approved',
              }),
        )
        .then(
          (row) => row.status,
          (error: { code: string }) => error.code,
        ),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((outcome) => outcome === 'already_decided')).toHaveLength(19);
    const entries = await world.db.all("SELECT id FROM time_entries WHERE person_id = :ada AND date = '2026-12-05'", {
      ada,
    });
    expect(entries).toHaveLength(outcomes.includes('approved') ? 1 : 0);
  });

  it('corrections keep the limits of employment, but reach back for leavers', async () => {
    const { cem } = world.people;
    await expect(
      correct(adam, cem, { times: times('2026-11-02T07:00:00Z', '2026-11-02T09:00:00Z') }),
    ).rejects.toMatchObject({ code: 'employment_ended' });
    await world.write((write) =>
      changePersonRecord(write, cem, world.nord, { active: 0, employment_end: '2026-10-31' }),
    );
    expect(await correct(adam, cem, { times: times('2026-10-30T07:00:00Z', '2026-10-30T09:00:00Z') })).toMatchObject({
      status: 'approved',
    });
    // 23:00 UTC is the first of November in Berlin, where the person is no longer employed.
    await expect(
      correct(adam, cem, { times: times('2026-10-31T23:00:00Z', '2026-10-31T23:30:00Z') }),
    ).rejects.toMatchObject({ code: 'employment_ended' });
  });

  describe('stamps recorded offline', () => {
    const recordOffline = async (start: string, end: string, person_id = world.people.ada) =>
      (await recordWork(world, { person_id, start_at: at(start), end_at: at(end), ...offlineStamp })).id;
    const settle = async (approverId: number, id: number, decision: 'approved' | 'rejected') => {
      const approver = await person(approverId);
      return world.write((write) => decidePendingEntry(write, { id, by: approver, decision }));
    };

    it('stamps recorded offline are put in force, or not, once', async () => {
      const { ada } = world.people;
      world.set(at('2026-12-11T12:00:00Z'));
      const [first, second] = [
        await recordOffline('2026-12-10T07:00:00Z', '2026-12-10T15:00:00Z'),
        await recordOffline('2026-12-10T14:00:00Z', '2026-12-10T16:00:00Z'),
      ];
      await expect(settle(ada, first, 'approved')).rejects.toMatchObject({ code: 'not_found' });
      expect(await settle(olga, first, 'approved')).toMatchObject({ status: 'approved' });
      await expect(settle(adam, first, 'rejected')).rejects.toMatchObject({ code: 'already_decided' });
      await expect(settle(olga, second, 'approved')).rejects.toMatchObject({ code: 'entry_overlap' });
      expect(await settle(olga, second, 'rejected')).toMatchObject({ status: 'rejected' });
      expect((await pendingApprovals()).filter((approval) => approval.kind === 'offline_stamp')).toEqual([]);
      expect(
        (await historyOf(world.db, await entry(first))).map((version) => [
          version.change,
          version.source_name,
          version.changed_by,
        ]),
      ).toEqual([
        ['recorded', 'Gate', null],
        ['approved', null, olga],
      ]);
      expect(await actions()).toEqual(['entry.approved', 'entry.rejected']);
    });

    it('stamps recorded offline are not put in force after the last day of employment', async () => {
      world.set(at('2026-12-11T12:00:00Z'));
      const entryId = await recordOffline('2026-11-02T07:00:00Z', '2026-11-02T15:00:00Z', world.people.cem);
      await expect(settle(adam, entryId, 'approved')).rejects.toMatchObject({ code: 'employment_ended' });
      expect(await settle(adam, entryId, 'rejected')).toMatchObject({ status: 'rejected' });
    });
  });

  it('the audit log contains corrections, and its chain is intact', async () => {
    const { ada } = world.people;
    const id = await stampDay(ada, '2026-11-23');
    const draft = { entryId: id, times: times('2026-11-23T07:00:00Z', '2026-11-23T14:00:00Z') };
    await decide(olga, (await request(ada, draft)).id);
    await decide(olga, (await request(ada, draft)).id, 'rejected');
    const correction = await request(ada, draft);
    const requester = await person(ada);
    await world.service.store.write({ actor: actorOf(requester), at: world.now() }, (write) =>
      retractCorrection(write, { id: correction.id, by: requester }),
    );
    await correct(olga, ada, { entryId: id, times: times('2026-11-23T07:00:00Z', '2026-11-23T13:00:00Z') });
    await correct(olga, ada, { entryId: id, remove: true });
    expect(await actions()).toEqual([
      'correction.requested',
      'entry.corrected',
      'correction.approved',
      'correction.requested',
      'correction.rejected',
      'correction.requested',
      'correction.withdrawn',
      'entry.corrected',
      'entry.struck_out',
    ]);
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
  });
});
