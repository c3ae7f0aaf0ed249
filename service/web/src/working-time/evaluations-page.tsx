/** The records about people, their readers, and the existing evaluations: for everyone, and to print. */
import { Button, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { holds, type Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { useFormats } from '../parts/formats.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { SpecialRuleFacts } from './special-rules.js';

type Overview = Schemas['EvaluationOverview'];

const key = ['evaluations'];

export function EvaluationsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const overview = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/evaluations')) });
  return (
    <Page
      title={words.evaluations_title}
      lead={words.evaluations_lead}
      action={
        <Button className="no-print" variant="default" onClick={() => window.print()}>
          {words.months_print}
        </Button>
      }
    >
      <QueryState of={overview}>
        {(evaluationsOverview) => (
          <>
            <Evaluations
              overview={evaluationsOverview}
              zone={zoneOf(session.company)}
              maySwitch={holds(session, 'company_admin')}
            />
            <Recorded />
            <AboutYou rules={evaluationsOverview.special_rules} />
            <Readers overview={evaluationsOverview} />
            <ProvenMonths overview={evaluationsOverview} zone={zoneOf(session.company)} />
            <OwnChanges overview={evaluationsOverview} zone={zoneOf(session.company)} />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function Evaluations({
  overview,
  zone,
  maySwitch,
}: {
  readonly overview: Overview;
  readonly zone: Zone;
  readonly maySwitch: boolean;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(zone);
  const queries = useQueryClient();
  const switching = useMutation({
    mutationFn: ({ evaluation, enabled }: Pick<Schemas['EvaluationSwitch'], 'evaluation' | 'enabled'>) =>
      ask(
        client.PUT('/app/admin/companies/{id}/evaluations/{evaluation}', {
          params: { path: { id: overview.company.id, evaluation } },
          body: { enabled },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <section className="panel evaluations" aria-label={words.evaluations_switches}>
      <h2 className="panel-head">{words.evaluations_switches}</h2>
      <ProblemNotice problem={switching.error} />
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{words.evaluations_one}</th>
            <th scope="col">{words.evaluations_what}</th>
            <th scope="col">{words.evaluations_state}</th>
          </tr>
        </thead>
        <tbody>
          {overview.evaluations.map(({ evaluation, enabled: isEnabled, changed_at: changedAt }) => {
            const [name, what] = words.evaluations_names[evaluation];
            return (
              <tr key={evaluation}>
                <th scope="row">{name}</th>
                <td className="wrap" data-label={words.evaluations_what}>
                  {what}
                </td>
                <td data-label={words.evaluations_state}>
                  {maySwitch && (
                    <Switch
                      className="no-print"
                      aria-label={name}
                      checked={isEnabled}
                      onChange={(event) => switching.mutate({ evaluation, enabled: event.currentTarget.checked })}
                    />
                  )}
                  {isEnabled ? words.evaluations_on : words.evaluations_off}
                  {changedAt !== undefined && <small> {words.evaluations_since(formats.day(changedAt))}</small>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="hint panel-note">{words.evaluations_own}</p>
    </section>
  );
}

/** Tells whether closing has left a person out. */
function ProvenMonths({ overview, zone }: { readonly overview: Overview; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  if (overview.proven_months.length === 0) return null;
  return (
    <section className="panel evaluations" aria-label={words.evaluations_proven}>
      <h2 className="panel-head">{words.evaluations_proven}</h2>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{words.evaluations_month}</th>
            <th scope="col">{words.evaluations_with_times}</th>
            <th scope="col">{words.evaluations_with_proof}</th>
          </tr>
        </thead>
        <tbody>
          {overview.proven_months.map(({ month, with_times, with_proof }) => (
            <tr key={month}>
              <th scope="row">{calendar.month(month)}</th>
              <td data-label={words.evaluations_with_times}>{with_times}</td>
              <td data-label={words.evaluations_with_proof}>{with_proof}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Recorded(): ReactNode {
  const words = useWords();
  return (
    <section className="panel evaluations" aria-label={words.evaluations_recorded}>
      <h2 className="panel-head">{words.evaluations_recorded}</h2>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{words.evaluations_data}</th>
            <th scope="col">{words.evaluations_content}</th>
            <th scope="col">{words.evaluations_seen_by}</th>
          </tr>
        </thead>
        <tbody>
          {words.evaluations_records.map(([data, content, readers]) => (
            <tr key={data}>
              <th scope="row">{data}</th>
              <td className="wrap" data-label={words.evaluations_content}>
                {content}
              </td>
              <td className="wrap" data-label={words.evaluations_seen_by}>
                {readers}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The special rules that are recorded about the reader alone. */
function AboutYou({ rules }: { readonly rules: readonly Schemas['SpecialRule'][] }): ReactNode {
  const words = useWords();
  if (rules.length === 0) return null;
  return (
    <section className="panel evaluations" aria-label={words.evaluations_about_you}>
      <h2 className="panel-head">{words.evaluations_about_you}</h2>
      <ul className="rows">
        {rules.map((rule) => (
          <li key={rule.id}>
            <SpecialRuleFacts rule={rule} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Readers({ overview: { readers, colleagues_see: colleagues } }: { readonly overview: Overview }): ReactNode {
  const words = useWords();
  return (
    <section className="panel evaluations" aria-label={words.evaluations_readers}>
      <h2 className="panel-head">{words.evaluations_readers}</h2>
      <ul className="rows">
        <li>{words.evaluations_reader_counts.approvers(readers.approvers)}</li>
        <li>{words.evaluations_reader_counts.company_admins(readers.company_admins)}</li>
        <li>{words.evaluations_reader_counts.super_admins(readers.super_admins)}</li>
        <li>{words.evaluations_reader_counts.extensions(readers.extensions)}</li>
        <li>{words.evaluations_colleagues[colleagues]}</li>
      </ul>
    </section>
  );
}

/** The changes of admins to their own records, which no one else has seen. */
function OwnChanges({
  overview: { one_admin: oneAdmin, own_changes: changes },
  zone,
}: {
  readonly overview: Overview;
  readonly zone: Zone;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(zone);
  const nameOf = (action: string) =>
    (words.audit_actions as Readonly<Record<string, string | undefined>>)[action] ?? action;
  return (
    <section className="panel evaluations" aria-label={words.own_changes}>
      <h2 className="panel-head">{words.own_changes}</h2>
      {changes.length === 0 ? (
        <p className="panel-empty">{words.own_changes_none}</p>
      ) : (
        <ul className="rows">
          {changes.map(({ at, person, action }) => (
            <li key={`${at} ${action}`}>
              <strong>
                <bdi>{person.name}</bdi>
              </strong>
              <span className="grow">{nameOf(action)}</span>
              <small>{formats.instant(at)}</small>
            </li>
          ))}
        </ul>
      )}
      <p className="hint panel-note">{oneAdmin ? words.own_changes_marked : words.own_changes_refused}</p>
    </section>
  );
}
