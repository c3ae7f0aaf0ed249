/** The entries of a month that lack a clock-out, each corrected where it stands. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { CorrectionForm } from '../clock/correction-form.js';
import { EntryRecord } from '../clock/entry-record.js';
import { plusDays, plusMonths, useCalendar } from '../parts/calendar.js';
import { Icon } from '../parts/icon.js';
import { QueryState } from '../parts/page.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

/** The most entries that one request lists. */
const mostRows = 500;

export function OpenEntries({
  month,
  company,
  zone,
  count,
  onMade,
}: {
  readonly month: string;
  readonly company: number;
  readonly zone: Zone;
  /** The number of entries that keep the month open, including those that this page cannot correct. */
  readonly count: number;
  readonly onMade: OpenEntryProps['onMade'];
}): ReactNode {
  const words = useWords();
  const entries = useQuery({
    queryKey: ['without-end', company, month],
    queryFn: async () => {
      const span = { from: `${month}-01`, to: plusDays(`${plusMonths(month, 1)}-01`, -1) };
      const query = { ...span, company_id: company, without_end: true, limit: mostRows };
      return (await ask(client.GET('/app/team/entries', { params: { query } }))).data;
    },
  });
  return (
    <li className="open-entries">
      <QueryState of={entries}>
        {(rows) => (
          <>
            <ul className="rows">
              {rows.map((row) => (
                <OpenEntry key={row.entry.id} of={row} zone={zone} onMade={onMade} />
              ))}
            </ul>
            {rows.length < Math.min(count, mostRows) && <p className="hint">{words.months_open_rest}</p>}
          </>
        )}
      </QueryState>
    </li>
  );
}

interface OpenEntryProps {
  readonly of: Schemas['TeamEntry'];
  readonly zone: Zone;
  /** @param ids of the corrections */
  readonly onMade: (ids: readonly string[]) => void;
}

function OpenEntry({ of: { person, entry }, zone, onMade }: OpenEntryProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const [open, setOpen] = useState(false);
  const day = calendar.day(entry.date);
  return (
    <li>
      <span className="grow">
        <Link href={`/company/people/${person.id}?tab=time&day=${entry.date}`} className="link">
          <bdi>{person.name}</bdi>
        </Link>{' '}
        <small>
          {day}, {calendar.clock(entry.start)} – {words.no_clock_out}
        </small>
      </span>
      <button
        type="button"
        className="button small"
        aria-expanded={open}
        aria-label={words.several_choose(person.name, day)}
        onClick={() => setOpen(!open)}
      >
        {words.correct} <Icon name={open ? 'down' : 'right'} />
      </button>
      {open && (
        <div className="day-detail">
          <EntryRecord entry={entry} zone={zone} personId={person.id} />
          <CorrectionForm entry={entry} date={entry.date} zone={zone} personId={person.id} onSent={onMade} />
        </div>
      )}
    </li>
  );
}
