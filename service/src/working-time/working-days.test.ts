import { parseInstant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { utc } from '@clockproof/platform/time/zone';
import { describe, expect, it } from '@jest/globals';
import { holidaysIn } from './holidays.js';
import { evaluateDay, generalRulesOn } from './rules.js';
import { workingDaysOf } from './working-days.js';

const at = (text: string) => parseInstant(`2026-11-${text}:00Z`)!;
/** `['10T20:00', '10T23:50']`: November, UTC. */
const row = ([start, end]: readonly [string, string]) => ({
  date: localDateAt(at(start), utc),
  start_at: at(start),
  end_at: at(end),
});
type Times = readonly [start: string, end: string][];

/** `10: 20:00 00:10`: the date of a working day, and when its entries begin. */
const daysOf = (times: Times) =>
  workingDaysOf(times.map(row)).map(
    ({ date, rows }) =>
      `${date.slice(8)}: ${rows.map(({ start_at }) => new Date(start_at).toISOString().slice(11, 16)).join(' ')}`,
  );

describe('a working day', () => {
  it.each<[string, Times, string[]]>([
    [
      'goes on after midnight where the pause is shorter than three hours',
      [
        ['10T20:00', '10T23:50'],
        ['11T02:49', '11T04:00'],
      ],
      ['10: 20:00 02:49'],
    ],
    [
      'does not go on after midnight and a pause of three hours',
      [
        ['10T20:00', '10T23:50'],
        ['11T02:50', '11T04:00'],
      ],
      ['10: 20:00', '11: 02:50'],
    ],
    [
      'goes on within a date after a pause of less than eleven hours',
      [
        ['10T06:00', '10T08:00'],
        ['10T18:59', '10T23:00'],
        ['11T00:10', '11T04:10'],
      ],
      ['10: 06:00 18:59 00:10'],
    ],
    [
      'ends with eleven hours without work, also within a date',
      [
        ['10T06:00', '10T08:00'],
        ['10T19:00', '10T23:00'],
      ],
      ['10: 06:00', '10: 19:00'],
    ],
    [
      'is each night of a baker who begins around midnight',
      [
        ['10T00:05', '10T07:30'],
        ['10T23:50', '11T07:30'],
        ['12T00:10', '12T07:30'],
      ],
      ['10: 00:05', '10: 23:50', '12: 00:10'],
    ],
    [
      'begins after the night that reached into the date',
      [
        ['10T20:00', '10T23:50'],
        ['11T00:10', '11T04:10'],
        ['11T12:00', '11T16:00'],
      ],
      ['10: 20:00 00:10', '11: 12:00'],
    ],
    [
      'ends 24 hours after it began, however short the pauses',
      [
        ['10T08:00', '10T18:00'],
        ['10T20:00', '11T05:00'],
        ['11T07:59', '11T09:00'],
        ['11T09:30', '11T10:00'],
      ],
      ['10: 08:00 20:00 07:59', '11: 09:30'],
    ],
    [
      'does not take an entry that begins after 24 hours',
      [
        ['10T08:00', '11T07:00'],
        ['11T08:00', '11T09:00'],
      ],
      ['10: 08:00', '11: 08:00'],
    ],
  ])('a working day takes its entries: %s', (_, times, expected) => {
    expect(daysOf(times)).toEqual(expected);
  });

  it('a working day rests since the end of the work before it, which the entries may not show', () => {
    const rows = [row(['10T20:00', '10T23:50']), row(['11T12:00', '11T16:00'])];
    const restsSince = (previousEnd?: number) => workingDaysOf(rows, previousEnd).map((day) => day.previousEnd);
    expect(restsSince()).toEqual([undefined, at('10T23:50')]);
    expect(restsSince(at('09T18:00'))).toEqual([at('09T18:00'), at('10T23:50')]);
  });

  it('an evening and a morning after it are not one working day of 15 hours', () => {
    const rules = generalRulesOn('DE', '2026-11-10')!;
    const minutes = (times: Times) =>
      workingDaysOf(times.map(row)).map(({ date, rows }) => {
        const work = rows.map(({ start_at: start, end_at: end }) => ({ start, end, breaks: [] }));
        const findings = evaluateDay(rules, { date, timeZone: utc, holidays: holidaysIn('DE', null), work });
        return findings.find(({ code }) => code.startsWith('daily_limit'))?.actualMinutes;
      });
    // Seven hours, and of eight hours from 22:00 the seven until five o'clock.
    expect(
      minutes([
        ['10T05:00', '10T12:00'],
        ['10T22:00', '11T06:00'],
      ]),
    ).toEqual([840]);
    expect(
      minutes([
        ['10T00:05', '10T07:30'],
        ['10T23:50', '11T07:30'],
      ]),
    ).toEqual([undefined, undefined]);
    expect(minutes([['10T06:00', '11T12:00']])).toEqual([1_440]);
  });
});
