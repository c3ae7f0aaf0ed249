/** Months so far ahead that reading them is a mistake. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { invalidField } from '../store/refusal.js';

/**
 * @throws Refusal `invalid_request` a month after next year: it has no work, and the balance would be calculated
 * through every month until then
 */
export function refuseFarMonth(month: string, today: LocalDate, field = 'month'): void {
  if (month.slice(0, 4) > String(Number(today.slice(0, 4)) + 1))
    throw invalidField(field, 'out_of_range', 'The month is after next year.');
}
