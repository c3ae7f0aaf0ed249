import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import { evaluatePeriods, type PeriodDay, periodRulesOf } from './period-rules.js';
import { weekdayOf } from './schedule.js';

const versions = periodRulesOf('DE');

/** Days from a date on; `work` says what the working day of a date has. */
function daysFrom(first: LocalDate, count: number, work: (date: LocalDate, index: number) => Partial<PeriodDay>) {
  return Array.from({ length: count }, (_, index): PeriodDay => {
    const date = addDays(first, index);
    const day = { workedMinutes: 0, nightMinutes: [], holiday: false, absent: false, ...work(date, index) };
    return { hasWork: day.workedMinutes > 0, ...day, date };
  });
}
const codes = (days: readonly PeriodDay[], span: Partial<Parameters<typeof evaluatePeriods>[2]> = {}) => {
  const last = days.at(-1)!.date;
  return evaluatePeriods(versions, days, {
    from: days[0]!.date,
    to: last,
    trackedFrom: days[0]!.date,
    ...span,
  }).map(({ date, finding: { code, rule, of } }) => `${date} ${code} ${rule}${of === undefined ? '' : ` ${of}`}`);
};
const weekdays =
  (minutes: number, weekdayCount = 5) =>
  (date: LocalDate) =>
    weekdayOf(date) < weekdayCount ? { workedMinutes: minutes } : {};

describe('§3: eight hours on average of 24 weeks', () => {
  // 2026-01-05 is a Monday; 168 days later it is Sunday, 21 June.
  const average = '2026-06-21 average_exceeded ArbZG §3';
  it.each<[string, PeriodDay[], string[]]>([
    ['five days of 9:36: eight hours on six working days', daysFrom('2026-01-05', 168, weekdays(576)), []],
    ['five days of 9:38', daysFrom('2026-01-05', 168, weekdays(578)), [average]],
    ['six days of 8:00', daysFrom('2026-01-05', 168, weekdays(480, 6)), []],
    ['six days of 8:01', daysFrom('2026-01-05', 168, weekdays(481, 6)), [average]],
    ['a day fewer than 24 weeks', daysFrom('2026-01-06', 167, weekdays(600)), []],
    [
      'vacation makes up for nothing',
      daysFrom('2026-01-05', 168, (date, index) => (index < 84 ? { absent: true } : weekdays(578)(date))),
      [average],
    ],
    ['free weeks make up', daysFrom('2026-01-05', 168, (date, index) => (index < 7 ? {} : weekdays(590)(date))), []],
    [
      'a public holiday is no working day',
      daysFrom('2026-01-05', 168, (date) => (weekdayOf(date) === 4 ? { holiday: true } : weekdays(540, 4)(date))),
      [],
    ],
  ])('ArbZG §3 judges the average of 24 weeks: %s', (_, days, expected) => {
    expect(codes(days)).toEqual(expected);
  });
  it('ArbZG §3 is not judged for weeks before time was tracked', () => {
    expect(codes(daysFrom('2026-01-05', 168, weekdays(600)), { trackedFrom: '2026-01-06' })).toEqual([]);
  });
});

describe('§6 (2): night workers, eight hours on average of four weeks', () => {
  const nights = (count: number, minutes: number, night: number) =>
    daysFrom('2026-01-05', 112, (date, index) => {
      if (weekdayOf(date) > 4) return {};
      const workdayIndex = Math.floor(index / 7) * 5 + weekdayOf(date);
      return workdayIndex < 80 - count ? { workedMinutes: 400 } : { workedMinutes: minutes, nightMinutes: [night] };
    });
  const finding = '2026-04-26 night_average_exceeded ArbZG §6 (2)';
  const twoOnADate = (first: number) =>
    nights(47, 600, 360).map((day) => (day.date === '2026-04-24' ? { ...day, nightMinutes: [first, 360] } : day));
  it.each<[string, PeriodDay[], string[]]>([
    ['48 nights and 10 hours', nights(48, 600, 360), [finding]],
    ['47 nights', nights(47, 600, 360), []],
    ['48 nights of 9:36', nights(48, 576, 360), []],
    ['47 dates, on one of which two nights began', twoOnADate(360), [finding]],
    ['47 dates, on one of which a night and a day began', twoOnADate(120), []],
    ['two hours of night time are no night work', nights(48, 600, 120), []],
    ['a minute more is', nights(48, 600, 121), [finding]],
  ])('ArbZG §6 (2) judges the average of night workers: %s', (_, days, expected) => {
    expect(codes(days)).toEqual(expected);
  });
});

