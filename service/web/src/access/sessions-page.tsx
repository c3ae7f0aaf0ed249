/** The person's sessions. */
import { Badge, Button, Group, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { leave, type Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

const key = ['sessions'];

export function SessionsPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const sessions = usePagesOf(key, (cursor) => ask(client.GET('/app/sessions', { params: { query: { cursor } } })));
  const refetch = () => queries.invalidateQueries({ queryKey: key });
  const ending = useMutation({
    mutationFn: ({ id }: Schemas['SessionRecord']) =>
      ask(client.DELETE('/app/sessions/{id}', { params: { path: { id } } })),
    onSuccess: (_, { current }) => {
      if (current) leave(queries);
    },
    onSettled: refetch,
  });
  const endingOthers = useMutation({ mutationFn: () => ask(client.DELETE('/app/sessions')), onSettled: refetch });
  return (
    <Page title={words.sessions_title} lead={words.sessions_text}>
      <ProblemNotice problem={ending.error ?? endingOthers.error} />
      <Done>
        {endingOthers.isSuccess ? words.sessions_others_ended : ending.isSuccess ? words.session_ended : undefined}
      </Done>
      <GrowingList of={sessions} none="">
        {(rows) => (
          <>
            <Stack component="ul" className="plain">
              {rows.map((session) => {
                const [browser = words.session_unknown_device, system] = session.device?.split(' on ') ?? [];
                const device = system === undefined ? browser : words.session_device(browser, system);
                return (
                  <li key={session.id} className="sheet">
                    <Stack gap="sm">
                      <Group>
                        <Title order={2}>
                          <bdi>{device}</bdi>
                        </Title>
                        {session.current && (
                          <Badge variant="light" tt="none">
                            {words.session_current}
                          </Badge>
                        )}
                      </Group>
                      <Facts
                        of={[
                          [words.session_since, formats.instant(session.created_at)],
                          [words.session_seen, formats.instant(session.last_seen_at)],
                          [words.session_ends, formats.instant(session.expires_at)],
                          [words.session_address, session.address],
                        ]}
                      />
                      {!session.current && (
                        <Group>
                          <Button
                            variant="default"
                            aria-label={`${words.session_end}: ${device}`}
                            disabled={ending.isPending}
                            onClick={() => ending.mutate(session)}
                          >
                            {words.session_end}
                          </Button>
                        </Group>
                      )}
                    </Stack>
                  </li>
                );
              })}
            </Stack>
            {rows.some((session) => !session.current) && (
              <Group>
                <Button
                  variant="outline"
                  color="red"
                  loading={endingOthers.isPending}
                  onClick={() => endingOthers.mutate()}
                >
                  {words.sessions_end_others}
                </Button>
              </Group>
            )}
          </>
        )}
      </GrowingList>
    </Page>
  );
}
