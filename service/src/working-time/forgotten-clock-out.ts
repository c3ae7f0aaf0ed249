/** Points out that someone probably forgot to clock out. No law: a hint. Pure. */
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import type { Finding } from './rules.js';

/** Longer than any shift with its breaks, shorter than until the next one. */
export const longestPresence = 16 * hour;

/** @param start of the open entry @returns one finding, or none */
export function forgottenClockOut(start: Instant, now: Instant): Finding[] {
  return now - start <= longestPresence
    ? []
    : [
        {
          code: 'clock_out_missing',
          limitMinutes: longestPresence / minute,
          actualMinutes: Math.floor((now - start) / minute),
        },
      ];
}
