/** The times in which working-time law has special rules for a person. */
import { Button, NativeSelect, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Changing } from '../parts/own-record.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

type Rule = Schemas['SpecialRule'];

const kinds = ['young', 'expectant_or_nursing', 'minijob'] as const;

/** One special rule as a line: its kind and its duration. */
export function SpecialRuleFacts({ rule }: { readonly rule: Rule }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <>
      <strong>{words.special_kinds[rule.kind]}</strong>
      <span className="grow">{rule.evening_work && words.special_evenings}</span>
      <small>
        {rule.valid_to === undefined
          ? words.schedule_from(calendar.fullDay(rule.valid_from))
          : calendar.span(rule.valid_from, rule.valid_to)}
      </small>
    </>
  );
}

export function SpecialRules({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const key = ['special-rules', id];
  const rules = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/people/{id}/special-rules', { params: { path: { id } } })),
  });
  const [kind, setKind] = useState<Rule['kind']>('young');
  const [from, setFrom] = useState(calendar.today);
  const [to, setTo] = useState('');
  const [evenings, setEvenings] = useState(false);
  const refetch = () => void queries.invalidateQueries({ queryKey: key });
  const adding = useMutation({
    mutationFn: (body: Schemas['SpecialRuleInput']) =>
      ask(client.POST('/app/admin/people/{id}/special-rules', { params: { path: { id } }, body })),
    onSuccess: refetch,
  });
  const removing = useMutation({
    mutationFn: (rule: string) =>
      ask(
        client.DELETE('/app/admin/people/{id}/special-rules/{special_rule_id}', {
          params: { path: { id, special_rule_id: rule } },
        }),
      ),
    onSuccess: refetch,
  });
  const isExpectant = kind === 'expectant_or_nursing';
  return (
    <>
      <section className="panel" aria-label={words.special_title}>
        <h2 className="panel-head">{words.special_title}</h2>
        <ProblemNotice problem={removing.error} />
        <QueryState of={rules}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="panel-empty">{words.special_none}</p>
            ) : (
              <ul className="rows">
                {data.map((rule) => (
                  <li key={rule.id}>
                    <SpecialRuleFacts rule={rule} />
                    <Changing>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => removing.mutate(rule.id)}>
                        {words.schedule_remove}
                      </Button>
                    </Changing>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryState>
        <p className="hint panel-note">{words.special_text}</p>
      </section>
      <Changing>
        <form
          className="panel form-card"
          onSubmit={(event) => {
            event.preventDefault();
            if (from !== '')
              adding.mutate({
                kind,
                valid_from: from,
                ...(to === '' ? {} : { valid_to: to }),
                evening_work: isExpectant && evenings,
              });
          }}
        >
          <h2>{words.special_new}</h2>
          <ProblemNotice
            problem={adding.error}
            labels={{
              kind: words.special_kind,
              valid_from: words.special_from,
              valid_to: words.special_to,
              evening_work: words.special_evenings,
            }}
          />
          <div className="fields">
            <NativeSelect
              label={words.special_kind}
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as Rule['kind'])}
              data={kinds.map((value) => ({ value, label: words.special_kinds[value] }))}
            />
            <DayField label={words.special_from} value={from} onChange={setFrom} required />
            <DayField label={words.special_to} value={to} onChange={setTo} />
          </div>
          {isExpectant && (
            <Switch
              label={words.special_evenings}
              description={words.special_evenings_help}
              checked={evenings}
              onChange={(event) => setEvenings(event.currentTarget.checked)}
            />
          )}
          <Done>{adding.isSuccess ? words.saved : undefined}</Done>
          <div className="end">
            <Button type="submit" variant="default" loading={adding.isPending}>
              {words.special_add}
            </Button>
          </div>
        </form>
      </Changing>
    </>
  );
}
