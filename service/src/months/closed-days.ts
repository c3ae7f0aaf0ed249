/**
 * Days of closed months, as they were when the month was closed. Everything shown of a closed month comes from them:
 * settings that change later (region, zone, kinds of absence, rules) change nothing in it.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonId } from '../store/ids.js';
import type { Finding } from '../working-time/rules.js';
import type { Confidentiality } from '../working-time/special-rules.js';
import type { PersonDay } from './calculated-days.js';
import { listStoredDays, type PeopleOfCompany } from './rows.js';

export interface ClosedDay extends PersonDay {
  /** Findings that look at many days, which only the sheet shows. */
  readonly periods: readonly Finding[];
}

/** The content of `month_balances.days`. */
export interface ClosedDays {
  readonly general: readonly ClosedDay[];
  /** The days as the person and admins see them, if there are confidential rules for the person. */
  readonly confidential?: readonly ClosedDay[] | undefined;
}

/** @returns the day of a person, if its month is closed with them */
export async function readClosedDays(
  reader: Reader,
  people: PeopleOfCompany,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  confidentiality: Confidentiality,
): Promise<(personId: PersonId, date: LocalDate) => ClosedDay | undefined> {
  const days = new Map<string, ClosedDay>();
  for (const row of await listStoredDays(reader, people, { first: from.slice(0, 7), last: to.slice(0, 7) })) {
    const { general, confidential = general } = JSON.parse(row.days) as ClosedDays;
    for (const day of confidentiality === 'confidential' ? confidential : general)
      days.set(`${row.person_id} ${day.date}`, day);
  }
  return (personId, date) => days.get(`${personId} ${date}`);
}
