/** Whether a person may have working time and absences on a day. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { Refusal } from '../store/refusal.js';
import type { PersonRow } from './rows.js';

/**
 * @throws Refusal `employment_ended` before the first or after the last day of employment, or when the person or the
 * company is no longer active
 */
export function refuseUnemployed(
  person: Pick<PersonRow, 'employment_start' | 'employment_end' | 'active' | 'company_active'>,
  date: LocalDate,
): void {
  refuseOutsideEmployment(person, date);
  if (person.active === 0 || person.company_active === 0) throw new Refusal('employment_ended');
}

/**
 * The past can be corrected even for someone who has left. @throws Refusal `employment_ended` before the first or after
 * the last day of employment
 */
export function refuseOutsideEmployment(
  person: Pick<PersonRow, 'employment_start' | 'employment_end'>,
  date: LocalDate,
): void {
  if (!isEmployed(person, date)) throw new Refusal('employment_ended');
}

export function isEmployed(person: Pick<PersonRow, 'employment_start' | 'employment_end'>, date: LocalDate): boolean {
  return (
    (person.employment_start === null || date >= person.employment_start) &&
    (person.employment_end === null || date <= person.employment_end)
  );
}
