/** An admin hands out the file of a closed month to a person who asked for it. The audit log names the admin. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { useWords } from '../words/words.js';
import { nameOfProof } from './proof-name.js';

export function HandOutProof({
  person: { id, name },
  month,
}: {
  readonly person: { readonly id: number; readonly name: string };
  readonly month: string;
}): ReactNode {
  const words = useWords();
  const handingOut = useMutation({
    mutationFn: () =>
      ask<Blob>(
        client.POST('/app/admin/people/{id}/proofs/{period}', {
          params: { path: { id, period: month } },
          parseAs: 'blob',
        }),
      ),
    onSuccess: (content) => saveFile(nameOfProof(month, name), content),
  });
  return (
    <>
      <Button variant="default" loading={handingOut.isPending} onClick={() => handingOut.mutate()}>
        {words.proofs_hand_out}
      </Button>
      <ProblemNotice problem={handingOut.error} />
    </>
  );
}
