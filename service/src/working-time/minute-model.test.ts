/**
 * The working-time rules beside a second, independent calculation: a strip of minutes, each work, break or neither,
 * read from left to right. Random entries around changes of the clocks, Sundays and holidays.
 */
import { runs } from '@clockproof/platform/testing/runs';
import { type Instant, minute, parseInstant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, startOfDay } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { berlin, zone } from '../../test/zones.js';
import { findingsOf, timeByDate } from '../months/work-of-day.js';
import { holidaysIn } from './holidays.js';
import { type Finding, generalRulesOn } from './rules.js';
import { workingDaysOf } from './working-days.js';

const rules = generalRulesOn('DE', '2026-01-01')!;
const holidays = holidaysIn('DE', 'DE-HH');
/** The clocks change on these Sundays; Christmas to Sunday, New Year, a week of nothing. */
const firstDays = ['2026-03-27', '2026-10-23', '2026-12-23', '2026-12-30', '2026-11-16'];
const zones = [berlin, zone('America/New_York'), zone('Australia/Lord_Howe')];

/** One entry in minutes after the beginning; breaks inside, in order. */
interface Entry {
  readonly start: number;
  readonly end: number;
  readonly breaks: readonly (readonly [number, number])[];
}

/** Pauses and lengths that lie close to the figures of the rules, and any others. */
const pause = fc.oneof(
  fc.constantFrom(0, 1, 14, 15, 29, 30, 45, 179, 180, 659, 660, 1_200),
  fc.integer({ max: 1_500, min: 0 }),
);
const length = fc.oneof(fc.constantFrom(0, 1, 360, 361, 480, 540, 600, 601), fc.integer({ max: 900, min: 0 }));
const entries = fc
  .array(
    fc.record({
      pause,
      parts: fc.array(fc.tuple(length, pause), { maxLength: 3 }),
      last: length,
    }),
    { maxLength: 6, minLength: 1 },
  )
  .map((list) => {
    let now = 0;
    return list.map(({ pause: gap, parts, last }): Entry => {
      now += gap;
      const start = now;
      const breaks = parts.map(([worked, paused]) => {
        now += worked + Math.min(paused, 200);
        return [now - Math.min(paused, 200), now] as const;
      });
      now += last;
      return { start, end: now, breaks };
    });
  });

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    {
      datesByHalfHour: new Map<number, LocalDate>(),
      format: new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
    },
  ]),
);

/** Midnights and changes of the clocks fall on half hours in these zones. */
const halfHourOf = (at: Instant) => Math.floor(at / (30 * minute));
function dateAt(at: Instant, timeZone: ZoneName): LocalDate {
  const { datesByHalfHour, format } = formats.get(timeZone)!;
  const half = halfHourOf(at);
  const date = datesByHalfHour.get(half) ?? format.format(at);
  datesByHalfHour.set(half, date);
  return date;
}

/** What the model says of the working days that began on a date, and deducts in all. On the strip 1 is a minute of work. */
function model(
  list: readonly Entry[],
  zero: Instant,
  timeZone: ZoneName,
): { readonly findingsByDate: Map<LocalDate, Omit<Finding, 'rule'>[]>; readonly deducted: number } {
  // Asked of one minute after the other.
  let last = { half: Number.NaN, date: '' as LocalDate };
  const date = (at: number) => {
    const half = halfHourOf(zero + at * minute);
    if (half !== last.half) last = { half, date: dateAt(zero + at * minute, timeZone) };
    return last.date;
  };
  // The minute at which the working day of each entry began.
  const dayBegins: number[] = [];
  for (const [index, { start }] of list.entries()) {
    const [begin, pause] = [dayBegins.at(-1) ?? start, start - (list[index - 1]?.end ?? start)];
    const hasRested = pause >= 11 * 60 || start >= begin + 24 * 60;
    const nextDay = date(start) !== date(begin) && pause >= 3 * 60;
    dayBegins.push(hasRested || nextDay ? start : begin);
  }
  const findingsByDate = new Map<LocalDate, Omit<Finding, 'rule'>[]>();
  let deducted = 0;
  for (const begin of new Set(dayBegins)) {
    const entriesOfDay = list.filter((_, index) => dayBegins[index] === begin);
    const day = date(begin);
    const strip = new Uint8Array(entriesOfDay.at(-1)!.end);
    for (const entry of entriesOfDay) for (let at = entry.start; at < entry.end; at += 1) strip[at] = 1;
    for (const [start, end] of entriesOfDay.flatMap((entry) => entry.breaks))
      for (let at = start; at < end; at += 1) strip[at] = 0;
    deducted += missingBreak(strip);
    findingsByDate.set(day, [
      ...(findingsByDate.get(day) ?? []),
      ...daily(strip.subarray(0, begin + 24 * 60)),
      ...breaks(strip),
      ...rest(list, entriesOfDay[0]!),
      ...freeDays(strip, date),
    ]);
  }
  return { findingsByDate, deducted };
}

