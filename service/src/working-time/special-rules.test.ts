import { minute } from '@clockproof/platform/time/instant';
import { wallClockSpans } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import { berlin } from '../../test/zones.js';
import { holidaysIn } from './holidays.js';
import { missingRecord } from './record-duty.js';
import { evaluateDay, rulesOn, type Work } from './rules.js';
import { type Circumstances, circumstancesFor, mustBeRecorded, type SpecialRule } from './special-rules.js';
import { presentFinding } from './warnings.js';

const holidays = holidaysIn('DE', 'DE-HH');
const rule = (kind: SpecialRule['kind'], more: Partial<SpecialRule> = {}): SpecialRule => ({
  kind,
  validFrom: '2026-01-01',
  validTo: null,
  eveningWork: false,
  ...more,
});
const circumstancesUnder = (...specialRules: readonly SpecialRule[]): Circumstances => ({
  specialRules,
  shortRestBranch: null,
  recordDuty: false,
});
const young = circumstancesUnder(rule('young'));
const expectant = circumstancesUnder(rule('expectant_or_nursing'));
const evenings = circumstancesUnder(rule('expectant_or_nursing', { eveningWork: true }));
const youngExpectant = circumstancesUnder(rule('young'), rule('expectant_or_nursing', { eveningWork: true }));
const careBranch: Circumstances = { ...circumstancesUnder(), shortRestBranch: 'care' };

/** `'8:00-12:00 12:30-16:30'` on the clock of a date: pieces of one entry with breaks between them. */
function workOn(date: string, text: string): Work {
  const pieces = text.split(' ').map((piece) => {
    const [start, end] = piece.split('-').map((time) => {
      const [hours, minutes] = time.split(':').map(Number);
      const at = hours! * 60 + minutes!;
      return wallClockSpans(date, at, at + 1, berlin)[0]!.start;
    });
    return { start: start!, end: end! };
  });
  return {
    start: pieces[0]!.start,
    end: pieces.at(-1)!.end,
    breaks: pieces.slice(1).map((piece, index) => ({ start: pieces[index]!.end, end: piece.start })),
  };
}
const findingsOn = (circumstances: Circumstances, date: string, text: string, restMinutes?: number) => {
  const work = workOn(date, text);
  const previousEnd = restMinutes === undefined ? undefined : work.start - restMinutes * minute;
  return evaluateDay(rulesOn('DE', circumstances, date)!, {
    date,
    timeZone: berlin,
    work: [work],
    holidays,
    previousEnd,
  }).map(({ code, rule: clause, limitMinutes, actualMinutes }) => `${code} ${clause} ${limitMinutes}/${actualMinutes}`);
};

// 2026-11-24 is a Tuesday.
const tuesday = '2026-11-24';
const [saturday, sunday] = ['2026-11-28', '2026-11-29'];

