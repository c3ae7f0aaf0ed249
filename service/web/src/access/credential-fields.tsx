/** The fields of a credential, as password managers know them. */
import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.js';

interface CredentialFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function EmailField({ value, onChange }: CredentialFieldProps): ReactNode {
  const words = useWords();
  return (
    <TextInput
      label={words.email}
      type="email"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      required
      autoComplete="username"
      maxLength={254}
    />
  );
}

export interface PasswordFieldProps extends CredentialFieldProps {
  readonly label: string;
  readonly autoFocus?: boolean;
}

export function PasswordField({ label, value, onChange, autoFocus = false }: PasswordFieldProps): ReactNode {
  const words = useWords();
  return (
    <PasswordInput
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      required
      autoFocus={autoFocus}
      autoComplete="current-password"
      maxLength={256}
      visibilityToggleButtonProps={{ 'aria-label': words.show_password }}
    />
  );
}

/** The code of the authenticator app. */
export function CodeField({ label, value, onChange }: CredentialFieldProps & { readonly label: string }): ReactNode {
  const words = useWords();
  return (
    <TextInput
      label={label}
      description={words.code_help}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      required
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*([0-9]\s*){6}"
      maxLength={20}
    />
  );
}
