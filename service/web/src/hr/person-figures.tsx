/** The open account between a person and the company: the balance and the rest of the vacation. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export function PersonFigures({ person }: { readonly person: Schemas['Person'] }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(person));
  const { id } = person;
  const year = Number(calendar.today.slice(0, 4));
  const months = useQuery({
    queryKey: ['months-of', id, year],
    queryFn: () => ask(client.GET('/app/people/{id}/months', { params: { path: { id }, query: { year } } })),
  });
  const vacation = useQuery({
    queryKey: ['vacation-of', id, year],
    queryFn: () => ask(client.GET('/app/people/{id}/vacation', { params: { path: { id }, query: { year } } })),
  });
  const month = months.data?.data.find((row) => row.month === calendar.today.slice(0, 7));
  return (
    <dl className="figures">
      <div className="figure">
        <dt>{words.person_balance}</dt>
        <dd>{month === undefined ? '–' : calendar.signed(month.balance_minutes)}</dd>
      </div>
      <div className="figure">
        <dt>{words.approvals_left}</dt>
        <dd>{vacation.data === undefined ? '–' : calendar.days(vacation.data.left_days)}</dd>
      </div>
    </dl>
  );
}
