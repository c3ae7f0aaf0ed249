import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeAbsence, withdrawOrCancelAbsence } from '../../src/absences/change-absence.js';
import { type Decision, decideAbsence } from '../../src/absences/decide-absence.js';
import { type AbsenceDraft, draftOf } from '../../src/absences/draft.js';
import { type Author, requestAbsence } from '../../src/absences/request-absence.js';
import { correctWithNotice, decideCorrection, submitCorrection } from '../../src/clock/corrections.js';
import { decidePendingEntry } from '../../src/clock/decide-pending-entry.js';
import { stamp as recordStamp } from '../../src/clock/stamp.js';
import { changeCompany } from '../../src/hr/companies.js';
import { addPerson } from '../../src/hr/people.js';
import { listStored } from '../../src/months/rows.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { closeCompanyMonth } from '../../src/proofs/close-month.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Write } from '../../src/store/write.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { addSchedule, removeSchedule } from '../../src/working-time/change-schedule.js';
import { listMonthSteps } from '../../src/working-time/closed-month-rows.js';
import { saveSchedule } from '../../src/working-time/rows.js';
import { closeMonth, markMonthClosed, offlineStamp, recordWork, reopenMonth } from '../builders.js';
import { createWorld, type World } from '../world.js';
import { zone } from '../zones.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('closed months on %s', (dialect) => {
  let world: World;
  let adam: PersonRow;
  let ada: PersonRow;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const id = await world.hire({
      firstName: 'Adam',
      lastName: 'Nord',
      role: 'company_admin',
      employmentStart: '2026-11-01',
    });
    adam = (await findPerson(world.db, id, allCompanies))!;
    ada = (await findPerson(world.db, world.people.ada, allCompanies))!;
  });
  afterEach(() => world.close());

  const close = (month: string, companyId = world.nord) => closeMonth(world, { companyId, month, personId: adam.id });
  const reopen = (month: string, reason = 'Late shift') => reopenMonth(world, { month, reason, personId: adam.id });
  const stamp = (verb: string, person = ada.id) =>
    world.call('POST', `/api/v1/clock/${verb}`, { key: world.planner.key, body: { user_id: person } });
  const times = (day: string, from = '07:00', to = '15:00') => ({
    times: { start: at(`${day}T${from}:00Z`), end: at(`${day}T${to}:00Z`), breaks: [] },
  });
  const refusalOf = (code: string) => expect.objectContaining({ code });

  it('months close when they are over, complete and decided; the refusal names the obstacle', async () => {
    world.set(at('2026-11-27T07:00:00Z'));
    await stamp('in');
    await expect(close('2026-11')).rejects.toMatchObject({
      code: 'month_not_closable',
      options: { details: [{ field: 'month', code: 'not_over' }] },
    });
    const correction = await world.write((write) =>
      submitCorrection(write, { person: ada, by: ada, draft: times('2026-11-26'), reason: 'Forgot' }),
    );
    world.set(at('2026-12-01T08:00:00Z'));
    await expect(close('2026-11')).rejects.toMatchObject({
      code: 'month_not_closable',
      options: { details: [{ field: 'open_entries' }, { field: 'pending_requests' }] },
    });
    await stamp('out');
    await expect(close('2026-11')).rejects.toMatchObject({ options: { details: [{ field: 'pending_requests' }] } });
    await world.write((write) => decideCorrection(write, { id: correction.id, by: adam, decision: 'approved' }));
    await close('2026-11');
    await expect(close('2026-11')).rejects.toMatchObject({ code: 'month_closed' });
    await expect(close('2026-11', 999_999)).rejects.toMatchObject({ code: 'not_found' });
    expect(await listMonthSteps(world.db, world.nord, '2026-11', '2026-11')).toMatchObject([
      { step: 'closed', at: world.now(), person_id: adam.id },
    ]);
  });

  it('months close in order, from the first with tracked working time', async () => {
    world.set(at('2027-03-02T08:00:00Z'));
    const refusal = (month: string) =>
      close(month).then(
        () => undefined,
        (error: { code: string; options?: { details?: unknown } }) => [error.code, error.options?.details],
      );
    const laterMonthRefusal = [
      'earlier_month_open',
      [{ field: 'month', code: 'earlier_month_open', error: 'Close 2026-11 first.' }],
    ];
    expect(await refusal('2026-12')).toEqual(laterMonthRefusal);
    expect(await refusal('2027-02')).toEqual(laterMonthRefusal);
    expect(await refusal('2026-10')).toEqual([
      'month_not_closable',
      [expect.objectContaining({ code: 'not_tracked' })],
    ]);
    expect(await refusal('2027-03')).toEqual(['month_not_closable', [expect.objectContaining({ code: 'not_over' })]]);
    for (const month of ['2026-11', '2026-12']) await close(month);
    expect(await refusal('2026-12')).toEqual(['month_closed', undefined]);
    expect((await refusal('2027-02'))?.[0]).toBe('earlier_month_open');
    await close('2027-01');
  });

  it('months close with their figures or not at all', async () => {
    world.set(at('2026-12-02T08:00:00Z'));
    const schedule = { nord: world.nord, ada: ada.id };
    await world.db.write((tx) =>
      tx.run(
        "INSERT INTO schedules (company_id, person_id, valid_from, week) VALUES (:nord, :ada, '2026-01-01', 'broken')",
        schedule,
      ),
    );
    await expect(close('2026-11')).rejects.toThrow();
    expect(await world.db.all('SELECT * FROM closed_months')).toEqual([]);
    await world.db.write((tx) => tx.run("DELETE FROM schedules WHERE week = 'broken'"));
    await close('2026-11');
    expect(await world.db.all('SELECT month FROM closed_months')).toEqual([{ month: '2026-11' }]);
  });

  describe('a closing beside another write', () => {
    const firstOfDecember = at('2026-12-01T08:00:00Z');
    const clockOut = (write: Write) =>
      recordStamp(write, { personId: ada.id, companyId: world.nord, kind: 'out', source: { kind: 'web' } });
    const addShortWeek = (write: Write) =>
      addSchedule(write, {
        companyId: world.nord,
        personId: ada.id,
        validFrom: '2026-11-01',
        week: [60, 0, 0, 0, 0, 0, 0],
      });
    const correct = (write: Write) =>
      correctWithNotice(write, { person: ada, by: adam, draft: times('2026-11-24'), reason: 'Forgot' });
    const writes: [string, (write: Write) => Promise<unknown>, object][] = [
      ['a stamp', clockOut, { worked_minutes: 60 }],
      ['a correction', correct, { worked_minutes: 480 }],
      ['a schedule', addShortWeek, { target_minutes: 5 * 60 }],
    ];
    /** Runs `second` in a transaction that begins while that of `first` is open. @returns the outcomes of both */
    const overlapping = async (
      first: (write: Write) => Promise<unknown>,
      second: (write: Write) => Promise<unknown>,
      [firstAt, secondAt]: readonly [number, number],
    ) => {
      const replica = await world.replica();
      const outcomes: string[] = [];
      const outcome = (promise: Promise<unknown>) =>
        promise.then(
          () => 'stored',
          (error: { code: string }) => error.code,
        );
      let secondOutcome: Promise<string> | undefined;
      outcomes.push(
        await outcome(
          world.service.store.write({ actor: system, at: firstAt }, async (write) => {
            await first(write);
            secondOutcome = outcome(replica.store.write({ actor: system, at: secondAt }, second));
            // The second waits for the locks of the first, or for its turn.
            await new Promise((resolve) => setTimeout(resolve, 200));
          }),
        ),
      );
      outcomes.push(await secondOutcome!);
      return outcomes;
    };
    const closing = (write: Write) => closeCompanyMonth(write, { companyId: world.nord, month: '2026-11' });
    const readFigures = async () =>
      (await listStored(world.db, world.nord, '2026-11')).find(({ person_id: id }) => id === ada.id);

    it.each(writes)('a closing month counts %s that came first', async (name, otherWrite, figures) => {
      if (name === 'a stamp') {
        world.set(at('2026-11-30T21:00:00Z'));
        await stamp('in');
      }
      const times = [name === 'a stamp' ? at('2026-11-30T22:00:00Z') : firstOfDecember, firstOfDecember] as const;
      expect(await overlapping(otherWrite, closing, times)).toEqual(['stored', 'stored']);
      expect(await readFigures()).toMatchObject(figures);
    });

    it.each(writes)('a closing month makes %s that comes second fail with month_closed', async (name, otherWrite) => {
      const second =
        name === 'a stamp'
          ? (write: Write) =>
              recordStamp(write, { personId: ada.id, companyId: world.nord, kind: 'in', source: { kind: 'web' } })
          : otherWrite;
      const times = [firstOfDecember, name === 'a stamp' ? at('2026-11-30T21:30:00Z') : firstOfDecember] as const;
      expect(await overlapping(closing, second, times)).toEqual(['stored', 'month_closed']);
      expect(await readFigures()).toMatchObject({ worked_minutes: 0 });
    });
  });

  it('closed months begin with the tracking start, which cannot be mistyped by decades', async () => {
    const trackingStart = (date: string) =>
      world
        .write((write) => changePersonRecord(write, ada.id, world.nord, { tracking_start: date }))
        .then(
          (person) => person.tracking_start,
          (error: { code: string }) => error.code,
        );
    for (const date of ['1971-01-01', '2015-12-31', '2028-01-01', '2199-12-31'])
      expect([date, await trackingStart(date)]).toEqual([date, 'invalid_request']);
    for (const date of ['2016-01-01', '2027-12-31', '2026-11-01'])
      expect([date, await trackingStart(date)]).toEqual([date, date]);
  });

  it('a new person is tracked from an open month on, and never reaches closed months', async () => {
    world.set(at('2026-12-01T00:30:00Z'));
    await close('2026-11');
    const admin = { person: { ...adam, role: 'super_admin' as const } };
    const write = <T>(effect: (write: Write) => Promise<T>) => world.write(effect);
    // There it is still November.
    await write((tx) => changeCompany(tx, admin, world.nord, { time_zone: zone('Pacific/Pago_Pago') }));
    const person = await write((tx) =>
      addPerson(tx, admin, {
        companyId: world.nord,
        firstName: 'Nia',
        lastName: 'Neu',
        language: 'en',
        employmentStart: '2026-11-15',
      }),
    );
    expect(person.tracking_start).toBe('2026-12-01');
  });

  it('a month is over by the wall clock of the company', async () => {
    // 23:00 UTC on 31 December is the new year in Berlin.
    world.set(at('2026-12-31T22:59:59Z'));
    await close('2026-11');
    await expect(close('2026-12')).rejects.toMatchObject({ code: 'month_not_closable' });
    world.set(at('2026-12-31T23:00:00Z'));
    await close('2026-12');
    await reopen('2026-12');
  });

  describe('operations in a closed month', () => {
    const day = '2026-11-18';
    let pendingId: number;
    beforeEach(async () => {
      world.set(at('2026-12-02T08:00:00Z'));
      await world.write((write) =>
        correctWithNotice(write, { person: ada, by: adam, draft: times('2026-11-26'), reason: 'Forgot' }),
      );
      await close('2026-11');
      // A terminal that was offline delivers late: its stamps are kept, and wait.
      const stampTimes = { start_at: at(`${day}T07:00:00Z`), end_at: at(`${day}T08:00:00Z`) };
      pendingId = (await recordWork(world, { person_id: ada.id, ...stampTimes, ...offlineStamp })).id;
    });

    it('a stamp in a closed month is refused with month_closed, through every verb of the API', async () => {
      world.set(at(`${day}T06:00:00Z`));
      expect(await stamp('in')).toMatchObject({ status: 409, body: { code: 'month_closed' } });
      // A closed month has no open entry; a stamp that would end one is refused all the same.
      await world.db.write(async (tx) => {
        await tx.run("DELETE FROM closed_months WHERE month = '2026-11'");
      });
      expect((await stamp('in', world.people.ben)).status).toBe(200);
      await markMonthClosed(world, '2026-11');
      for (const verb of ['break/start', 'out'])
        expect(await stamp(verb, world.people.ben)).toMatchObject({ status: 409, body: { code: 'month_closed' } });
      world.set(at('2026-12-02T08:00:00Z'));
      expect(await stamp('out', world.people.ben)).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    });

    it('a correction into, out of or within a closed month is refused with month_closed', async () => {
      const outcomeOf = async (effect: (write: Write) => Promise<unknown>) =>
        world.write(effect).then(
          () => 'written',
          (error: unknown) => error,
        );
      const entry = (await world.db.get<{ id: number }>(
        "SELECT id FROM time_entries WHERE person_id = :ada AND date = '2026-11-26'",
        { ada: ada.id },
      ))!.id;
      for (const draft of [
        times(day, '10:00', '11:00'),
        { entryId: entry, ...times('2026-12-01', '08:00', '09:00') },
        { entryId: entry, remove: true } as const,
      ]) {
        expect(
          await outcomeOf((write) => submitCorrection(write, { person: ada, by: ada, draft, reason: 'Late' })),
        ).toEqual(refusalOf('month_closed'));
        expect(
          await outcomeOf((write) => correctWithNotice(write, { person: ada, by: adam, draft, reason: 'Late' })),
        ).toEqual(refusalOf('month_closed'));
      }
    });

    it('approving an offline stamp is refused with month_closed; rejecting it stays possible', async () => {
      const decide = (decision: 'approved' | 'rejected') =>
        world.write((write) => decidePendingEntry(write, { id: pendingId, by: adam, decision }));
      await expect(decide('approved')).rejects.toMatchObject({ code: 'month_closed' });
      expect(await decide('rejected')).toMatchObject({ status: 'rejected' });
    });

    it('schedules, employment and opening balances in the month are refused with month_closed', async () => {
      const person = (change: Parameters<typeof changePersonRecord>[3]) =>
        world.write((write) => changePersonRecord(write, ada.id, world.nord, change));
      const week = [300, 300, 300, 300, 300, 0, 0] as const;
      const schedule = (validFrom: string) =>
        world.write((write) => addSchedule(write, { companyId: world.nord, personId: ada.id, validFrom, week }));
      for (const validFrom of ['2026-10-15', '2026-11-30'])
        await expect(schedule(validFrom)).rejects.toMatchObject({ code: 'month_closed' });
      const decemberSchedule = await schedule('2026-12-01');
      await world.write((write) =>
        removeSchedule(write, { companyId: world.nord, personId: ada.id, id: decemberSchedule.id }),
      );
      const earlierSchedule = await world.db.write((tx) =>
        saveSchedule(tx, { companyId: world.nord, personId: ada.id, validFrom: '2026-11-02', week }),
      );
      await expect(
        world.write((write) =>
          removeSchedule(write, { companyId: world.nord, personId: ada.id, id: earlierSchedule.id }),
        ),
      ).rejects.toMatchObject({ code: 'month_closed' });
      await expect(person({ employment_start: '2026-11-15' })).rejects.toMatchObject({ code: 'month_closed' });
      await expect(person({ employment_end: '2026-11-29' })).rejects.toMatchObject({ code: 'month_closed' });
      await expect(person({ opening_minutes: 60 })).rejects.toMatchObject({ code: 'month_closed' });
      await expect(person({ tracking_start: '2026-12-01' })).rejects.toMatchObject({ code: 'month_closed' });
      expect(await person({ employment_end: '2026-11-30', last_name: 'Lange' })).toMatchObject({
        employment_end: '2026-11-30',
        last_name: 'Lange',
      });
      expect(await person({ employment_end: null })).toMatchObject({ employment_end: null });
    });
  });

  describe('an absence', () => {
    const day = '2026-11-19';
    const openDay = '2026-12-10';
    const write = <T>(effect: (write: Write) => Promise<T>) => world.write(effect);
    const ask = (date = day, author: Author = { kind: 'person', personId: ada.id }) =>
      write((tx) =>
        requestAbsence(tx, {
          personId: ada.id,
          companyId: world.nord,
          draft: draftOf({ type: 'vacation', start_date: date, end_date: date }),
          author,
        }),
      ).then(({ absence }) => absence);
    const decide = (id: number, decision: Decision) =>
      write((tx) => decideAbsence(tx, { id, decision, decider: adam }));
    const personAccess = () => ({ by: 'person', personId: ada.id }) as const;
    const takeBack = (id: number) => write((tx) => withdrawOrCancelAbsence(tx, { id, access: personAccess() }));
    const approverAccess = () => ({ by: 'approver', scope: { company: world.nord } }) as const;
    const change = (id: number, patch: Partial<AbsenceDraft>) =>
      write((tx) => changeAbsence(tx, { id, access: approverAccess(), patch }));
    const newDates = { start_date: openDay, end_date: openDay };

    /** An absence in each state, made while the month is open. */
    const inState = {
      none: async () => 0,
      waiting: async () => (await ask()).id,
      approved: async () => (await decide((await ask()).id, 'approve')).id,
      'cancellation requested': async () => (await takeBack(await inState.approved())).id,
      'waiting in an open month': async () => (await ask(openDay)).id,
    };
    type State = keyof typeof inState;
    const verbs: [string, State, (id: number) => Promise<unknown>, string][] = [
      ['asking for one', 'none', () => ask(), 'month_closed'],
      ['recording one as an approver', 'none', () => ask(day, { kind: 'admin', personId: adam.id }), 'month_closed'],
      ['changing what waits', 'waiting', (id) => change(id, { comment: 'Late' }), 'month_closed'],
      ['moving what waits out of the month', 'waiting', (id) => change(id, newDates), 'month_closed'],
      ['moving what counts out of the month', 'approved', (id) => change(id, newDates), 'month_closed'],
      [
        'moving one into the month',
        'waiting in an open month',
        (id) => change(id, { start_date: day, end_date: day }),
        'month_closed',
      ],
      ['withdrawing', 'waiting', takeBack, 'month_closed'],
      ['asking for a cancellation', 'approved', takeBack, 'month_closed'],
      [
        'cancelling as an approver',
        'approved',
        (id) => write((tx) => withdrawOrCancelAbsence(tx, { id, access: approverAccess() })),
        'month_closed',
      ],
      ['approving', 'waiting', (id) => decide(id, 'approve'), 'month_closed'],
      ['granting a cancellation', 'cancellation requested', (id) => decide(id, 'grant_cancellation'), 'month_closed'],
      ['rejecting', 'waiting', (id) => decide(id, 'reject'), 'rejected'],
      ['declining a cancellation', 'cancellation requested', (id) => decide(id, 'decline_cancellation'), 'approved'],
    ];

    it.each(verbs)('an absence keeps a closed month closed: %s (%s)', async (_, state, verb, outcome) => {
      world.set(at('2026-12-02T08:00:00Z'));
      const id = await inState[state]();
      await markMonthClosed(world, '2026-11');
      const absencesBefore = await world.db.all('SELECT * FROM absences');
      const answer = await verb(id).then(
        (absence) => (absence as { status: string }).status,
        (error: { code: string }) => error.code,
      );
      expect(answer).toBe(outcome);
      if (outcome === 'month_closed') expect(await world.db.all('SELECT * FROM absences')).toEqual(absencesBefore);
    });
  });

  it('a correction can be rejected in a closed month, not approved', async () => {
    world.set(at('2026-12-02T08:00:00Z'));
    const ask = () =>
      world.write((write) =>
        submitCorrection(write, { person: ada, by: ada, draft: times('2026-11-17'), reason: 'Late' }),
      );
    const correction = await ask();
    await markMonthClosed(world, '2026-11');
    await expect(
      world.write((write) => decideCorrection(write, { id: correction.id, by: adam, decision: 'approved' })),
    ).rejects.toMatchObject({ code: 'month_closed' });
    expect(
      await world.write((write) => decideCorrection(write, { id: correction.id, by: adam, decision: 'rejected' })),
    ).toMatchObject({ status: 'rejected' });
  });

  it('closed months re-open with a reason in the audit log, the latest first', async () => {
    world.set(at('2027-02-02T08:00:00Z'));
    for (const month of ['2026-11', '2026-12', '2027-01']) await close(month);
    await expect(reopen('2026-12')).rejects.toMatchObject({ code: 'month_closed' });
    await reopen('2027-01', 'Forgotten night shift');
    await expect(reopen('2027-01')).rejects.toMatchObject({ code: 'month_not_closed' });
    const entry = await world.db.get<{ details: string; subject: string }>(
      "SELECT details, subject FROM audit_entries WHERE action = 'month.reopened' ORDER BY sequence DESC LIMIT 1",
    );
    expect(entry).toEqual({ subject: 'month 2027-01', details: JSON.stringify({ reason: 'Forgotten night shift' }) });
    expect(await listMonthSteps(world.db, world.nord, '2027-01', '2027-01')).toMatchObject([
      { step: 'closed' },
      { step: 'reopened', reason: 'Forgotten night shift', person_id: adam.id },
    ]);
    expect(await stamp('in', adam.id)).toMatchObject({ status: 200 });
    await stamp('out', adam.id);
  });

  it('a month closes in one company and stays open in the others', async () => {
    world.set(at('2026-12-01T08:00:00Z'));
    await close('2026-11', world.sued);
    expect(
      await world.write((write) =>
        correctWithNotice(write, { person: ada, by: adam, draft: times('2026-11-17'), reason: 'Forgot' }),
      ),
    ).toMatchObject({ status: 'approved' });
    expect(
      await world.write((write) =>
        addSchedule(write, {
          companyId: world.nord,
          personId: ada.id,
          validFrom: '2026-11-02',
          week: [300, 300, 300, 300, 300, 0, 0],
        }),
      ),
    ).toMatchObject({ valid_from: '2026-11-02' });
  });

  it('a month closes although another company is unfinished, without its people', async () => {
    const { zoe } = world.people;
    const ask = (path: string, body: object) =>
      world.call('POST', `/api/v1/${path}`, { key: world.souther.key, body: { user_id: zoe, ...body } });
    world.set(at('2026-11-27T07:00:00Z'));
    await ask('clock/in', {});
    await ask('absences', { type: 'vacation', start_date: '2026-11-30', end_date: '2026-11-30' });
    world.set(at('2026-12-01T08:00:00Z'));
    await expect(close('2026-11', world.sued)).rejects.toMatchObject({
      options: { details: [{ field: 'open_entries' }, { field: 'pending_requests' }] },
    });
    await close('2026-11');
    expect(
      await world.db.all(
        'SELECT DISTINCT p.company_id FROM month_balances b JOIN people p ON p.id = b.person_id ORDER BY 1',
      ),
    ).toEqual([{ company_id: world.nord }]);
  });

  it('a re-opened month keeps no balances, and has new ones when it closes again', async () => {
    world.set(at('2027-01-04T08:00:00Z'));
    for (const month of ['2026-11', '2026-12']) await close(month);
    const workedMinutesOf = async (person: PersonRow) =>
      (await listStored(world.db, world.nord, '2026-12')).find((row) => row.person_id === person.id)?.worked_minutes;
    expect(await workedMinutesOf(ada)).toBe(0);
    await reopen('2026-12');
    expect(await listStored(world.db, world.nord, '2026-12')).toEqual([]);
    await world.write((write) =>
      correctWithNotice(write, { person: ada, by: adam, draft: times('2026-12-03'), reason: 'Forgot' }),
    );
    await close('2026-12');
    expect(await workedMinutesOf(ada)).toBe(480);
  });

  it('no write gets into a month during its closing', async () => {
    const replica = await world.replica();
    world.set(at('2027-03-01T08:00:00Z'));
    for (const month of ['2026-11', '2026-12', '2027-01']) await close(month);
    const correct = (index: number) =>
      (index % 2 === 0 ? world.service : replica).store
        .write({ actor: system, at: world.now() }, (write) =>
          correctWithNotice(write, {
            person: ada,
            by: adam,
            reason: 'Race',
            draft: times(`2027-02-${String(index + 1).padStart(2, '0')}`),
          }),
        )
        .then(
          () => 'written',
          (error: { code: string }) => error.code,
        );
    const outcomes = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => correct(index)),
      close('2027-02').then(() => 'closed'),
      ...Array.from({ length: 10 }, (_, index) => correct(index + 10)),
    ]);
    expect(outcomes).toContain('closed');
    expect(
      outcomes.filter((outcome) => outcome !== 'written' && outcome !== 'closed' && outcome !== 'month_closed'),
    ).toEqual([]);
    const writeCount = outcomes.filter((outcome) => outcome === 'written').length;
    const entries = await world.db.get<{ n: number }>(
      "SELECT count(*) AS n FROM time_entries WHERE person_id = :ada AND date LIKE '2027-02-%'",
      { ada: ada.id },
    );
    expect(entries).toEqual({ n: writeCount });
    // What was written down at the closing is what the entries come to.
    const [row] = (await listStored(world.db, world.nord, '2027-02')).filter((row) => row.person_id === ada.id);
    expect(row).toMatchObject({ worked_minutes: writeCount * 480 });
  });
});
