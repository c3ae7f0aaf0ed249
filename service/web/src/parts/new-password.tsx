/** A new password, typed twice, with the one rule that the page can check; the service checks the others. */
import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords, type Words } from '../words/words.js';

export interface NewPassword {
  readonly first: string;
  readonly second: string;
}
export const noPassword: NewPassword = { first: '', second: '' };

export function faultOf({ first, second }: NewPassword, words: Words): { first?: string; second?: string } {
  if ([...first].length < 12) return { first: words.password_short };
  return first === second ? {} : { second: words.passwords_differ };
}

export interface NewPasswordFieldsProps {
  readonly value: NewPassword;
  readonly onChange: (value: NewPassword) => void;
  readonly label: string;
  readonly isChecked: boolean;
}

export function NewPasswordFields({ value, onChange, label, isChecked }: NewPasswordFieldsProps): ReactNode {
  const words = useWords();
  const faults = isChecked ? faultOf(value, words) : {};
  const toggle = { 'aria-label': words.show_password } as const;
  return (
    <>
      <PasswordInput
        label={label}
        description={words.new_password_help}
        value={value.first}
        onChange={(event) => onChange({ ...value, first: event.currentTarget.value })}
        required
        autoComplete="new-password"
        maxLength={256}
        error={faults.first}
        visibilityToggleButtonProps={toggle}
      />
      <PasswordInput
        label={words.repeat_password}
        value={value.second}
        onChange={(event) => onChange({ ...value, second: event.currentTarget.value })}
        required
        autoComplete="new-password"
        maxLength={256}
        error={faults.second}
        visibilityToggleButtonProps={toggle}
      />
    </>
  );
}
