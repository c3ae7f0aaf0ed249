import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Session } from '../api/session.js';
import { withNames } from '../parts/names.js';
import { Page } from '../parts/page.js';
import { useWords } from '../words/words.js';
import { navigationOf } from './navigation.js';

export function HomePage({ session }: { readonly session: Session }): ReactNode {
  const words = useWords();
  const firstName = session.person.name.split(' ', 1)[0]!;
  const entries = navigationOf(session).flatMap((section) => section.entries);
  return (
    <Page
      title={words.home_title(firstName)}
      heading={withNames(words.home_title, firstName)}
      lead={withNames(words.home_text, session.company.name)}
    >
      <ul className="tiles">
        {entries.map(({ path, word, text }) =>
          text === undefined ? null : (
            <li key={path}>
              <Link href={path} className="tile">
                <strong>{words[word]}</strong>
                {words[text]}
              </Link>
            </li>
          ),
        )}
      </ul>
    </Page>
  );
}
