/** A proof of the person's second factor: a passkey, the code of the authenticator app, or a recovery code instead. */
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Problem } from '../api/ask.js';
import { passkeysWork, signWithPasskey } from '../api/passkeys.js';
import { useSecondFactor } from '../api/second-factor.js';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';
import { QueryState } from './page.js';
import { ProblemNotice } from './problem-notice.js';

export interface FactorFormProps {
  readonly busy: boolean;
  readonly problem: unknown;
  readonly onProof: (proof: Schemas['SecondFactorProof']) => void;
}

export function FactorForm(props: FactorFormProps): ReactNode {
  const factor = useSecondFactor();
  return (
    <QueryState of={factor}>
      {({ enrolled_at: app, passkeys }) => <Proofs {...props} hasApp={app !== undefined} hasPasskey={passkeys > 0} />}
    </QueryState>
  );
}

type Kind = 'usual' | 'recovery_code';

function Proofs({
  busy,
  problem,
  onProof,
  hasApp,
  hasPasskey,
}: FactorFormProps & { readonly hasApp: boolean; readonly hasPasskey: boolean }): ReactNode {
  const words = useWords();
  const [kind, setKind] = useState<Kind>('usual');
  const [wasSigned, setSigned] = useState(false);
  // The problem belongs to a proof that the person has since left.
  const [past, setPast] = useState<unknown>();
  const signing = useMutation({
    mutationFn: signWithPasskey,
    onMutate: () => {
      setSigned(true);
      setPast(problem);
    },
    onSuccess: (passkey) => onProof({ passkey }),
  });
  const offersPasskey = hasPasskey && passkeysWork();
  const give = (proof: Schemas['SecondFactorProof']) => {
    setSigned(false);
    signing.reset();
    onProof(proof);
  };
  const change = (to: Kind) => {
    setKind(to);
    setPast(problem);
    signing.reset();
  };
  return (
    <Stack>
      <ProblemNotice
        problem={signing.error ?? (problem === past ? undefined : wasSigned ? ofPasskey(problem) : problem)}
      />
      {kind === 'usual' &&
        hasPasskey &&
        (offersPasskey ? (
          <Button
            variant={hasApp ? 'default' : 'filled'}
            loading={signing.isPending || (wasSigned && busy)}
            onClick={() => signing.mutate()}
            {...(hasApp ? {} : { 'data-autofocus': true })}
          >
            {words.use_passkey}
          </Button>
        ) : (
          <Text size="sm">{words.passkey_not_here}</Text>
        ))}
      {kind === 'usual' && hasApp && offersPasskey && (
        <Text size="sm" ta="center">
          {words.or}
        </Text>
      )}
      {kind === 'usual' && hasApp && (
        <CodeForm
          key="code"
          kind="code"
          busy={busy && !wasSigned}
          hasFocus={!offersPasskey}
          onCode={(code) => give({ code })}
        />
      )}
      {kind === 'recovery_code' && (
        <CodeForm
          key="recovery_code"
          kind="recovery_code"
          busy={busy}
          hasFocus
          onCode={(code) => give({ recovery_code: code.toUpperCase() })}
        />
      )}
      <div>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="left"
          onClick={() => change(kind === 'usual' ? 'recovery_code' : 'usual')}
        >
          {kind === 'usual' ? words.use_recovery_code : hasApp ? words.use_code : words.use_passkey_instead}
        </Anchor>
      </div>
    </Stack>
  );
}

/** A passkey is no code, so its texts differ. */
function ofPasskey(problem: unknown): unknown {
  return problem instanceof Problem && problem.code === 'second_factor_invalid'
    ? new Problem('passkey_invalid', undefined, [], undefined)
    : problem;
}

interface CodeFormProps {
  readonly kind: 'code' | 'recovery_code';
  readonly busy: boolean;
  readonly hasFocus: boolean;
  readonly onCode: (code: string) => void;
}

function CodeForm({ kind, busy, hasFocus, onCode }: CodeFormProps): ReactNode {
  const words = useWords();
  const [text, setText] = useState('');
  const submit = () => {
    // People read codes in groups, and type them that way.
    onCode(text.replaceAll(/\s/g, ''));
    setText('');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label={words[kind]}
          description={words[`${kind}_help`]}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          required
          {...(hasFocus ? { 'data-autofocus': true, autoFocus: true } : {})}
          inputMode={kind === 'code' ? 'numeric' : 'text'}
          autoComplete={kind === 'code' ? 'one-time-code' : 'off'}
          maxLength={20}
          pattern={kind === 'code' ? '\\s*([0-9]\\s*){6}' : '\\s*[0-9A-Za-z]{5}\\s*-?\\s*[0-9A-Za-z]{5}\\s*'}
        />
        <Button type="submit" loading={busy}>
          {words.confirm}
        </Button>
      </Stack>
    </form>
  );
}
