/** The calendar date in a time zone. A company's date is never that of UTC. */
export const today = (timeZone: string, now = Date.now()): string =>
  // Swedish dates are written 2026-11-26.
  new Date(now).toLocaleDateString('sv-SE', { timeZone });
