/** Signing in through the company: its choice, and the way to its identity provider. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

export function CompanyPage(): ReactNode {
  const words = useWords();
  const [account, setAccount] = useState('');
  const beginning = useMutation({
    mutationFn: () => ask(client.POST('/app/sign-in/company', { body: { account: account.trim() } })),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Page title={words.company_way_title} lead={words.company_way_lead}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          beginning.mutate();
        }}
      >
        <Stack>
          <ProblemNotice problem={beginning.error} />
          <TextInput
            label={words.company_way_account}
            value={account}
            onChange={(event) => setAccount(event.currentTarget.value)}
            required
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
          />
          <Button type="submit" loading={beginning.isPending || beginning.isSuccess}>
            {words.company_way_go}
          </Button>
        </Stack>
      </form>
      <p>
        <Link href="/">{words.reset_back}</Link>
      </p>
    </Page>
  );
}
