/** The demo always has a month to close, whatever the day. */
import { addDays, type LocalDate, monthOf } from '@clockproof/platform/time/local-date';
import { expect, it } from '@jest/globals';
import { firstDayOfStory } from '../demo/calendar.js';

it('the story of the demo begins in a month that has been over for ten days', () => {
  const days = Array.from({ length: 4 * 366 }, (_, index) => addDays('2026-01-01' as LocalDate, index));
  expect(days.filter((today) => monthOf(firstDayOfStory(today)) >= monthOf(addDays(today, -10)))).toEqual([]);
  expect(days.filter((today) => firstDayOfStory(today) > addDays(today, -21))).toEqual([]);
});