describe('§11 (1): fifteen free Sundays a year', () => {
  const sundays = (count: number) => {
    let workedSundays = 0;
    return daysFrom('2026-01-01', 365, (date) =>
      weekdayOf(date) === 6 && workedSundays++ < count ? { workedMinutes: 300 } : {},
    );
  };
  it.each([
    // 2026 has 52 Sundays.
    [37, []],
    [38, ['2026-09-20 free_sundays_short ArbZG §11 (1)']],
    [39, ['2026-09-20 free_sundays_short ArbZG §11 (1)', '2026-09-27 free_sundays_short ArbZG §11 (1)']],
  ])('ArbZG §11 (1) judges a year with %d Sundays of work', (count, expected) => {
    expect(codes(sundays(count))).toEqual(expected);
  });
});

describe('§11 (3): substitute days', () => {
  const missingSubstitute = (date: string) => `${addDays(date, 13)} substitute_day_missing ArbZG §11 (3) ${date}`;
  /** Work on every day from 2 March 2026, a Monday, but on those that are free. */
  const everyDay = (freeDates: readonly string[], more: Record<string, Partial<PeriodDay>> = {}) =>
    daysFrom('2026-03-02', 70, (date) => ({
      ...(freeDates.includes(date) || (weekdayOf(date) === 6 && date !== '2026-03-15') ? {} : { workedMinutes: 60 }),
      ...more[date],
    }));
  it.each<[string, PeriodDay[], string[]]>([
    ['none', everyDay([]), [missingSubstitute('2026-03-15')]],
    ['thirteen days later', everyDay(['2026-03-28']), []],
    ['fourteen days later, on a Monday', everyDay(['2026-03-30']), [missingSubstitute('2026-03-15')]],
    ['thirteen days before', everyDay(['2026-03-02']), []],
    ['another Sunday is none', everyDay(['2026-03-22']), [missingSubstitute('2026-03-15')]],
    [
      'vacation is none',
      everyDay(['2026-03-20'], { '2026-03-20': { absent: true } }),
      [missingSubstitute('2026-03-15')],
    ],
    [
      'one day for two Sundays',
      everyDay(['2026-03-20'], { '2026-03-22': { workedMinutes: 60 } }),
      [missingSubstitute('2026-03-22')],
    ],
    [
      'the Sunday with the earlier deadline goes first',
      everyDay(['2026-03-10', '2026-03-20'], { '2026-03-22': { workedMinutes: 60 } }),
      [],
    ],
    ['eight weeks for a holiday', everyDay(['2026-03-20', '2026-04-20'], { '2026-03-05': { holiday: true } }), []],
    ['the two weeks are not over', everyDay([]).slice(0, 20), []],
  ])('ArbZG §11 (3) asks for substitute days: %s', (_, days, expected) => {
    expect(codes(days)).toEqual(expected);
  });
});

const twoWeeks = (work: (date: LocalDate, index: number) => Partial<PeriodDay>) => daysFrom('2026-01-05', 14, work);
const oneWeek = (minutes: readonly number[], more: Partial<PeriodDay> = {}) =>
  daysFrom('2026-01-05', 7, (_, index) => ({ workedMinutes: minutes[index] ?? 0, young: true, ...more }));

describe('JArbSchG §§8 and 15: weeks of young workers', () => {
  const sunday = '2026-01-11';
  const longDay = `${sunday} long_day_not_offset JArbSchG §8 (2a)`;
  it.each<[string, PeriodDay[], string[]]>([
    ['40 hours on five days', oneWeek([480, 480, 480, 480, 480]), []],
    [
      'a minute more',
      oneWeek([480, 480, 480, 480, 481]),
      [`${longDay} 2026-01-09`, `${sunday} week_limit_exceeded JArbSchG §8 (1)`],
    ],
    ['8:30 beside a shorter Friday', oneWeek([510, 510, 480, 480, 420]), []],
    ['8:30 with nothing but days of eight hours', oneWeek([510, 480, 480, 480]), [`${longDay} 2026-01-05`]],
    ['a shorter Sunday offsets nothing', oneWeek([510, 0, 0, 0, 0, 0, 60]), [`${longDay} 2026-01-05`]],
    ['8:31 is the finding of the day', oneWeek([511, 480, 480, 480]), []],
    ['six days', oneWeek([300, 300, 300, 300, 300, 300]), [`${sunday} week_days_exceeded JArbSchG §15`]],
    [
      'a public holiday counts as worked',
      daysFrom('2026-01-05', 7, (_, index) =>
        index === 1
          ? { young: true, holiday: true, holidayMinutes: 480 }
          : { young: true, workedMinutes: index < 5 ? 480 : index === 5 ? 30 : 0 },
      ),
      [`${sunday} week_limit_exceeded JArbSchG §8 (1)`],
    ],
    ['adults', oneWeek([510, 510, 510, 510, 510, 510], { young: false }), []],
    [
      'days before the eighteenth birthday only',
      daysFrom('2026-01-05', 7, (_, index) => ({ workedMinutes: index < 6 ? 480 : 0, young: index < 5 })),
      [],
    ],
  ])('JArbSchG limits the weeks of young workers: %s', (_, days, expected) => {
    expect(codes(days)).toEqual(expected);
  });

  it('the rule of young workers for a week is judged once the week is over', () => {
    const days = oneWeek([480, 480, 480, 480, 480, 480]);
    expect(codes(days, { to: '2026-01-10' })).toEqual([]);
  });

  it('the weekly limit of young workers replaces the averages', () => {
    const days = daysFrom('2026-01-05', 168, (date) => ({ ...weekdays(578)(date), young: true }));
    expect(codes(days).filter((code) => code.includes('ArbZG'))).toEqual([]);
  });
});

