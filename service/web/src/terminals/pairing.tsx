/** From the code on this page to a device that may stamp: type the code, compare the fingerprint, confirm. */
import { Button, Group, Text, Title } from '@mantine/core';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { CopyButton } from '../parts/secret-once.js';
import { useWords } from '../words/words.js';
import { clockOf, useLeft } from './ago.js';
import { terminalsKey } from './keys.js';
import type { Terminal } from './terminal-state.js';

type Code = Schemas['PairingCode'];
const lifetime = 10 * 60_000;
const codeKey = (id: string) => ['pairing-code', id];

/** The service shows a code once; the page keeps it as long as it is open. */
export function keepCode(queries: QueryClient, code: Code): void {
  queries.setQueryDefaults(codeKey(code.terminal.id), { gcTime: lifetime });
  queries.setQueryData(codeKey(code.terminal.id), code);
}

export function useNewCode(terminal: Terminal) {
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const params = { path: { id: terminal.id } };
  return useMutation({
    mutationFn: () => withFactor(() => ask(client.POST('/app/admin/terminals/{id}/pairing-code', { params }))),
    onSuccess: (code) => {
      keepCode(queries, code);
      queries.setQueryData([...terminalsKey, terminal.id], code.terminal);
    },
  });
}

export function Pairing({ terminal }: { readonly terminal: Terminal }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const newCode = useNewCode(terminal);
  const { data: code } = useQuery<Code | null>({
    queryKey: codeKey(terminal.id),
    queryFn: () => null,
    enabled: false,
  });
  const params = { path: { id: terminal.id } };
  const key = [...terminalsKey, terminal.id];
  const confirming = useMutation({
    mutationFn: (fingerprint: string) =>
      withFactor(() => ask(client.POST('/app/admin/terminals/{id}/confirmation', { params, body: { fingerprint } }))),
    onSuccess: (confirmedTerminal) => queries.setQueryData(key, confirmedTerminal),
    onError: () => queries.invalidateQueries({ queryKey: key }),
  });
  const isPaired = terminal.fingerprint !== undefined;
  const problem = confirming.error ?? newCode.error;
  return (
    <>
      {!wasCancelled(problem) && <ProblemNotice problem={problem} />}
      <div className="entrance-columns">
        <ol className="entrance-steps">
          <li data-step={isPaired ? 'done' : 'now'}>
            <Title order={2}>{words.pairing_code_title}</Title>
            <Text size="sm" c="dimmed">
              {words.pairing_code_text}
            </Text>
            {isPaired ? (
              <Text size="sm">{words.pairing_code_used}</Text>
            ) : code?.code !== undefined && terminal.pairing_code_expires_at === code.expires_at ? (
              <CodeShown code={code} onExpired={() => void queries.invalidateQueries({ queryKey: key })} />
            ) : (
              <Text size="sm">
                {terminal.pairing_code_expires_at === undefined ? words.pairing_code_over : words.pairing_code_hidden}
              </Text>
            )}
            {!isPaired && (
              <Group mt="sm">
                <Button
                  variant={code?.code === undefined ? 'filled' : 'default'}
                  loading={newCode.isPending}
                  onClick={() => newCode.mutate()}
                >
                  {words.pairing_code_new}
                </Button>
              </Group>
            )}
          </li>
          <li data-step={isPaired ? 'now' : 'later'}>
            <Title order={2}>{words.fingerprint_title}</Title>
            {terminal.fingerprint === undefined ? (
              <Text size="sm" c="dimmed" role="status">
                {words.fingerprint_waiting}
              </Text>
            ) : (
              <>
                <div className="entrance-prints">
                  <Fingerprint label={words.fingerprint_here} value={terminal.fingerprint} />
                  <Fingerprint label={words.fingerprint_there} value={terminal.fingerprint} dark />
                </div>
                <Text size="sm">{words.fingerprint_text}</Text>
                <Group mt="sm">
                  <Button loading={confirming.isPending} onClick={() => confirming.mutate(terminal.fingerprint!)}>
                    {words.fingerprint_confirm}
                  </Button>
                  <Button variant="default" loading={newCode.isPending} onClick={() => newCode.mutate()}>
                    {words.fingerprint_differs}
                  </Button>
                </Group>
              </>
            )}
          </li>
          <li data-step="later">
            <Title order={2}>{words.pairing_then_title}</Title>
            <Text size="sm" c="dimmed">
              {words.pairing_then_text}
            </Text>
          </li>
        </ol>
        {isPaired && (
          <aside className="sheet" aria-label={words.pairing_device}>
            <Title order={2} mb="xs">
              {words.pairing_device}
            </Title>
            <Facts
              of={[
                [words.terminal_device, terminal.device ?? words.not_reported],
                [words.terminal_reader, terminal.reader],
                [words.terminal_agent, terminal.agent_version],
              ]}
            />
            <Text size="sm" c="dimmed" mt="sm">
              {words.pairing_device_text}
            </Text>
          </aside>
        )}
      </div>
    </>
  );
}

function CodeShown({ code, onExpired }: { readonly code: Code; readonly onExpired: () => void }): ReactNode {
  const words = useWords();
  const remainingMs = useLeft(code.expires_at, lifetime);
  const isOver = remainingMs === 0;
  useEffect(() => {
    if (isOver) onExpired();
  }, [isOver, onExpired]);
  return (
    <>
      <output className="entrance-code" aria-label={words.pairing_code_title}>
        {code.code}
      </output>
      <Group>
        <Text size="sm" role="timer">
          {words.pairing_code_left(clockOf(remainingMs))}
        </Text>
        <CopyButton text={code.code} label={words.copy} />
      </Group>
    </>
  );
}

/** Four groups in columns, one row above the other, so that eyes compare downwards. */
function Fingerprint({
  label,
  value,
  dark = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly dark?: boolean;
}): ReactNode {
  return (
    <>
      <span>{label}</span>
      <output className="entrance-print" data-dark={dark || undefined} aria-label={label}>
        {value.split('-').map((group) => (
          <span key={group}>{group}</span>
        ))}
      </output>
    </>
  );
}
