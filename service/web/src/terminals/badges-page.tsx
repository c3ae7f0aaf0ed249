/** Who has a card, and which of them open nothing any more. */
import { Alert, Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useFormats, useWords } from '../words/words.js';
import { useAgo } from './ago.js';
import { BadgeState } from './badge-state.js';
import { IssueBadge } from './issue-badge.js';
import { badgesKey } from './keys.js';
import './entrances.css';

type Badge = Schemas['Badge'];
type Deed = 'block' | 'lost' | 'unblock' | 'return' | 'pin';
const states = ['active', 'blocked', 'returned'] as const;
type State = (typeof states)[number];

export function BadgesPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { ago } = useAgo();
  const queries = useQueryClient();
  const [path, go] = useLocation();
  const query = new URLSearchParams(useSearch());
  const search = query.get('search') ?? '';
  const state = states.find((one) => one === query.get('state'));
  const [typed, setTyped] = useState(search);
  const [issuing, setIssuing] = useState(false);
  const [asking, setAsking] = useState<{ readonly deed: Deed; readonly badge: Badge }>();
  /** The address keeps the filter: Back works, and it can be sent to a colleague. */
  const filter = (wanted: { readonly search: string; readonly state: State | undefined }) => {
    const next = new URLSearchParams({
      ...(wanted.search === '' ? {} : { search: wanted.search }),
      ...(wanted.state === undefined ? {} : { state: wanted.state }),
    }).toString();
    go(next === '' ? path : `${path}?${next}`);
  };
  const badges = usePagesOf([...badgesKey, 'list', state, search], (cursor) =>
    ask(
      client.GET('/app/admin/badges', {
        params: {
          query: {
            ...(state === undefined ? {} : { state }),
            ...(search === '' ? {} : { search }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
      }),
    ),
  );
  const doing = useMutation({
    mutationFn: async ({ deed, badge }: { readonly deed: Deed; readonly badge: Badge }) => {
      const params = { path: { id: badge.id } };
      switch (deed) {
        case 'block':
        case 'lost':
          await ask(client.POST('/app/admin/badges/{id}/block', { params, body: { lost: deed === 'lost' } }));
          return;
        case 'unblock':
          await ask(client.POST('/app/admin/badges/{id}/unblock', { params }));
          return;
        case 'return':
          await ask(client.POST('/app/admin/badges/{id}/return', { params }));
          return;
        case 'pin':
          await ask(client.DELETE('/app/admin/people/{id}/pin', { params: { path: { id: badge.person.id } } }));
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: badgesKey }),
  });
  const button = (deed: Deed, badge: Badge) => (
    <Button
      size="xs"
      variant="default"
      aria-label={`${words.badge_deeds[deed]}: ${badge.person.name}`}
      onClick={() => setAsking({ deed, badge })}
    >
      {words.badge_deeds[deed]}
    </Button>
  );
  return (
    <Page title={words.badges_title} lead={words.badges_text}>
      <ProblemNotice problem={doing.error} />
      <Done>
        {doing.isSuccess && doing.variables !== undefined
          ? withNames(words.badge_done[doing.variables.deed], doing.variables.badge.person.name)
          : undefined}
      </Done>
      <Group>
        <Button onClick={() => setIssuing(true)}>{words.badge_issue}</Button>
        <Anchor component={Link} href="/admin/card-keys">
          {words.card_keys_title}
        </Anchor>
      </Group>
      <form
        className="filters"
        aria-label={words.badges_filter}
        onSubmit={(event) => {
          event.preventDefault();
          filter({ search: typed.trim(), state });
        }}
      >
        <TextInput
          label={words.badges_search}
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={() => typed.trim() !== search && filter({ search: typed.trim(), state })}
        />
        <NativeSelect
          label={words.badge_state}
          value={state ?? ''}
          onChange={(event) =>
            filter({ search: typed.trim(), state: states.find((one) => one === event.currentTarget.value) })
          }
          data={[
            { value: '', label: words.badges_all },
            ...states.map((one) => ({ value: one, label: words.badge_states[one] })),
          ]}
        />
      </form>
      <GrowingList of={badges} none={words.badges_none}>
        {(rows) => (
          <table className="table badges" aria-label={words.badges_title}>
            <thead>
              <tr>
                <th scope="col">{words.badge_person}</th>
                <th scope="col">{words.badge_state}</th>
                <th scope="col">{words.badge_card}</th>
                <th scope="col">{words.badge_issued}</th>
                <th scope="col">{words.badge_used}</th>
                <th scope="col">{words.badge_actions}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((badge) => (
                <tr key={badge.id}>
                  <td data-label={words.badge_person}>
                    <bdi>{badge.person.name}</bdi>
                  </td>
                  <td data-label={words.badge_state}>
                    <span>
                      <BadgeState badge={badge} />
                      {badge.blocked_by !== undefined && (
                        <span className="entrance-note">
                          {withNames(words.badge_blocked_by, badge.blocked_by.name)}
                        </span>
                      )}
                    </span>
                  </td>
                  <td data-label={words.badge_card}>
                    <span>
                      {badge.card === undefined ? words.not_reported : words.card_families[badge.card]}
                      {badge.locked && <span className="entrance-note">{words.badge_locked}</span>}
                      {badge.key_outdated && <span className="entrance-note">{words.badge_key_outdated}</span>}
                    </span>
                  </td>
                  <td data-label={words.badge_issued}>
                    <span>
                      {formats.day(badge.issued_at)}
                      <span className="entrance-note">
                        <bdi>{badge.issued_at_terminal}</bdi>
                      </span>
                    </span>
                  </td>
                  <td data-label={words.badge_used}>
                    {badge.last_used_at === undefined ? words.never : ago(badge.last_used_at)}
                  </td>
                  <td data-label={words.badge_actions}>
                    <Group gap="xs">
                      {badge.state === 'active' && button('block', badge)}
                      {badge.state === 'active' && button('lost', badge)}
                      {badge.state === 'blocked' && button('unblock', badge)}
                      {badge.state !== 'returned' && button('return', badge)}
                      {badge.state !== 'returned' && button('pin', badge)}
                    </Group>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </GrowingList>
      <IssueBadge session={session} open={issuing} onClose={() => setIssuing(false)} />
      <ConfirmDialog
        open={asking !== undefined}
        title={asking === undefined ? '' : withNames(words.badge_ask[asking.deed], asking.badge.person.name)}
        action={asking === undefined ? '' : words.badge_deeds[asking.deed]}
        onClose={() => setAsking(undefined)}
        onConfirm={() => {
          doing.mutate(asking!);
          setAsking(undefined);
        }}
      >
        {asking !== undefined && <Text>{words.badge_ask_text[asking.deed]}</Text>}
        {asking?.deed === 'return' && (
          <Alert color="gray" variant="light">
            {asking.badge.locked ? words.badge_return_locked : words.badge_return_note}
          </Alert>
        )}
      </ConfirmDialog>
    </Page>
  );
}
