/** Issuing a badge: its person and terminal, then the steps at the door with their two minutes. */
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { useFormats } from '../parts/formats.js';
import { withNames } from '../parts/names.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { restoreFocus } from '../parts/restore-focus.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { clockOf, useLeft } from './ago.js';
import { badgesKey } from './keys.js';
import type { Terminal } from './terminal-state.js';
import './entrances.css';

type Issuing = Schemas['Issuing'];
type Person = Pick<Schemas['Person'], 'id' | 'display_name' | 'department'>;

const lifetime = 2 * 60_000;
/** The live pages report each step; this is for a stream that broke. */
const pollMs = 2_000;
export const issuingKey = (terminal: string) => ['issuing', terminal];

/** @param terminal the place of issue; if absent, the person chooses it */
export function IssueBadge({
  session,
  terminal,
  open,
  onClose,
}: {
  readonly session: Session;
  readonly terminal?: Terminal;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <Dialog open={open} onClose={onClose} title={words.badge_issue}>
      <Issue session={session} terminal={terminal} onClose={onClose} />
    </Dialog>
  );
}

function Issue({
  session,
  terminal: givenTerminal,
  onClose,
}: {
  readonly session: Session;
  readonly terminal: Terminal | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [person, setPerson] = useState<Person>();
  const [terminalId, setTerminalId] = useState<string>();
  const [hasBegun, setBegun] = useState(false);
  const terminals = useQuery({
    queryKey: ['terminals', 'issuing'],
    enabled: givenTerminal === undefined,
    queryFn: () => ask(client.GET('/app/admin/terminals', { params: { query: { limit: 500 } } })),
  });
  const offeredTerminals =
    givenTerminal === undefined
      ? (terminals.data?.data ?? []).filter(({ state, issuing_allowed: may }) => state === 'confirmed' && may)
      : [givenTerminal];
  const terminal = offeredTerminals.find(({ id }) => id === terminalId) ?? offeredTerminals[0];
  const starting = useMutation({
    mutationFn: ({ at, to }: { readonly at: Terminal; readonly to: Person }) =>
      ask(
        client.POST('/app/admin/terminals/{id}/issuing', { params: { path: { id: at.id } }, body: { user_id: to.id } }),
      ),
    onSuccess: (issuing) => {
      queries.setQueryData(issuingKey(issuing.terminal_id), issuing);
      setBegun(true);
    },
  });
  const start = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (person !== undefined) restoreFocus(start.current);
  }, [person]);
  if (hasBegun && terminal !== undefined)
    return (
      <Progress
        terminal={terminal}
        onAgain={() => person !== undefined && starting.mutate({ at: terminal, to: person })}
        onClose={onClose}
      />
    );
  if (givenTerminal === undefined && terminals.data !== undefined && offeredTerminals.length === 0)
    return <Text>{words.issue_nowhere}</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (terminal !== undefined && person !== undefined) starting.mutate({ at: terminal, to: person });
      }}
    >
      <Stack>
        {givenTerminal === undefined && (
          <NativeSelect
            label={words.issue_where}
            value={terminal?.id ?? ''}
            onChange={(event) => setTerminalId(event.currentTarget.value)}
            data={offeredTerminals.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <PersonChoice
          company={terminal?.company_id ?? session.company.id}
          chosenPerson={person}
          onChoose={(newPerson) => {
            starting.reset();
            setPerson(newPerson);
          }}
        />
        <IssueProblem problem={starting.error} />
        <Text size="sm" c="dimmed">
          {words.issue_text}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button
            ref={start}
            type="submit"
            loading={starting.isPending}
            disabled={person === undefined || terminal === undefined}
          >
            {words.issue_start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function IssueProblem({ problem }: { readonly problem: unknown }): ReactNode {
  return problem instanceof Problem ? <ProblemNotice problem={problem} /> : null;
}

/** People whose name contains the typed text; the service looks for them. */
function PersonChoice({
  company,
  chosenPerson,
  onChoose,
}: {
  readonly company: number;
  readonly chosenPerson: Person | undefined;
  readonly onChoose: (person: Person | undefined) => void;
}): ReactNode {
  const words = useWords();
  const [text, setText] = useState('');
  const search = text.trim();
  const people = useQuery({
    queryKey: ['people', 'choice', company, search],
    queryFn: () =>
      ask(
        client.GET('/app/admin/people', {
          params: {
            query: { company_id: company, active: true, limit: 6, ...(search === '' ? {} : { search }) },
          },
        }),
      ),
    placeholderData: (previousData) => previousData,
  });
  if (chosenPerson !== undefined)
    return (
      <Group justify="space-between">
        <Text>
          {words.issue_to} <bdi className="entrance-chosen">{chosenPerson.display_name}</bdi>
        </Text>
        <Button variant="default" size="xs" onClick={() => onChoose(undefined)}>
          {words.issue_other_person}
        </Button>
      </Group>
    );
  return (
    <Stack gap="xs">
      <TextInput
        label={words.issue_person}
        description={words.issue_person_help}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
        ref={restoreFocus}
      />
      <ul className="entrance-people" aria-label={words.issue_people}>
        {(people.data?.data ?? []).map((person) => (
          <li key={person.id}>
            <button type="button" onClick={() => onChoose(person)}>
              <bdi>{person.display_name}</bdi>
              {person.department !== undefined && (
                <span className="entrance-note">
                  <bdi>{person.department.name}</bdi>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {people.data?.data.length === 0 && <Text size="sm">{words.issue_nobody}</Text>}
    </Stack>
  );
}

const isOver = ({ state }: Issuing) => state === 'issued' || state === 'expired' || state === 'cancelled';

function Progress({
  terminal,
  onAgain,
  onClose,
}: {
  readonly terminal: Terminal;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const params = { path: { id: terminal.id } };
  const issuing = useQuery({
    queryKey: issuingKey(terminal.id),
    queryFn: () => ask(client.GET('/app/admin/terminals/{id}/issuing', { params })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOver(data) ? false : pollMs),
  });
  const cancelling = useMutation({
    mutationFn: () => ask(client.DELETE('/app/admin/terminals/{id}/issuing', { params })),
    onSuccess: onClose,
  });
  const isIssued = issuing.data?.state === 'issued';
  useEffect(() => {
    if (isIssued) void queries.invalidateQueries({ queryKey: badgesKey });
  }, [isIssued, queries]);
  if (issuing.data === undefined) return <ProblemNotice problem={issuing.error} />;
  const { data } = issuing;
  return (
    <Stack>
      <Text>{withNames((person, place) => words.issue_going(person, place), data.person.name, terminal.name)}</Text>
      <ProblemNotice problem={cancelling.error} />
      <div className="entrance-issuing">
        {!isIssued && <Ring until={data.expires_at} over={isOver(data)} />}
        <Steps issuing={data} />
      </div>
      <div role="status">
        {data.state === 'issued' && (
          <Alert role="presentation" color="teal" variant="light">
            {words.issue_done(data.card === undefined ? '' : words.card_families[data.card])}
          </Alert>
        )}
        {data.state === 'refused' && data.reason !== undefined && (
          <Alert role="presentation" color="orange" variant="light" title={words.issue_refused[data.reason]}>
            {words.issue_refused_help[data.reason]}
          </Alert>
        )}
        {data.state === 'expired' && (
          <Alert role="presentation" color="orange" variant="light">
            {words.issue_expired}
          </Alert>
        )}
      </div>
      <Group justify="flex-end">
        {isOver(data) ? (
          <>
            {data.state !== 'issued' && (
              <Button variant="default" onClick={onAgain}>
                {words.issue_again}
              </Button>
            )}
            <Button ref={restoreFocus} onClick={onClose}>
              {words.close}
            </Button>
          </>
        ) : (
          <Button
            ref={restoreFocus}
            variant="default"
            loading={cancelling.isPending}
            onClick={() => cancelling.mutate()}
          >
            {words.cancel}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Ring({ until, over }: { readonly until: string; readonly over: boolean }): ReactNode {
  const words = useWords();
  const remainingMs = useLeft(until, lifetime);
  const shownMs = over ? 0 : remainingMs;
  const circumference = 2 * Math.PI * 44;
  return (
    <div className="entrance-ring">
      <svg viewBox="0 0 100 100" width="104" height="104" aria-hidden="true" focusable="false">
        <circle cx="50" cy="50" r="44" fill="none" stroke="var(--line)" strokeWidth="7" />
        <circle
          cx="50"
          cy="50"
          r="44"
          fill="none"
          stroke="var(--accent)"
          strokeWidth="7"
          strokeDasharray={circumference}
          strokeDashoffset={circumference * (1 - shownMs / lifetime)}
          transform="rotate(-90 50 50)"
        />
      </svg>
      {/* Read out when it is looked at, and not every second. */}
      <span role="timer" aria-live="off">
        <strong>{clockOf(shownMs)}</strong>
        {words.issue_left}
      </span>
    </div>
  );
}

/** Five steps; the state tells which of them are done. */
function Steps({ issuing }: { readonly issuing: Issuing }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const { state } = issuing;
  const at = state === 'issued' ? 5 : state === 'writing' ? 2 : 1;
  const standing = (step: number) => (step < at ? 'done' : step === at && !isOver(issuing) ? 'now' : 'later');
  const time = (step: number) => (step === 0 ? issuing.started_at : step === 1 && at > 1 ? issuing.card_at : undefined);
  return (
    <ol className="entrance-progress">
      {words.issue_steps.map((text, step) => {
        const happenedAt = time(step);
        return (
          <li key={text} data-step={standing(step)} aria-current={standing(step) === 'now' ? 'step' : undefined}>
            <span>{text}</span>
            {standing(step) === 'done' && <span className="entrance-hidden">{words.issue_step_done}</span>}
            {happenedAt !== undefined && <time dateTime={happenedAt}>{formats.clock(happenedAt)}</time>}
          </li>
        );
      })}
    </ol>
  );
}
