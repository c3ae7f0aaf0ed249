/** A forgotten password: asking for a link, and, with the link, choosing a new one. */
import { Button, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { withNames } from '../parts/names.js';
import { noPassword } from '../parts/new-password.js';
import { Page, QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { EmailField } from './credential-fields.js';
import { NewPasswordForm } from './new-password-form.js';
import { NextStep } from './next-step.js';

export function ResetPage(): ReactNode {
  const [token, setToken] = useState(() => location.hash.slice(1));
  // In the tab that asked for the mail, its link changes only the hash and does not reload the page.
  useEffect(() => {
    const readToken = () => setToken(location.hash.slice(1));
    window.addEventListener('hashchange', readToken);
    return () => window.removeEventListener('hashchange', readToken);
  }, []);
  return token === '' ? <Request /> : <NewPassword key={token} token={token} />;
}

function Request(): ReactNode {
  const words = useWords();
  const [email, setEmail] = useState('');
  const requesting = useMutation({
    mutationFn: () => ask(client.POST('/app/password-reset', { body: { email: email.trim() } })),
  });
  return (
    <Page title={words.reset_title} lead={words.reset_lead}>
      {requesting.isSuccess ? (
        <Done>{words.reset_sent}</Done>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            requesting.mutate();
          }}
        >
          <Stack>
            <ProblemNotice problem={requesting.error} />
            <EmailField value={email} onChange={setEmail} />
            <Button type="submit" loading={requesting.isPending}>
              {words.reset_ask}
            </Button>
          </Stack>
        </form>
      )}
      <p>
        <Link href="/">{words.reset_back}</Link>
      </p>
    </Page>
  );
}

function NewPassword({ token }: { readonly token: string }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [, go] = useLocation();
  const [password, setPassword] = useState(noPassword);
  const link = useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => ask(client.POST('/app/password-reset/check', { body: { token } })),
    staleTime: Infinity,
    gcTime: 0,
  });
  const choosing = useMutation({
    mutationFn: () => ask(client.POST('/app/password-reset/accept', { body: { token, password: password.first } })),
    onSuccess: () => setPassword(noPassword),
  });
  if (choosing.data !== undefined && choosing.data.next !== 'done')
    return (
      <NextStep
        next={choosing.data.next}
        onIn={() => go('/', { replace: true })}
        onStartOver={() => go('/', { replace: true })}
      />
    );
  return (
    <Page title={words.reset_new_title}>
      <QueryState of={link}>
        {({ email, expires_at: end }) => (
          <NewPasswordForm
            email={email}
            lead={withNames(words.reset_for, email)}
            until={words.reset_until(formats.instant(end))}
            label={words.new_password}
            action={words.reset_set}
            value={password}
            onChange={setPassword}
            saving={choosing}
          />
        )}
      </QueryState>
    </Page>
  );
}
