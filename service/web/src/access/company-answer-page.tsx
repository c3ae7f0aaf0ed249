/** The identity provider of a company leads back to this page, with its answer in the address. */
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { enter } from '../api/session.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { NextStep } from './next-step.js';

export function CompanyAnswerPage(): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [path, go] = useLocation();
  const id = path.split('/').at(-1);
  const completing = useMutation({
    mutationFn: (query: string) =>
      ask(client.POST('/app/sign-in/company/completion', { body: { company_id: Number(id), query } })),
    onSuccess: async ({ next }) => {
      if (next !== 'done') return;
      await enter(queries);
      go('/', { replace: true });
    },
  });
  const { mutate } = completing;
  const wasSent = useRef(false);
  useEffect(() => {
    // The answer works once and must stay neither in the address nor in the history.
    if (wasSent.current) return;
    wasSent.current = true;
    const query = location.search.slice(1);
    history.replaceState(null, '', location.pathname);
    mutate(query === '' ? 'error=missing' : query);
  }, [mutate]);
  if (completing.data !== undefined && completing.data.next !== 'done')
    return (
      <NextStep
        next={completing.data.next}
        lead={words.company_way_bind}
        onIn={() => go('/', { replace: true })}
        onStartOver={() => go('/sign-in/company', { replace: true })}
      />
    );
  return (
    <Page title={words.company_way_title}>
      {completing.error === null ? (
        <Text role="status">{words.company_way_working}</Text>
      ) : (
        <ProblemNotice problem={completing.error} />
      )}
      {completing.error !== null && (
        <p>
          <Link href="/sign-in/company">{words.company_way_again}</Link>
        </p>
      )}
    </Page>
  );
}
