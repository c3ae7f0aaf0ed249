/** Closing and re-opening a month of a company. */

import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, localDateAt } from '@clockproof/platform/time/local-date';
import { waitingInMonth } from '../approvals/approvals.js';
import { unfinishedInMonth } from '../clocking/rows.js';
import { readSequenceHead, type SequenceHead } from '../events/rows.js';
import type { CompanyId, PersonId } from '../ids.js';
import {
  closedInSpan,
  deleteClosedMonth,
  findClosedMonth,
  insertClosedMonth,
  insertMonthStep,
  lastClosedMonth,
  listClosedMonths,
  listUnfinalised,
  markFinalised,
} from '../months/rows.js';
import { notifyCompany } from '../notices/notices.js';
import { type CompanyRow, findCompany } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { Cause, Store, Write } from '../write/write.js';
import { calculateCompanyMonth, lookBackDays, type PersonMonth, withBalances } from './company-month.js';
import { lastDayOf, monthsBetween, nextMonth } from './months.js';
import { deleteMonthBalances, firstMonthKept, insertMonthBalances, workChangedSince } from './rows.js';
import { cancelCaps, cutBalances } from './time-bookings.js';

export interface MonthStep {
  readonly companyId: CompanyId;
  readonly month: string;
  /** The person who closes or re-opens; absent if the service does. */
  readonly personId?: PersonId;
}

/**
 * Closes a month that is over, complete and next: its figures are stored with it, in one transaction. They are calculated
 * before it, so that stamps do not wait, and again inside if anything they rest on has changed meanwhile.
 *
 * What lies above the limits of time accounts is cut, where the company wants that.
 *
 * If the process stops before the commit, the month is open; after it, closed with its figures and what was cut.
 * @throws Refusal `not_found`, `month_closed`, `earlier_month_open`, `month_not_closable` with the reasons
 */
export async function closeMonth(db: Store, cause: Cause, step: MonthStep): Promise<void> {
  const draft = await draftFigures(db, step, cause.at);
  await db.write(cause, (write) => closeWith(write, step, draft));
}

interface Draft {
  /** Where the commit sequence stood before anything was read. */
  readonly head: SequenceHead;
  readonly people: readonly PersonMonth[];
}

async function draftFigures(reader: Reader, { companyId, month }: MonthStep, at: Instant): Promise<Draft> {
  const head = await readSequenceHead(reader);
  const company = await refuseUnclosable(reader, companyId, month, at);
  return { head, people: await calculateCompanyMonth(reader, company, month, at) };
}

async function closeWith(write: Write, { companyId, month, personId }: MonthStep, draft: Draft): Promise<void> {
  const { at } = write;
  // Writers check the month after allocating their sequence number: earlier writers are counted below, later ones see
  // it closed.
  const sequence = await write.allocateSequence();
  const company = await refuseUnclosable(write, companyId, month, at);
  const people = (await stillHolds(write, companyId, month, draft, sequence))
    ? draft.people
    : await calculateCompanyMonth(write, company, month, at);
  await insertClosedMonth(write, { company_id: companyId, month, closed_at: at, closed_by: personId ?? null });
  await storeFigures(write, companyId, month, people);
  await insertMonthStep(write, {
    company_id: companyId,
    month,
    step: 'closed',
    at,
    person_id: personId ?? null,
    reason: null,
  });
  const by = personId ?? null;
  const cut = await cutBalances(write, { companyId, month, by }, () => withBalances(write, company, month, at, people));
  const details = cut === 0 ? {} : { details: { cut } };
  await write.audit({ companyId, action: 'month.closed', subject: `month ${month}`, ...details });
}

/** Nothing but stamps of other days has been written since the draft was begun. @param sequence just allocated */
async function stillHolds(
  reader: Reader,
  companyId: CompanyId,
  month: string,
  { head }: Draft,
  sequence: number,
): Promise<boolean> {
  const { optimistic } = await readSequenceHead(reader);
  if (sequence - optimistic !== head.sequence - head.optimistic + 1) return false;
  // Rest periods look back before the month, and a shift of its last night goes on after it.
  const days = { from: addDays(`${month}-01`, -lookBackDays), to: addDays(lastDayOf(month), lookBackDays) };
  return !(await workChangedSince(reader, companyId, { ...days, after: head.sequence }));
}

async function storeFigures(
  tx: Transaction,
  companyId: CompanyId,
  month: string,
  people: readonly PersonMonth[],
): Promise<void> {
  await deleteMonthBalances(tx, companyId, month);
  await insertMonthBalances(
    tx,
    people.map(({ person, sum }) => ({
      company_id: companyId,
      month,
      person_id: person.id,
      target_minutes: sum.targetMinutes,
      worked_minutes: sum.workedMinutes,
      difference_minutes: sum.differenceMinutes,
      absence_half_days: sum.absenceHalfDays,
      findings: sum.findings,
    })),
  );
  await markFinalised(tx, companyId, month);
}

