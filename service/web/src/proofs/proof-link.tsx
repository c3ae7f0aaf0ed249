/** An admin makes a link with which a person who has left downloads their proofs: shown once, to be handed over. */
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { CopyButton } from '../parts/secret-once.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export function ProofLink({ person }: { readonly person: number }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const withFactor = useWithFactor();
  const making = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.POST('/app/admin/people/{id}/proof-link', { params: { path: { id: person } } }))),
  });
  if (making.data === undefined)
    return (
      <>
        <ProblemNotice problem={wasCancelled(making.error) ? null : making.error} />
        <p className="hint">{words.proofs_link_hint}</p>
        <Group>
          <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
            {words.proofs_link_make}
          </Button>
        </Group>
      </>
    );
  const { url, expires_at: end } = making.data;
  return (
    <section className="note" aria-label={words.proofs_link}>
      <div className="stack grow">
        <strong>{words.proofs_link}</strong>
        <output className="secret" aria-label={words.proofs_link}>
          {url}
        </output>
        <div className="toolbar">
          <CopyButton text={url} label={words.copy} />
          <span className="hint">{words.proofs_link_until(formats.instant(end))}</span>
        </div>
      </div>
    </section>
  );
}
