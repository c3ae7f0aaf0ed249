/** The months of a person, and the entries of one of them. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { plusDays, plusMonths, useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { QueryState } from '../parts/page.js';
import { useWords } from '../words/words.js';

export function PersonTime({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const asked = new URLSearchParams(useSearch()).get('month') ?? '';
  const [month, setMonth] = useState(/^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : calendar.today.slice(0, 7));
  const from = `${month}-01`;
  const to = plusDays(`${plusMonths(month, 1)}-01`, -1);
  const days = useQuery({
    queryKey: ['days-of', id, from, to],
    queryFn: () => ask(client.GET('/app/people/{id}/days', { params: { path: { id }, query: { from, to } } })),
  });
  const entries = useQuery({
    queryKey: ['entries-of', id, from, to],
    queryFn: () =>
      ask(client.GET('/app/people/{id}/entries', { params: { path: { id }, query: { from, to, limit: 500 } } })),
  });
  const year = Number(month.slice(0, 4));
  const months = useQuery({
    queryKey: ['months-of', id, year],
    queryFn: () => ask(client.GET('/app/people/{id}/months', { params: { path: { id }, query: { year } } })),
  });
  const sum = months.data?.data.find((one) => one.month === month);
  return (
    <section className="panel" aria-label={words.person_tab_time}>
      <div className="panel-bar">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={words.calendar_previous}
          onClick={() => setMonth(plusMonths(month, -1))}
        >
          ‹
        </Button>
        <h2>{calendar.month(month)}</h2>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={words.calendar_next}
          onClick={() => setMonth(plusMonths(month, 1))}
        >
          ›
        </Button>
        <Link href={`/time/sheet?month=${month}&person=${String(id)}`}>{words.sheet_title}</Link>
        {sum !== undefined && (
          <span className="push">
            {words.report_balance}: <b>{calendar.signed(sum.balance_minutes)}</b>
          </span>
        )}
      </div>
      <QueryState of={days}>
        {({ data }) => {
          const shown = data.filter(
            (day) =>
              day.worked_minutes > 0 ||
              day.absence !== undefined ||
              day.holiday !== undefined ||
              day.target_minutes > 0,
          );
          return shown.length === 0 ? (
            <p className="panel-empty">{words.person_time_none}</p>
          ) : (
            <DaysTable days={shown} entries={entries.data?.data ?? []} />
          );
        }}
      </QueryState>
    </section>
  );
}

type Day = Schemas['DayBalance'];
type Entry = Schemas['TimeEntry'];

function DaysTable({
  days,
  entries,
}: {
  readonly days: readonly Day[];
  readonly entries: readonly Entry[];
}): ReactNode {
  const words = useWords();
  return (
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">{words.report_day}</th>
          <th scope="col">{words.report_times}</th>
          <th scope="col" className="number">
            {words.report_target}
          </th>
          <th scope="col" className="number">
            {words.report_worked}
          </th>
          <th scope="col" className="number">
            ±
          </th>
          <th scope="col">{words.report_note}</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <DayRow key={day.date} of={day} entries={entries.filter(({ date }) => date === day.date)} />
        ))}
      </tbody>
    </table>
  );
}

function DayRow({ of: day, entries }: { readonly of: Day; readonly entries: readonly Entry[] }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  return (
    <tr>
      <th scope="row">{calendar.day(day.date)}</th>
      <td data-label={words.report_times}>
        {entries
          .map(
            (entry) =>
              `${calendar.time(entry.start)} – ${entry.end === undefined ? words.approvals_open : calendar.time(entry.end)}`,
          )
          .join(', ')}
      </td>
      <td className="number" data-label={words.report_target}>
        {calendar.duration(day.target_minutes)}
      </td>
      <td className="number" data-label={words.report_worked}>
        {calendar.duration(day.worked_minutes)}
      </td>
      <td className="number" data-label="±">
        {calendar.signed(day.difference_minutes)}
      </td>
      <td>
        <bdi>{day.absence ?? day.holiday}</bdi>
        {(day.warnings ?? []).map((warning) => (
          <span className="flag" key={warning.code}>
            <Glyph name="warning" /> {warning.message}
            {warning.rule !== undefined && <small> ({warning.rule})</small>}
          </span>
        ))}
      </td>
    </tr>
  );
}
