/** A person's own months. */
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useOverview } from '../clock/entries.js';
import { dayIn, monthIn } from '../parts/address-dates.js';
import { useCalendar } from '../parts/calendar.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { useOwnZone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { MonthArrows } from './month-arrows.js';
import { MonthDays } from './month-days.js';

export function MonthPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const overview = useOverview();
  const today = overview.data?.today.date ?? calendar.today;
  const day = dayIn(search);
  const month = monthIn(search) ?? (day ?? today).slice(0, 7);
  const show = (parameters: Readonly<Record<string, string | undefined>>, replace = false) => {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) if (value !== undefined) query.set(key, value);
    go(query.size === 0 ? '/time' : `/time?${query}`, { replace });
  };
  return (
    <Page
      title={calendar.month(month)}
      beside={
        <span className="period">
          <MonthArrows month={month} onMove={(shownMonth) => show({ month: shownMonth })} />
          {month !== today.slice(0, 7) && (
            <button type="button" className="button quiet" onClick={() => show({})}>
              {words.month_present}
            </button>
          )}
        </span>
      }
      action={
        <Link className="button" href={`/time/sheet?month=${month}`}>
          {words.sheet_title}
        </Link>
      }
    >
      <MonthDays
        key={month}
        person={session.person.id}
        zone={zoneOf(session.company)}
        own
        month={month}
        today={today}
        open={day}
        onOpen={(openDay) => show({ month, day: openDay }, true)}
        vacation={overview.data?.vacation}
      />
    </Page>
  );
}
