/** The application: its language, the signed-in person, and the page of the address. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { type Ending, replaceSession, type Session, sessionOf, useSessionState } from '../api/session.js';
import { TodayPage } from '../clock/today-page.js';
import { FrameContext } from '../parts/frame-context.js';
import { mantinePage, preloadPages, savesData } from '../parts/lazy-page.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { PageBoundary } from '../parts/page-boundary.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { Skeleton } from '../parts/skeleton.js';
import { Toasts } from '../parts/toasts.js';
import {
  keepLanguage,
  type Language,
  LanguageContext,
  languageOf,
  languageOfBrowser,
  loadWords,
  useDictionary,
  useWords,
} from '../words/words.js';
import { Bar } from './bar.js';
import { presentEntry, standingOf } from './navigation.js';
import { Shell } from './shell.js';
import { TermsLink } from './terms-link.js';

type Pages = typeof import('./pages.js');
let pages: Promise<Pages> | undefined;

/** Requested with the first file. The next page retries after a failure. */
function loadPages(): Promise<Pages> {
  pages ??= import('./pages.js').catch((problem: unknown) => {
    pages = undefined;
    throw problem;
  });
  return pages;
}
void loadPages().catch(() => undefined);

/** Addresses for everyone, and whether their sheet is a wide one. */
const open: Readonly<Record<keyof Pages['open'], boolean>> = {
  '/set-up': true,
  '/invitation': false,
  '/reset-password': false,
  '/proofs': true,
  '/sign-in/company': false,
  '/sign-in/company/:id': false,
  '/terms': true,
};

function OpenPage({ path }: { readonly path: keyof Pages['open'] }): ReactNode {
  const Opened = use(loadPages()).open[path];
  return <Opened />;
}

function OwnPage({ session }: { readonly session: Session }): ReactNode {
  const { ownPages } = use(loadPages());
  return (
    <Switch>
      {Object.entries(ownPages).map(([pattern, Owned]) => (
        <Route key={pattern} path={pattern}>
          {(params) => <Owned session={session} params={params as SignedInPageProps['params']} />}
        </Route>
      ))}
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

/** Loaded after the page. */
const Unsaved = lazy(() => import('../parts/unsaved.js'));
const SignInPage = mantinePage(() => import('../access/sign-in-page.js'), 'SignInPage');

export function App(): ReactNode {
  const queries = useQueryClient();
  const [chosenLanguage, setChosenLanguage] = useState<Language>(languageOfBrowser);
  const state = useSessionState();
  const session = state.data?.state === 'in' ? state.data.session : undefined;
  const language = languageOf(session?.language) ?? chosenLanguage;
  const words = useDictionary(language);
  const saving = useMutation({
    mutationFn: (language: Language) => ask(client.PATCH('/app/profile', { body: { language } })),
    onSuccess: (profile) => {
      replaceSession(queries, profile);
      // Names of kinds of absence and the like come in the person's language.
      void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'session' });
    },
  });
  const { mutate: save } = saving;
  const [unsavedLanguage, setUnsavedLanguage] = useState<Language>();
  const changeLanguage = async (language: Language) => {
    keepLanguage(language);
    await loadWords(language);
    setChosenLanguage(language);
    setUnsavedLanguage(language);
  };
  // A language chosen before signing in is saved with the sign-in.
  const signedIn = session !== undefined;
  const heldSession = sessionOf(state.data);
  useEffect(() => {
    if (!signedIn || unsavedLanguage === undefined) return;
    setUnsavedLanguage(undefined);
    save(unsavedLanguage);
  }, [signedIn, unsavedLanguage, save]);
  useEffect(() => {
    document.documentElement.lang = language;
    // The next visit starts in this language.
    if (signedIn) keepLanguage(language);
    void loadWords(language);
  }, [language, signedIn]);
  if (words === undefined) return <Skeleton rows={8} />;
  return (
    <LanguageContext value={{ language, words, setLanguage: (newLanguage) => void changeLanguage(newLanguage) }}>
      <Toasts>
        <Switch>
          {(Object.keys(open) as (keyof typeof open)[]).map((path) => (
            <Route key={path} path={path}>
              <Visitors wide={open[path]}>
                <OpenPage path={path} />
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
                {heldSession !== undefined && (
                  <FrameContext key={heldSession.person.id} value={{ shown: signedIn }}>
                    <div hidden={!signedIn}>
                      <SignedIn session={heldSession} problem={saving.error} />
                    </div>
                  </FrameContext>
                )}
              </>
            )}
          </Route>
        </Switch>
      </Toasts>
      <Suspense>
        <Unsaved />
      </Suspense>
    </LanguageContext>
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
    if (savesData()) return;
    const timer = setTimeout(() => {
      void loadPages().then(
        ({ ownPages }) => {
          const visiblePages = Object.entries(ownPages).filter(
            ([at]) => standingOf(presentEntry(at) ?? {}, session) === 'open',
          );
          return preloadPages(visiblePages.map(([, page]) => page));
        },
        () => undefined,
      );
    }, 1_000);
    return () => clearTimeout(timer);
  }, [person]);
  return (
    <Shell session={session} problem={problem}>
      {standing === 'not_allowed' ? (
        <Page
          key={path}
          title={words.may_not_title}
          lead={presentEntry(path)?.visibleWhen === undefined ? words.may_not_text : words.team_off_text}
        />
      ) : standing === 'not_offered' ? (
        path === '/profile/linked-apps' ? (
          <Page key={path} title={words.consent_off_title} lead={words.consent_off_text} />
        ) : (
          <NotFoundPage key={path} />
        )
      ) : (
        <PageBoundary key={path}>
          <Suspense fallback={<Skeleton rows={8} />}>
            {path === '/' ? <TodayPage session={session} /> : <OwnPage session={session} />}
          </Suspense>
        </PageBoundary>
      )}
    </Shell>
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
