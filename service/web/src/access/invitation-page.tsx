/** Following an invitation: a password, then the second factor. */
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { withNames } from '../parts/names.js';
import { faultOf, NewPasswordFields, noPassword } from '../parts/new-password.js';
import { Page, QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { NextStep } from './next-step.js';

export function InvitationPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [, go] = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState(noPassword);
  const [isChecked, setChecked] = useState(false);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => ask(client.POST('/app/invitation/check', { body: { token } })),
    enabled: token !== '',
    staleTime: Infinity,
    gcTime: 0,
  });
  const accepting = useMutation({
    mutationFn: () => ask(client.POST('/app/invitation/accept', { body: { token, password: password.first } })),
    onSuccess: () => setPassword(noPassword),
  });
  if (token === '') return <Page title={words.link_incomplete_title} lead={words.link_incomplete_text} />;
  if (accepting.data !== undefined && accepting.data.next !== 'done')
    return (
      <NextStep
        next={accepting.data.next}
        onIn={() => go('/', { replace: true })}
        onStartOver={() => go('/', { replace: true })}
      />
    );
  const submit = () => {
    setChecked(true);
    if (Object.keys(faultOf(password, words)).length === 0) accepting.mutate();
  };
  return (
    <Page
      title={
        invitation.data === undefined ? words.invitation_heading : words.invitation_title(invitation.data.first_name)
      }
      heading={
        invitation.data === undefined
          ? words.invitation_heading
          : withNames(words.invitation_title, invitation.data.first_name)
      }
    >
      <QueryState of={invitation}>
        {({ company_name: company, email, expires_at: end }) => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
            <Stack>
              <Text>{withNames(words.invitation_text, company, email)}</Text>
              <Text size="sm" c="dimmed">
                {words.invitation_until(formats.instant(end))}
              </Text>
              <ProblemNotice problem={accepting.error} />
              {/* Password managers look for the name beside the password. */}
              <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
              <NewPasswordFields
                value={password}
                onChange={setPassword}
                label={words.choose_password}
                isChecked={isChecked}
              />
              <Button type="submit" loading={accepting.isPending}>
                {words.accept_invitation}
              </Button>
            </Stack>
          </form>
        )}
      </QueryState>
    </Page>
  );
}
