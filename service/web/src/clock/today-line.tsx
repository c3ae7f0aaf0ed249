/** On the start page, below the clock: the day so far as a bar, and its stamps. */
import type { ReactNode } from 'react';
import { useCalendar } from '../parts/calendar.js';
import { DayBar, windowOf } from '../parts/day-bar.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type Entry, partsOf } from './entries.js';

/** @param workedMs milliseconds so far */
export default function TodayLine({
  entries,
  now,
  workedMs,
}: {
  readonly entries: readonly Entry[];
  readonly now: number;
  readonly workedMs: number;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const parts = partsOf(entries, calendar, now);
  return (
    <div className="today-line">
      <DayBar
        parts={parts}
        within={windowOf(parts)}
        label={words.today_line(
          entries.map(
            ({ start, end }) => `${calendar.since(start)} – ${end === undefined ? words.now : calendar.clock(end)}`,
          ),
          calendar.duration(Math.floor(workedMs / 60_000)),
        )}
      />
      <ul className="stamps-of-today">
        {entries
          .flatMap(({ stamps = [] }) => stamps)
          .map(({ action, at }) => (
            <li key={`${action}${at}`}>
              <b>{calendar.clock(at)}</b> {words.stamp_actions[action]}
            </li>
          ))}
      </ul>
    </div>
  );
}
