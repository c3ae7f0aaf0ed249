/** The proofs of the signed-in person. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { ProofList, type ProofRequest } from './proof-list.js';

export function MyProofsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const proofs = useQuery({ queryKey: ['own-proofs'], queryFn: () => ask(client.GET('/app/me/proofs')) });
  const read = ({ period, revision, hide }: ProofRequest) =>
    ask<Blob>(
      client.GET('/app/me/proofs/{period}', {
        params: { path: { period }, query: { revision, ...(hide.length === 0 ? {} : { hide }) } },
        parseAs: 'blob',
      }),
    );
  return (
    <Page title={words.proofs_title} lead={words.proofs_text}>
      <QueryState of={proofs}>
        {(list) => <ProofList of={list} source={{ name: session.person.name, zone: zoneOf(session.company), read }} />}
      </QueryState>
    </Page>
  );
}
