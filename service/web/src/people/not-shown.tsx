/** Hint for approvers that their colleagues do not see the page. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { holds, type Session } from '../api/session.js';
import { useWords } from '../words/words.js';

export function HiddenFromColleaguesHint({
  session,
  unless: visibleWhen,
}: {
  readonly session: Session;
  readonly unless: readonly Session['company']['colleagues_see'][];
}): ReactNode {
  const words = useWords();
  if (visibleWhen.includes(session.company.colleagues_see)) return null;
  return (
    <p className="hint no-print">
      {words.team_not_shown}{' '}
      {holds(session, 'company_admin') && <Link href="/company/rules">{words.team_not_shown_change}</Link>}
    </p>
  );
}
