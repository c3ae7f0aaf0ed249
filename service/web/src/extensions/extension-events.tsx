/** The events of an extension as they happen, since the page was opened. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useFormats } from '../parts/formats.js';
import { QueryState } from '../parts/page.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

type Event = Schemas['ExtensionEvent'];

/** The events so far, newest first, and the position to continue from. */
interface Stream {
  readonly events: readonly Event[];
  readonly after: number;
}

const maxShown = 50;

export function ExtensionEvents({ extension: { id, mode } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [isPaused, setPaused] = useState(false);
  const queryKey = ['extension-events', id];
  const stream = useQuery({
    queryKey,
    enabled: !isPaused,
    // Pausing loses nothing: the service lists the events after the position.
    queryFn: async (): Promise<Stream> => {
      let { events, after: cursor }: Partial<Stream> = queries.getQueryData<Stream>(queryKey) ?? {};
      for (;;) {
        const page = await ask(
          client.GET('/app/admin/extensions/{id}/events', {
            params: { path: { id }, query: { limit: 100, after: cursor } },
          }),
        );
        events = [...page.data.reverse(), ...(events ?? [])].slice(0, maxShown);
        cursor = page.next_after;
        if (!page.has_more) return { events, after: cursor };
      }
    },
  });
  return (
    <section className="sheet" aria-labelledby="stream">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} id="stream">
            {words.stream_title}
          </Title>
          <Button size="xs" variant="default" onClick={() => setPaused(!isPaused)}>
            {isPaused ? words.stream_resume : words.stream_pause}
          </Button>
        </Group>
        <Text>{words.stream_lead}</Text>
        <Text size="sm" c="dimmed" role="status">
          {isPaused ? words.stream_paused : ''}
        </Text>
        <QueryState of={stream}>
          {({ events }) =>
            events.length === 0 ? (
              <div>
                <Text>{words.stream_empty}</Text>
                <Text size="sm" c="dimmed">
                  {mode === 'websocket' ? words.stream_hint_test : words.stream_hint}
                </Text>
              </div>
            ) : (
              <Stack component="ul" className="plain" gap="xs">
                {events.map((event) => (
                  <EventRow key={event.id} event={event} />
                ))}
              </Stack>
            )
          }
        </QueryState>
      </Stack>
    </section>
  );
}

function EventRow({ event: { id, type, timestamp, person, payload } }: { readonly event: Event }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  return (
    <li aria-label={id}>
      <Text>
        <code>{type}</code>
        {person !== undefined && (
          <>
            {' · '}
            <bdi>{person}</bdi>
          </>
        )}
        {` · ${formats.second(timestamp)}`}
      </Text>
      <details>
        <summary>{words.stream_payload}</summary>
        <pre className="answer whole">{JSON.stringify(JSON.parse(payload), null, 2)}</pre>
      </details>
    </li>
  );
}
