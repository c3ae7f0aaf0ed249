import { describe, expect, it } from '@jest/globals';
import { isEmployedIn, proRata } from './vacation-account.js';

const employment = (start: string | null, end: string | null = null) => ({
  employment_start: start,
  employment_end: end,
});

describe('vacation of a part of the year', () => {
  it.each([
    // from, to, days of 30 by the act, clause, full months, days by twelfths
    [null, null, 30, 'whole_year', 12, 30],
    ['2027-01-01', null, 30, 'whole_year', 12, 30],
    ['2027-01-02', null, 30, 'full_claim', 11, 28],
    // Joins: the six months are completed in the year up to 30 June, and not from 1 July on (§4, §5 (1) a).
    ['2027-06-15', null, 30, 'full_claim', 6, 15],
    ['2027-06-30', null, 30, 'full_claim', 6, 15],
    ['2027-07-01', null, 15, 'waiting_period', 6, 15],
    ['2027-10-15', null, 5, 'waiting_period', 2, 5],
    ['2027-12-02', null, 0, 'waiting_period', 0, 0],
    // Joined last year, and the months are completed in this one.
    ['2026-11-01', null, 30, 'whole_year', 12, 30],
    // Leaves: twelfths in the first half, also on its last day; everything in the second (§5 (1) c).
    ['2020-01-01', '2027-03-30', 5, 'left_in_first_half', 2, 5],
    ['2020-01-01', '2027-03-31', 8, 'left_in_first_half', 3, 8],
    ['2020-01-01', '2027-06-30', 15, 'left_in_first_half', 6, 15],
    ['2020-01-01', '2027-07-01', 30, 'full_claim', 6, 15],
    // Leaves before the six months are over (§5 (1) b), also at the very end of them.
    ['2026-11-01', '2027-02-28', 5, 'waiting_period', 2, 5],
    ['2027-02-01', '2027-07-31', 15, 'waiting_period', 6, 15],
    ['2027-02-01', '2027-08-01', 30, 'full_claim', 6, 15],
    // A month ends on the last day before its own day, and at the end of a shorter month.
    ['2027-08-31', '2027-09-29', 0, 'waiting_period', 0, 0],
    ['2027-01-30', '2027-02-27', 0, 'waiting_period', 0, 0],
    ['2027-01-30', '2027-02-28', 3, 'waiting_period', 1, 3],
    ['2027-08-31', '2027-09-30', 3, 'waiting_period', 1, 3],
  ] as const)('vacation from %s to %s of 30 days is %s (%s)', (start, end, days, rule, months, twelfthsDays) => {
    const span = employment(start, end);
    expect(proRata(30, 'statutory', span, 2027)).toEqual({ days, rule, months });
    expect(proRata(30, 'twelfths', span, 2027)).toMatchObject({ days: twelfthsDays, months });
    expect(proRata(30, 'none', span, 2027)).toEqual({ days: 30, rule: 'whole_year', months });
  });

  it.each([
    // days of the year, months, exactly, rounded
    [30, 5, '12.5', 13],
    [30, 7, '17.5', 18],
    [28, 4, '9.33', 9.5],
    [28, 5, '11.67', 12],
    [24, 5, '10', 10],
    [25, 1, '2.08', 2.5],
    [27.5, 6, '13.75', 14],
    [12.5, 4, '4.17', 4.5],
  ] as const)('%s days for %s months are %s, rounded to %s', (days, months, _, rounded) => {
    const span = employment(`2027-${String(13 - months).padStart(2, '0')}-01`);
    expect(proRata(days, 'twelfths', span, 2027).days).toBe(rounded);
  });

  it('people who are not employed in the year have no vacation', () => {
    expect(isEmployedIn(employment('2028-01-01'), 2027)).toBe(false);
    expect(isEmployedIn(employment(null, '2026-12-31'), 2027)).toBe(false);
    expect(isEmployedIn(employment('2020-01-01', '2027-01-01'), 2027)).toBe(true);
    expect(proRata(30, 'statutory', employment('2028-01-01'), 2027)).toMatchObject({ days: 0, months: 0 });
  });
});
