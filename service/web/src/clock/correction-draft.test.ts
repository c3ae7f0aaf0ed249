import { describe, expect, it } from '@jest/globals';
import { calendarFormats } from '../parts/calendar.js';
import { en } from '../words/en.js';
import { type Draft, faultsIn, minutesOf, timesOf } from './correction-draft.js';

const calendar = calendarFormats('en', 'Europe/Berlin');
const draft = (gap: readonly [string, string], ...breaks: (readonly [string, string])[]): Draft => ({
  start: '08:00',
  end: '17:00',
  breaks: breaks.map(([start, end]) => ({ start, end })),
  gap: { start: gap[0], end: gap[1] },
  reason: 'Dentist',
});

describe('an entry that is split', () => {
  it('becomes two entries, each with its breaks', () => {
    const split = draft(['12:00', '13:30'], ['09:00', '09:15'], ['13:30', '13:45']);
    expect(timesOf(split, '2026-12-01', calendar)).toEqual([
      {
        start: '2026-12-01T07:00:00Z',
        end: '2026-12-01T11:00:00Z',
        breaks: [{ start: '2026-12-01T08:00:00Z', end: '2026-12-01T08:15:00Z' }],
      },
      {
        start: '2026-12-01T12:30:00Z',
        end: '2026-12-01T16:00:00Z',
        breaks: [{ start: '2026-12-01T12:30:00Z', end: '2026-12-01T12:45:00Z' }],
      },
    ]);
    expect(minutesOf(split)).toBe(9 * 60 - 90 - 30);
    expect(Object.values(faultsIn(split, en)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('can begin again after midnight', () => {
    const night = { ...draft(['23:30', '01:00']), start: '22:00', end: '06:00' };
    expect(timesOf(night, '2026-12-01', calendar)).toMatchObject([
      { start: '2026-12-01T21:00:00Z', end: '2026-12-01T22:30:00Z' },
      { start: '2026-12-02T00:00:00Z', end: '2026-12-02T05:00:00Z' },
    ]);
  });

  it.each([
    ['that begins with it', draft(['08:00', '09:00'])],
    ['that ends with it', draft(['16:00', '17:00'])],
    ['that ends before it begins', draft(['13:00', '12:00'])],
    ['outside of it', draft(['17:30', '18:00'])],
    ['over a break', draft(['12:00', '13:30'], ['13:00', '14:00'])],
  ])('has no time between the two %s', (_, wrong) => {
    expect(faultsIn(wrong, en).gap).toBe(en.correction_gap_outside);
  });

  it('needs both times', () => {
    expect(faultsIn(draft(['12:00', '']), en).gap).toBe(en.correction_time_needed);
  });

  it('says of a break outside of the entry what is wrong with the break alone', () => {
    expect(faultsIn(draft(['12:00', '13:00'], ['18:00', '19:00']), en)).toMatchObject({
      breaks: en.correction_breaks_outside,
      gap: undefined,
    });
  });
});
