import { parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { timeByDate } from './work-of-day.js';

const [evening, night, lateNight] = ['2026-11-16', '2026-11-17', '2026-11-18'] as const;
const entry = (date: string, from: string, to: string) => ({
  person_id: 1,
  date,
  start_at: parseInstant(`${date}T${from}:00Z`)!,
  end_at: parseInstant(`${date}T${to}:00Z`)!,
  breaks: '[]',
  break_rules: 'DE',
  young: 0 as const,
});

describe('breaks that were not taken', () => {
  it.each([
    ['before midnight alone', [entry(evening, '15:55', '23:55')], [30, 0]],
    ['after midnight alone', [entry(evening, '18:55', '23:55'), entry(night, '00:05', '03:05')], [0, 30]],
    ['on both dates', [entry(evening, '15:55', '23:55'), entry(night, '00:05', '02:05')], [30, 15]],
    [
      'on no date, since the pause at midnight counts',
      [entry(evening, '15:45', '23:45'), entry(night, '00:30', '02:00')],
      [0, 0],
    ],
    [
      'in part, since the pause at midnight counts',
      [entry(evening, '15:50', '23:50'), entry(night, '00:10', '01:00')],
      [10, 0],
    ],
    [
      'in two working days of a date',
      [entry(night, '00:00', '07:00'), entry(night, '18:30', '23:59'), entry(lateNight, '00:05', '02:00')],
      [30, 30],
    ],
  ] as const)('are deducted %s', (_, entries, expected) => {
    const times = timeByDate(entries);
    const dates = [...new Set([entries[0].date, night, lateNight])].slice(0, 2);
    expect(dates.map((date) => times.get(date)?.deductedMinutes ?? 0)).toEqual(expected);
  });
});
