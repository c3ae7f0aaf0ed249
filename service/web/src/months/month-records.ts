/** The data of a month: one's own, or that of a person for whom one decides. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import type { DayRow } from '../clock/day-row.js';
import { useEntries } from '../clock/entries.js';
import { plusDays, plusMonths, useCalendar } from '../parts/calendar.js';
import type { Zone } from '../parts/zone.js';
import { rowsOf } from './month-rows.js';

export interface WhoseMonth {
  readonly person: number;
  /** Zone of the person's company. */
  readonly zone: Zone;
  /** Whether the month is the signed-in person's own. */
  readonly own: boolean;
  /** `YYYY-MM` */
  readonly month: string;
  /** Today's date in that zone. */
  readonly today: string;
}

export interface MonthRecords {
  readonly rows: readonly DayRow[];
  /** Undefined until it is known, and if the company does not show it. */
  readonly sum: Schemas['MonthBalance'] | undefined;
  /** The first query without an answer: without it a day would seem to have less than it has. */
  readonly pending: UseQueryResult<unknown>;
  readonly problem: unknown;
}

export function useMonthRecords({ person, zone, own, month, today }: WhoseMonth): MonthRecords {
  const calendar = useCalendar(zone);
  const from = `${month}-01`;
  const to = plusDays(`${plusMonths(month, 1)}-01`, -1);
  const year = Number(month.slice(0, 4));
  const path = { id: person };
  const days = useQuery({
    queryKey: own ? ['my-days', from, to] : ['days-of', person, from, to],
    queryFn: () =>
      ask(
        own
          ? client.GET('/app/me/days', { params: { query: { from, to } } })
          : client.GET('/app/people/{id}/days', { params: { path, query: { from, to } } }),
      ),
  });
  const entries = useEntries(from, to, own ? undefined : person);
  const months = useQuery({
    queryKey: own ? ['my-months', year] : ['months-of', person, year],
    queryFn: () =>
      ask(
        own
          ? client.GET('/app/me/months', { params: { query: { year } } })
          : client.GET('/app/people/{id}/months', { params: { path, query: { year } } }),
      ),
  });
  const corrections = useQuery({
    queryKey: own ? ['my-corrections'] : ['approvals', 'corrections-of', person],
    queryFn: () => (own ? fetchOwnCorrections() : fetchWaitingCorrections(person)),
  });
  const sum = months.data?.data.find((row) => row.month === month);
  const hasBookings = sum !== undefined && sum.booked_minutes !== 0;
  const account = useQuery({
    queryKey: ['time-account', person, month],
    queryFn: () => ask(client.GET('/app/people/{id}/time-account', { params: { path, query: { from, to } } })),
    enabled: hasBookings,
  });
  const bookings = hasBookings ? account.data?.lines.filter(({ kind }) => kind !== 'month') : noLines;
  const rows = useMemo(
    () =>
      rowsOf(
        {
          days: days.data?.data ?? [],
          entries: entries.data ?? [],
          corrections: corrections.data ?? [],
          month: sum,
          bookings,
        },
        today,
        calendar,
      ),
    [days.data, entries.data, corrections.data, sum, bookings, today, calendar],
  );
  const requiredQueries: readonly UseQueryResult<unknown>[] = [days, entries, corrections];
  return {
    rows,
    sum,
    pending: requiredQueries.find(({ data }) => data === undefined) ?? days,
    problem: isSwitchedOff(months.error) ? null : months.error,
  };
}

const noLines: readonly Schemas['TimeAccountLine'][] = [];

async function fetchOwnCorrections(): Promise<readonly Schemas['Correction'][]> {
  return (await ask(client.GET('/app/me/corrections', { params: { query: { limit: 200 } } }))).data;
}

async function fetchWaitingCorrections(person: number): Promise<readonly Schemas['Correction'][]> {
  const query = { kind: 'correction', user_id: person, limit: 200 } as const;
  const { data } = await ask(client.GET('/app/approvals', { params: { query } }));
  return data.flatMap(({ correction }) => (correction === undefined ? [] : [correction]));
}

/** A company may hide the sums of others from everyone. */
function isSwitchedOff(problem: unknown): boolean {
  return problem instanceof Problem && problem.code === 'evaluation_off';
}