const count = (strip: Uint8Array) => strip.reduce((sum, work) => sum + work, 0);

function daily(strip: Uint8Array): Omit<Finding, 'rule'>[] {
  const actualMinutes = count(strip);
  if (actualMinutes <= 480) return [];
  return [
    { code: actualMinutes > 600 ? 'daily_limit_exceeded' : 'daily_limit_near', limitMinutes: 600, actualMinutes },
  ];
}

function pausesOf(strip: Uint8Array) {
  const [first, last] = [strip.indexOf(1), strip.lastIndexOf(1)];
  let [pauseMinutes, breakMinutes, longest, from] = [0, 0, 0, first];
  for (let at = first; first >= 0 && at <= last; at += 1) {
    if (strip[at] !== 1) {
      pauseMinutes += 1;
      continue;
    }
    if (pauseMinutes >= 15) [breakMinutes, from] = [breakMinutes + pauseMinutes, at];
    pauseMinutes = 0;
    longest = Math.max(longest, at + 1 - from);
  }
  return { worked: count(strip), breakMinutes, longest };
}

const neededFor = (worked: number) => (worked > 540 ? 45 : worked > 360 ? 30 : 0);

/** The fewest minutes that the working day needs as a break besides those it has. */
function missingBreak(strip: Uint8Array): number {
  const { worked, breakMinutes } = pausesOf(strip);
  let missingMinutes = 0;
  while (neededFor(worked - missingMinutes) > breakMinutes + missingMinutes) missingMinutes += 1;
  return missingMinutes;
}

function breaks(strip: Uint8Array): Omit<Finding, 'rule'>[] {
  const { worked, breakMinutes, longest } = pausesOf(strip);
  const needed = neededFor(worked);
  if (breakMinutes < needed) return [{ code: 'break_missing', limitMinutes: needed, actualMinutes: breakMinutes }];
  return longest > 360 ? [{ code: 'break_missing', limitMinutes: 360, actualMinutes: longest, unbroken: true }] : [];
}

function rest(list: readonly Entry[], first: Entry): Omit<Finding, 'rule'>[] {
  const previousEntry = list[list.indexOf(first) - 1];
  const restMinutes = previousEntry === undefined ? 660 : first.start - previousEntry.end;
  return restMinutes < 660 ? [{ code: 'rest_period_short', limitMinutes: 660, actualMinutes: restMinutes }] : [];
}

function freeDays(strip: Uint8Array, date: (at: number) => LocalDate): Omit<Finding, 'rule'>[] {
  const minutes = new Map<LocalDate, number>();
  strip.forEach((work, at) => {
    if (work === 1) minutes.set(date(at), (minutes.get(date(at)) ?? 0) + 1);
  });
  return [...minutes].flatMap(([day, actualMinutes]): Omit<Finding, 'rule'>[] => {
    const holiday = holidays.on(day);
    if (holiday !== undefined) return [{ code: 'holiday_work', limitMinutes: 0, actualMinutes, holiday: holiday.name }];
    return new Date(`${day}T12:00:00Z`).getUTCDay() === 0
      ? [{ code: 'sunday_work', limitMinutes: 0, actualMinutes }]
      : [];
  });
}

