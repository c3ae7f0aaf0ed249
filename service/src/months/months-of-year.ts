/** One person's months of a year, up to the current one. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import { type MonthOfPerson, readPersonMonths } from './person-balance.js';

export async function readMonthsOfYear(
  reader: Reader,
  person: PersonRow,
  year: number,
  at: Instant,
): Promise<MonthOfPerson[]> {
  const presentMonth = localDateAt(at, person.time_zone).slice(0, 7);
  const last = `${year}-12` < presentMonth ? `${year}-12` : presentMonth;
  return (await readPersonMonths(reader, person, last, at)).filter((month) => month.month.startsWith(`${year}-`));
}
