/** The key of an extension: its details, and a new one with an overlap. */
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { DayField } from '../parts/day-field.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { SecretOnce } from '../parts/secret-once.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

interface Rotation {
  /** Hours in which both keys hold. */
  readonly overlap: string;
  /** The last day of the new key, or nothing. */
  readonly end: string;
}

export function ExtensionKeys({ extension: { id, keys } }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const refetch = () => queries.invalidateQueries({ queryKey: ['extensions'] });
  const rotating = useMutation({
    mutationFn: ({ overlap, end }: Rotation) =>
      withFactor(() =>
        ask(
          client.POST('/app/admin/extensions/{id}/key', {
            params: { path: { id } },
            body: { overlap_hours: Number(overlap), ...(end === '' ? {} : { expires_at: `${end}T23:59:59Z` }) },
          }),
        ),
      ),
    onSuccess: refetch,
  });
  const endingPrevious = useMutation({
    mutationFn: () => ask(client.DELETE('/app/admin/extensions/{id}/previous-key', { params: { path: { id } } })),
    onSettled: refetch,
  });
  return (
    <section className="sheet" aria-labelledby="keys">
      <Stack gap="sm">
        <Title order={2} id="keys">
          {words.extension_keys}
        </Title>
        {rotating.data !== undefined && (
          <SecretOnce
            secrets={[{ label: words.secret_key, value: rotating.data.key }]}
            note={words.key_previous_ends(formats.instant(rotating.data.previous_ends_at))}
            onKept={rotating.reset}
          />
        )}
        {keys.map((key) => (
          <KeyFacts key={key.prefix} of={key} />
        ))}
        <ProblemNotice problem={endingPrevious.error} />
        <Done>{endingPrevious.isSuccess ? words.key_previous_ended : undefined}</Done>
        {keys.some((key) => !key.current) && (
          <Group>
            <Button
              color="red"
              variant="outline"
              loading={endingPrevious.isPending}
              onClick={() => endingPrevious.mutate()}
            >
              {words.key_end_previous}
            </Button>
          </Group>
        )}
        <RotateForm
          loading={rotating.isPending}
          problem={wasCancelled(rotating.error) ? null : rotating.error}
          onRotate={(rotation) => rotating.mutate(rotation)}
        />
      </Stack>
    </section>
  );
}

function KeyFacts({ of: key }: { readonly of: Extension['keys'][number] }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  return (
    <div>
      <Text fw={600}>{key.current ? words.key_current : words.key_previous}</Text>
      <Facts
        of={[
          [
            words.key_begins,
            <span className="key" key="prefix">
              {key.prefix}
            </span>,
          ],
          [words.key_created, formats.instant(key.created_at)],
          [words.key_used, key.last_used_at === undefined ? words.never : formats.instant(key.last_used_at)],
          [words.key_ends, key.expires_at === undefined ? words.never : formats.instant(key.expires_at)],
        ]}
      />
    </div>
  );
}

function RotateForm({
  loading,
  problem,
  onRotate,
}: {
  readonly loading: boolean;
  readonly problem: unknown;
  readonly onRotate: (rotation: Rotation) => void;
}): ReactNode {
  const words = useWords();
  const [overlap, setOverlap] = useState('24');
  const [end, setEnd] = useState('');
  return (
    <form
      className="form"
      aria-label={words.key_rotate_title}
      onSubmit={(event) => {
        event.preventDefault();
        onRotate({ overlap, end });
      }}
    >
      <Stack gap="sm">
        <Title order={3}>{words.key_rotate_title}</Title>
        <Text size="sm">{words.key_rotate_text}</Text>
        <TextInput
          label={words.key_overlap}
          description={words.key_overlap_help}
          type="number"
          min={0}
          max={168}
          step={1}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          required
        />
        <DayField
          label={`${words.extension_key_expires} (${words.optional})`}
          description={words.extension_key_expires_help}
          value={end}
          onChange={setEnd}
        />
        <ProblemNotice problem={problem} />
        <Group>
          <Button type="submit" variant="default" loading={loading}>
            {words.key_issue}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
