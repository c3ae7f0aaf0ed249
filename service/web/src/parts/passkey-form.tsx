/** Setting a passkey up: a name for it, then the browser and the device do the rest. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { makePasskey, systemName } from '../api/passkeys.js';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';
import { useWithFactor, wasCancelled } from './fresh-factor.js';
import { ProblemNotice } from './problem-notice.js';

export function PasskeyForm({ onAdded }: { readonly onAdded: (passkey: Schemas['PasskeyAdded']) => void }): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const [name, setName] = useState<string>();
  const shownName = name ?? words.passkey_suggestion(systemName());
  const adding = useMutation({
    mutationFn: async () => {
      const { public_key: options } = await withFactor(() => ask(client.POST('/app/second-factor/passkeys/creation')));
      const credential = await makePasskey(options);
      return ask(client.POST('/app/second-factor/passkeys', { body: { name: shownName.trim(), credential } }));
    },
    onSuccess: (addedPasskey) => {
      setName(undefined);
      onAdded(addedPasskey);
    },
  });
  return (
    <form
      aria-label={words.passkey_add}
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <Stack gap="sm">
        {!wasCancelled(adding.error) && <ProblemNotice problem={adding.error} />}
        <TextInput
          label={words.passkey_name}
          description={words.passkey_name_help}
          value={shownName}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          pattern=".*\S.*"
          maxLength={60}
          autoComplete="off"
        />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            {words.passkey_add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
