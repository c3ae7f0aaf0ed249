import { describe, expect, it } from '@jest/globals';
import { rulesInForce, versionsOf } from './law.js';
import { evaluatePeriods, type PeriodRules, periodRulesOf } from './period-rules.js';
import { generalRulesOn } from './rules.js';

describe('the dated law table', () => {
  const versions = [
    { from: '2020-01-01', rules: 'old' },
    { from: '2026-07-01', rules: 'new' },
  ];

  it.each([
    ['2019-12-31', undefined],
    ['2020-01-01', 'old'],
    ['2026-06-30', 'old'],
    ['2026-07-01', 'new'],
  ])('the dated law table finds the rules in force on %s', (date, rules) => {
    expect(rulesInForce(versionsOf({ DE: versions }, 'DE'), date)).toBe(rules);
  });

  it('the dated law table has no rules for a country without a table', () => {
    for (const country of ['XX', 'constructor']) expect(versionsOf({ DE: versions }, country)).toEqual([]);
  });

  it('the dated law table does not judge days before the first version', () => {
    expect(generalRulesOn('DE', '1994-06-30')).toBeUndefined();
    expect(generalRulesOn('DE', '1994-07-01')).toBeDefined();
  });

  it('the dated law table leaves the findings of June as they were when a rule starts on 1 July', () => {
    const [today] = periodRulesOf('DE');
    // Every Sunday of work takes from the sixty that must stay free: a finding on each.
    const stricter: PeriodRules = { ...today!.rules, sundays: { clause: 'New §1', freeOfYear: 60 } };
    const sundays = ['2026-06-21', '2026-06-28', '2026-07-05', '2026-07-12'];
    const days = Array.from({ length: 42 }, (_, index) => {
      const date = new Date(Date.UTC(2026, 5, 1 + index)).toISOString().slice(0, 10);
      const hasWork = sundays.includes(date);
      return { date, workedMinutes: hasWork ? 60 : 0, nightMinutes: [], hasWork, holiday: false, absent: false };
    });
    const span = { from: '2026-06-01', to: '2026-07-12', trackedFrom: '2026-06-01' };
    const findingsBefore = evaluatePeriods([today!], days, span);
    const findingsAfter = evaluatePeriods([today!, { from: '2026-07-01', rules: stricter }], days, span);
    const inJune = ({ date }: { readonly date: string }) => date < '2026-07-01';
    expect(findingsAfter.filter(inJune)).toEqual(findingsBefore.filter(inJune));
    expect(
      findingsAfter.filter((finding) => !inJune(finding)).map(({ date, finding }) => `${date} ${finding.rule}`),
    ).toEqual(['2026-07-05 New §1', '2026-07-12 New §1']);
  });
});