describe('young workers', () => {
  it.each<[string, string, string, number | undefined, string[]]>([
    ['8:00 hours', tuesday, '8:00-12:00 13:00-17:00', undefined, []],
    [
      '8:01, which another day must make up for',
      tuesday,
      '8:00-12:00 13:00-17:01',
      undefined,
      ['daily_limit_near JArbSchG §8 510/481'],
    ],
    ['8:30 hours', tuesday, '8:00-12:00 13:00-17:30', undefined, ['daily_limit_near JArbSchG §8 510/510']],
    ['8:31', tuesday, '7:59-12:00 13:00-17:30', undefined, ['daily_limit_exceeded JArbSchG §8 510/511']],
    ['4:30 without a break', tuesday, '8:00-12:30', undefined, []],
    ['4:31 without one', tuesday, '8:00-12:31', undefined, ['break_missing JArbSchG §11 30/0']],
    ['6:00 with 30 minutes', tuesday, '8:00-12:00 12:30-14:30', undefined, []],
    [
      'a break 40 minutes after the beginning',
      tuesday,
      '8:00-8:40 9:10-13:15',
      undefined,
      ['break_missing JArbSchG §11 (2) 30/0'],
    ],
    [
      'a break until 30 minutes before the end',
      tuesday,
      '8:00-12:15 12:45-13:15',
      undefined,
      ['break_missing JArbSchG §11 (2) 30/0'],
    ],
    ['a break an hour after the beginning', tuesday, '8:00-9:00 9:30-13:15', undefined, []],
    ['a break until an hour before the end', tuesday, '8:00-11:45 12:15-13:15', undefined, []],
    [
      'half of the break too early',
      tuesday,
      '8:00-8:30 8:45-11:30 11:45-13:30',
      undefined,
      ['break_missing JArbSchG §11 (2) 30/15'],
    ],
    ['a pause too early beside the break', tuesday, '8:00-8:30 8:45-11:00 11:30-13:30', undefined, []],
    ['6:01 with 30 minutes', tuesday, '8:00-12:00 12:30-14:31', undefined, ['break_missing JArbSchG §11 60/30']],
    ['6:01 with four times 15', tuesday, '8:00-9:00 9:15-10:15 10:30-11:30 11:45-12:45 13:00-15:01', undefined, []],
    [
      'parts of 14 minutes',
      tuesday,
      '8:00-10:00 10:14-12:00 12:45-15:00',
      undefined,
      ['break_missing JArbSchG §11 60/45'],
    ],
    [
      '4:31 before the first break',
      tuesday,
      '8:00-12:31 13:31-15:00',
      undefined,
      ['break_missing JArbSchG §11 270/271'],
    ],
    ['12 hours of rest', tuesday, '8:00-12:00', 720, []],
    ['a minute less', tuesday, '8:00-12:00', 719, ['rest_period_short JArbSchG §13 720/719']],
    [
      'from six to eight in the evening',
      tuesday,
      '6:00-8:00 18:00-20:00',
      undefined,
      ['shift_too_long JArbSchG §12 600/840'],
    ],
    ['ten hours with their breaks', tuesday, '8:00-10:00 14:00-18:00', undefined, []],
    ['a minute more', tuesday, '8:00-10:00 14:00-18:01', undefined, ['shift_too_long JArbSchG §12 600/601']],
    ['a minute before six', tuesday, '5:59-8:00', undefined, ['night_work JArbSchG §14 0/1']],
    ['a minute after eight', tuesday, '18:00-20:01', undefined, ['night_work JArbSchG §14 0/1']],
    ['a Saturday', saturday, '8:00-12:00', undefined, ['saturday_work JArbSchG §16 0/240']],
    ['a Sunday', sunday, '8:00-12:00', undefined, ['sunday_work JArbSchG §17 0/240']],
    ['Christmas Day', '2026-12-25', '8:00-12:00', undefined, ['holiday_work JArbSchG §18 0/240']],
  ])('the rules of young workers judge a day: %s', (_, date, text, rest, expected) => {
    expect(findingsOn(young, date, text, rest)).toEqual(expected);
  });
});

