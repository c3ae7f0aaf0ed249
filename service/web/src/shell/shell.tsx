/** The frame around the pages of a signed-in person: the navigation by job, and the menu of their own pages. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import type { PagePath } from '../../../src/http/page-paths.js';
import { ask, client } from '../api/ask.js';
import { sendAll } from '../api/outbox.js';
import { leave, type Session } from '../api/session.js';
import { useWaitingApprovals } from '../api/waiting-approvals.js';
import { FreshFactor } from '../parts/fresh-factor.js';
import { Initials } from '../parts/glyph.js';
import { Icon } from '../parts/icon.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { Languages } from './bar.js';
import { Bell } from './bell.js';
import {
  accountOf,
  type Entry,
  navigationOf,
  openSections,
  presentEntry,
  type Section,
  start,
  thumbOf,
} from './navigation.js';
import { TermsLink } from './terms-link.js';
import { Themes } from './themes.js';

/** Loaded after the page. */
const Palette = lazy(() => import('./palette.js'));

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
  useChanges();
  const [path, go] = useLocation();
  // On a phone the whole navigation is open on the page where it was opened: going elsewhere closes it.
  const [openAt, setOpenAt] = useState<string>();
  const open = openAt === path;
  const signingOut = useMutation({
    mutationFn: async () => {
      await sendAll();
      return await ask(client.POST('/app/sign-out'));
    },
    onSuccess: () => {
      leave(queries);
      go('/', { replace: true });
    },
  });
  const presentPath = presentEntry(path)?.path;
  const waitingCount = useWaitingApprovals(session);
  const link = (entry: Entry) => (
    <Link
      href={entry.path}
      aria-current={entry.path === presentPath ? 'page' : undefined}
      onClick={() => setOpenAt(undefined)}
    >
      {words[entry.word]}
      {entry.path === approvals && <WaitingCount of={waitingCount} />}
    </Link>
  );
  return (
    <>
      <a className="skip" href="#content">
        {words.skip_to_content}
      </a>
      <div className="frame">
        <div className="frame-side">
          <header className="frame-side-head">
            <Link href="/" className="brand" aria-label={`Clockproof – ${words.start_page}`}>
              <img src="/icon.svg" alt="" />
              Clockproof
            </Link>
            <Bell path={path} />
          </header>
          <div className="find-place">
            <Suspense>
              <Palette session={session} onSignOut={() => signingOut.mutate()} />
            </Suspense>
          </div>
          <nav id="navigation" className="navigation" aria-label={words.main_navigation} data-open={open || undefined}>
            <ul>
              <li>{link(start)}</li>
            </ul>
            <Groups sections={navigationOf(session)} present={presentPath} waiting={waitingCount} link={link} />
            <Account session={session} path={path} present={presentPath}>
              <ul>
                {accountOf(session).map((entry) => (
                  <li key={entry.path}>{link(entry)}</li>
                ))}
              </ul>
              <div className="account-choices">
                <Languages />
                <Themes />
              </div>
              <button
                type="button"
                className="sign-out"
                disabled={signingOut.isPending}
                onClick={() => signingOut.mutate()}
              >
                {words.sign_out}
              </button>
            </Account>
          </nav>
        </div>
        <main id="content" className="content" tabIndex={-1}>
          <ProblemNotice problem={problem ?? signingOut.error} />
          <FreshFactor>{children}</FreshFactor>
          <TermsLink />
        </main>
      </div>
      <Thumb
        session={session}
        present={open ? undefined : presentPath}
        open={open}
        onGo={() => setOpenAt(undefined)}
        onToggle={() => setOpenAt(open ? undefined : path)}
      />
    </>
  );
}

/** Follows changes in the service. */
function useChanges(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let end: (() => void) | undefined;
    let isGone = false;
    // The first page does not need it.
    void import('../api/live.js').then(({ followChanges }) => {
      if (!isGone) end = followChanges(queries);
    });
    return () => {
      isGone = true;
      end?.();
    };
  }, [queries]);
}

