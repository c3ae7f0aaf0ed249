/** The step after the password: the second factor, or setting one up. */
import { Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { enter, type Schemas } from '../api/session.js';
import { FactorForm } from '../parts/factor-form.js';
import { Page } from '../parts/page.js';
import { useWords } from '../words/words.js';
import { Enrolment } from './enrolment.js';

export type Next = Schemas['SignInStep']['next'];

export interface NextStepProps {
  readonly next: Next;
  /** The reason to ask for the second factor, if it is not obvious. */
  readonly lead?: string;
  readonly onIn: () => void;
  readonly onStartOver: () => void;
}

export function NextStep({ next, lead, onIn, onStartOver }: NextStepProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const goIn = async () => {
    await enter(queries);
    onIn();
  };
  const proving = useMutation({
    mutationFn: (body: Schemas['SecondFactorProof']) => ask(client.POST('/app/sign-in/second-factor', { body })),
    onSuccess: async ({ recovery_codes_left: codeCount }) => {
      if (codeCount === undefined) await goIn();
    },
  });
  if (next === 'enrol') return <Enrolment offersPasskey onDone={() => void goIn()} />;
  const codesLeft = proving.data?.recovery_codes_left;
  if (codesLeft !== undefined)
    return (
      <Page title={words.codes_left_title}>
        <Text>{words.codes_left(codesLeft)}</Text>
        <Button onClick={() => void goIn()}>{words.continue}</Button>
      </Page>
    );
  return (
    <Page title={words.second_factor_title} lead={lead}>
      <FactorForm busy={proving.isPending} problem={proving.error} onProof={(proof) => proving.mutate(proof)} />
      <div>
        <Anchor component="button" type="button" size="sm" onClick={onStartOver}>
          {words.start_over}
        </Anchor>
      </div>
    </Page>
  );
}
