/** The card keys of the company: the ones in use, a new one, and the lock of cards. */
import { Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { badgesKey } from './keys.js';
import './entrances.css';

type CardKeys = Schemas['CardKeys'];
type Deed = 'rotation' | 'known' | 'lock' | 'unlock';

/** A card stores the version in one byte. */
const lastVersion = 255;

export function CardKeysPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const params = { path: { id: session.company.id } };
  // A key below that of the badges: the live pages report each stamp that renews one.
  const key = [...badgesKey, 'card-keys', session.company.id];
  const keys = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/card-keys', { params })),
  });
  const [pendingDeed, setPendingDeed] = useState<Deed>();
  const changing = useMutation({
    mutationFn: (deed: Deed) =>
      withFactor(() =>
        deed === 'rotation' || deed === 'known'
          ? ask(
              client.POST('/app/admin/companies/{id}/card-keys/rotation', {
                params,
                body: { known: deed === 'known' },
              }),
            )
          : ask(client.PATCH('/app/admin/companies/{id}/card-keys', { params, body: { lock_cards: deed === 'lock' } })),
      ),
    onSuccess: (cardKeys) => queries.setQueryData(key, cardKeys),
  });
  const button = (deed: Deed) => (
    <Group>
      <Button variant="default" loading={changing.isPending} onClick={() => setPendingDeed(deed)}>
        {words.card_keys_deeds[deed]} …
      </Button>
    </Group>
  );
  return (
    <Page title={words.card_keys_title} lead={words.card_keys_text}>
      <Anchor component={Link} href="/admin/badges">
        {words.card_keys_back}
      </Anchor>
      {!wasCancelled(changing.error) && <ProblemNotice problem={changing.error} />}
      <Done>
        {changing.isSuccess && changing.variables !== undefined ? words.card_keys_done[changing.variables] : undefined}
      </Done>
      <QueryState of={keys}>
        {(data) => (
          <>
            <section className="sheet" aria-label={words.card_key}>
              <Stack gap="sm">
                <Title order={2}>{words.card_key}</Title>
                <Standing keys={data} />
                <Text size="sm">{words.card_key_text}</Text>
                {data.version === lastVersion ? <Text size="sm">{words.card_key_last}</Text> : button('rotation')}
                {data.version !== undefined && data.version < lastVersion && (
                  <>
                    <Text size="sm">{words.card_key_known_text}</Text>
                    {button('known')}
                  </>
                )}
              </Stack>
            </section>
            <section className="sheet" aria-label={words.card_lock}>
              <Stack gap="sm">
                <Title order={2}>{words.card_lock}</Title>
                <Text size="sm">
                  <strong>{data.lock_cards ? words.card_lock_on : words.card_lock_off}</strong>{' '}
                  {words.card_lock_count(data.locked, data.badges)}
                </Text>
                <Text size="sm">{words.card_lock_text}</Text>
                {button(data.lock_cards ? 'unlock' : 'lock')}
              </Stack>
            </section>
          </>
        )}
      </QueryState>
      <ConfirmDialog
        open={pendingDeed !== undefined}
        title={pendingDeed === undefined ? '' : words.card_keys_ask[pendingDeed]}
        action={pendingDeed === undefined ? '' : words.card_keys_deeds[pendingDeed]}
        onClose={() => setPendingDeed(undefined)}
        onConfirm={() => {
          changing.mutate(pendingDeed!);
          setPendingDeed(undefined);
        }}
      >
        <List size="sm" spacing="xs">
          {pendingDeed !== undefined &&
            words.card_keys_consequences[pendingDeed].map((consequence) => (
              <List.Item key={consequence}>{consequence}</List.Item>
            ))}
        </List>
      </ConfirmDialog>
    </Page>
  );
}

function Standing({ keys }: { readonly keys: CardKeys }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  if (keys.version === undefined || keys.created_at === undefined) return <Text size="sm">{words.card_key_none}</Text>;
  return (
    <>
      <Text size="sm">{words.card_key_version(keys.version, formats.day(keys.created_at))}</Text>
      {keys.badges > 0 && (
        <Text size="sm">
          {keys.outdated === 0 ? words.card_key_everywhere : words.card_key_left(keys.outdated, keys.badges)}
        </Text>
      )}
    </>
  );
}
