/** The months of a company in a year: closed or open, and the obstacles to closing. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { countUnfinishedInMonth } from '../clock/rows.js';
import { countWaitingStampsInMonth } from '../clock/unresolved-stamp-rows.js';
import { countWaitingInMonth } from '../inbox/approvals.js';
import type { CompanyId } from '../store/ids.js';
import {
  type ClosedMonthRow,
  listClosedMonths,
  listMonthSteps,
  type MonthStepRow,
} from '../working-time/closed-month-rows.js';

export interface CompanyMonth {
  readonly month: string;
  readonly closed: ClosedMonthRow | undefined;
  /** The last re-opening. */
  readonly reopened: MonthStepRow | undefined;
  readonly unfinishedEntries: number;
  readonly waitingRequests: number;
}

/** @param openUntil leaves out entries that are open and began later */
export async function readCompanyMonths(
  reader: Reader,
  companyId: CompanyId,
  months: readonly string[],
  openUntil?: Instant,
): Promise<CompanyMonth[]> {
  const [first, last] = [months[0]!, months.at(-1)!];
  const closedRows = new Map((await listClosedMonths(reader, companyId, first, last)).map((row) => [row.month, row]));
  const steps = await listMonthSteps(reader, companyId, first, last);
  const companyMonths: CompanyMonth[] = [];
  for (const month of months) {
    companyMonths.push({
      month,
      closed: closedRows.get(month),
      reopened: steps.findLast((step) => step.month === month && step.step === 'reopened'),
      unfinishedEntries: await countUnfinishedInMonth(reader, companyId, month, openUntil),
      waitingRequests:
        (await countWaitingInMonth(reader, companyId, month)) +
        (await countWaitingStampsInMonth(reader, companyId, month)),
    });
  }
  return companyMonths;
}
