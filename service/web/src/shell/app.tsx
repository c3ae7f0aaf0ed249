/** The page of each address, and who may open it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { PagePath } from '../../../src/http/app/page-paths.js';
import { ask, client } from '../api/ask.js';
import { type Ending, replaceSession, type Session, sessionOf, useSessionState } from '../api/session.js';
import { FrameContext } from '../parts/frame-context.js';
import { mantinePage, plainPage, preloadPages } from '../parts/lazy-page.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { PageBoundary } from '../parts/page-boundary.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { Skeleton } from '../parts/skeleton.js';
import { Toasts } from '../parts/toasts.js';
import { TodayPage } from '../time/today-page.js';
import {
  FormatsContext,
  formatsOf,
  keepLanguage,
  type Language,
  languageOf,
  languageOfBrowser,
  loadFrame,
  loadWords,
  SpeechContext,
  useDictionary,
  useWords,
} from '../words/words.js';
import { Bar } from './bar.js';
import { presentEntry, standingOf } from './navigation.js';
import { Shell } from './shell.js';
import { TermsLink } from './terms-link.js';

/** Pages for everyone. */
const open = {
  '/set-up': mantinePage(() => import('../sign-in/set-up-page.js'), 'SetUpPage'),
  '/invitation': mantinePage(() => import('../sign-in/invitation-page.js'), 'InvitationPage'),
  '/reset-password': mantinePage(() => import('../sign-in/reset-page.js'), 'ResetPage'),
  '/terms': plainPage(() => import('./terms-page.js'), 'TermsPage'),
} as const satisfies Partial<Record<PagePath, ComponentType>>;

/** Pages for people who are signed in. Every address that the service answers has a page, or this does not compile. */
const own: Readonly<
  Record<
    Exclude<PagePath, keyof typeof open>,
    ComponentType<SignedInPageProps> & { readonly preload?: () => Promise<unknown> }
  >
> = {
  '/': TodayPage,
  '/sign-in': () => <Redirect to="/" replace />,
  '/time': plainPage(() => import('../time/month-page.js'), 'MonthPage'),
  '/time/corrections': plainPage(() => import('../time/corrections-page.js'), 'CorrectionsPage'),
  '/absences': plainPage(() => import('../absences/absences-page.js'), 'AbsencesPage'),
  '/link': mantinePage(() => import('../consent/consent-page.js'), 'ConsentPage'),
  '/notices': mantinePage(() => import('../profile/notices-page.js'), 'NoticesPage'),
  '/profile': mantinePage(() => import('../profile/profile-page.js'), 'ProfilePage'),
  '/profile/linked-apps': mantinePage(() => import('../profile/linked-apps-page.js'), 'LinkedAppsPage'),
  '/profile/second-factor': mantinePage(() => import('../profile/second-factor-page.js'), 'SecondFactorPage'),
  '/profile/sessions': mantinePage(() => import('../profile/sessions-page.js'), 'SessionsPage'),
  '/profile/password': mantinePage(() => import('../profile/password-page.js'), 'PasswordPage'),
  '/team/approvals': mantinePage(() => import('../team/approvals-page.js'), 'ApprovalsPage'),
  '/team/presence': mantinePage(() => import('../team/presence-page.js'), 'PresencePage'),
  '/team/calendar': mantinePage(() => import('../team/calendar-page.js'), 'CalendarPage'),
  '/company/people/new': mantinePage(() => import('../company/new-person-page.js'), 'NewPersonPage'),
  '/company/people/import': mantinePage(() => import('../company/import-page.js'), 'ImportPage'),
  '/company/people/invite': mantinePage(() => import('../company/invite-page.js'), 'InvitePage'),
  '/company/people/:id': mantinePage(() => import('../company/person-page.js'), 'PersonPage'),
  '/company/people': mantinePage(() => import('../company/people-page.js'), 'PeoplePage'),
  '/company/start': mantinePage(() => import('../company/start-page.js'), 'StartPage'),
  '/company/months': mantinePage(() => import('../company/months-page.js'), 'MonthsPage'),
  '/company/rules': mantinePage(() => import('../company/rules-page.js'), 'RulesPage'),
  '/company/departments': mantinePage(() => import('../company/departments-page.js'), 'DepartmentsPage'),
  '/admin/extensions/new': mantinePage(() => import('../admin/new-extension-page.js'), 'NewExtensionPage'),
  '/admin/extensions/:id': mantinePage(() => import('../admin/extension-page.js'), 'ExtensionPage'),
  '/admin/extensions': mantinePage(() => import('../admin/extensions-page.js'), 'ExtensionsPage'),
  '/admin/access': mantinePage(() => import('../admin/access-page.js'), 'AccessPage'),
  '/admin/terminals/new': mantinePage(() => import('../entrances/new-terminal-page.js'), 'NewTerminalPage'),
  '/admin/terminals/:id': mantinePage(() => import('../entrances/terminal-page.js'), 'TerminalPage'),
  '/admin/terminals': mantinePage(() => import('../entrances/terminals-page.js'), 'TerminalsPage'),
  '/admin/card-keys': mantinePage(() => import('../entrances/card-keys-page.js'), 'CardKeysPage'),
  '/admin/badges': mantinePage(() => import('../entrances/badges-page.js'), 'BadgesPage'),
  '/profile/badges': mantinePage(() => import('../entrances/my-badges-page.js'), 'MyBadgesPage'),
  '/admin/audit': mantinePage(() => import('../admin/audit-page.js'), 'AuditPage'),
};

