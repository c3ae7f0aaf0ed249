/** Code of the authenticator app, or a recovery code instead. */
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';
import { ProblemNotice } from './problem-notice.js';

export interface FactorFormProps { readonly busy: boolean; readonly problem: unknown; readonly onProof: (proof: Schemas['SecondFactorProof']) => void }

export function FactorForm({ busy, problem, onProof }: FactorFormProps): ReactNode {
  const words = useWords();
  const [kind, setKind] = useState<'code' | 'recovery_code'>('code');
  const [text, setText] = useState('');
  const other = kind === 'code' ? 'recovery_code' : 'code';
  const submit = () => {
    // People read codes in groups, and type them that way.
    const value = text.replaceAll(/\s/g, '');
    onProof(kind === 'code' ? { code: value } : { recovery_code: value.toUpperCase() });
    setText('');
  };
  return (
    <form onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <Stack>
        <ProblemNotice problem={problem} />
        <TextInput
          key={kind} label={words[kind]} description={words[`${kind}_help`]} value={text} onChange={(event) => setText(event.currentTarget.value)} required data-autofocus autoFocus
          inputMode={kind === 'code' ? 'numeric' : 'text'} autoComplete={kind === 'code' ? 'one-time-code' : 'off'} maxLength={20} pattern={kind === 'code' ? '\\s*([0-9]\\s*){6}' : '\\s*[0-9A-Za-z]{5}\\s*-?\\s*[0-9A-Za-z]{5}\\s*'}
        />
        <Button type="submit" loading={busy}>{words.confirm}</Button>
        <div><Anchor component="button" type="button" size="sm" onClick={() => { setKind(other); setText(''); }}>{words[kind === 'code' ? 'use_recovery_code' : 'use_code']}</Anchor></div>
      </Stack>
    </form>
  );
}