describe('expectant and nursing workers', () => {
  it.each<[string, Circumstances, string, string, number | undefined, string[]]>([
    ['8:30 hours', expectant, tuesday, '8:00-12:00 12:30-17:00', undefined, ['daily_limit_near MuSchG §4 (1) 510/510']],
    ['8:31', expectant, tuesday, '8:00-12:00 12:30-17:01', undefined, ['daily_limit_exceeded MuSchG §4 (1) 510/511']],
    ['11 hours of rest', expectant, tuesday, '8:00-12:00', 660, []],
    ['a minute less', expectant, tuesday, '8:00-12:00', 659, ['rest_period_short MuSchG §4 (2) 660/659']],
    ['until eight in the evening', expectant, tuesday, '16:00-20:00', undefined, []],
    ['until 20:01', expectant, tuesday, '16:00-20:01', undefined, ['night_work MuSchG §5 (1) 0/1']],
    ['until ten with approval', evenings, tuesday, '16:00-22:00', undefined, []],
    ['until 22:01 with approval', evenings, tuesday, '16:01-22:01', undefined, ['night_work MuSchG §5 (1) 0/1']],
    ['from six in the morning', evenings, tuesday, '6:00-8:00', undefined, []],
    ['a minute before, with approval', evenings, tuesday, '5:59-8:00', undefined, ['night_work MuSchG §5 (1) 0/1']],
    ['breaks are those of everyone', expectant, tuesday, '8:00-14:01', undefined, ['break_missing ArbZG §4 30/0']],
    ['Saturdays are workdays', expectant, saturday, '8:00-12:00', undefined, []],
    ['a Sunday', expectant, sunday, '8:00-12:00', undefined, ['sunday_work MuSchG §6 (1) 0/240']],
    ['Christmas Day', expectant, '2026-12-25', '8:00-12:00', undefined, ['holiday_work MuSchG §6 (1) 0/240']],
    ['young too: 8:00', youngExpectant, tuesday, '8:00-12:00 13:00-17:00', undefined, []],
    [
      'young too: 8:01',
      youngExpectant,
      tuesday,
      '8:00-12:00 13:00-17:01',
      undefined,
      ['daily_limit_exceeded MuSchG §4 (1) 480/481'],
    ],
    ['young too: 20:01', youngExpectant, tuesday, '18:00-20:01', undefined, ['night_work JArbSchG §14 0/1']],
    ['young too: rest', youngExpectant, tuesday, '8:00-12:00', 719, ['rest_period_short JArbSchG §13 720/719']],
  ])('the rules of expectant workers judge a day: %s', (_, circumstances, date, text, rest, expected) => {
    expect(findingsOn(circumstances, date, text, rest)).toEqual(expected);
  });

  it('expectant and nursing workers are visible as such only to themselves and admins', () => {
    const visibleCircumstances = circumstancesFor({ ...youngExpectant, recordDuty: true }, 'general');
    expect(visibleCircumstances).toEqual({ ...circumstancesUnder(rule('young')), recordDuty: true });
    expect(circumstancesFor(youngExpectant, 'confidential')).toBe(youngExpectant);
  });
});

it('no finding mentions the last hour of young workers while it is not known', () => {
  const findCodes = (ongoing: boolean) =>
    evaluateDay(rulesOn('DE', young, tuesday)!, {
      date: tuesday,
      timeZone: berlin,
      work: [workOn(tuesday, '8:00-12:20 12:50-13:10')],
      holidays,
      ongoing,
    }).map(({ code }) => code);
  expect([findCodes(true), findCodes(false)]).toEqual([[], ['break_missing']]);
});

describe('work in forbidden hours', () => {
  it('work in forbidden hours is reported from its first minute, and not during a break', () => {
    const at = (time: string, ongoing: boolean) =>
      evaluateDay(rulesOn('DE', young, tuesday)!, {
        date: tuesday,
        timeZone: berlin,
        work: [workOn(tuesday, `${time}-${time}`)],
        holidays,
        ongoing,
      }).map(({ code }) => code);
    expect([at('20:00', true), at('19:59', true), at('20:00', false), at('5:59', true), at('6:00', true)]).toEqual([
      ['night_work'],
      [],
      [],
      ['night_work'],
      [],
    ]);
  });

  it('a forbidden hour is longer when the clocks go back', () => {
    const date = '2026-10-25';
    expect(findingsOn(young, date, '1:00-6:00').slice(-2)).toEqual([
      'night_work JArbSchG §14 0/360',
      'sunday_work JArbSchG §17 0/360',
    ]);
  });
});

