/** A forgotten password: asking for a link, and, with the link, choosing a new one. */
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { withNames } from '../parts/names.js';
import { faultOf, NewPasswordFields, noPassword } from '../parts/new-password.js';
import { Page, QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
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
  const asking = useMutation({
    mutationFn: () => ask(client.POST('/app/password-reset', { body: { email: email.trim() } })),
  });
  return (
    <Page title={words.reset_title} lead={words.reset_lead}>
      {asking.isSuccess ? (
        <Done>{words.reset_sent}</Done>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            asking.mutate();
          }}
        >
          <Stack>
            <ProblemNotice problem={asking.error} />
            <TextInput
              label={words.email}
              type="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              required
              autoComplete="username"
              maxLength={254}
            />
            <Button type="submit" loading={asking.isPending}>
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
  const [isChecked, setChecked] = useState(false);
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
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setChecked(true);
              if (Object.keys(faultOf(password, words)).length === 0) choosing.mutate();
            }}
          >
            <Stack>
              <Text>{withNames(words.reset_for, email)}</Text>
              <Text size="sm" c="dimmed">
                {words.reset_until(formats.instant(end))}
              </Text>
              <ProblemNotice problem={choosing.error} />
              {/* Password managers look for the name beside the password. */}
              <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
              <NewPasswordFields
                value={password}
                onChange={setPassword}
                label={words.new_password}
                isChecked={isChecked}
              />
              <Button type="submit" loading={choosing.isPending}>
                {words.reset_set}
              </Button>
            </Stack>
          </form>
        )}
      </QueryState>
    </Page>
  );
}
