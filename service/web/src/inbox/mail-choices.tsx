/** The choice of notices that also come by e-mail. */
import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { withNames } from '../parts/names.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

const key = ['mail-choices'] as const;

export function MailChoices(): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const choices = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/notices/mail')) });
  const changing = useMutation({
    mutationFn: (choice: Schemas['MailChoice']) => ask(client.PUT('/app/notices/mail', { body: { kinds: [choice] } })),
    onSuccess: (changed) => queries.setQueryData(key, changed),
  });
  return (
    <section className="sheet" aria-label={words.mail_title}>
      <h2>{words.mail_title}</h2>
      <QueryState of={choices}>
        {({ available, email, kinds }) =>
          !available ? (
            <p className="muted">{words.mail_unavailable}</p>
          ) : email === undefined ? (
            <p className="muted">{words.mail_no_address}</p>
          ) : (
            <>
              <p className="muted">{withNames(words.mail_text, email)}</p>
              <ProblemNotice problem={changing.error} />
              <ul className="plain stack">
                {kinds.map(({ kind, mail }) => (
                  <li key={kind}>
                    <Switch
                      label={words.mail_kinds[kind]}
                      checked={mail}
                      disabled={changing.isPending}
                      onChange={(event) => changing.mutate({ kind, mail: event.currentTarget.checked })}
                    />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </QueryState>
    </section>
  );
}
