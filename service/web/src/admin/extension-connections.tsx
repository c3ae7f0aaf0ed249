/** Which clients hold a WebSocket, since when, and how far each has got. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { Facts } from '../parts/facts.js';
import { Answered } from '../parts/page.js';
import { useFormats, useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

export function ExtensionConnections({ extension: { id } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const connections = useQuery({
    queryKey: ['extension-connections', id],
    queryFn: () => ask(client.GET('/app/admin/extensions/{id}/connections', { params: { path: { id } } })),
  });
  return (
    <section className="sheet" aria-labelledby="connections">
      <Stack gap="sm">
        <Title order={2} size="h4" id="connections">
          {words.connections_title}
        </Title>
        <Text>{words.connections_lead}</Text>
        <Answered of={connections}>
          {({ data }) =>
            data.length === 0 ? (
              <Text>{words.connections_none}</Text>
            ) : (
              <Stack component="ul" className="plain" gap="md">
                {data.map(({ id: connection, opened_at: since, address, agent, acknowledged, ...more }) => (
                  <li key={connection} aria-label={connection}>
                    <Facts
                      of={[
                        [words.connection_client, [agent, address].filter((part) => part !== undefined).join(' · ')],
                        [words.connection_since, formats.second(since)],
                        [words.connection_acknowledged, acknowledged],
                        [words.connection_waiting, words.connection_waiting_count(more.waiting, more.waiting_more)],
                      ]}
                    />
                    <Text size="sm" c="dimmed" className="key">
                      {connection}
                    </Text>
                  </li>
                ))}
              </Stack>
            )
          }
        </Answered>
      </Stack>
    </section>
  );
}
