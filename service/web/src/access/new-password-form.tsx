/** The form behind a link from a mail: its account, the end of the link, and the new password. */
import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { faultOf, type NewPassword, NewPasswordFields } from '../parts/new-password.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

export interface NewPasswordFormProps {
  readonly email: string;
  readonly lead: ReactNode;
  readonly until: string;
  readonly label: string;
  readonly action: string;
  readonly value: NewPassword;
  readonly onChange: (value: NewPassword) => void;
  readonly saving: { readonly error: unknown; readonly isPending: boolean; mutate(): void };
}

export function NewPasswordForm({
  email,
  lead,
  until,
  label,
  action,
  value,
  onChange,
  saving,
}: NewPasswordFormProps): ReactNode {
  const words = useWords();
  const [isChecked, setChecked] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (Object.keys(faultOf(value, words)).length === 0) saving.mutate();
      }}
    >
      <Stack>
        <Text>{lead}</Text>
        <Text size="sm" c="dimmed">
          {until}
        </Text>
        <ProblemNotice problem={saving.error} />
        {/* Password managers look for the name beside the password. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <NewPasswordFields value={value} onChange={onChange} label={label} isChecked={isChecked} />
        <Button type="submit" loading={saving.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
