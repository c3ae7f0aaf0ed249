/** Signing in. It is shown instead of the page that was asked for, which appears after the sign-in. */
import { Alert, Button, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Ending } from '../api/session.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { EmailField, PasswordField } from './credential-fields.js';
import { NextStep } from './next-step.js';

export interface SignInPageProps {
  readonly ending?: Ending | undefined;
  /** The person's page waits behind the sign-in and keeps its input. */
  readonly waiting: boolean;
  readonly forApp: boolean;
  readonly onIn: () => void;
}

export function SignInPage({ ending, waiting, forApp, onIn }: SignInPageProps): ReactNode {
  const words = useWords();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const installation = useQuery({
    queryKey: ['installation'],
    queryFn: () => ask(client.GET('/app/installation')),
    staleTime: Infinity,
  });
  const signingIn = useMutation({
    mutationFn: () => ask(client.POST('/app/sign-in', { body: { email: email.trim(), password } })),
    onSettled: () => setPassword(''),
  });
  if (signingIn.data !== undefined && signingIn.data.next !== 'done')
    return <NextStep next={signingIn.data.next} onIn={onIn} onStartOver={signingIn.reset} />;
  // The parts known at once come first, so that they do not move when the service answers.
  const note =
    forApp && installation.data?.features.personal_links !== false
      ? words.sign_in_for_app
      : ending !== undefined
        ? `${ending === 'expired' ? words.session_expired : words.session_over}${waiting ? ` ${words.session_waiting}` : ''}`
        : installation.data?.set_up_needed === true
          ? words.set_up_needed
          : undefined;
  return (
    <Page title={words.sign_in_title}>
      {note !== undefined && (
        <Alert color="orange" variant="light" role="status">
          {note}
        </Alert>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signingIn.mutate();
        }}
      >
        <Stack>
          <ProblemNotice problem={signingIn.error} />
          <EmailField value={email} onChange={setEmail} />
          <PasswordField label={words.password} value={password} onChange={setPassword} />
          <Button type="submit" loading={signingIn.isPending}>
            {words.sign_in}
          </Button>
        </Stack>
      </form>
      {installation.data?.company_sign_in === true && (
        <p>
          <Link href="/sign-in/company">{words.company_way}</Link>
        </p>
      )}
      {installation.data?.mail === false && <p className="hint">{words.password_ask}</p>}
      {installation.data?.mail === true && (
        <p>
          <Link href="/reset-password">{words.reset_link}</Link>
        </p>
      )}
    </Page>
  );
}