/**
 * Months close in order: the first tracked one, then each after the latest closed one. A month that an earlier version
 * left open between closed ones can be closed at any time, since nothing writes to it.
 * @throws Refusal `not_found`, `month_closed`, `earlier_month_open`, `month_not_closable`
 */
async function refuseUnclosable(reader: Reader, companyId: CompanyId, month: string, at: Instant): Promise<CompanyRow> {
  const company = await findCompany(reader, companyId);
  if (company === undefined) throw new Refusal('not_found');
  if ((await findClosedMonth(reader, companyId, month)) !== undefined) throw new Refusal('month_closed');
  const notClosable = (details: { field: string; code: string; error: string }[]) =>
    new Refusal('month_not_closable', { details });
  if (month >= localDateAt(at, company.time_zone).slice(0, 7))
    throw notClosable([{ field: 'month', code: 'not_over', error: 'The month is not over.' }]);
  const first = await firstMonthKept(reader, companyId);
  if (first === undefined || month < first)
    throw notClosable([{ field: 'month', code: 'not_tracked', error: 'No working time is tracked in this month.' }]);
  const last = await lastClosedMonth(reader, companyId);
  const next = last === undefined || last < first ? first : nextMonth(last);
  if (month > next)
    throw new Refusal('earlier_month_open', {
      details: [{ field: 'month', code: 'earlier_month_open', error: `Close ${next} first.` }],
    });
  const obstacles = await obstaclesOf(reader, company, month);
  if (obstacles.length > 0) throw notClosable(obstacles);
  return company;
}

async function obstaclesOf(
  reader: Reader,
  company: CompanyRow,
  month: string,
): Promise<{ field: string; code: string; error: string }[]> {
  const [entries, requests] = [
    await unfinishedInMonth(reader, company.id, month),
    await waitingInMonth(reader, company.id, month),
  ];
  return [
    ...(entries === 0
      ? []
      : [
          {
            field: 'open_entries',
            code: 'pending',
            error: `${entries} entries in this month are open or await approval.`,
          },
        ]),
    ...(requests === 0
      ? []
      : [
          {
            field: 'pending_requests',
            code: 'pending',
            error: `${requests} requests in this month still await a decision.`,
          },
        ]),
  ];
}

/**
 * Stores the figures of months that an earlier version closed without storing them, because the process stopped or the
 * calculation failed. The service does this when it starts.
 * @returns how many months
 */
export async function finaliseClosedMonths(db: Store, at: Instant): Promise<number> {
  let finalised = 0;
  for (const { company_id: companyId, month } of await listUnfinalised(db)) {
    const company = (await findCompany(db, companyId))!;
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      // The row is locked until the commit: re-opening the month comes before or after.
      if (!(await markFinalised(write, companyId, month))) return;
      const people = await calculateCompanyMonth(write, company, month, at);
      await storeFigures(write, companyId, month, people);
      await write.audit({
        companyId,
        action: 'month.balances_stored',
        subject: `month ${month}`,
        details: { people: people.length },
      });
      finalised += 1;
    });
  }
  return finalised;
}

/**
 * For settings that all figures of a company are calculated with, such as its holidays: stored figures stay, but those
 * of a month that an earlier version left open between closed ones would change, and with them later balances.
 * @throws Refusal `month_closed` there is such a month
 */
export async function refuseGapInClosedMonths(reader: Reader, companyId: CompanyId): Promise<void> {
  const [first, last] = [await firstMonthKept(reader, companyId), await lastClosedMonth(reader, companyId)];
  if (first === undefined || last === undefined || first > last) return;
  const stored = (await listClosedMonths(reader, companyId, first, last)).filter((row) => row.settled === 1);
  if (stored.length < monthsBetween(first, last).length) throw new Refusal('month_closed');
}

/**
 * Re-opens a closed month. Its stored balances are deleted and calculated again until it is closed, and what
 * closing has cut is given back.
 * @throws Refusal `month_not_closed`, `month_closed` a later month is closed and must be re-opened first
 */
export async function reopenMonth(
  write: Write,
  { companyId, month, reason, personId }: MonthStep & { readonly reason: string },
): Promise<void> {
  const { at } = write;
  await write.allocateSequence();
  if (await closedInSpan(write, companyId, nextMonth(month), '9999-12')) {
    throw new Refusal('month_closed', {
      details: [{ field: 'month', code: 'later_month_closed', error: 'Open the months after it first.' }],
    });
  }
  if ((await deleteClosedMonth(write, companyId, month)) === 0) throw new Refusal('month_not_closed');
  await deleteMonthBalances(write, companyId, month);
  await cancelCaps(write, { companyId, month, by: personId ?? null, reason });
  await insertMonthStep(write, {
    company_id: companyId,
    month,
    step: 'reopened',
    at,
    person_id: personId ?? null,
    reason,
  });
  await write.audit({
    companyId,
    action: 'month.reopened',
    subject: `month ${month}`,
    details: { reason },
  });
  await notifyCompany(write, companyId, { kind: 'month_reopened', month, by: personId, reason });
}
