/** The terms of use: what is recorded, what a proof shows, and what is not promised. */
import { Anchor, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../parts/page.js';
import { useWords } from '../words/words.js';

export function TermsPage(): ReactNode {
  const words = useWords();
  return (
    <Page title={words.terms_title} lead={words.terms_text}>
      {words.terms.map(([title, text]) => (
        <Stack key={title} gap={4} component="section">
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text>{text}</Text>
        </Stack>
      ))}
      <Anchor component={Link} href="/">
        {words.not_found_link}
      </Anchor>
    </Page>
  );
}

export function TermsLink(): ReactNode {
  const words = useWords();
  return (
    <footer className="foot">
      <Anchor component={Link} href="/terms" size="sm">
        {words.terms_title}
      </Anchor>
    </footer>
  );
}