const SignInPage = mantinePage(() => import('../sign-in/sign-in-page.js'), 'SignInPage');

export function App(): ReactNode {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Language>(languageOfBrowser);
  const state = useSessionState();
  const session = state.data?.state === 'in' ? state.data.session : undefined;
  const language = languageOf(session?.language) ?? chosen;
  const words = useDictionary(language);
  const saving = useMutation({
    mutationFn: (wanted: Language) => ask(client.PATCH('/app/profile', { body: { language: wanted } })),
    onSuccess: (changed) => replaceSession(queries, changed),
  });
  const { mutate: save } = saving;
  const [unsaved, setUnsaved] = useState<Language>();
  const speak = async (wanted: Language) => {
    keepLanguage(wanted);
    await Promise.all([loadFrame(wanted), loadWords(wanted)]);
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
    // The next visit begins in it.
    if (signedIn) keepLanguage(language);
    void loadFrame(language);
    void loadWords(language);
  }, [language, signedIn]);
  if (words === undefined) return <Skeleton rows={8} />;
  return (
    <SpeechContext value={{ language, words, speak: (wanted) => void speak(wanted) }}>
      <FormatsContext value={formatsOf(language, session?.company.time_zone)}>
        <Switch>
          {Object.entries(open).map(([path, Opened]) => (
            <Route key={path} path={path}>
              <Visitors wide={path !== '/invitation' && path !== '/reset-password'}>
                <Opened />
              </Visitors>
            </Route>
          ))}
          <Route>
            {state.data === undefined ? (
              <Visitors>
                {state.error === null ? (
                  <Skeleton />
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
        <div className="sheet">
          <Suspense fallback={<Skeleton />}>{children}</Suspense>
        </div>
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
  const person = session.person.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each person
  useEffect(() => {
    const later = setTimeout(() => {
      const openToThem = Object.entries(own).filter(([at]) => standingOf(presentEntry(at) ?? {}, session) === 'open');
      void preloadPages(openToThem.map(([, page]) => page));
    }, 1_000);
    return () => clearTimeout(later);
  }, [person]);
  return (
    <Toasts>
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
          <PageBoundary key={path}>
            <Suspense fallback={<Skeleton rows={8} />}>
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
            </Suspense>
          </PageBoundary>
        )}
      </Shell>
    </Toasts>
  );
}

function NotFoundPage(): ReactNode {
  const words = useWords();
  return (
    <Page title={words.not_found_title} lead={words.not_found_text}>
      <Link href="/">{words.not_found_link}</Link>
    </Page>
  );
}
