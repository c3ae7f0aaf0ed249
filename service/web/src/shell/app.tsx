/** The page of each address, and who may open it. */
import { Anchor, Loader } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { PagePath } from '../../../src/http/app/page-paths.js';
import { AccessPage } from '../admin/access-page.js';
import { AuditPage } from '../admin/audit-page.js';
import { ExtensionPage } from '../admin/extension-page.js';
import { ExtensionsPage } from '../admin/extensions-page.js';
import { NewExtensionPage } from '../admin/new-extension-page.js';
import { ask, client } from '../api/ask.js';
import { type Ending, replaceSession, type Session, sessionOf, useSessionState } from '../api/session.js';
import { DepartmentsPage } from '../company/departments-page.js';
import { MonthsPage } from '../company/months-page.js';
import { NewPersonPage } from '../company/new-person-page.js';
import { PeoplePage } from '../company/people-page.js';
import { PersonPage } from '../company/person-page.js';
import { RulesPage } from '../company/rules-page.js';
import { StartPage } from '../company/start-page.js';
import { ConsentPage } from '../consent/consent-page.js';
import { BadgesPage } from '../entrances/badges-page.js';
import { MyBadgesPage } from '../entrances/my-badges-page.js';
import { NewTerminalPage } from '../entrances/new-terminal-page.js';
import { TerminalPage } from '../entrances/terminal-page.js';
import { TerminalsPage } from '../entrances/terminals-page.js';
import { FrameContext } from '../parts/frame-context.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { LinkedAppsPage } from '../profile/linked-apps-page.js';
import { NoticesPage } from '../profile/notices-page.js';
import { PasswordPage } from '../profile/password-page.js';
import { ProfilePage } from '../profile/profile-page.js';
import { SecondFactorPage } from '../profile/second-factor-page.js';
import { SessionsPage } from '../profile/sessions-page.js';
import { InvitationPage } from '../sign-in/invitation-page.js';
import { SetUpPage } from '../sign-in/set-up-page.js';
import { SignInPage } from '../sign-in/sign-in-page.js';
import { ApprovalsPage } from '../team/approvals-page.js';
import { CalendarPage } from '../team/calendar-page.js';
import { PresencePage } from '../team/presence-page.js';
import {
  dictionaries,
  FormatsContext,
  formatsOf,
  keepLanguage,
  type Language,
  languageOf,
  languageOfBrowser,
  SpeechContext,
  useWords,
} from '../words/words.js';
import { Bar } from './bar.js';
import { HomePage } from './home-page.js';
import { presentEntry, standingOf } from './navigation.js';
import { Shell } from './shell.js';
import { TermsLink, TermsPage } from './terms-page.js';

/** Pages for everyone. */
const open = {
  '/set-up': SetUpPage,
  '/invitation': InvitationPage,
  '/terms': TermsPage,
} as const satisfies Partial<Record<PagePath, ComponentType>>;

/** Pages for people who are signed in. Every address that the service answers has a page, or this does not compile. */
const own: Readonly<Record<Exclude<PagePath, keyof typeof open>, ComponentType<SignedInPageProps>>> = {
  '/': HomePage,
  '/sign-in': () => <Redirect to="/" replace />,
  '/link': ConsentPage,
  '/notices': NoticesPage,
  '/profile': ProfilePage,
  '/profile/linked-apps': LinkedAppsPage,
  '/profile/second-factor': SecondFactorPage,
  '/profile/sessions': SessionsPage,
  '/profile/password': PasswordPage,
  '/profile/badges': MyBadgesPage,
  '/team/approvals': ApprovalsPage,
  '/team/presence': PresencePage,
  '/team/calendar': CalendarPage,
  '/company/people/new': NewPersonPage,
  '/company/people/:id': PersonPage,
  '/company/people': PeoplePage,
  '/company/start': StartPage,
  '/company/months': MonthsPage,
  '/company/rules': RulesPage,
  '/company/departments': DepartmentsPage,
  '/admin/extensions/new': NewExtensionPage,
  '/admin/extensions/:id': ExtensionPage,
  '/admin/extensions': ExtensionsPage,
  '/admin/access': AccessPage,
  '/admin/terminals/new': NewTerminalPage,
  '/admin/terminals/:id': TerminalPage,
  '/admin/terminals': TerminalsPage,
  '/admin/badges': BadgesPage,
  '/admin/audit': AuditPage,
};