describe('the working-time rules and a strip of minutes', () => {
  it('the working-time rules agree with a minute model about all limits and the minutes of each date', () => {
    const [foundCodes, counts] = [new Set<string>(), { days: 0, twice: 0, deducted: 0 }];
    fc.assert(
      fc.property(
        fc.constantFrom(...firstDays),
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 3 * 1_440 }),
        entries,
        fc.boolean(),
        (firstDay, timeZone, offset, list, deducts) => {
          const zero = startOfDay(firstDay, timeZone) + offset * minute;
          const rows = list.map(({ start, end, breaks }) => ({
            person_id: 1,
            date: dateAt(zero + start * minute, timeZone),
            start_at: zero + start * minute,
            end_at: zero + end * minute,
            breaks: JSON.stringify(breaks.map(([from, to]) => [zero + from * minute, zero + to * minute])),
            break_rules: deducts ? 'DE' : null,
            young: 0 as const,
          }));
          const times = timeByDate(rows);
          const { findingsByDate: expected, deducted: expectedDeduction } = model(list, zero, timeZone);
          const workingDays = workingDaysOf(rows);
          for (let date = rows[0]!.date; date <= rows.at(-1)!.date; date = addDays(date, 1)) {
            const workingDaysOfDate = workingDays.filter((day) => day.date === date);
            const findings = findingsOf({ timeZone, holidays, rules, workingDays: workingDaysOfDate });
            if (workingDaysOfDate.length > 1) counts.twice += 1;
            expect(findings.map(({ rule: _, ...finding }) => finding)).toEqual(expected.get(date) ?? []);
            const ofDate = list.filter((_, index) => rows[index]!.date === date);
            const minutes = ofDate.map(
              ({ start, end, breaks }) => end - start - breaks.reduce((sum, [from, to]) => sum + to - from, 0),
            );
            const time = times.get(date);
            const deducted = time?.deductedMinutes ?? 0;
            expect((time?.workedMinutes ?? 0) + deducted).toBe(minutes.reduce((sum, part) => sum + part, 0));
            expect(time?.workedMinutes ?? 0).toBeGreaterThanOrEqual(0);
            if (deducted > 0) counts.deducted += 1;
            for (const finding of findings) foundCodes.add(finding.code);
            counts.days += 1;
          }
          // Deducted is what the rule misses, of each working day as a whole.
          const sum = [...times.values()].reduce((total, time) => total + time.deductedMinutes, 0);
          expect(sum).toBe(deducts ? expectedDeduction : 0);
        },
      ),
      { numRuns: runs(400), seed: 20_261_122 },
    );
    expect([...foundCodes].sort()).toEqual([
      'break_missing',
      'daily_limit_exceeded',
      'daily_limit_near',
      'holiday_work',
      'rest_period_short',
      'sunday_work',
    ]);
    expect(counts.days).toBeGreaterThan(800);
    expect(counts.twice).toBeGreaterThan(6);
    expect(counts.deducted).toBeGreaterThan(15);
  });

  it('the working-time rules lose less than a minute of a date, for any number of entries', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * minute }), { minLength: 1, maxLength: 60 }), (lengths) => {
        let now = parseInstant('2026-11-17T05:00:00Z')!;
        const rows = lengths.map((duration) => {
          const row = {
            person_id: 1,
            date: '2026-11-17',
            start_at: now,
            end_at: now + duration,
            breaks: '[]',
            break_rules: null,
            young: 0 as const,
          };
          now += duration + 1_000;
          return row;
        });
        const { workedMinutes } = timeByDate(rows).get('2026-11-17')!;
        const findings = findingsOf({ timeZone: berlin, holidays, rules, workingDays: workingDaysOf(rows) });
        expect(workedMinutes).toBe(Math.floor(lengths.reduce((sum, duration) => sum + duration, 0) / minute));
        // The day and what the rules say of it never differ.
        const limit = findings.find((finding) => finding.code.startsWith('daily_limit'));
        if (limit !== undefined) expect(limit.actualMinutes).toBe(workedMinutes);
        else expect(workedMinutes).toBeLessThanOrEqual(480);
      }),
      { numRuns: runs(100), seed: 1 },
    );
  });
});
