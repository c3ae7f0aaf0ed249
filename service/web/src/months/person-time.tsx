/** The months of a person, for their approver: the person's own month, in which corrections hold at once. */
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { dayIn, monthIn } from '../parts/address-dates.js';
import { useCalendar } from '../parts/calendar.js';
import type { Zone } from '../parts/zone.js';
import { ZoneNote } from '../parts/zone-note.js';
import { useWords } from '../words/words.js';
import { MonthArrows } from './month-arrows.js';
import { MonthDays } from './month-days.js';

/**
 * The month and the opened day stand in the address.
 * @param own true if it is the signed-in person: they ask as always
 */
export function PersonTime({
  id,
  zone,
  own,
  beside,
}: {
  readonly id: number;
  readonly zone: Zone;
  readonly own: boolean;
  /** Further actions on the month. */
  readonly beside?: (month: string) => ReactNode;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const [path, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const day = dayIn(search);
  const month = monthIn(search) ?? (day ?? calendar.today).slice(0, 7);
  const show = (shownMonth: string, open?: string) => {
    search.set('month', shownMonth);
    if (open === undefined) search.delete('day');
    else search.set('day', open);
    // Another month is a step that Back takes back, an opened day is not.
    go(`${path}?${search}`, { replace: shownMonth === month });
  };
  return (
    <section className="stack" aria-label={words.person_tab_time}>
      <ZoneNote zone={zone} />
      <div className="toolbar">
        <span className="period">
          <MonthArrows month={month} onMove={show} />
          <h2>{calendar.month(month)}</h2>
        </span>
        <Link className="button push" href={`/time/sheet?month=${month}&person=${id}`}>
          {words.sheet_title}
        </Link>
        {beside?.(month)}
      </div>
      <MonthDays
        key={month}
        person={id}
        zone={zone}
        own={own}
        month={month}
        today={calendar.today}
        open={day}
        onOpen={(openDay) => show(month, openDay)}
      />
    </section>
  );
}
