/** The time account of a person up to a day: the balance on it, and the lines that led to it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Icon } from '../parts/icon.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { AccountStatement } from './account-statement.js';

export function TimeAccount({
  id,
  zone,
  onCancel,
}: {
  readonly id: number;
  readonly zone: Zone;
  readonly onCancel?: (line: Schemas['TimeAccountLine']) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const [until, setUntil] = useState(calendar.today);
  const year = Number(until.slice(0, 4));
  const turn = (to: number) =>
    setUntil(to === Number(calendar.today.slice(0, 4)) ? calendar.today : `${String(to)}-12-31`);
  const query = { from: `${String(year)}-01-01`, to: until };
  const params = { path: { id }, query };
  const account = useQuery({
    queryKey: ['time-account', id, until],
    queryFn: () => ask(client.GET('/app/people/{id}/time-account', { params })),
  });
  const saving = useMutation({
    mutationFn: async () => {
      const content = await ask<Blob>(client.GET('/app/people/{id}/time-account/table', { params, parseAs: 'blob' }));
      saveFile(`${words.account_file}-${query.from}-${query.to}.csv`, content);
    },
  });
  return (
    <section className="panel" aria-label={words.time_account_title}>
      <div className="panel-bar account-bar">
        <span className="period">
          <button
            type="button"
            className="button square"
            aria-label={words.period_before}
            onClick={() => turn(year - 1)}
          >
            <Icon name="left" />
          </button>
          <b>{year}</b>
          <button
            type="button"
            className="button square"
            aria-label={words.period_after}
            onClick={() => turn(year + 1)}
          >
            <Icon name="right" />
          </button>
        </span>
        <DayField
          label={words.account_until}
          value={until}
          onChange={(day) => setUntil(day === '' ? calendar.today : day)}
          required
        />
        <button type="button" className="button push" disabled={saving.isPending} onClick={() => saving.mutate()}>
          CSV
        </button>
      </div>
      <ProblemNotice problem={saving.error} />
      <QueryState of={account}>
        {(statement) => (
          <>
            <Standing of={statement} />
            <AccountStatement of={statement} zone={zone} onCancel={onCancel} />
          </>
        )}
      </QueryState>
    </section>
  );
}

/** The balance on the day, and its limits. */
function Standing({ of }: { readonly of: Schemas['TimeAccount'] }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const { balance_minutes: balance, upper_minutes: upper, lower_minutes: lower } = of;
  const figures: readonly (readonly [string, string])[] = [
    [words.account_balance_on(calendar.day(of.to)), calendar.signed(balance)],
    ...(upper === undefined ? [] : [[words.limits_upper, calendar.signed(upper)] as const]),
    ...(lower === undefined ? [] : [[words.limits_lower, calendar.signed(lower)] as const]),
  ];
  return (
    <>
      <dl className="figures plain-figures">
        {figures.map(([label, figure], index) => (
          <div key={label} className="figure" data-strong={index === 0 ? '' : undefined}>
            <dt>{label}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      {upper !== undefined && balance > upper && (
        <p className="notice warn">{words.limits_above(calendar.duration(balance - upper), of.at_upper === 'cut')}</p>
      )}
      {lower !== undefined && balance < lower && (
        <p className="notice warn">{words.limits_below(calendar.duration(lower - balance))}</p>
      )}
    </>
  );
}
