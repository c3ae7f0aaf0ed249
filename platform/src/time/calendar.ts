/**
 * The calendar of the product: the dates, months, years and instants that anybody may write, in one place. The
 * documents state the same bounds, and their examples of years and months follow them.
 *
 * Stored dates lie within it. Calculations may look beyond: `addDays` reaches centuries past both ends, and a local
 * date may be a day before the first instant (1 January 1970 in UTC is still 1969 in America).
 */
export const calendar = {
  /** Dates, such as the first day of employment or of a period. */
  firstDate: '1970-01-01',
  lastDate: '2199-12-31',
  /** Milliseconds since 1970. */
  firstInstant: 0,
  lastInstant: Date.UTC(2200, 0, 1) - 1,
  /** Working time, balances, closed months and vacation years begin here: no report walks through more months. */
  trackedFrom: '2000-01-01',
} as const;
