/** Closing and re-opening a month of a company. */
import type { Database, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { waitingInMonth } from '../approvals/approvals.js';
import { type Actor, appendAudit } from '../audit/audit.js';
import { unfinishedInMonth } from '../clocking/rows.js';
import { takeSequence } from '../events/events.js';
import type { CompanyId, PersonId } from '../ids.js';
import {
  closedInSpan,
  deleteClosedMonth,
  findClosedMonth,
  insertClosedMonth,
  insertMonthStep,
  listClosedMonths,
  markSettled,
} from '../months/rows.js';
import { type CompanyRow, findCompany } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import { reckonCompanyMonth } from './company-month.js';
import { nextMonth } from './months.js';
import { deleteMonthBalances, saveMonthBalance } from './rows.js';

export interface MonthStep {
  readonly companyId: CompanyId;
  readonly month: string;
  /** The person who closes or re-opens; absent if the service does. */
  readonly personId?: PersonId;
  readonly actor: Actor;
  readonly at: Instant;
}

/**
 * Closes a month that is over and complete. Afterwards its balances are stored, a few people at a time so that no stamp
 * waits. If the process stops in between, balances are calculated from the entries until the next closing stores them.
 * @throws Refusal `not_found`, `month_closed`, `month_not_closable` with the reasons
 */
export async function closeMonth(db: Database, step: MonthStep): Promise<void> {
  await db.write((tx) => markClosed(tx, step));
  await settleClosedMonths(db, step.companyId, step.at);
}

async function markClosed(tx: Transaction, { companyId, month, personId, actor, at }: MonthStep): Promise<void> {
  // Writers check the month after allocating their sequence number: earlier writers are counted below, later ones see
  // it closed.
  await takeSequence(tx);
  const company = await findCompany(tx, companyId);
  if (company === undefined) throw new Refusal('not_found');
  if ((await findClosedMonth(tx, companyId, month)) !== undefined) throw new Refusal('month_closed');
  const inTheWay = await obstaclesOf(tx, company, month, at);
  if (inTheWay.length > 0) throw new Refusal('month_not_closable', { details: inTheWay });
  await insertClosedMonth(tx, { company_id: companyId, month, closed_at: at, closed_by: personId ?? null });
  await insertMonthStep(tx, {
    company_id: companyId,
    month,
    step: 'closed',
    at,
    person_id: personId ?? null,
    reason: null,
  });
  await appendAudit(tx, { at, companyId, actor, action: 'month.closed', subject: `month ${month}` });
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
export async function settleClosedMonths(db: Database, companyId: CompanyId, at: Instant): Promise<void> {
  const company = await findCompany(db, companyId);
  const closed = (await listClosedMonths(db, companyId, '0000-01', '9999-12')).filter((one) => one.settled === 0);
  for (const { month, closed_at: closedAt } of company === undefined ? [] : closed) {
    const people = await reckonCompanyMonth(db, company!, month, at);
    for (let done = 0; done < people.length; done += peoplePerTransaction) {
      await db.write(async (tx) => {
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
    await db.write(async (tx) => {
      // Re-opened in the meantime: the stored balances do not belong to that closing.
      if ((await findClosedMonth(tx, companyId, month))?.closed_at === closedAt)
        await markSettled(tx, companyId, month);
    });
  }
}

/**
 * Re-opens a closed month. Its stored balances are deleted and calculated again until it is closed.
 * @throws Refusal `month_not_closed`, `month_closed` a later month is closed and must be re-opened first
 */
export async function reopenMonth(
  tx: Transaction,
  { companyId, month, reason, personId, actor, at }: MonthStep & { readonly reason: string },
): Promise<void> {
  await takeSequence(tx);
  if (await closedInSpan(tx, companyId, nextMonth(month), '9999-12')) {
    throw new Refusal('month_closed', {
      details: [{ field: 'month', code: 'later_month_closed', error: 'Open the months after it first.' }],
    });
  }
  if ((await deleteClosedMonth(tx, companyId, month)) === 0) throw new Refusal('month_not_closed');
  await deleteMonthBalances(tx, companyId, month);
  await insertMonthStep(tx, {
    company_id: companyId,
    month,
    step: 'reopened',
    at,
    person_id: personId ?? null,
    reason,
  });
  await appendAudit(tx, {
    at,
    companyId,
    actor,
    action: 'month.reopened',
    subject: `month ${month}`,
    details: { reason },
  });
}
