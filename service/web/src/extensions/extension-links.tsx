/** The people who linked an extension. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { ScopeList } from '../parts/scope-list.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

export function ExtensionLinks({ extension: { id } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const key = ['extension-links', id];
  const links = usePagesOf(key, (cursor) =>
    ask(
      client.GET('/app/admin/extensions/{id}/links', {
        params: { path: { id }, query: { cursor } },
      }),
    ),
  );
  const ending = useMutation({
    mutationFn: (link: Schemas['ExtensionLink']) =>
      ask(client.DELETE('/app/admin/extensions/{id}/links/{link_id}', { params: { path: { id, link_id: link.id } } })),
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: key }),
        queries.invalidateQueries({ queryKey: ['extensions'] }),
      ]);
    },
  });
  return (
    <section className="sheet" aria-labelledby="links">
      <Stack gap="sm">
        <Title order={2} id="links">
          {words.links_title}
        </Title>
        <ProblemNotice problem={ending.error} />
        <Done>{ending.isSuccess ? withNames(words.link_ended, ending.variables.person.name) : undefined}</Done>
        <GrowingList of={links} none={words.links_none}>
          {(rows) => (
            <Stack component="ul" className="plain">
              {rows.map((link) => (
                <li key={link.id}>
                  <Text fw={600}>
                    <bdi>{link.person.name}</bdi>
                  </Text>
                  <Facts
                    of={[
                      [words.linked_may, <ScopeList key="may" scopes={link.scopes} />],
                      [words.linked_since, formats.instant(link.created_at)],
                      [words.linked_until, formats.day(link.expires_at)],
                      [
                        words.linked_used,
                        link.last_used_at === undefined ? words.never : formats.instant(link.last_used_at),
                      ],
                    ]}
                  />
                  <Group mt="xs">
                    <Button
                      size="xs"
                      color="red"
                      variant="outline"
                      aria-label={`${words.link_end}: ${link.person.name}`}
                      disabled={ending.isPending}
                      onClick={() => ending.mutate(link)}
                    >
                      {words.link_end}
                    </Button>
                  </Group>
                </li>
              ))}
            </Stack>
          )}
        </GrowingList>
      </Stack>
    </section>
  );
}
