/** The person's passkeys: their list, renaming, removing and adding one. */
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { passkeysWork } from '../api/passkeys.js';
import { secondFactorKey } from '../api/second-factor.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { QueryState } from '../parts/page.js';
import { PasskeyForm } from '../parts/passkey-form.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { PasswordField } from './credential-fields.js';

const key = ['passkeys'];
const maxPasskeys = 10;
type Said = 'passkey_added' | 'passkey_renamed' | 'passkey_removed';

/** @param onLast the last second factor is gone: the session waits for a new one */
export function PasskeysSection({
  hasApp,
  onLast,
}: {
  readonly hasApp: boolean;
  readonly onLast: () => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [notice, setNotice] = useState<Said>();
  const passkeys = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/second-factor/passkeys')) });
  const showChange = (message: Said) => {
    setNotice(message);
    return Promise.all([key, secondFactorKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  return (
    <section className="sheet" aria-labelledby="passkeys">
      <Stack gap="sm">
        <Title order={2} id="passkeys">
          {words.passkeys_title}
        </Title>
        <Text>{words.passkeys_text}</Text>
        <Done>{notice === undefined ? undefined : words[notice]}</Done>
        <QueryState of={passkeys}>
          {({ data }) => (
            <>
              {data.length > 0 && (
                <Stack component="ul" className="plain" gap="md">
                  {data.map((passkey) => (
                    <PasskeyItem
                      key={passkey.id}
                      passkey={passkey}
                      last={!hasApp && data.length === 1}
                      onChanged={showChange}
                      onRemoved={(next) => {
                        if (next === 'enrol') onLast();
                        else void showChange('passkey_removed');
                      }}
                    />
                  ))}
                </Stack>
              )}
              {!passkeysWork() ? (
                <Text size="sm">{words.passkey_not_here}</Text>
              ) : data.length >= maxPasskeys ? (
                <Text size="sm">{words.passkeys_full}</Text>
              ) : (
                <div className="form">
                  <PasskeyForm onAdded={() => void showChange('passkey_added')} />
                </div>
              )}
            </>
          )}
        </QueryState>
      </Stack>
    </section>
  );
}

interface PasskeyItemProps {
  readonly passkey: Schemas['Passkey'];
  readonly last: boolean;
  readonly onChanged: (message: Said) => Promise<unknown>;
  readonly onRemoved: (next: Schemas['SignInStep']['next']) => void;
}

function PasskeyItem({
  passkey: { id, name, created_at: createdAt, last_used_at: lastUsedAt },
  last,
  onChanged,
  onRemoved,
}: PasskeyItemProps): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const close = () => setOpen(undefined);
  const finishRename = () => {
    close();
    return onChanged('passkey_renamed');
  };
  return (
    <li className="sheet">
      <Stack gap="xs">
        <Title order={3}>
          <bdi>{name}</bdi>
        </Title>
        <Facts
          of={[
            [words.passkey_created, formats.day(createdAt)],
            [words.passkey_used, lastUsedAt === undefined ? words.never : formats.instant(lastUsedAt)],
          ]}
        />
        {open === undefined && (
          <Group>
            <Button
              variant="default"
              size="xs"
              aria-label={`${words.passkey_rename}: ${name}`}
              onClick={() => setOpen('rename')}
            >
              {words.passkey_rename}
            </Button>
            <Button
              variant="outline"
              color="red"
              size="xs"
              aria-label={`${words.passkey_remove}: ${name}`}
              onClick={() => setOpen('remove')}
            >
              {words.passkey_remove}
            </Button>
          </Group>
        )}
        {open === 'rename' && <RenameForm id={id} name={name} onCancel={close} onRenamed={finishRename} />}
        {open === 'remove' && <RemoveForm id={id} name={name} last={last} onCancel={close} onRemoved={onRemoved} />}
      </Stack>
    </li>
  );
}

interface PasskeyFormProps {
  readonly id: string;
  readonly name: string;
  readonly onCancel: () => void;
}

function RenameForm({
  id,
  name,
  onCancel,
  onRenamed,
}: PasskeyFormProps & { readonly onRenamed: () => Promise<unknown> }): ReactNode {
  const words = useWords();
  const [newName, setNewName] = useState(name);
  const params = { path: { id } };
  const renaming = useMutation({
    mutationFn: () => ask(client.PATCH('/app/second-factor/passkeys/{id}', { params, body: { name: newName.trim() } })),
    onSuccess: onRenamed,
  });
  return (
    <form
      className="form"
      aria-label={`${words.passkey_rename}: ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate();
      }}
    >
      <Stack gap="sm">
        <ProblemNotice problem={renaming.error} />
        <TextInput
          label={words.passkey_new_name}
          value={newName}
          onChange={(event) => setNewName(event.currentTarget.value)}
          required
          autoFocus
          pattern=".*\S.*"
          maxLength={60}
          autoComplete="off"
        />
        <Group>
          <Button type="submit" loading={renaming.isPending}>
            {words.save}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {words.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RemoveForm({
  id,
  name,
  last,
  onCancel,
  onRemoved,
}: PasskeyFormProps & Pick<PasskeyItemProps, 'last' | 'onRemoved'>): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const [password, setPassword] = useState('');
  const params = { path: { id } };
  const removing = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.POST('/app/second-factor/passkeys/{id}/removal', { params, body: { password } }))),
    onSuccess: ({ next }) => onRemoved(next),
    onSettled: () => setPassword(''),
  });
  return (
    <form
      className="form"
      aria-label={`${words.passkey_remove}: ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        removing.mutate();
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{last ? words.passkey_remove_last_text : words.passkey_remove_text}</Text>
        {!wasCancelled(removing.error) && <ProblemNotice problem={removing.error} />}
        <PasswordField label={words.current_password} value={password} onChange={setPassword} autoFocus />
        <Group>
          <Button color="red" type="submit" loading={removing.isPending}>
            {words.passkey_remove_now}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {words.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
