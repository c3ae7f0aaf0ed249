/** Link to the terms of use, at the end of every page. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useWords } from '../words/words.js';

export function TermsLink(): ReactNode {
  const words = useWords();
  return (
    <footer className="foot">
      <Link href="/terms">{words.terms_title}</Link>
    </footer>
  );
}
