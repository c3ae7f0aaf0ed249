/** Following an invitation: a password, then the second factor. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { withNames } from '../parts/names.js';
import { noPassword } from '../parts/new-password.js';
import { Page, QueryState } from '../parts/page.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { NewPasswordForm } from './new-password-form.js';
import { NextStep } from './next-step.js';

export function InvitationPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [, go] = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState(noPassword);
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
          <NewPasswordForm
            email={email}
            lead={withNames(words.invitation_text, company, email)}
            until={words.invitation_until(formats.instant(end))}
            label={words.choose_password}
            action={words.accept_invitation}
            value={password}
            onChange={setPassword}
            saving={accepting}
          />
        )}
      </QueryState>
    </Page>
  );
}