describe('MuSchG §4: 90 hours in two weeks', () => {
  const finding = '2026-01-18 two_weeks_limit_exceeded MuSchG §4 (1)';
  const days = (minutes: number, more: Partial<PeriodDay> = {}) =>
    twoWeeks((date) => ({ ...weekdays(minutes)(date), expectant: true, ...more }));
  it.each<[string, PeriodDay[], string[]]>([
    ['ten days of nine hours', days(540), []],
    ['ten days of 9:01', days(541), [finding]],
    ['80 hours under 18', days(480, { young: true }), []],
    [
      'more under 18',
      twoWeeks((date, index) => ({ ...weekdays(index === 0 ? 481 : 480)(date), expectant: true, young: true })),
      [
        '2026-01-11 long_day_not_offset JArbSchG §8 (2a) 2026-01-05',
        '2026-01-11 week_limit_exceeded JArbSchG §8 (1)',
        finding,
      ],
    ],
    ['everyone else', twoWeeks(weekdays(541)), []],
    [
      'Sundays count',
      twoWeeks((date, index) => ({
        workedMinutes: index === 6 ? 1 : (weekdays(540)(date).workedMinutes ?? 0),
        expectant: true,
      })),
      [finding],
    ],
  ])('MuSchG §4 limits two weeks to 90 hours: %s', (_, work, expected) => {
    expect(codes(work)).toEqual(expected);
  });
});

describe('ArbZG §5 (2): a shortened rest is made up for', () => {
  const shortRests = (rests: Readonly<Record<number, number>>, shortRest = true) =>
    daysFrom('2026-02-02', 60, (_, index) => ({
      shortRest,
      restMinutes: rests[index] === undefined ? [] : [rests[index]],
    }));
  const finding = '2026-03-04 rest_not_made_up ArbZG §5 (2) 2026-02-05';
  it.each<[string, PeriodDay[], string[]]>([
    ['by none', shortRests({ 3: 600 }), [finding]],
    ['by one of twelve hours on the 28th day', shortRests({ 3: 600, 30: 720 }), []],
    ['by one that is a minute shorter', shortRests({ 3: 600, 30: 719 }), [finding]],
    ['not by one on the 29th day', shortRests({ 3: 600, 31: 720 }), [finding]],
    ['by one before it', shortRests({ 0: 720, 3: 600 }), []],
    [
      'each by one of its own',
      shortRests({ 3: 600, 5: 630, 6: 720 }),
      ['2026-03-06 rest_not_made_up ArbZG §5 (2) 2026-02-07'],
    ],
    ['11 hours are not short', shortRests({ 3: 660 }), []],
    ['less than 10 hours are the finding of the day', shortRests({ 3: 599 }), []],
    ['in other branches it is never allowed', shortRests({ 3: 600 }, false), []],
  ])('ArbZG §5 (2) asks to make up for a shortened rest: %s', (_, days, expected) => {
    expect(codes(days)).toEqual(expected);
  });

  it('ArbZG §5 (2) allows a calendar month longer than four weeks', () => {
    const days = daysFrom('2026-03-01', 60, (_, index) => ({
      shortRest: true,
      restMinutes: index === 0 ? [600] : index === 30 ? [720] : [],
    }));
    expect(codes(days)).toEqual([]);
  });

  it('ArbZG §5 (2) is judged for each of two working days that began on one date', () => {
    const restsOnOneDate = (restMinutes: readonly number[]) =>
      daysFrom('2026-02-02', 60, (_, index) => ({ shortRest: true, restMinutes: index === 3 ? restMinutes : [] }));
    expect(codes(restsOnOneDate([600, 660]))).toEqual([finding]);
    expect(codes(restsOnOneDate([600, 720]))).toEqual([]);
  });

  it('ArbZG §5 (2) is judged once its time is over', () => {
    expect(codes(shortRests({ 3: 600 }), { to: '2026-03-03' })).toEqual([]);
    expect(codes(shortRests({ 3: 600 }), { to: '2026-03-04' })).toEqual([finding]);
  });
});
