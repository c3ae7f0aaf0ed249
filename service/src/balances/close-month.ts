/** Closing and re-opening a month of a company. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { waitingInMonth } from '../approvals/approvals.js';
import { unfinishedInMonth } from '../clocking/rows.js';
import type { CompanyId, PersonId } from '../ids.js';
import {
  closedInSpan,
  deleteClosedMonth,
  findClosedMonth,
  insertClosedMonth,
  insertMonthStep,
  listClosedMonths,
  markFinalised,
} from '../months/rows.js';
import { type CompanyRow, findCompany } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { Cause, Store, Write } from '../write/write.js';
import { calculateCompanyMonth } from './company-month.js';
import { nextMonth } from './months.js';
import { deleteMonthBalances, saveMonthBalance } from './rows.js';

export interface MonthStep {
  readonly companyId: CompanyId;
  readonly month: string;
  /** The person who closes or re-opens; absent if the service does. */
  readonly personId?: PersonId;
}

/**
 * Closes a month that is over and complete. Afterwards its balances are stored, a few people at a time so that no stamp
 * waits. If the process stops in between, balances are calculated from the entries until the next closing stores them.
 * @throws Refusal `not_found`, `month_closed`, `month_not_closable` with the reasons
 */
export async function closeMonth(db: Store, cause: Cause, step: MonthStep): Promise<void> {
  await db.write(cause, (write) => markClosed(write, step));
  await finaliseClosedMonths(db, step.companyId, cause.at);
}

async function markClosed(write: Write, { companyId, month, personId }: MonthStep): Promise<void> {
  const { at } = write;
  // Writers check the month after allocating their sequence number: earlier writers are counted below, later ones see
  // it closed.
  await write.allocateSequence();
  const company = await findCompany(write, companyId);
  if (company === undefined) throw new Refusal('not_found');
  if ((await findClosedMonth(write, companyId, month)) !== undefined) throw new Refusal('month_closed');
  const inTheWay = await obstaclesOf(write, company, month, at);
  if (inTheWay.length > 0) throw new Refusal('month_not_closable', { details: inTheWay });
  await insertClosedMonth(write, { company_id: companyId, month, closed_at: at, closed_by: personId ?? null });
  await insertMonthStep(write, {
    company_id: companyId,
    month,
    step: 'closed',
    at,
    person_id: personId ?? null,
    reason: null,
  });
  await write.audit({ companyId, action: 'month.closed', subject: `month ${month}` });
}

async function obstaclesOf(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
): Promise<{ field: string; code: string; error: string }[]> {
  if (month >= localDateAt(at, company.time_zone).slice(0, 7))
    return [{ field: 'month', code: 'not_over', error: 'The month is not over.' }];
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

const peoplePerTransaction = 25;

/** Finalises every closed month whose balances are not stored yet. */
export async function finaliseClosedMonths(db: Store, companyId: CompanyId, at: Instant): Promise<void> {
  const company = await findCompany(db, companyId);
  const closed = (await listClosedMonths(db, companyId, '0000-01', '9999-12')).filter((month) => month.settled === 0);
  for (const { month, closed_at: closedAt } of company === undefined ? [] : closed) {
    const people = await calculateCompanyMonth(db, company!, month, at);
    for (let done = 0; done < people.length; done += peoplePerTransaction) {
      await db.maintain('balances of a closed month', async (tx) => {
        for (const { person, sum } of people.slice(done, done + peoplePerTransaction)) {
          await saveMonthBalance(tx, {
            company_id: companyId,
            month,
            person_id: person.id,
            target_minutes: sum.targetMinutes,
            worked_minutes: sum.workedMinutes,
            difference_minutes: sum.differenceMinutes,
            absence_half_days: sum.absenceHalfDays,
            findings: sum.findings,
          });
        }
      });
    }
    await db.maintain('balances of a closed month', async (tx) => {
      // Re-opened in the meantime: the stored balances do not belong to that closing.
      if ((await findClosedMonth(tx, companyId, month))?.closed_at === closedAt)
        await markFinalised(tx, companyId, month);
    });
  }
}

/**
 * Re-opens a closed month. Its stored balances are deleted and calculated again until it is closed.
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
}
