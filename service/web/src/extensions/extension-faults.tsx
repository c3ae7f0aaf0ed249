/**
 * The faults in the settings of an extension that the service refused: each at its field, in the language of the
 * person; the rest above the button.
 */
import { Alert, Anchor, Text } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Problem, type ProblemDetail } from '../api/ask.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords, type Words } from '../words/words.js';
import { linesOf, type Settings } from './extension-settings.js';

/** Members of the contract, by the field of the form that holds them. */
const fields = {
  name: 'name',
  description: 'description',
  mode: 'mode',
  webhook_url: 'webhookUrl',
  scopes: 'scopes',
  acting: 'acting',
  company_id: 'companyId',
  absences_count_as_approved: 'leading',
  linking: 'linking',
  redirect_uris: 'redirects',
  link_lifetime_days: 'lifetime',
  key_reads: 'keyReads',
  event_types: 'eventTypes',
  expires_at: 'keyEnd',
} as const satisfies Readonly<Record<string, keyof Settings | 'keyEnd'>>;
export type FaultyField = (typeof fields)[keyof typeof fields];
export type Faults = Partial<Readonly<Record<FaultyField, string>>>;

function memberOf(detail: ProblemDetail): keyof typeof fields | undefined {
  const member = /^[a-z_]+/.exec(detail.field)?.[0] ?? '';
  return member in fields ? (member as keyof typeof fields) : undefined;
}

function sentenceOf({ field, code }: ProblemDetail, settings: Settings, words: Words): string {
  const sentences: Readonly<Record<string, string | undefined>> = words.extension_faults;
  const line = /^redirect_uris\[(\d+)\]$/.exec(field)?.[1];
  if (line !== undefined) return words.extension_fault_redirect(linesOf(settings.redirects)[Number(line)] ?? '');
  return sentences[`${field} ${code}`] ?? words.extension_fault;
}

/** @param settings the settings in the refused request */
export function faultsOf(problem: unknown, settings: Settings | undefined, words: Words): Faults {
  if (!(problem instanceof Problem) || settings === undefined) return {};
  if (problem.code === 'feature_disabled') return { scopes: words.extension_fault_writes };
  if (problem.code === 'target_refused') return { webhookUrl: words.extension_fault_target };
  return Object.fromEntries(
    problem.details.flatMap((detail) => {
      const member = memberOf(detail);
      return member === undefined ? [] : [[fields[member], sentenceOf(detail, settings, words)]];
    }),
  );
}

/** The problem without the details shown at the fields. */
export function ExtensionProblem({ problem }: { readonly problem: unknown }): ReactNode {
  const words = useWords();
  if (!(problem instanceof Problem)) return <ProblemNotice problem={problem} />;
  if (problem.code === 'feature_disabled')
    return (
      <Alert color="red" title={words.problem_title} variant="light">
        <Text size="sm">
          <WritesAreOff />
        </Text>
      </Alert>
    );
  return (
    <ProblemNotice
      problem={
        new Problem(
          problem.code,
          problem.sentence,
          problem.details.filter((detail) => memberOf(detail) === undefined),
          problem.retryAfterSeconds,
        )
      }
    />
  );
}

/** Names the switch that is off and links to it. */
export function WritesAreOff(): ReactNode {
  const words = useWords();
  return (
    <>
      {words.extension_writes_off(words.access_writes)}{' '}
      <Anchor component={Link} href="/admin/access" inherit underline="always">
        {words.extension_writes_off_link}
      </Anchor>
    </>
  );
}

/** @returns for the form: the first marked field gets the focus when the service has refused */
export function useFocusOnFault(faults: Faults, problem: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const hasFaults = Object.keys(faults).length > 0;
  useEffect(() => {
    if (hasFaults && problem !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [hasFaults, problem]);
  return form;
}
