/** Setting up a second factor: secret, first code, recovery codes; or a passkey in their place. */
import { Anchor, Button, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { passkeysWork } from '../api/passkeys.js';
import { useWithFactor } from '../parts/fresh-factor.js';
import { Page } from '../parts/page.js';
import { PasskeyForm } from '../parts/passkey-form.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { QrCode } from '../parts/qr-code.js';
import { CopyButton } from '../parts/secret-once.js';
import { useWords } from '../words/words.js';
import { CodeField } from './credential-fields.js';
import { RecoveryCodes } from './recovery-codes.js';

export interface EnrolmentProps {
  readonly onDone: () => void;
  /** Whether a passkey can be set up instead, because no factor exists yet. */
  readonly offersPasskey?: boolean;
  /** Leaves the page; only when another factor exists. */
  readonly onCancel?: () => void;
}

export function Enrolment({ onDone, offersPasskey = false, onCancel }: EnrolmentProps): ReactNode {
  const words = useWords();
  const [by, setBy] = useState<'app' | 'passkey'>(offersPasskey && passkeysWork() && isOnPhone() ? 'passkey' : 'app');
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined)
    return (
      <Page title={words.recovery_title}>
        <RecoveryCodes codes={codes} onKept={onDone} />
      </Page>
    );
  return (
    <Page title={words.enrol_title} lead={by === 'app' ? words.enrol_text : words.enrol_passkey_text}>
      {by === 'app' ? (
        <AppEnrolment onCodes={setCodes} />
      ) : (
        <PasskeyForm
          onAdded={(factor) => (factor.recovery_codes === undefined ? onDone() : setCodes(factor.recovery_codes))}
        />
      )}
      {offersPasskey && passkeysWork() && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={() => setBy(by === 'app' ? 'passkey' : 'app')}>
            {by === 'app' ? words.use_passkey_instead : words.use_code}
          </Anchor>
        </div>
      )}
      {onCancel !== undefined && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={onCancel}>
            {words.back}
          </Anchor>
        </div>
      )}
    </Page>
  );
}

/** A phone cannot read the code on its own screen; its authenticator app opens the link. */
const isOnPhone = () => matchMedia('(pointer: coarse) and (hover: none)').matches;

function AppEnrolment({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const [code, setCode] = useState('');
  // A secret is made once for this page, not on every render.
  const enrolment = useQuery({
    queryKey: ['enrolment'],
    queryFn: () => withFactor(() => ask(client.POST('/app/second-factor/enrolment'))),
    staleTime: Infinity,
    gcTime: 0,
  });
  const confirming = useMutation({
    mutationFn: () =>
      ask(client.POST('/app/second-factor/confirmation', { body: { code: code.replaceAll(/\s/g, '') } })),
    onSuccess: ({ recovery_codes: codes }) => onCodes(codes),
    onError: () => setCode(''),
  });
  return (
    <>
      {enrolment.error !== null && <ProblemNotice problem={enrolment.error} onRetry={() => void enrolment.refetch()} />}
      {enrolment.data === undefined ? (
        enrolment.error === null && <Loader aria-label={words.loading} role="status" />
      ) : (
        <Stack>
          {isOnPhone() ? (
            <div>
              <Button component="a" href={enrolment.data.uri}>
                {words.enrol_open}
              </Button>
            </div>
          ) : (
            <>
              <Text>{words.enrol_scan}</Text>
              <QrCode text={enrolment.data.uri} label={words.enrol_qr} />
            </>
          )}
          <Text size="sm">{isOnPhone() ? words.enrol_by_copy : words.enrol_by_hand}</Text>
          <output className="secret">{enrolment.data.secret.match(/.{1,4}/g)!.join(' ')}</output>
          <div>
            <CopyButton text={enrolment.data.secret} label={words.copy} />
          </div>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              confirming.mutate();
            }}
          >
            <Stack>
              <ProblemNotice problem={confirming.error} />
              <CodeField label={words.enrol_code} value={code} onChange={setCode} />
              <Button type="submit" loading={confirming.isPending}>
                {words.enrol_confirm}
              </Button>
            </Stack>
          </form>
        </Stack>
      )}
    </>
  );
}