/** On a phone: the pages within reach, and the button that opens the whole navigation. */
function Thumb({
  session,
  present,
  open,
  onGo,
  onToggle,
}: {
  readonly session: Session;
  readonly present: string | undefined;
  readonly open: boolean;
  readonly onGo: () => void;
  readonly onToggle: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <nav className="thumb" aria-label={words.nav_shortcuts}>
      {thumbOf(session).map((entry) => (
        <Link
          key={entry.path}
          href={entry.path}
          aria-current={entry.path === present ? 'page' : undefined}
          onClick={onGo}
        >
          <Icon name={entry.icon} />
          {words[entry.word]}
        </Link>
      ))}
      <button type="button" aria-expanded={open} aria-controls="navigation" onClick={onToggle}>
        <Icon name="more" />
        {words.nav_more}
      </button>
    </nav>
  );
}

/** The group of the present page is open, and of the others those that fit the height of the screen. */
function Groups({
  sections,
  present,
  waiting,
  link,
}: {
  readonly sections: readonly Section[];
  readonly present: string | undefined;
  /** The number of requests to decide. */
  readonly waiting: string | undefined;
  readonly link: (entry: Entry) => ReactNode;
}): ReactNode {
  const words = useWords();
  const lineCount = useSyncExternalStore(followSize, linesThatFit);
  const [toggles, setToggles] = useState<Readonly<Record<string, boolean>>>({});
  const openWords = openSections(sections, present, lineCount);
  const isFoldable = openWords.size < sections.length;
  return sections.map(({ word, entries }) => {
    // Words of an area that is not the person's own come a moment later.
    if (words[word] === undefined) return null;
    const open = !isFoldable || (toggles[word] ?? openWords.has(word));
    return (
      <section key={word} aria-label={words[word]}>
        <h2>
          {isFoldable ? (
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setToggles((current) => ({ ...current, [word]: !open }))}
            >
              {words[word]}
              {!open && entries.some(({ path }) => path === approvals) && <WaitingCount of={waiting} />}
            </button>
          ) : (
            words[word]
          )}
        </h2>
        <ul hidden={!open}>
          {entries.map((entry) => (
            <li key={entry.path}>{link(entry)}</li>
          ))}
        </ul>
      </section>
    );
  });
}

const approvals: PagePath = '/team/approvals';

/** The only number in the navigation: the requests that wait for a decision. */
function WaitingCount({ of: count }: { readonly of: string | undefined }): ReactNode {
  const words = useWords();
  if (count === undefined) return null;
  return (
    <span className="count">
      <span aria-hidden="true">{count}</span>
      <span className="hidden">{words.to_decide(count)}</span>
    </span>
  );
}

function followSize(onChange: () => void): () => void {
  addEventListener('resize', onChange);
  return () => removeEventListener('resize', onChange);
}

/** The lines of the navigation that fit on the screen, between the parts above and below them (frame.css). */
function linesThatFit(): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.floor((innerHeight / rem - 12.5) / 2);
}

/** The menu behind the person's name. On a phone it lies open at the end of the navigation (frame.css). */
function Account({
  session,
  path,
  present,
  children,
}: {
  readonly session: Session;
  readonly path: string;
  readonly present: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  const [openAt, setOpenAt] = useState<string>();
  const open = openAt === path;
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const closeByPointer = ({ target }: Event) => {
      if (target instanceof Node && box.current?.contains(target) === false) setOpenAt(undefined);
    };
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpenAt(undefined);
      button.current?.focus();
    };
    document.addEventListener('pointerdown', closeByPointer);
    document.addEventListener('keydown', closeByKey);
    return () => {
      document.removeEventListener('pointerdown', closeByPointer);
      document.removeEventListener('keydown', closeByKey);
    };
  }, [open]);
  const name = session.person.name;
  return (
    <div className="account" ref={box}>
      <button
        ref={button}
        type="button"
        className="account-button"
        aria-expanded={open}
        aria-controls="account"
        data-current={present?.startsWith('/profile') || undefined}
        onClick={() => setOpenAt(open ? undefined : path)}
      >
        <Initials name={name} />
        <span className="who">
          <bdi>{name}</bdi>
          <small>
            <bdi>{session.company.name}</bdi>
          </small>
          <span className="hidden">{words.account_menu}</span>
        </span>
        <Icon name="up" />
      </button>
      <div id="account" className="account-menu" data-open={open || undefined}>
        <p className="account-who">
          <bdi>{name}</bdi>
          <small>
            <bdi>{session.company.name}</bdi>
          </small>
        </p>
        {children}
      </div>
    </div>
  );
}
