/** The substitutes of an approver: named for some days, or for all absences of the approver. */
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Glyph } from '../parts/glyph.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

type Substitute = Schemas['Substitute'];
const key = ['substitutes'];

export function SubstitutesPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const refetch = () => void queries.invalidateQueries({ queryKey: key });
  const substitutes = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/me/substitutes')) });
  return (
    <Page title={words.substitutes_title} lead={words.substitutes_lead}>
      <QueryState of={substitutes}>
        {({ data }) => {
          const ownSubstitutes = data.filter(({ approver }) => approver.id === session.person.id);
          const otherSubstitutes = data.filter(({ approver }) => approver.id !== session.person.id);
          return (
            <>
              <section className="panel" aria-label={words.substitute_mine}>
                <h2 className="panel-head">{words.substitute_mine}</h2>
                {ownSubstitutes.length === 0 ? (
                  <p className="panel-empty">{words.substitute_mine_none}</p>
                ) : (
                  <ul className="rows">
                    {ownSubstitutes.map((substitute) => (
                      <Line key={substitute.id} of={substitute} name={substitute.substitute.name} onRemoved={refetch} />
                    ))}
                  </ul>
                )}
              </section>
              {otherSubstitutes.length > 0 && (
                <section className="panel" aria-label={words.substitute_others}>
                  <h2 className="panel-head">{words.substitute_others}</h2>
                  <ul className="rows">
                    {otherSubstitutes.map((substitution) => (
                      <Line key={substitution.id} of={substitution} name={substitution.approver.name} />
                    ))}
                  </ul>
                </section>
              )}
            </>
          );
        }}
      </QueryState>
      <NewSubstitute onNamed={refetch} />
    </Page>
  );
}

function Line({
  of: substitute,
  name,
  onRemoved,
}: {
  readonly of: Substitute;
  readonly name: string;
  readonly onRemoved?: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const { id, start_date: from, end_date: to, in_force } = substitute;
  const removing = useMutation({
    mutationFn: () => ask(client.DELETE('/app/me/substitutes/{id}', { params: { path: { id } } })),
    onSuccess: onRemoved ?? (() => undefined),
  });
  return (
    <li>
      <strong className="grow">
        <bdi>{name}</bdi>
      </strong>
      <small>{from === undefined || to === undefined ? words.substitute_while_away : calendar.span(from, to)}</small>
      {in_force && (
        <span className="badge" data-tone="ok">
          <Glyph name="check" /> {words.substitute_in_force}
        </span>
      )}
      {onRemoved !== undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`${words.substitute_remove}: ${name}`}
          loading={removing.isPending}
          onClick={() => removing.mutate()}
        >
          {words.substitute_remove}
        </Button>
      )}
      <ProblemNotice problem={removing.error} />
    </li>
  );
}

function NewSubstitute({ onNamed }: { readonly onNamed: () => void }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const candidates = useQuery({
    queryKey: ['substitute-candidates'],
    queryFn: () => ask(client.GET('/app/me/substitute-candidates')),
  });
  const [candidateId, setCandidateId] = useState('');
  const [period, setPeriod] = useState<'away' | 'span'>('away');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const substituteId = candidateId === '' ? candidates.data?.data[0]?.id : Number(candidateId);
  const naming = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/me/substitutes', {
          body: {
            user_id: substituteId!,
            ...(period === 'away' ? {} : { start_date: from, end_date: to === '' ? from : to }),
          },
        }),
      ),
    onSuccess: () => {
      setFrom('');
      setTo('');
      onNamed();
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (substituteId !== undefined && (period === 'away' || from !== '')) naming.mutate();
      }}
    >
      <h2>{words.substitute_new}</h2>
      <ProblemNotice
        problem={naming.error}
        labels={{ user_id: words.substitute_who, start_date: words.record_from, end_date: words.record_to }}
      />
      <QueryState of={candidates}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="hint">{words.substitute_nobody}</p>
          ) : (
            <>
              <div className="fields">
                <NativeSelect
                  label={words.substitute_who}
                  value={String(substituteId)}
                  onChange={(event) => setCandidateId(event.currentTarget.value)}
                  data={data.map(({ id, name }) => ({ value: String(id), label: name }))}
                />
                <NativeSelect
                  label={words.substitute_when}
                  value={period}
                  onChange={(event) => setPeriod(event.currentTarget.value as typeof period)}
                  data={(['away', 'span'] as const).map((value) => ({ value, label: words.substitute_whens[value] }))}
                />
                {period === 'span' && (
                  <>
                    <DayField label={words.record_from} value={from} onChange={setFrom} required min={calendar.today} />
                    <DayField label={words.record_to} description={words.record_to_help} value={to} onChange={setTo} />
                  </>
                )}
              </div>
              <div className="end">
                <Button type="submit" loading={naming.isPending}>
                  {words.substitute_add}
                </Button>
              </div>
            </>
          )
        }
      </QueryState>
    </form>
  );
}
