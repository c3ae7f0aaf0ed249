/**
 * The person's authenticator app: replaced on a new phone, removed where passkeys are enough, or added beside them.
 */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import { passkeysWork, signWithPasskey } from '../api/passkeys.js';
import type { Schemas } from '../api/session.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { CodeField, PasswordField } from './credential-fields.js';

export interface AuthenticatorSectionProps {
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
  readonly onEnrol: () => void;
  readonly onRemoved: (next: Schemas['SignInStep']['next']) => void;
}

export function AuthenticatorSection({ hasApp, hasPasskey, onEnrol, onRemoved }: AuthenticatorSectionProps): ReactNode {
  const words = useWords();
  if (hasApp) return <Removal hasPasskey={hasPasskey} onRemoved={onRemoved} />;
  return (
    <Stack className="sheet" component="section" gap="sm">
      <Title order={2}>{words.app_title}</Title>
      <Text>{words.app_none_text}</Text>
      <Group>
        <Button variant="default" onClick={onEnrol}>
          {words.app_set_up}
        </Button>
      </Group>
    </Stack>
  );
}

function Removal({ hasPasskey, onRemoved }: Pick<AuthenticatorSectionProps, 'hasPasskey' | 'onRemoved'>): ReactNode {
  const words = useWords();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [by, setBy] = useState<'code' | 'passkey'>('code');
  const removing = useMutation({
    mutationFn: async () => {
      const proof = by === 'code' ? { code: code.replaceAll(/\s/g, '') } : { passkey: await signWithPasskey() };
      try {
        return await ask(client.POST('/app/second-factor/removal', { body: { password, ...proof } }));
      } catch (problem) {
        throw by === 'passkey' && problem instanceof Problem && problem.code === 'second_factor_invalid'
          ? new Problem('passkey_invalid', undefined, [], undefined)
          : problem;
      }
    },
    onSuccess: ({ next }) => onRemoved(next),
    onSettled: () => {
      setPassword('');
      setCode('');
    },
  });
  return (
    <section className="sheet">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          removing.mutate();
        }}
      >
        <Stack gap="sm">
          <Title order={2}>{hasPasskey ? words.app_title : words.factor_replace_title}</Title>
          <Text>{hasPasskey ? words.app_remove_text : words.factor_replace_text}</Text>
          <ProblemNotice problem={removing.error} />
          <PasswordField label={words.current_password} value={password} onChange={setPassword} />
          {by === 'code' && <CodeField label={words.code} value={code} onChange={setCode} />}
          {by === 'passkey' && <Text size="sm">{words.app_remove_by_passkey}</Text>}
          <Group>
            <Button color="red" variant="outline" type="submit" loading={removing.isPending}>
              {hasPasskey ? words.app_remove : words.factor_replace}
            </Button>
          </Group>
          {hasPasskey && passkeysWork() && (
            <div>
              <Anchor
                component="button"
                type="button"
                size="sm"
                onClick={() => setBy(by === 'code' ? 'passkey' : 'code')}
              >
                {by === 'code' ? words.use_passkey_instead : words.use_code}
              </Anchor>
            </div>
          )}
        </Stack>
      </form>
    </section>
  );
}
