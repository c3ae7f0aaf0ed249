/** Deliveries to the webhook address, and failures with their reasons. Delivers one event again, or all that failed. */
import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

type Delivery = Schemas['Delivery'];
type Shown = Delivery['state'] | 'all';

const hour = 3_600_000;
/** The reach of a recovery into the past; the service keeps 30 days. */
const reaches = { hour, day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour - hour } as const;
type Reach = keyof typeof reaches;
const sinceOf = (reach: Reach) => new Date(Date.now() - reaches[reach]).toISOString();

export function ExtensionDeliveries({ extension: { id } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [filter, setFilter] = useState<Shown>('all');
  const key = ['extension-deliveries', id];
  const deliveries = usePagesOf([...key, filter], (cursor) =>
    ask(
      client.GET('/app/admin/extensions/{id}/deliveries', {
        params: {
          path: { id },
          query: {
            limit: 20,
            ...(filter === 'all' ? {} : { state: filter }),
            cursor,
          },
        },
      }),
    ),
  );
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: key }),
      queries.invalidateQueries({ queryKey: ['extension-recovery', id] }),
      queries.invalidateQueries({ queryKey: ['extensions', id] }),
    ]);
  };
  const resending = useMutation({
    mutationFn: (delivery: Delivery) =>
      ask(
        client.POST('/app/admin/extensions/{id}/deliveries/{event_id}/resend', {
          params: { path: { id, event_id: delivery.event_id } },
        }),
      ),
    onSettled: refresh,
  });
  return (
    <section className="sheet" aria-labelledby="deliveries">
      <Stack gap="sm">
        <Title order={2} id="deliveries">
          {words.deliveries_title}
        </Title>
        <Text>{words.deliveries_lead}</Text>
        <Group align="flex-end">
          <NativeSelect
            label={words.deliveries_show}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value as Shown)}
            data={(['all', 'pending', 'delivered', 'failed'] as const).map((value) => ({
              value,
              label: words.delivery_states[value],
            }))}
          />
        </Group>
        <ProblemNotice problem={resending.error} />
        <Done>{resending.isSuccess ? words.delivery_resent : undefined}</Done>
        <GrowingList of={deliveries} none={words.deliveries_none}>
          {(rows) => (
            <Stack component="ul" className="plain" gap="xs">
              {rows.map((delivery) => (
                <li key={delivery.event_id}>
                  <DeliveryRow
                    extensionId={id}
                    delivery={delivery}
                    busy={resending.isPending}
                    onResend={() => resending.mutate(delivery)}
                  />
                </li>
              ))}
            </Stack>
          )}
        </GrowingList>
        <Recovery id={id} onRecovered={refresh} />
      </Stack>
    </section>
  );
}

/** Delivers the failed events since a time again. */
function Recovery({ id, onRecovered }: { readonly id: string; readonly onRecovered: () => Promise<void> }): ReactNode {
  const words = useWords();
  const [reach, setReach] = useState<Reach>('day');
  // Counts the events that the button would deliver now.
  const preview = useQuery({
    queryKey: ['extension-recovery', id, reach],
    queryFn: () =>
      ask(
        client.GET('/app/admin/extensions/{id}/recovery', {
          params: { path: { id }, query: { since: sinceOf(reach) } },
        }),
      ),
  });
  const recovering = useMutation({
    mutationFn: (since: string) =>
      ask(client.POST('/app/admin/extensions/{id}/recovery', { params: { path: { id } }, body: { since } })),
    onSettled: onRecovered,
  });
  return (
    <>
      <Title order={3}>{words.recover_title}</Title>
      <ProblemNotice problem={recovering.error} />
      <Done>{recovering.data === undefined ? undefined : words.recover_done(recovering.data.deliveries)}</Done>
      <Group align="flex-end">
        <NativeSelect
          label={words.recover_since}
          value={reach}
          onChange={(event) => setReach(event.currentTarget.value as Reach)}
          data={(['hour', 'day', 'week', 'month'] as const).map((value) => ({
            value,
            label: words.recover_choices[value],
          }))}
        />
        <Button variant="default" loading={recovering.isPending} onClick={() => recovering.mutate(sinceOf(reach))}>
          {words.recover_action}
        </Button>
      </Group>
      <Text size="sm" role="status">
        {preview.data === undefined ? '' : words.recover_preview(preview.data.deliveries)}
      </Text>
    </>
  );
}

function DeliveryRow({
  extensionId,
  delivery: { event_id: event, type, state, created_at: createdAt, next_attempt_at: next, behind, attempts },
  busy,
  onResend,
}: {
  readonly extensionId: string;
  readonly delivery: Delivery;
  readonly busy: boolean;
  readonly onResend: () => void;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const numberedAttempts = attempts.map((attempt, index) => ({ ...attempt, number: attempts.length - index }));
  return (
    <>
      <Group justify="space-between" wrap="wrap" gap="xs">
        <Text>
          <code>{type}</code> · {formats.instant(createdAt)} · <strong>{words.delivery_states[state]}</strong>
        </Text>
        <Button
          size="xs"
          variant="default"
          aria-label={`${words.delivery_resend}: ${event}`}
          disabled={busy}
          onClick={onResend}
        >
          {words.delivery_resend}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        <span className="key">{event}</span>
        {next === undefined ? '' : ` · ${words.delivery_next}: ${formats.instant(next)}`}
        {behind !== undefined && (
          <>
            {` · ${words.delivery_behind} `}
            <span className="key">{behind}</span>
          </>
        )}
      </Text>
      {attempts.length > 0 && (
        <details open={state === 'failed'}>
          <summary>{words.delivery_attempts(attempts.length)}</summary>
          <ul className="bullets">
            {numberedAttempts.map(({ number, at, outcome, status, duration_milliseconds: duration, answer }) => (
              <li key={number}>
                {[
                  formats.instant(at),
                  words.delivery_outcomes[outcome],
                  ...(status === undefined ? [] : [words.delivery_status(status)]),
                  ...(duration === undefined ? [] : [words.delivery_took(duration)]),
                ].join(' · ')}
                {answer !== undefined && <pre className="answer">{answer}</pre>}
              </li>
            ))}
          </ul>
        </details>
      )}
      <SentRequest extensionId={extensionId} eventId={event} state={`${state} ${attempts.length}`} />
    </>
  );
}

/** Requested when it is opened, and again after an attempt. */
function SentRequest({
  extensionId,
  eventId,
  state,
}: {
  readonly extensionId: string;
  readonly eventId: string;
  readonly state: string;
}): ReactNode {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const detail = useQuery({
    queryKey: ['extension-delivery', extensionId, eventId, state],
    enabled: open,
    queryFn: () =>
      ask(
        client.GET('/app/admin/extensions/{id}/deliveries/{event_id}', {
          params: { path: { id: extensionId, event_id: eventId } },
        }),
      ),
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.delivery_request}</summary>
      {open && (
        <QueryState of={detail}>
          {({ request: { headers, body } }) => (
            <>
              <Facts of={headers.map(({ name, value }) => [name, value])} />
              <Text size="sm">{words.delivery_body}</Text>
              <pre className="answer whole">{body}</pre>
            </>
          )}
        </QueryState>
      )}
    </details>
  );
}
