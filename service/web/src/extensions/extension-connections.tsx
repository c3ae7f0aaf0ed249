/** The clients that hold a WebSocket, and an event to try them with. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

export function ExtensionConnections({ extension: { id } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const connections = useQuery({
    queryKey: ['extension-connections', id],
    queryFn: () => ask(client.GET('/app/admin/extensions/{id}/connections', { params: { path: { id } } })),
  });
  const pinging = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/extensions/{id}/ping', { params: { path: { id } } })),
  });
  return (
    <section className="sheet" aria-labelledby="connections">
      <Stack gap="sm">
        <Title order={2} id="connections">
          {words.connections_title}
        </Title>
        <Text>{words.connections_lead}</Text>
        <QueryState of={connections}>
          {({ data }) =>
            data.length === 0 ? (
              <Text>{words.connections_none}</Text>
            ) : (
              <Stack component="ul" className="plain" gap="md">
                {data.map(({ id: connection, opened_at: since, address, agent }) => (
                  <li key={connection} aria-label={connection}>
                    <Facts
                      of={[
                        [words.connection_client, [agent, address].filter((part) => part !== undefined).join(' · ')],
                        [words.connection_since, formats.second(since)],
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
        </QueryState>
        <ProblemNotice problem={pinging.error} />
        <Done>
          {pinging.data?.connections === undefined ? undefined : words.connections_tested(pinging.data.connections)}
        </Done>
        <Group>
          <Button variant="default" loading={pinging.isPending} onClick={() => pinging.mutate()}>
            {words.connections_test}
          </Button>
        </Group>
      </Stack>
    </section>
  );
}
