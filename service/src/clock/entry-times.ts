/** Rules for manually entered times. Pure. */
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { invalidField } from '../store/refusal.js';

export interface EntryTimes {
  readonly start: Instant;
  readonly end: Instant;
  readonly breaks: readonly { readonly start: Instant; readonly end: Instant }[];
}

/**
 * A shift of a day and a night, with room for a clock change. Stamped entries may be longer: no limit stops a running
 * clock.
 */
export const maxEntryMs = 36 * hour;

/**
 * The end after the start and not in the future, breaks in order within the entry. A time that a correction leaves as
 * it was keeps its seconds.
 * @throws Refusal `invalid_request` naming the invalid member
 */
export function validateEntryTimes({ start, end, breaks }: EntryTimes, now: Instant): void {
  if (end <= start) throw invalidField('end', 'before_start', 'The end lies before the start.');
  if (end > now) throw invalidField('end', 'in_future', 'The end lies in the future.');
  if (end - start > maxEntryMs) throw invalidField('end', 'too_long', 'An entry lasts at most 36 hours.');
  let earliestBreakStart = start;
  breaks.forEach((interval, index) => {
    if (interval.start < earliestBreakStart)
      throw invalidField(
        `breaks[${index}].start`,
        'out_of_range',
        index === 0 ? 'The break begins before the entry.' : 'The break begins before the one before it has ended.',
      );
    if (interval.end <= interval.start)
      throw invalidField(`breaks[${index}].end`, 'before_start', 'The break ends before it begins.');
    if (interval.end > end)
      throw invalidField(`breaks[${index}].end`, 'out_of_range', 'The break ends after the entry.');
    earliestBreakStart = interval.end;
  });
}
