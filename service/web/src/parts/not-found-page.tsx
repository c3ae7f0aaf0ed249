/** In place of a page about one thing: there is no such thing at this address; links to the list of all of them. */
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from './page.js';

export function NotFoundPage({
  title,
  text,
  href,
  back,
}: {
  readonly title: string;
  readonly text: string;
  /** The page that lists all of them. */
  readonly href: string;
  readonly back: string;
}): ReactNode {
  return (
    <Page title={title} lead={text}>
      <Anchor component={Link} href={href}>
        {back}
      </Anchor>
    </Page>
  );
}
