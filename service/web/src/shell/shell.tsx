/** The frame around the pages of a person who is signed in. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { useLivePages } from '../api/live.js';
import { leave, type Session } from '../api/session.js';
import { FreshFactor } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { Bar, Languages } from './bar.js';
import { Bell } from './bell.js';
import { navigationOf, presentEntry } from './navigation.js';
import { TermsLink } from './terms-page.js';

export function Shell({
  session,
  problem,
  children,
}: {
  readonly session: Session;
  readonly problem: unknown;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  useLivePages();
  const [path, go] = useLocation();
  // The menu is open on the page where it was opened: going elsewhere closes it.
  const [openAt, setOpenAt] = useState<string>();
  const open = openAt === path;
  const signingOut = useMutation({
    mutationFn: () => ask(client.POST('/app/sign-out')),
    onSuccess: () => {
      leave(queries);
      go('/', { replace: true });
    },
  });
  const present = presentEntry(path)?.path;
  const signOut = (className: string) => (
    <Button
      variant="default"
      size="xs"
      className={className}
      loading={signingOut.isPending}
      onClick={() => signingOut.mutate()}
    >
      {words.sign_out}
    </Button>
  );
  return (
    <>
      <a className="skip" href="#content">
        {words.skip_to_content}
      </a>
      <Bar>
        <Bell path={path} />
        <span className="who">{withNames(words.signed_in_as, session.person.name)}</span>
        {signOut('sign-out-bar')}
        <Button
          variant="default"
          size="xs"
          className="menu-button"
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpenAt(open ? undefined : path)}
        >
          {words.menu}
        </Button>
      </Bar>
      <div className="frame">
        <nav id="navigation" className="navigation" aria-label={words.main_navigation} data-open={open || undefined}>
          {navigationOf(session).map((section) => (
            <section key={section.word} aria-label={words[section.word]}>
              <h2>{words[section.word]}</h2>
              <ul>
                {section.entries.map((entry) => (
                  <li key={entry.path}>
                    <Link href={entry.path} aria-current={entry.path === present ? 'page' : undefined}>
                      {words[entry.word]}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {/* A narrow bar has no room for these. */}
          <div className="account-menu">
            <Languages />
            <span>{withNames(words.signed_in_as, session.person.name)}</span>
            {signOut('sign-out')}
          </div>
        </nav>
        <main id="content" className="content" tabIndex={-1}>
          <ProblemNotice problem={problem ?? signingOut.error} />
          <FreshFactor>{children}</FreshFactor>
          <TermsLink />
        </main>
      </div>
    </>
  );
}
