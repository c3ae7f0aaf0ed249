/** Closing and re-opening a month of a company. */

import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { localDateAt, nextMonth } from '@clockproof/platform/time/local-date';
import { deleteClosedAbsences } from '../absences/closed-absence-rows.js';
import { storeClosedAbsences } from '../absences/closed-absences.js';
import { countUnfinishedInMonth } from '../clock/rows.js';
import { countWaitingStampsInMonth } from '../clock/unresolved-stamp-rows.js';
import { countWaitingInMonth } from '../inbox/approvals.js';
import { notifyCompany } from '../inbox/notices.js';
import { cancelCaps, cutBalances } from '../months/accounts/time-bookings.js';
import { keepNames } from '../months/closed-people-rows.js';
import { calculateClosingLines } from '../months/closing-lines.js';
import { withBalances } from '../months/company-month.js';
import { calculateClosingPayroll } from '../months/payroll/closed-payroll.js';
import { deleteMonthBalances, firstMonthKept, insertMonthBalances } from '../months/rows.js';
import { type CompanyRow, findCompany } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal, type RefusalDetail } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import {
  closedInSpan,
  deleteClosedMonth,
  findClosedMonth,
  insertClosedMonth,
  insertMonthStep,
  lastClosedMonth,
} from '../working-time/closed-month-rows.js';
import { commitMonth } from './commit-month.js';

export interface MonthStep {
  readonly companyId: CompanyId;
  readonly month: string;
  /** The person who closes or re-opens; absent if the service does. */
  readonly personId?: PersonId;
}

/**
 * Closes a month that is over, complete and next. All of its displayed data is stored with it, in one transaction:
 * days, figures, absences, payroll, names and the root over all of it. Minutes above the limits of time accounts are
 * cut, if the company wants that. Stamps of the company wait until it is done.
 *
 * If the process stops before the commit, the month is open; after it, closed with its figures and cuts.
 * @throws Refusal `not_found`, `month_closed`, `earlier_month_open`, `month_not_closable` with the reasons
 */
export async function closeCompanyMonth(write: Write, { companyId, month, personId }: MonthStep): Promise<void> {
  const { at } = write;
  await write.lock({ company: companyId, everyone: companyId });
  const company = await refuseUnclosable(write, companyId, month, at);
  const lines = await calculateClosingLines(write, company, month, at);
  const payroll = await calculateClosingPayroll(write, company, month);
  const by = personId ?? null;
  await storeClosedAbsences(write, company, month);
  await insertClosedMonth(write, {
    company_id: companyId,
    month,
    closed_at: at,
    closed_by: by,
    company_name: company.name,
    time_zone: company.time_zone,
    payroll: JSON.stringify(payroll.settings),
  });
  await insertMonthBalances(
    write,
    lines.map(({ person, sum, days }) => ({
      company_id: companyId,
      month,
      person_id: person.id,
      target_minutes: sum.targetMinutes,
      worked_minutes: sum.workedMinutes,
      difference_minutes: sum.differenceMinutes,
      absence_half_days: sum.absenceHalfDays,
      findings: sum.findings,
      days: JSON.stringify(days),
      payroll: JSON.stringify(payroll.linesOf(person.id)),
    })),
  );
  await insertMonthStep(write, { company_id: companyId, month, step: 'closed', at, person_id: by, reason: null });
  const cutCount = await cutBalances(write, { companyId, month, by }, () =>
    withBalances(write, company, month, at, lines),
  );
  await keepNames(write, { companyId, month });
  await commitMonth(write, company, month, await withBalances(write, company, month, at, lines));
  await announceStep(write, 'month.closed', { companyId, month });
  const details = cutCount === 0 ? {} : { details: { cut: cutCount } };
  await write.audit({ companyId, action: 'month.closed', subject: `month ${month}`, ...details });
}

/**
 * Months close in order: the first tracked one, then each after the latest closed one.
 * @throws Refusal `not_found`, `month_closed`, `earlier_month_open`, `month_not_closable`
 */
async function refuseUnclosable(reader: Reader, companyId: CompanyId, month: string, at: Instant): Promise<CompanyRow> {
  const company = await findCompany(reader, companyId);
  if (company === undefined) throw new Refusal('not_found');
  if ((await findClosedMonth(reader, companyId, month)) !== undefined) throw new Refusal('month_closed');
  const notClosable = (details: RefusalDetail[]) => new Refusal('month_not_closable', { details });
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

async function obstaclesOf(reader: Reader, company: CompanyRow, month: string): Promise<RefusalDetail[]> {
  const [entries, requests] = [
    await countUnfinishedInMonth(reader, company.id, month),
    (await countWaitingInMonth(reader, company.id, month)) +
      (await countWaitingStampsInMonth(reader, company.id, month)),
  ];
  const pendingDetail = (count: number, field: string, error: string): RefusalDetail[] =>
    count === 0 ? [] : [{ field, code: 'pending', error }];
  return [
    ...pendingDetail(entries, 'open_entries', `${entries} entries in this month are open or await approval.`),
    ...pendingDetail(requests, 'pending_requests', `${requests} requests in this month still await a decision.`),
  ];
}

/**
 * Re-opens a closed month. Its stored balances are deleted and calculated again until it is closed, and the cuts of
 * closing are given back.
 * @throws Refusal `month_not_closed`, `month_closed` a later month is closed and must be re-opened first
 */
export async function reopenCompanyMonth(
  write: Write,
  { companyId, month, reason, personId }: MonthStep & { readonly reason: string },
): Promise<void> {
  const { at } = write;
  await write.lock({ company: companyId, everyone: companyId });
  if (await closedInSpan(write, companyId, nextMonth(month), '9999-12')) {
    throw new Refusal('month_closed', {
      details: [{ field: 'month', code: 'later_month_closed', error: 'Open the months after it first.' }],
    });
  }
  if ((await deleteClosedMonth(write, companyId, month)) === 0) throw new Refusal('month_not_closed');
  await deleteMonthBalances(write, companyId, month);
  await deleteClosedAbsences(write, companyId, month);
  await cancelCaps(write, { companyId, month, by: personId ?? null, reason });
  await insertMonthStep(write, {
    company_id: companyId,
    month,
    step: 'reopened',
    at,
    person_id: personId ?? null,
    reason,
  });
  await announceStep(write, 'month.reopened', { companyId, month });
  await write.audit({
    companyId,
    action: 'month.reopened',
    subject: `month ${month}`,
    details: { reason },
  });
  await notifyCompany(write, companyId, { kind: 'month_reopened', month, by: personId, reason });
}

async function announceStep(
  write: Write,
  type: 'month.closed' | 'month.reopened',
  { companyId, month }: Pick<MonthStep, 'companyId' | 'month'>,
): Promise<void> {
  await write.event({ type, companyId, data: { company_id: companyId, month, at: formatInstant(write.at) } });
}
