/** The link with which a person chooses a password: shown once, to be handed over by the admin. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { CopyButton } from '../parts/secret-once.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export function InvitationLink({ of: link }: { readonly of: Schemas['InvitationLink'] }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  return (
    <section className="note" aria-label={words.invitation_link}>
      <div className="stack grow">
        <strong>{words.invitation_link}</strong>
        <output className="secret" aria-label={words.invitation_link}>
          {link.url}
        </output>
        <div className="toolbar">
          <CopyButton text={link.url} label={words.copy} />
          <span className="hint">
            {link.mailed && `${words.invitation_mailed} `}
            {words.invitation_link_text(formats.instant(link.expires_at))}
          </span>
        </div>
      </div>
    </section>
  );
}

export function InvitationButton({ person }: { readonly person: Schemas['Person'] }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const inviting = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.POST('/app/admin/people/{id}/invitation', { params: { path: { id: person.id } } }))),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['people'] }),
  });
  if (inviting.data !== undefined) return <InvitationLink of={inviting.data} />;
  return (
    <>
      <ProblemNotice problem={wasCancelled(inviting.error) ? null : inviting.error} />
      <Button variant="default" loading={inviting.isPending} onClick={() => inviting.mutate()}>
        {words.invitation_create}
      </Button>
    </>
  );
}
