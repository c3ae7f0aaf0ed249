import { hour, minute, parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { berlin } from '../../test/zones.js';
import { missingBreakMinutes } from './break-deduction.js';
import { holidaysIn } from './holidays.js';
import { type Day, evaluateDay, generalRulesOn, maxFreeDays, type Work } from './rules.js';
import { presentFinding } from './warnings.js';

const germany = generalRulesOn('DE', '2026-01-01')!;
const holidays = holidaysIn('DE', 'DE-HH');
const eight = parseInstant('2026-11-24T07:00:00Z')!;

/** `['8:00', '12:00']` hours and minutes after `from`; between the pieces of one entry lie breaks. */
function work(from: number, ...pieces: readonly (readonly [string, string])[]): Work {
  const at = (text: string) => from + Number(text.split(':')[0]) * hour + Number(text.split(':')[1]) * minute;
  const times = pieces.map(([start, end]) => ({ start: at(start), end: at(end) }));
  return {
    start: times[0]!.start,
    end: times.at(-1)!.end,
    breaks: times.slice(1).map((piece, index) => ({ start: times[index]!.end, end: piece.start })),
  };
}
const evaluate = (entries: readonly Work[], more: Partial<Day> = {}) =>
  evaluateDay(germany, { date: '2026-11-24', timeZone: berlin, work: entries, holidays, ...more });
const codes = (entries: readonly Work[], more: Partial<Day> = {}) =>
  evaluate(entries, more).map((finding) => finding.code);

describe('working-time rules of Germany', () => {
  it.each([
    [
      'eight hours are fine',
      [
        ['0:00', '4:00'],
        ['4:30', '8:30'],
      ],
      [],
    ],
    [
      'a minute more comes near the limit',
      [
        ['0:00', '4:00'],
        ['4:30', '8:31'],
      ],
      ['daily_limit_near'],
    ],
    [
      'ten hours are the limit',
      [
        ['0:00', '5:00'],
        ['5:45', '10:45'],
      ],
      ['daily_limit_near'],
    ],
    [
      'a minute more exceeds it',
      [
        ['0:00', '5:00'],
        ['5:45', '10:46'],
      ],
      ['daily_limit_exceeded'],
    ],
    ['six hours need no break', [['0:00', '6:00']], []],
    ['a minute more needs one', [['0:00', '6:01']], ['break_missing']],
    [
      '30 minutes in two parts of 15 will do',
      [
        ['0:00', '2:00'],
        ['2:15', '4:00'],
        ['4:15', '7:00'],
      ],
      [],
    ],
    [
      'parts of 14 minutes do not count',
      [
        ['0:00', '2:00'],
        ['2:14', '4:00'],
        ['4:30', '7:30'],
      ],
      [],
    ],
    [
      'parts of 14 minutes alone leave it missing',
      [
        ['0:00', '2:00'],
        ['2:14', '4:00'],
        ['4:14', '7:00'],
      ],
      ['break_missing'],
    ],
    [
      'nine hours need 30 minutes',
      [
        ['0:00', '4:00'],
        ['4:30', '9:30'],
      ],
      ['daily_limit_near'],
    ],
    [
      'a minute more needs 45',
      [
        ['0:00', '4:00'],
        ['4:30', '9:31'],
      ],
      ['daily_limit_near', 'break_missing'],
    ],
    [
      'no stretch is longer than six hours',
      [
        ['0:00', '6:01'],
        ['6:31', '7:00'],
      ],
      ['break_missing'],
    ],
    [
      'a break of 10 minutes does not end the stretch',
      [
        ['0:00', '3:00'],
        ['3:10', '6:10'],
        ['6:40', '7:00'],
      ],
      ['break_missing'],
    ],
    [
      'a break until clocking out was no break',
      [
        ['0:00', '7:00'],
        ['7:45', '7:45'],
      ],
      ['break_missing'],
    ],
  ] as const)('the rules of Germany judge a working day: %s', (_, pieces, expected) => {
    expect(codes([work(eight, ...pieces)])).toEqual(expected);
  });

  it('a gap between two entries of a day is a break, and their work adds up', () => {
    expect(codes([work(eight, ['0:00', '4:00']), work(eight, ['4:30', '8:00'])])).toEqual([]);
    expect(codes([work(eight, ['0:00', '4:00']), work(eight, ['4:10', '8:00'])])).toEqual(['break_missing']);
    expect(codes([work(eight, ['0:00', '5:00']), work(eight, ['6:00', '11:01'])])).toEqual(['daily_limit_exceeded']);
  });

  it('a pause is a break only between work: after its first minute, before its last', () => {
    const rest = ['4:00', '4:15'] as const;
    const codesOf = (first: readonly [string, string]) =>
      codes([work(eight, first, ['0:30', rest[0]], [rest[1], '7:45'])]);
    expect(codesOf(['0:00', '0:00'])).toEqual(['break_missing']);
    expect(codesOf(['0:00', '0:01'])).toEqual([]);
    // Clocked in, and a few seconds later on a break.
    const workAfterPause = work(eight, ['0:00', '0:00'], ['0:30', rest[0]], [rest[1], '7:45']);
    const workWithSeconds = {
      ...workAfterPause,
      breaks: [{ ...workAfterPause.breaks[0]!, start: eight + 20_000 }, workAfterPause.breaks[1]!],
    };
    expect(codes([workWithSeconds])).toEqual(['break_missing']);
    // Waiting for the break to be over makes no stretch longer.
    expect(codes([work(eight, ['0:00', '0:00'], ['0:10', '6:05'])])).toEqual([]);
    // Two breaks in a row are one.
    expect(codes([work(eight, ['0:00', '3:00'], ['3:10', '3:10'], ['3:30', '7:00'])])).toEqual([]);
    // An accidental in and out after work does not turn the evening into a break.
    expect(codes([work(eight, ['0:00', '6:30']), work(eight, ['8:00', '8:00'])])).toEqual(['break_missing']);
  });

  it('a break that has just ended counts while the person is at work', () => {
    const workAfterBreak = [work(eight, ['0:00', '3:00'], ['3:15', '6:30'], ['6:45', '6:45'])];
    expect(codes(workAfterBreak)).toEqual(['break_missing']);
    expect(codes(workAfterBreak, { ongoing: true })).toEqual([]);
  });

  it('the findings stay below the twenty warnings of the contract, for an entry open for any time', () => {
    const findings = evaluate([work(eight, ['0:00', '4400:00'])], { previousEnd: eight - hour, ongoing: true });
    expect(findings).toHaveLength(3 + maxFreeDays);
    expect(findings.length).toBeLessThan(20);
  });

  it('the rules of Germany require eleven hours of rest', () => {
    expect(codes([work(eight, ['0:00', '1:00'])], { previousEnd: eight - 11 * hour })).toEqual([]);
    expect(evaluate([work(eight, ['0:00', '1:00'])], { previousEnd: eight - 11 * hour + minute })).toEqual([
      { code: 'rest_period_short', rule: 'ArbZG §5', limitMinutes: 660, actualMinutes: 659 },
    ]);
  });

  it('the rules of Germany find work on Sundays and holidays, also by a night that reaches into one', () => {
    const saturdayNight = parseInstant('2026-11-28T21:00:00Z')!; // 22:00 in Berlin
    expect(evaluate([work(saturdayNight, ['0:00', '4:00'])], { date: '2026-11-28' })).toEqual([
      { code: 'sunday_work', rule: 'ArbZG §9', limitMinutes: 0, actualMinutes: 120 },
    ]);
    expect(codes([work(saturdayNight, ['0:00', '2:00'])], { date: '2026-11-28' })).toEqual([]);
    // Just begun, it counts at once; an accidental in and out does not.
    const midnight = [work(saturdayNight + 2 * hour, ['0:00', '0:00'])];
    expect(codes(midnight, { date: '2026-11-29', ongoing: true })).toEqual(['sunday_work']);
    expect(codes(midnight, { date: '2026-11-29' })).toEqual([]);
    // A break into the Sunday that nobody returned from is no work on it.
    expect(codes([work(saturdayNight, ['0:00', '1:00'], ['3:00', '3:00'])], { date: '2026-11-28' })).toEqual([]);
    const christmas = parseInstant('2026-12-25T09:00:00Z')!;
    expect(evaluate([work(christmas, ['0:00', '1:00'])], { date: '2026-12-25' })).toEqual([
      expect.objectContaining({
        code: 'holiday_work',
        actualMinutes: 60,
        holiday: { de: '1. Weihnachtstag', en: 'Christmas Day' },
      }),
    ]);
    // What is worked after a break behind midnight takes nothing from the Sunday.
    const sundayEvening = parseInstant('2026-11-29T19:00:00Z')!; // 20:00 in Berlin
    expect(
      evaluate([work(sundayEvening, ['0:00', '3:00']), work(sundayEvening, ['4:30', '8:00'])], {
        date: '2026-11-29',
      })[0],
    ).toMatchObject({ code: 'sunday_work', actualMinutes: 180 });
    // The night in which the clocks go back belongs to a Sunday of 25 hours.
    const autumn = parseInstant('2026-10-24T22:00:00Z')!;
    expect(evaluate([work(autumn, ['0:00', '2:00'])], { date: '2026-10-25' })[0]).toMatchObject({
      code: 'sunday_work',
      actualMinutes: 120,
    });
  });

  it('the working-time rules of other countries are unknown', () => {
    for (const country of ['XX', 'constructor', '']) expect(generalRulesOn(country, '2026-01-01')).toBeUndefined();
  });

  it('findings are in the language of the person', () => {
    const [finding] = evaluate([work(eight, ['0:00', '1:00'])], { previousEnd: eight - 9.5 * hour });
    expect(presentFinding(finding!, 'de')).toEqual({
      code: 'rest_period_short',
      rule: 'ArbZG §5',
      limit_minutes: 660,
      actual_minutes: 570,
      message:
        'Zwischen Feierabend und Arbeitsbeginn lagen nur 9 Stunden und 30 Minuten Ruhezeit; vorgeschrieben sind 11 Stunden.',
    });
    const goodFriday = { de: 'Karfreitag', en: 'Good Friday' };
    expect(presentFinding(finding!, 'fr').message).toBe(
      "Only 9 hours and 30 minutes of rest since the last day's work; 11 hours are required.",
    );
    expect(
      presentFinding({ code: 'break_missing', rule: 'ArbZG §4', limitMinutes: 30, actualMinutes: 0 }, 'de-AT').message,
    ).toBe('0 Minuten Ruhepause; vorgeschrieben sind 30 Minuten.');
    expect(
      presentFinding(
        { code: 'holiday_work', rule: 'ArbZG §9', limitMinutes: 0, actualMinutes: 61, holiday: goodFriday },
        'en',
      ).message,
    ).toBe('Work on a public holiday: Good Friday.');
  });
});

describe('deduction of missing breaks', () => {
  it.each([
    [360, [], 0],
    [361, [], 1],
    [389, [], 29],
    [390, [], 30],
    [480, [], 30],
    [570, [], 30],
    [571, [], 31],
    [584, [], 44],
    [585, [], 45],
    [700, [], 45],
    [480, [30], 0],
    [480, [20], 10],
    [480, [14, 14], 30],
    [480, [15, 15], 0],
    [540, [30], 0],
    [541, [30], 1],
    [600, [30], 15],
    [600, [45], 0],
    [365, [20], 5],
    // The sum of the breaks is cut, not each of them.
    [600, [22.5, 22.5], 0],
    [600, [22.5, 22.4], 1],
  ])('%i worked minutes with breaks of %j have a deduction of %i', (worked, breaks, deducted) => {
    expect(missingBreakMinutes({ country: 'DE', date: '2026-01-01', young: false }, worked, breaks)).toBe(deducted);
  });

  it('the deduction leaves the fewest minutes that satisfy the rule, and is none without a known rule', () => {
    const requiredMinutes = (worked: number, young: boolean) =>
      young ? (worked > 360 ? 60 : worked > 270 ? 30 : 0) : worked > 540 ? 45 : worked > 360 ? 30 : 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_500 }),
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 4 }),
        fc.boolean(),
        (worked, breaks, young) => {
          const breakMinutes = breaks.filter((length) => length >= 15).reduce((sum, length) => sum + length, 0);
          let deductedMinutes = 0;
          while (requiredMinutes(worked - deductedMinutes, young) > breakMinutes + deductedMinutes)
            deductedMinutes += 1;
          expect(missingBreakMinutes({ country: 'DE', date: '2026-01-01', young }, worked, breaks)).toBe(
            deductedMinutes,
          );
        },
      ),
    );
    expect(missingBreakMinutes({ country: 'XX', date: '2026-01-01', young: false }, 900, [])).toBe(0);
  });
});
