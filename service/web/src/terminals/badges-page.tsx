/** The people with cards, and the cards that open nothing any more. */
import { Alert, Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useSorting, useWholeList } from '../parts/sorting.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { useAgo } from './ago.js';
import { BadgeState } from './badge-state.js';
import { IssueBadge } from './issue-badge.js';
import { badgesKey } from './keys.js';
import './entrances.css';

type Badge = Schemas['Badge'];
type Deed = 'block' | 'lost' | 'unblock' | 'return' | 'pin';
const states = ['active', 'blocked', 'returned'] as const;

interface Filter {
  readonly search: string;
  readonly state: (typeof states)[number] | undefined;
}

interface BadgeDeed {
  readonly deed: Deed;
  readonly badge: Badge;
}

export function BadgesPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const [path, go] = useLocation();
  const query = new URLSearchParams(useSearch());
  const search = query.get('search') ?? '';
  const state = states.find((listedState) => listedState === query.get('state'));
  const [isIssuing, setIssuing] = useState(false);
  const [pendingDeed, setPendingDeed] = useState<BadgeDeed>();
  /** The address keeps the filter: Back works, and it can be sent to a colleague. */
  const filter = (newFilter: Filter) => {
    const next = new URLSearchParams({
      ...(newFilter.search === '' ? {} : { search: newFilter.search }),
      ...(newFilter.state === undefined ? {} : { state: newFilter.state }),
    }).toString();
    go(next === '' ? path : `${path}?${next}`);
  };
  const badges = usePagesOf([...badgesKey, 'list', state, search], (cursor) =>
    ask(
      client.GET('/app/admin/badges', {
        params: {
          query: {
            state,
            ...(search === '' ? {} : { search }),
            cursor,
          },
        },
      }),
    ),
  );
  const sorting = useSorting('');
  useWholeList(badges, sorting);
  const doing = useDeeds();
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
      <BadgeFilter search={search} state={state} onChange={filter} />
      <GrowingList of={badges} none={words.badges_none}>
        {(rows) => (
          <table className="table badges" aria-label={words.badges_title}>
            <thead>
              <tr>
                <th scope="col" {...sorting.column('person', words.badge_person)} />
                <th scope="col" {...sorting.column('state', words.badge_state)} />
                <th scope="col">{words.badge_card}</th>
                <th scope="col" {...sorting.column('issued', words.badge_issued)} />
                <th scope="col" {...sorting.column('used', words.badge_used)} />
                <th scope="col">{words.badge_actions}</th>
              </tr>
            </thead>
            <tbody>
              {sorting.sortRows(rows, valuesOf).map((badge) => (
                <BadgeRow key={badge.id} of={badge} onAsk={(deed) => setPendingDeed({ deed, badge })} />
              ))}
            </tbody>
          </table>
        )}
      </GrowingList>
      <IssueBadge session={session} open={isIssuing} onClose={() => setIssuing(false)} />
      <DeedDialog
        of={pendingDeed}
        onClose={() => setPendingDeed(undefined)}
        onConfirm={(confirmedDeed) => {
          doing.mutate(confirmedDeed);
          setPendingDeed(undefined);
        }}
      />
    </Page>
  );
}

const valuesOf = {
  person: ({ person }: Badge) => person.name,
  state: ({ state }: Badge) => states.indexOf(state),
  issued: ({ issued_at }: Badge) => issued_at,
  used: ({ last_used_at }: Badge) => last_used_at,
};

function useDeeds() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ deed, badge }: BadgeDeed) => {
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
}

function BadgeFilter({ search, state, onChange }: Filter & { readonly onChange: (filter: Filter) => void }): ReactNode {
  const words = useWords();
  const [text, setText] = useState(search);
  return (
    <form
      className="filters"
      aria-label={words.badges_filter}
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ search: text.trim(), state });
      }}
    >
      <TextInput
        label={words.badges_search}
        type="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => text.trim() !== search && onChange({ search: text.trim(), state })}
      />
      <NativeSelect
        label={words.badge_state}
        value={state ?? ''}
        onChange={(event) =>
          onChange({ search: text.trim(), state: states.find((state) => state === event.currentTarget.value) })
        }
        data={[
          { value: '', label: words.badges_all },
          ...states.map((listedState) => ({ value: listedState, label: words.badge_states[listedState] })),
        ]}
      />
    </form>
  );
}

function BadgeRow({ of: badge, onAsk }: { readonly of: Badge; readonly onAsk: (deed: Deed) => void }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const { ago } = useAgo();
  const button = (deed: Deed) => (
    <Button
      size="xs"
      variant="default"
      aria-label={`${words.badge_deeds[deed]}: ${badge.person.name}`}
      onClick={() => onAsk(deed)}
    >
      {words.badge_deeds[deed]}
    </Button>
  );
  return (
    <tr>
      <td data-label={words.badge_person}>
        <bdi>{badge.person.name}</bdi>
      </td>
      <td data-label={words.badge_state}>
        <span>
          <BadgeState badge={badge} />
          {badge.blocked_by !== undefined && (
            <span className="entrance-note">{withNames(words.badge_blocked_by, badge.blocked_by.name)}</span>
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
      <td data-label={words.badge_used}>{badge.last_used_at === undefined ? words.never : ago(badge.last_used_at)}</td>
      <td data-label={words.badge_actions}>
        <Group gap="xs">
          {badge.state === 'active' && button('block')}
          {badge.state === 'active' && button('lost')}
          {badge.state === 'blocked' && button('unblock')}
          {badge.state !== 'returned' && button('return')}
          {badge.state !== 'returned' && badge.pin_set && button('pin')}
        </Group>
      </td>
    </tr>
  );
}

/** Asks before a deed. */
function DeedDialog({
  of: pendingDeed,
  onClose,
  onConfirm,
}: {
  readonly of: BadgeDeed | undefined;
  readonly onClose: () => void;
  readonly onConfirm: (deed: BadgeDeed) => void;
}): ReactNode {
  const words = useWords();
  return (
    <ConfirmDialog
      open={pendingDeed !== undefined}
      title={
        pendingDeed === undefined ? '' : withNames(words.badge_ask[pendingDeed.deed], pendingDeed.badge.person.name)
      }
      action={pendingDeed === undefined ? '' : words.badge_deeds[pendingDeed.deed]}
      onClose={onClose}
      onConfirm={() => onConfirm(pendingDeed!)}
    >
      {pendingDeed !== undefined && <Text>{words.badge_ask_text[pendingDeed.deed]}</Text>}
      {pendingDeed?.deed === 'return' && (
        <Alert color="gray" variant="light">
          {pendingDeed.badge.locked ? words.badge_return_locked : words.badge_return_note}
        </Alert>
      )}
    </ConfirmDialog>
  );
}
