import type { LocalDate } from '@clockproof/platform/time/local-date';
import { notify } from '../inbox/notices.js';
import type { PersonRow } from '../people/rows.js';
import type { Write } from '../store/write.js';

/**
 * Notifies a person that somebody else has corrected their time: once for all changes of one operation.
 * @param dates the days it changed, in any order, at least one
 */
export function notifyOfCorrection(
  write: Write,
  person: Pick<PersonRow, 'id'>,
  { by, dates, reason }: { readonly by: PersonRow; readonly dates: readonly LocalDate[]; readonly reason: string },
): Promise<void> {
  const [firstDate, ...laterDates] = [...dates].sort();
  return notify(write, [person.id], {
    kind: 'time_corrected',
    by: by.id,
    from: firstDate!,
    to: laterDates.at(-1) ?? firstDate!,
    reason,
  });
}
