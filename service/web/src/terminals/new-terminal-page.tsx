import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { terminalsKey } from './keys.js';
import { keepCode } from './pairing.js';
import { changeOf, newOptions, TerminalFields } from './terminal-options.js';
import './entrances.css';

export function NewTerminalPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [options, setOptions] = useState(() => newOptions(session));
  const adding = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(client.POST('/app/admin/terminals', { body: { company_id: options.companyId, ...changeOf(options) } })),
      ),
    onSuccess: (newTerminal) => {
      keepCode(queries, newTerminal);
      queries.setQueryData([...terminalsKey, newTerminal.terminal.id], newTerminal.terminal);
      void queries.invalidateQueries({ queryKey: [...terminalsKey, 'list'] });
      go(`/admin/terminals/${newTerminal.terminal.id}`, { replace: true });
    },
  });
  return (
    <Page title={words.terminal_add} lead={words.terminal_add_text}>
      <form
        className="sheet form"
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <Stack>
          <TerminalFields session={session} value={options} onChange={setOptions} isNew problem={adding.error} />
          {!wasCancelled(adding.error) && <ProblemNotice problem={adding.error} />}
          <Group>
            <Button type="submit" loading={adding.isPending}>
              {words.terminal_add_now}
            </Button>
            <Button component={Link} href="/admin/terminals" variant="default">
              {words.cancel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
