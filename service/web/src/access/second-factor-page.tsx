/** The person's second factor: passkeys, authenticator app and recovery codes. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { secondFactorKey, useSecondFactor } from '../api/second-factor.js';
import { enter } from '../api/session.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Page, QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { AuthenticatorSection } from './authenticator-section.js';
import { Enrolment } from './enrolment.js';
import { PasskeysSection } from './passkeys-section.js';
import { RecoveryCodes } from './recovery-codes.js';

/** Below this number of recovery codes the page recommends new ones. */
const lowCodeCount = 3;

export function SecondFactorPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  // `required`: no factor is left, and the session waits for one. `added`: an authenticator app beside passkeys.
  const [enrolling, setEnrolling] = useState<'required' | 'added'>();
  const [appRemoved, setAppRemoved] = useState(false);
  const factor = useSecondFactor();
  const refetch = () => queries.invalidateQueries({ queryKey: secondFactorKey });
  const renewing = useMutation({
    mutationFn: () => withFactor(() => ask(client.POST('/app/second-factor/recovery-codes'))),
    onSuccess: refetch,
  });
  const followRemoval = (next: string) => {
    if (next === 'enrol') return setEnrolling('required');
    setAppRemoved(true);
    void refetch();
  };
  if (enrolling === 'required')
    return <Enrolment offersPasskey onDone={() => void enter(queries).then(() => setEnrolling(undefined))} />;
  if (enrolling === 'added')
    return (
      <Enrolment
        onDone={() => void refetch().then(() => setEnrolling(undefined))}
        onCancel={() => setEnrolling(undefined)}
      />
    );
  if (renewing.data !== undefined)
    return (
      <Page title={words.recovery_title}>
        <RecoveryCodes codes={renewing.data.recovery_codes} onKept={renewing.reset} />
      </Page>
    );
  const renewal = (codesLeft: number) => (
    <Stack className="sheet" component="section" gap="sm">
      <Title order={2}>{words.factor_renew_title}</Title>
      {codesLeft < lowCodeCount && (
        <Alert color="orange" variant="light" role="note">
          {codesLeft === 0 ? words.factor_codes_none : words.factor_codes_few}
        </Alert>
      )}
      <Text>{words.factor_renew_text}</Text>
      {!wasCancelled(renewing.error) && <ProblemNotice problem={renewing.error} />}
      <Group>
        <Button
          variant={codesLeft < lowCodeCount ? 'filled' : 'default'}
          loading={renewing.isPending}
          onClick={() => renewing.mutate()}
        >
          {words.factor_renew}
        </Button>
      </Group>
    </Stack>
  );
  return (
    <Page title={words.factor_title}>
      <QueryState of={factor}>
        {({ enrolled_at: app, passkeys, recovery_codes_left: codeCount }) => (
          <>
            <Text>
              {app === undefined ? '' : words.factor_enrolled(formats.day(app))} {words.factor_codes_left(codeCount)}
            </Text>
            <Done>{appRemoved ? words.app_removed : undefined}</Done>
            {codeCount < lowCodeCount && renewal(codeCount)}
            <PasskeysSection hasApp={app !== undefined} onLast={() => setEnrolling('required')} />
            {codeCount >= lowCodeCount && renewal(codeCount)}
            <AuthenticatorSection
              hasApp={app !== undefined}
              hasPasskey={passkeys > 0}
              onEnrol={() => {
                setAppRemoved(false);
                setEnrolling('added');
              }}
              onRemoved={followRemoval}
            />
          </>
        )}
      </QueryState>
    </Page>
  );
}
