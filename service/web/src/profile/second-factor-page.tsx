/** The person's second factor: new recovery codes, and a new telephone. */
import { Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { enter } from '../api/session.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Answered, Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { Enrolment } from '../sign-in/enrolment.js';
import { RecoveryCodes } from '../sign-in/recovery-codes.js';
import { useFormats, useWords } from '../words/words.js';

const key = ['second-factor'];

export function SecondFactorPage(): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const factor = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/second-factor')) });
  const renewing = useMutation({ mutationFn: () => withFactor(() => ask(client.POST('/app/second-factor/recovery-codes'))), onSuccess: () => queries.invalidateQueries({ queryKey: key }) });
  const removing = useMutation({
    mutationFn: () => ask(client.POST('/app/second-factor/removal', { body: { password, code: code.replaceAll(/\s/g, '') } })),
    onSettled: () => { setPassword(''); setCode(''); },
  });
  if (removing.data !== undefined) return <Enrolment onDone={() => void enter(queries).then(() => removing.reset())} />;
  if (renewing.data !== undefined) return <Page title={words.recovery_title}><RecoveryCodes codes={renewing.data.recovery_codes} onKept={renewing.reset} /></Page>;
  return (
    <Page title={words.factor_title}>
      <Answered of={factor}>
        {(state) => <Text>{state.enrolled_at === undefined ? '' : words.factor_enrolled(formats.day(state.enrolled_at))} {words.factor_codes_left(state.recovery_codes_left)}</Text>}
      </Answered>
      <Stack className="sheet" component="section" gap="sm">
        <Title order={2} size="h4">{words.factor_renew_title}</Title>
        <Text>{words.factor_renew_text}</Text>
        {!wasCancelled(renewing.error) && <ProblemNotice problem={renewing.error} />}
        <Group><Button variant="default" loading={renewing.isPending} onClick={() => renewing.mutate()}>{words.factor_renew}</Button></Group>
      </Stack>
      <section className="sheet">
        <form className="form" onSubmit={(event) => { event.preventDefault(); removing.mutate(); }}>
          <Stack gap="sm">
            <Title order={2} size="h4">{words.factor_replace_title}</Title>
            <Text>{words.factor_replace_text}</Text>
            <ProblemNotice problem={removing.error} />
            <PasswordInput label={words.current_password} value={password} onChange={(event) => setPassword(event.currentTarget.value)} required autoComplete="current-password" maxLength={256} visibilityToggleButtonProps={{ 'aria-label': words.show_password }} />
            <TextInput label={words.code} description={words.code_help} value={code} onChange={(event) => setCode(event.currentTarget.value)} required inputMode="numeric" autoComplete="one-time-code" pattern="\s*([0-9]\s*){6}" maxLength={20} />
            <Group><Button color="red" variant="outline" type="submit" loading={removing.isPending}>{words.factor_replace}</Button></Group>
          </Stack>
        </form>
      </section>
    </Page>
  );
}
