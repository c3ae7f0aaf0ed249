/** One terminal: its pairing, or the condition of its door, with settings and issuing. */
import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client, isGone } from '../api/ask.js';
import type { Session } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { NotFoundPage } from '../parts/not-found-page.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { restoreFocus } from '../parts/restore-focus.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { useAgo } from './ago.js';
import { IssueBadge } from './issue-badge.js';
import { terminalsKey } from './keys.js';
import { Pairing, useNewCode } from './pairing.js';
import { changeOf, optionsOf, TerminalFields } from './terminal-options.js';
import { isClockWrong, type Terminal, TerminalState, useOffset } from './terminal-state.js';
import './entrances.css';

export function TerminalPage({ session, params }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = params['id'] ?? '';
  const terminal = useQuery({
    queryKey: [...terminalsKey, id],
    queryFn: () => ask(client.GET('/app/admin/terminals/{id}', { params: { path: { id } } })),
  });
  const [isIssuing, setIssuing] = useState(false);
  // A device that was confirmed just now: the next step is its first badge.
  const issue = useRef<HTMLButtonElement>(null);
  const stateBefore = useRef<Terminal['state']>(undefined);
  const state = terminal.data?.state;
  useEffect(() => {
    if (state === 'confirmed' && stateBefore.current !== undefined) restoreFocus(issue.current);
    stateBefore.current = state;
  }, [state]);
  if (isGone(terminal.error))
    return (
      <NotFoundPage
        title={words.terminal_gone_title}
        text={words.terminal_gone_text}
        href="/admin/terminals"
        back={words.terminals_back}
      />
    );
  return (
    <Page
      title={terminal.data?.name ?? words.terminals_title}
      heading={terminal.data === undefined ? words.terminals_title : <bdi>{terminal.data.name}</bdi>}
    >
      <Group justify="space-between">
        <Group>
          <Anchor component={Link} href="/admin/terminals">
            {words.terminals_back}
          </Anchor>
          {terminal.data !== undefined && <TerminalState terminal={terminal.data} />}
        </Group>
        {terminal.data?.state === 'confirmed' && terminal.data.issuing_allowed && (
          <Button ref={issue} onClick={() => setIssuing(true)}>
            {words.badge_issue}
          </Button>
        )}
      </Group>
      <QueryState of={terminal}>
        {(data) => (
          <>
            {data.state === 'confirmed' ? (
              <>
                <Standing terminal={data} />
                <Settings session={session} terminal={data} />
              </>
            ) : (
              <Pairing terminal={data} />
            )}
            <Identity terminal={data} />
            <IssueBadge session={session} terminal={data} open={isIssuing} onClose={() => setIssuing(false)} />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function Standing({ terminal }: { readonly terminal: Terminal }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const { ago } = useAgo();
  const offset = useOffset();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const resuming = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(client.POST('/app/admin/terminals/{id}/resumption', { params: { path: { id: terminal.id } } })),
      ),
    onSuccess: (resumedTerminal) => queries.setQueryData([...terminalsKey, terminal.id], resumedTerminal),
  });
  const lastSeenAt = terminal.last_seen_at;
  return (
    <>
      {!wasCancelled(resuming.error) && <ProblemNotice problem={resuming.error} />}
      {terminal.key_copied_at !== undefined && (
        <Alert color="red" variant="light" title={words.terminal_stopped(formats.instant(terminal.key_copied_at))}>
          <Text size="sm">{words.notice_key_copied}</Text>
        </Alert>
      )}
      {terminal.proofs_stopped_at !== undefined && (
        <Alert color="red" variant="light" title={words.terminal_stopped(formats.instant(terminal.proofs_stopped_at))}>
          <Stack gap="sm" align="flex-start">
            <Text size="sm">{words.notice_proofs_stopped}</Text>
            <Button variant="default" loading={resuming.isPending} onClick={() => resuming.mutate()}>
              {words.terminal_resume}
            </Button>
          </Stack>
        </Alert>
      )}
      <dl className="entrance-facts">
        <Fact
          name={words.terminal_seen}
          value={lastSeenAt === undefined ? words.never : ago(lastSeenAt)}
          note={lastSeenAt === undefined ? undefined : formats.second(lastSeenAt)}
        />
        <Fact
          name={words.terminal_reader}
          value={terminal.reader ?? words.not_reported}
          note={terminal.reader_state === undefined ? undefined : words.reader_states[terminal.reader_state]}
        />
        <Fact name={words.terminal_agent} value={terminal.agent_version ?? words.not_reported} note={terminal.device} />
        <Fact
          name={words.terminal_clock}
          value={terminal.clock_offset_ms === undefined ? words.not_reported : offset(terminal.clock_offset_ms)}
          note={isClockWrong(terminal) ? words.terminal_clock_wrong : words.terminal_clock_note}
        />
        <Fact
          name={words.terminal_offline}
          value={terminal.offline_waiting === undefined ? words.not_reported : String(terminal.offline_waiting)}
          note={words.terminal_offline_note}
        />
      </dl>
    </>
  );
}

function Fact({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
        {note !== undefined && (
          <span className="entrance-note">
            <bdi>{note}</bdi>
          </span>
        )}
      </dd>
    </div>
  );
}

function Settings({ session, terminal }: { readonly session: Session; readonly terminal: Terminal }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [options, setOptions] = useState(() => optionsOf(terminal));
  const saving = useMutation({
    mutationFn: () =>
      ask(
        client.PATCH('/app/admin/terminals/{id}', {
          params: { path: { id: terminal.id } },
          body: changeOf(options),
        }),
      ),
    onSuccess: (savedTerminal) => {
      queries.setQueryData([...terminalsKey, terminal.id], savedTerminal);
      setOptions(optionsOf(savedTerminal));
    },
  });
  return (
    <form
      className="sheet form"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack>
        <Title order={2}>{words.terminal_settings}</Title>
        <TerminalFields
          session={session}
          value={options}
          onChange={(newOptions) => {
            saving.reset();
            setOptions(newOptions);
          }}
          problem={saving.error}
        />
        <ProblemNotice problem={saving.error} />
        <Done>{saving.isSuccess ? words.saved : undefined}</Done>
        <Group>
          <Button type="submit" loading={saving.isPending}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Identity({ terminal }: { readonly terminal: Terminal }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [dialog, setDialog] = useState<'code' | 'removal'>();
  const newCode = useNewCode(terminal);
  const removing = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.DELETE('/app/admin/terminals/{id}', { params: { path: { id: terminal.id } } }))),
    onSuccess: () => {
      go(`/admin/terminals?removed=${encodeURIComponent(terminal.name)}`, { replace: true });
      queries.removeQueries({ queryKey: [...terminalsKey, terminal.id] });
      void queries.invalidateQueries({ queryKey: [...terminalsKey, 'list'] });
    },
  });
  const problem = newCode.error ?? removing.error;
  const { fingerprint, confirmed_at: at, confirmed_by: by } = terminal;
  return (
    <section className="sheet" aria-label={words.terminal_identity}>
      <Stack gap="sm">
        <Title order={2}>{words.terminal_identity}</Title>
        {terminal.state === 'confirmed' && (
          <Text size="sm">
            {words.terminal_fingerprint} <strong className="key">{fingerprint}</strong>
            {at !== undefined && by !== undefined && (
              <> · {withNames((name) => words.terminal_confirmed(name, formats.instant(at)), by.name)}</>
            )}
          </Text>
        )}
        {!wasCancelled(problem) && <ProblemNotice problem={problem} />}
        <Group>
          {terminal.state === 'confirmed' && (
            <Button variant="default" onClick={() => setDialog('code')} loading={newCode.isPending}>
              {words.terminal_pair_again}
            </Button>
          )}
          <Button variant="outline" color="red" onClick={() => setDialog('removal')} loading={removing.isPending}>
            {words.terminal_remove}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        open={dialog === 'code'}
        title={withNames(words.terminal_pair_again_ask, terminal.name)}
        action={words.pairing_code_new}
        onClose={() => setDialog(undefined)}
        onConfirm={() => {
          setDialog(undefined);
          newCode.mutate();
        }}
      >
        <Text>{words.terminal_pair_again_text}</Text>
      </ConfirmDialog>
      <ConfirmDialog
        open={dialog === 'removal'}
        title={withNames(words.terminal_remove_ask, terminal.name)}
        action={words.terminal_remove_now(terminal.name)}
        onClose={() => setDialog(undefined)}
        onConfirm={() => {
          setDialog(undefined);
          removing.mutate();
        }}
      >
        <Text>{words.terminal_remove_text}</Text>
      </ConfirmDialog>
    </section>
  );
}
