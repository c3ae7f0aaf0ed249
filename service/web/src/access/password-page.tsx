import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { faultOf, NewPasswordFields, noPassword } from '../parts/new-password.js';
import { Page } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { PasswordField } from './credential-fields.js';

export function PasswordPage(): ReactNode {
  const words = useWords();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState(noPassword);
  const [isChecked, setChecked] = useState(false);
  const changing = useMutation({
    mutationFn: () =>
      ask(client.PUT('/app/password', { body: { current_password: current, new_password: password.first } })),
    onSuccess: () => {
      setCurrent('');
      setPassword(noPassword);
      setChecked(false);
    },
  });
  const submit = () => {
    setChecked(true);
    if (Object.keys(faultOf(password, words)).length === 0) changing.mutate();
  };
  return (
    <Page title={words.password_title} lead={words.password_text}>
      <form
        className="sheet form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <ProblemNotice problem={changing.error} />
          <Done>{changing.isSuccess ? words.password_changed : undefined}</Done>
          <PasswordField label={words.current_password} value={current} onChange={setCurrent} />
          <NewPasswordFields value={password} onChange={setPassword} label={words.new_password} isChecked={isChecked} />
          <Group>
            <Button type="submit" loading={changing.isPending}>
              {words.change_password}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
