/** One's own time account. */
import type { ReactNode } from 'react';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { TimeAccount } from './time-account.js';

export function AccountPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  return (
    <Page title={words.time_account_title}>
      <TimeAccount id={session.person.id} zone={zoneOf(session.company)} />
    </Page>
  );
}
