/** A person's own cards, which they block themselves, and the PIN they enter at terminals. */
import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { useAgo } from './ago.js';
import { BadgeState } from './badge-state.js';
import { badgesKey } from './keys.js';
import './entrances.css';

export function MyBadgesPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const { ago } = useAgo();
  const queries = useQueryClient();
  const [badgeToBlock, setBadgeToBlock] = useState<Schemas['Badge']>();
  const badges = usePagesOf([...badgesKey, 'mine'], (cursor) =>
    ask(client.GET('/app/me/badges', { params: { query: { cursor } } })),
  );
  const blocking = useMutation({
    mutationFn: ({ id }: Schemas['Badge']) =>
      ask(client.POST('/app/me/badges/{id}/block', { params: { path: { id } }, body: { lost: true } })),
    onSettled: () => queries.invalidateQueries({ queryKey: badgesKey }),
  });
  return (
    <Page title={words.my_badges_title} lead={words.my_badges_text}>
      <ProblemNotice problem={blocking.error} />
      <Done>{blocking.isSuccess ? words.my_badge_blocked : undefined}</Done>
      <GrowingList of={badges} none={words.my_badges_none}>
        {(rows) => (
          <Stack component="ul" className="plain">
            {rows.map((badge) => (
              <li key={badge.id} className="sheet">
                <Stack gap="sm">
                  <Group justify="space-between">
                    <Title order={2}>{words.my_badge(formats.day(badge.issued_at))}</Title>
                    <BadgeState badge={badge} />
                  </Group>
                  <Facts
                    of={[
                      [words.badge_used, badge.last_used_at === undefined ? words.never : ago(badge.last_used_at)],
                      [words.badge_issued_at, badge.issued_at_terminal],
                      [
                        words.badge_blocked_at,
                        badge.blocked_at === undefined ? undefined : formats.instant(badge.blocked_at),
                      ],
                      [
                        words.badge_pin_locked,
                        badge.pin_locked_until === undefined ? undefined : formats.instant(badge.pin_locked_until),
                      ],
                    ]}
                  />
                  {badge.state === 'active' ? (
                    <Group>
                      <Button color="red" loading={blocking.isPending} onClick={() => setBadgeToBlock(badge)}>
                        {words.my_badge_block}
                      </Button>
                    </Group>
                  ) : (
                    <Text size="sm">{words.my_badge_over}</Text>
                  )}
                </Stack>
              </li>
            ))}
          </Stack>
        )}
      </GrowingList>
      <Pin />
      <ConfirmDialog
        open={badgeToBlock !== undefined}
        title={words.my_badge_block}
        action={words.my_badge_block_now}
        onClose={() => setBadgeToBlock(undefined)}
        onConfirm={() => {
          blocking.mutate(badgeToBlock!);
          setBadgeToBlock(undefined);
        }}
      >
        <Text>{words.my_badge_block_text}</Text>
      </ConfirmDialog>
    </Page>
  );
}

const pinKey = ['pin'];

function Pin(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [pin, setPin] = useState('');
  const [repeatedPin, setRepeatedPin] = useState('');
  const state = useQuery({ queryKey: pinKey, queryFn: () => ask(client.GET('/app/pin')) });
  const setting = useMutation({
    mutationFn: () => withFactor(() => ask(client.PUT('/app/pin', { body: { pin } }))),
    onSuccess: () => {
      setPin('');
      setRepeatedPin('');
      return queries.invalidateQueries({ queryKey: pinKey });
    },
  });
  const isUnfit = pin !== '' && !/^[0-9]{6}$/.test(pin);
  const isMistyped = repeatedPin !== '' && repeatedPin !== pin;
  const field = (label: string, value: string, change: (text: string) => void, error: string | undefined) => (
    <PasswordInput
      label={label}
      value={value}
      onChange={(event) => {
        setting.reset();
        change(event.currentTarget.value);
      }}
      inputMode="numeric"
      autoComplete="off"
      maxLength={6}
      required
      error={error}
      visibilityToggleButtonProps={{ 'aria-label': words.show_pin }}
    />
  );
  return (
    <section className="sheet form" aria-label={words.pin_title}>
      <QueryState of={state}>
        {({ set: isSet, changed_at: at }) => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!isUnfit && !isMistyped) setting.mutate();
            }}
          >
            <Stack gap="sm">
              <Title order={2}>{words.pin_title}</Title>
              <Text size="sm">
                {isSet && at !== undefined ? words.pin_set_on(formats.instant(at)) : words.pin_none} {words.pin_text}
              </Text>
              {field(words.pin_new, pin, setPin, isUnfit ? words.pin_unfit : undefined)}
              {field(words.pin_again, repeatedPin, setRepeatedPin, isMistyped ? words.pin_differs : undefined)}
              {!wasCancelled(setting.error) && <ProblemNotice problem={setting.error} />}
              <Done>{setting.isSuccess ? words.pin_saved : undefined}</Done>
              <Group>
                <Button type="submit" loading={setting.isPending} disabled={isUnfit || isMistyped}>
                  {isSet ? words.pin_change : words.pin_set}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </QueryState>
    </section>
  );
}
