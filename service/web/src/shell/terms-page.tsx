/** The terms of use: the records, the meaning of a proof, and the limits of its promise. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../parts/page.js';
import { useWords } from '../words/words.js';

export function TermsPage(): ReactNode {
  const words = useWords();
  return (
    <Page title={words.terms_title} lead={words.terms_text}>
      {words.terms.map(([title, text]) => (
        <section key={title}>
          <h2>{title}</h2>
          <p>{text}</p>
        </section>
      ))}
      <Link href="/">{words.not_found_link}</Link>
    </Page>
  );
}
