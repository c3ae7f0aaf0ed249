import { parseInstant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { utc } from '@clockproof/platform/time/zone';
import { describe, expect, it } from '@jest/globals';
import { lastWorkingDay, readContinuation, workingDayOf } from './working-days.js';

const timeZone = utc;
const at = (text: string) => parseInstant(`2026-11-${text}:00Z`)!;
/** `['10T20:00', '10T23:50']`: November, UTC. */
const row = ([start, end]: readonly [string, string]) => ({
  date: localDateAt(at(start), timeZone),
  start_at: at(start),
  end_at: at(end),
});
const evening = row(['10T20:00', '10T23:50']);
const night = row(['11T00:10', '11T04:10']);

describe('a working day', () => {
  it('goes on after midnight where the pause is shorter than three hours, and not where it is longer', () => {
    expect(workingDayOf([evening], undefined, [night]).rows).toEqual([evening, night]);
    expect(workingDayOf([night], evening.end_at, []).rows).toEqual([]);
    const [inTime, late] = [row(['11T02:49', '11T04:00']), row(['11T02:50', '11T04:00'])];
    expect(workingDayOf([evening], undefined, [inTime]).rows).toEqual([evening, inTime]);
    expect(workingDayOf([evening], undefined, [late]).rows).toEqual([evening]);
    expect(workingDayOf([late], evening.end_at, [])).toEqual({ rows: [late], previousEnd: evening.end_at });
  });

  it('is everything that began on one date, however long the pause', () => {
    const [early, late] = [row(['10T06:00', '10T08:00']), row(['10T19:00', '10T23:00'])];
    expect(workingDayOf([early, late], undefined, [night]).rows).toEqual([early, late, night]);
    expect(lastWorkingDay([early, late, night], undefined).rows).toEqual([early, late, night]);
  });

  it('begins after the night that reached into the date, and rests since its end', () => {
    const noon = row(['11T12:00', '11T16:00']);
    expect(workingDayOf([night, noon], evening.end_at, [])).toEqual({ rows: [noon], previousEnd: night.end_at });
    expect(lastWorkingDay([evening, night, noon], at('10T06:00'))).toEqual({
      rows: [noon],
      previousEnd: night.end_at,
    });
    expect(lastWorkingDay([evening, night], at('10T06:00'))).toEqual({
      rows: [evening, night],
      previousEnd: at('10T06:00'),
    });
  });

  it('is read on only while it may continue', async () => {
    const asked: string[] = [];
    const rows = [night, row(['11T06:00', '11T23:00']), row(['12T00:30', '12T03:00']), row(['12T08:00', '12T09:00'])];
    const later = (end: string) =>
      readContinuation({ date: '2026-11-10', end: at(end), timeZone }, async (date) => {
        asked.push(date);
        return rows.filter((one) => one.date === date);
      });
    expect(await later('10T23:50')).toEqual(rows.slice(0, 3));
    expect(asked).toEqual(['2026-11-11', '2026-11-12']);
    expect(await later('10T21:00')).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});
