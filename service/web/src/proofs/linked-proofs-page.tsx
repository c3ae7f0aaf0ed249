/** The proofs of a person who has left, with the link of an admin and without an account. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useFormats } from '../parts/formats.js';
import { Page, QueryState } from '../parts/page.js';
import { useOwnZone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { ProofList, type ProofRequest } from './proof-list.js';

export function LinkedProofsPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [token] = useState(() => location.hash.slice(1));
  const proofLink = useQuery({
    queryKey: ['linked-proofs', token],
    queryFn: () => ask(client.POST('/app/proof-link/check', { body: { token } })),
    enabled: token !== '',
    staleTime: Infinity,
    gcTime: 0,
  });
  const read = (request: ProofRequest) =>
    ask<Blob>(client.POST('/app/proof-link/file', { body: { token, ...request }, parseAs: 'blob' }));
  if (token === '') return <Page title={words.link_incomplete_title} lead={words.link_incomplete_text} />;
  return (
    <Page title={words.proofs_title} lead={words.proofs_linked_text}>
      <QueryState of={proofLink}>
        {({ name, company, expires_at: end, proofs }) => (
          <>
            <Text>
              <bdi>{name}</bdi> · <bdi>{company.name}</bdi>
            </Text>
            <Text size="sm">{words.proofs_link_until(formats.instant(end))}</Text>
            <ProofList of={proofs} source={{ name, zone: zoneOf(company), read }} />
          </>
        )}
      </QueryState>
    </Page>
  );
}