export function App(): ReactNode {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Language>(languageOfBrowser);
  const state = useSessionState();
  const session = state.data?.state === 'in' ? state.data.session : undefined;
  const language = languageOf(session?.language) ?? chosen;
  const words = dictionaries[language];
  const saving = useMutation({
    mutationFn: (wanted: Language) => ask(client.PATCH('/app/profile', { body: { language: wanted } })),
    onSuccess: (changed) => replaceSession(queries, changed),
  });
  const { mutate: save } = saving;
  const [unsaved, setUnsaved] = useState<Language>();
  const speak = (wanted: Language) => {
    keepLanguage(wanted);
    setChosen(wanted);
    setUnsaved(wanted);
  };
  // A language chosen before signing in is saved with the sign-in.
  const signedIn = session !== undefined;
  const held = sessionOf(state.data);
  useEffect(() => {
    if (!signedIn || unsaved === undefined) return;
    setUnsaved(undefined);
    save(unsaved);
  }, [signedIn, unsaved, save]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <SpeechContext value={{ language, words, speak }}>
      <FormatsContext value={formatsOf(language, session?.company.time_zone)}>
        <Switch>
          {Object.entries(open).map(([path, Opened]) => (
            <Route key={path} path={path}>
              <Visitors wide={path !== '/invitation'}>
                <Opened />
              </Visitors>
            </Route>
          ))}
          <Route>
            {state.data === undefined ? (
              <Visitors>
                {state.error === null ? (
                  <Loader aria-label={words.loading} role="status" />
                ) : (
                  <Page title="Clockproof">
                    <ProblemNotice problem={state.error} onRetry={() => void state.refetch()} />
                  </Page>
                )}
              </Visitors>
            ) : (
              <>
                {state.data.state === 'out' && (
                  <SignIn ending={state.data.ending} waiting={state.data.left !== undefined} />
                )}
                {held !== undefined && (
                  <FrameContext key={held.person.id} value={{ shown: signedIn }}>
                    <div hidden={!signedIn}>
                      <SignedIn session={held} problem={saving.error} />
                    </div>
                  </FrameContext>
                )}
              </>
            )}
          </Route>
        </Switch>
      </FormatsContext>
    </SpeechContext>
  );
}

function Visitors({ wide = false, children }: { readonly wide?: boolean; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <Bar />
      <main className={wide ? 'wide' : 'narrow'}>
        <div className="sheet">{children}</div>
      </main>
      <TermsLink />
    </>
  );
}

function SignIn({ ending, waiting }: { readonly ending?: Ending | undefined; readonly waiting: boolean }): ReactNode {
  const [path] = useLocation();
  return (
    <Visitors>
      <SignInPage ending={ending} waiting={waiting} forApp={path === '/link'} onIn={() => undefined} />
    </Visitors>
  );
}

function SignedIn({ session, problem }: { readonly session: Session; readonly problem: unknown }): ReactNode {
  const words = useWords();
  const [path] = useLocation();
  const standing = standingOf(presentEntry(path) ?? {}, session);
  return (
    <Shell session={session} problem={problem}>
      {standing === 'not_allowed' ? (
        <Page key={path} title={words.may_not_title} lead={words.may_not_text} />
      ) : standing === 'not_offered' ? (
        path === '/profile/linked-apps' ? (
          <Page key={path} title={words.consent_off_title} lead={words.consent_off_text} />
        ) : (
          <NotFoundPage key={path} />
        )
      ) : (
        <Switch key={path}>
          {Object.entries(own).map(([pattern, Owned]) => (
            <Route key={pattern} path={pattern}>
              {(params) => <Owned session={session} params={params as SignedInPageProps['params']} />}
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      )}
    </Shell>
  );
}

function NotFoundPage(): ReactNode {
  const words = useWords();
  return (
    <Page title={words.not_found_title} lead={words.not_found_text}>
      <Anchor component={Link} href="/">
        {words.not_found_link}
      </Anchor>
    </Page>
  );
}