describe('shorter rest in some branches, ArbZG §5 (2)', () => {
  it.each<[string, Circumstances, number, string[]]>([
    ['10 hours', careBranch, 600, []],
    ['a minute less', careBranch, 599, ['rest_period_short ArbZG §5 (2) 600/599']],
    ['10 hours in other branches', circumstancesUnder(), 600, ['rest_period_short ArbZG §5 660/600']],
    ['not for young workers', { ...young, shortRestBranch: 'care' }, 719, ['rest_period_short JArbSchG §13 720/719']],
    [
      'not for expectant workers',
      { ...expectant, shortRestBranch: 'care' },
      659,
      ['rest_period_short MuSchG §4 (2) 660/659'],
    ],
  ])('ArbZG §5 (2) shortens the rest in some branches: %s', (_, circumstances, rest, expected) => {
    expect(findingsOn(circumstances, tuesday, '8:00-12:00', rest)).toEqual(expected);
  });
});

describe('a special rule', () => {
  const span = circumstancesUnder(rule('young', { validFrom: '2026-11-24', validTo: '2026-11-25' }));
  it.each([
    ['2026-11-23', 'ArbZG §3'],
    ['2026-11-24', 'JArbSchG §8'],
    ['2026-11-25', 'JArbSchG §8'],
    ['2026-11-26', 'ArbZG §3'],
  ])('applies from its first day to its last: %s', (date, clause) => {
    expect(rulesOn('DE', span, date)!.daily.clause).toBe(clause);
  });

  it('a special rule belongs to a country with rules', () => {
    for (const country of ['XX', 'constructor']) expect(rulesOn(country, young, tuesday)).toBeUndefined();
  });
});

describe('a record of a working day, MiLoG §17', () => {
  const day = { date: '2026-11-02', open: false, complete: false, dueMinutes: 240 };
  it.each<[string, Partial<typeof day>, string, boolean]>([
    ['is missing on the eighth day', {}, '2026-11-10', true],
    ['may be made until the seventh', {}, '2026-11-09', false],
    ['is there', { complete: true }, '2026-11-10', false],
    ['has no end', { complete: true, open: true }, '2026-11-10', true],
    ['has no end on a day without a target', { open: true, dueMinutes: 0 }, '2026-11-10', true],
    ['is not due', { dueMinutes: 0 }, '2026-11-10', false],
  ])('the record of a working day %s', (_, more, today, missing) => {
    expect(missingRecord('DE', { ...day, ...more }, today).map(({ code, rule: clause }) => [code, clause])).toEqual(
      missing ? [['record_missing', 'MiLoG §17 (1)']] : [],
    );
    expect(missingRecord('FR', { ...day, ...more }, today)).toEqual([]);
  });

  it.each<[string, Circumstances, string, boolean]>([
    ['in a minijob', circumstancesUnder(rule('minijob', { validTo: '2026-11-24' })), '2026-11-24', true],
    ['after it', circumstancesUnder(rule('minijob', { validTo: '2026-11-24' })), '2026-11-25', false],
    ['in a branch of SchwarzArbG §2a', { ...circumstancesUnder(), recordDuty: true }, '2026-11-25', true],
    ['for young workers elsewhere', young, '2026-11-25', false],
  ])('the duty to record a working day follows the law: %s', (_, circumstances, date, expected) => {
    expect(mustBeRecorded(circumstances, date)).toBe(expected);
  });
});

describe('the findings of special rules', () => {
  it('findings of special rules are in both languages', () => {
    const record = missingRecord('DE', { date: tuesday, open: true, complete: false, dueMinutes: 0 }, '2027-01-01')[0]!;
    expect([presentFinding(record, 'de'), presentFinding(record, 'en')]).toEqual([
      {
        code: 'record_missing',
        rule: 'MiLoG §17 (1)',
        message: 'Beginn und Ende der Arbeit müssen nach 7 Tagen aufgezeichnet sein; hier fehlen sie.',
      },
      {
        code: 'record_missing',
        rule: 'MiLoG §17 (1)',
        message: 'Begin and end of work must be recorded within 7 days; here they are missing.',
      },
    ]);
  });
});
