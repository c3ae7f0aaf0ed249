/** The public holidays of the company's region. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useCalendar } from '../parts/calendar.js';
import { QueryState } from '../parts/page.js';
import { useWords } from '../words/words.js';

export function Holidays({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const thisYear = Number(calendar.today.slice(0, 4));
  const [year, setYear] = useState(thisYear);
  const holidays = useQuery({
    queryKey: ['rules', 'holidays', id, year],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/holidays', { params: { path: { id }, query: { year } } })),
  });
  return (
    <section className="panel" aria-label={words.rules_holidays}>
      <div className="panel-bar">
        <NativeSelect
          aria-label={words.entitlement_year}
          value={String(year)}
          onChange={(event) => setYear(Number(event.currentTarget.value))}
          data={[thisYear - 1, thisYear, thisYear + 1, thisYear + 2].map(String)}
        />
        <span className="hint">{words.holidays_text}</span>
      </div>
      <QueryState of={holidays}>
        {({ data }) => (
          <ul className="rows">
            {data.map((holiday) => (
              <li key={holiday.date}>
                <span className="grow">
                  <bdi>{holiday.name}</bdi>
                </span>
                {holiday.half_day && <small>{words.holidays_half}</small>}
                <span>{calendar.fullDay(holiday.date)}</span>
              </li>
            ))}
          </ul>
        )}
      </QueryState>
    </section>
  );
}
