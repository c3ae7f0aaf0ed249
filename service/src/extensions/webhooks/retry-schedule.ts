/** The retry schedule of a failed delivery: ten attempts over about three days. */
import { parseHttpDate } from '@clockproof/platform/time/http-date';
import { hour, type Instant, minute, second } from '@clockproof/platform/time/instant';

/** Pauses after the first, second … attempt. One less than the number of attempts. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

export const maximumAttempts = pauses.length + 1;

/** No receiver can ask for a longer pause than this. */
const longestRetryAfter = 24 * hour;

/** Pauses vary by a tenth in both directions, so that receivers do not get everything at once after an outage. */
const jitter = 0.1;

/**
 * @param attempts made so far, at least one
 * @param retryAfter the header of a response with status 429 or 503: seconds, or a date of HTTP (RFC 9110 §10.2.3)
 * @param random from 0 to 1
 * @returns undefined after the last attempt
 */
export function nextAttempt(
  attempts: number,
  at: Instant,
  retryAfter: string | undefined,
  random: () => number,
): Instant | undefined {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return undefined;
  const requestedPause = Math.min(readRetryAfter(retryAfter, at), longestRetryAfter);
  return at + Math.round(Math.max(pause * (1 - jitter + 2 * jitter * random()), requestedPause));
}

/** @returns milliseconds from now; 0 if the header is absent, cannot be read or lies in the past */
function readRetryAfter(text: string | undefined, at: Instant): number {
  if (text === undefined) return 0;
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * second;
  return Math.max(0, (parseHttpDate(text.trim(), at) ?? at) - at);
}
