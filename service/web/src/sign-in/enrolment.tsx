/** Setting up a second factor: secret, first code, recovery codes. */
import { Button, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { QrCode } from './qr-code.js';
import { RecoveryCodes } from './recovery-codes.js';

export function Enrolment({ onDone }: { readonly onDone: () => void }): ReactNode {
  const words = useWords();
  const [code, setCode] = useState('');
  // A secret is made once for this page, not whenever it is drawn anew.
  const enrolment = useQuery({ queryKey: ['enrolment'], queryFn: () => ask(client.POST('/app/second-factor/enrolment')), staleTime: Infinity, gcTime: 0 });
  const confirming = useMutation({ mutationFn: () => ask(client.POST('/app/second-factor/confirmation', { body: { code: code.replaceAll(/\s/g, '') } })), onError: () => setCode('') });
  if (confirming.data !== undefined) return <Page title={words.recovery_title}><RecoveryCodes codes={confirming.data.recovery_codes} onKept={onDone} /></Page>;
  return (
    <Page title={words.enrol_title} lead={words.enrol_text}>
      {enrolment.error !== null && <ProblemNotice problem={enrolment.error} onRetry={() => void enrolment.refetch()} />}
      {enrolment.data === undefined ? enrolment.error === null && <Loader aria-label={words.loading} role="status" /> : (
        <Stack>
          <Text>{words.enrol_scan}</Text>
          <QrCode text={enrolment.data.uri} label={words.enrol_qr} />
          <Text size="sm">{words.enrol_by_hand}</Text>
          <output className="secret">{enrolment.data.secret.match(/.{1,4}/g)!.join(' ')}</output>
          <form onSubmit={(event) => { event.preventDefault(); confirming.mutate(); }}>
            <Stack>
              <ProblemNotice problem={confirming.error} />
              <TextInput label={words.enrol_code} description={words.code_help} value={code} onChange={(event) => setCode(event.currentTarget.value)} required inputMode="numeric" autoComplete="one-time-code" pattern="\s*([0-9]\s*){6}" maxLength={20} />
              <Button type="submit" loading={confirming.isPending}>{words.enrol_confirm}</Button>
            </Stack>
          </form>
        </Stack>
      )}
    </Page>
  );
}
