/**
 * Finds people, pages and actions by what is typed: `Ctrl K` from anywhere, or the field above the navigation. It offers
 * what the navigation would, and people only to those who have a page about them; the service decides again at each.
 */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { PagePath } from '../../../src/http/page-paths.js';
import { ask, client } from '../api/ask.js';
import { holds, type Session } from '../api/session.js';
import { keepTheme, themes } from '../api/theme.js';
import { FrameContext } from '../parts/frame-context.js';
import { allOfTeam } from '../people/team.js';
import { LanguageContext, languageNames, type Words } from '../words/words.js';
import { accountOf, navigationOf, presentEntry, standingOf, start } from './navigation.js';

interface Found {
  readonly key: string;
  readonly group: 'pages' | 'actions' | 'people';
  readonly name: string;
  /** Where it belongs: the group of a page, the department of a person. */
  readonly beside?: string | undefined;
  readonly act: () => void;
}
interface Needs {
  readonly session: Session;
  readonly onSignOut: () => void;
}

const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export default function Palette({ session, onSignOut }: Needs): ReactNode {
  const { words } = useContext(LanguageContext);
  const ready = useContext(FrameContext)?.shown ?? true;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!ready) return;
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(mac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // Over another dialog it would hide what is being decided there.
      if (document.querySelector('dialog[open], [role="dialog"]') === null) setOpen(true);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [ready]);
  if (!ready) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="find"
        aria-haspopup="dialog"
        aria-keyshortcuts={mac ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
      >
        <svg className="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
          <path d="M11 5a6 6 0 1 0 0 12a6 6 0 0 0 0-12z M16 16l4 4" />
        </svg>
        <span>{words.find}</span>
        <kbd>{mac ? words.find_keys.command : words.find_keys.control}</kbd>
      </button>
      {open && <Search session={session} onSignOut={onSignOut} onClose={() => setOpen(false)} />}
    </>
  );
}

/** How many of each group are shown. */
const most = 8;

function Search({ session, onSignOut, onClose }: Needs & { readonly onClose: () => void }): ReactNode {
  const { words } = useContext(LanguageContext);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The dialog of the browser keeps the focus within, closes with Escape and gives the focus back.
  useEffect(() => box.current?.showModal(), []);
  const own = useOwn(session, onSignOut);
  const people = usePeople(session, typed.trim());
  const fitting = [...(typed.trim() === '' ? own.filter(({ group }) => group === 'pages') : fittingOf(own, typed))];
  const found = [...people.slice(0, most), ...fitting];
  const chosen = Math.min(at, found.length - 1);
  const act = ({ act: go }: Found) => {
    // Closed first: the page that opens takes the focus. The event of it comes later, perhaps after the next Ctrl K.
    box.current?.close();
    onClose();
    go();
  };
  const seesPeople = holds(session, 'approver');
  const title = seesPeople ? words.find_title : words.find_own_title;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; this is the click beside it
    <dialog
      ref={box}
      className="palette"
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) box.current.close();
      }}
    >
      <div className="palette-box">
        <input
          type="text"
          role="combobox"
          aria-label={title}
          placeholder={title}
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event: KeyboardEvent) => {
            const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
            if (to !== undefined) {
              event.preventDefault();
              const next = (to + found.length) % Math.max(found.length, 1);
              setAt(next);
              document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
            } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              const one = found[chosen];
              if (one !== undefined) act(one);
            }
          }}
        />
        <div id={id} role="listbox" aria-label={title} className="palette-list">
          {(['people', 'pages', 'actions'] as const)
            .filter((group) => found.some((one) => one.group === group))
            .map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
              <div key={group} role="group" aria-label={words.find_groups[group]}>
                <p aria-hidden="true">{words.find_groups[group]}</p>
                {found.map(
                  (one, index) =>
                    one.group === group && (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
                      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                      <div
                        key={one.key}
                        id={`${id}-${index}`}
                        role="option"
                        aria-selected={index === chosen}
                        onClick={() => act(one)}
                        onPointerMove={() => setAt(index)}
                      >
                        <bdi>{one.name}</bdi>
                        {one.beside !== undefined && (
                          <small>
                            <bdi>{one.beside}</bdi>
                          </small>
                        )}
                      </div>
                    ),
                )}
              </div>
            ))}
        </div>
        <p className="palette-none" role="status">
          {typed.trim() !== '' &&
            (found.length === 0 ? (
              words.find_none(typed.trim())
            ) : (
              <span className="hidden">{words.find_count(found.length)}</span>
            ))}
        </p>
        <p className="palette-help" aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> {words.find_help.move} <kbd>↵</kbd> {words.find_help.open} <kbd>Esc</kbd>{' '}
          {words.find_help.close}
        </p>
      </div>
    </dialog>
  );
}

/** The pages that are open to the person, and what can be begun on them. */
function useOwn(session: Session, onSignOut: () => void): readonly Found[] {
  const { language, words, setLanguage } = useContext(LanguageContext);
  const [, go] = useLocation();
  const page = (path: PagePath, name: string, beside?: string): Found => ({
    key: path,
    group: 'pages',
    name,
    beside,
    act: () => go(path),
  });
  const begin = (key: keyof Words['find_actions'], path: PagePath): Found[] =>
    standingOf(presentEntry(path) ?? {}, session) === 'open'
      ? [{ key, group: 'actions', name: words.find_actions[key], act: () => go(path) }]
      : [];
  return [
    page(start.path, words[start.word]),
    ...navigationOf(session).flatMap(({ word, entries }) =>
      entries.map((entry) => page(entry.path, words[entry.word], words[word])),
    ),
    ...accountOf(session).map(({ path, word }) => page(path, words[word])),
    ...begin('request', '/absences'),
    ...begin('correct', '/time'),
    ...begin('presence', '/team/presence'),
    ...begin('person', '/company/people/new'),
    ...begin('import', '/company/people/import'),
    ...begin('invite', '/company/people/invite'),
    ...begin('terminal', '/admin/terminals/new'),
    ...begin('extension', '/admin/extensions/new'),
    ...themes.map(
      (theme): Found => ({
        key: theme,
        group: 'actions',
        name: words.find_actions[theme],
        act: () => keepTheme(theme),
      }),
    ),
    ...(['de', 'en'] as const)
      .filter((offered) => offered !== language)
      .map(
        (offered): Found => ({
          key: offered,
          group: 'actions',
          name: languageNames[offered],
          act: () => setLanguage(offered),
        }),
      ),
    { key: 'sign-out', group: 'actions', name: words.sign_out, act: onSignOut },
  ];
}

/** An admin finds everyone they administer, an approver the people they decide about, anybody else nobody. */
function usePeople(session: Session, typed: string): readonly Found[] {
  const [, go] = useLocation();
  const administers = holds(session, 'company_admin');
  const approves = !administers && holds(session, 'approver');
  const administered = useQuery({
    queryKey: ['people', 'find', typed],
    queryFn: () => ask(client.GET('/app/admin/people', { params: { query: { limit: most, search: typed } } })),
    enabled: administers && typed !== '',
    placeholderData: (before) => before,
  });
  const team = useQuery({ queryKey: ['presence', 'all'], queryFn: allOfTeam, enabled: approves && typed !== '' });
  if (typed === '') return [];
  if (administers)
    return (administered.data?.data ?? []).map(({ id, display_name: name, department }) => ({
      key: `person ${id}`,
      group: 'people',
      name,
      beside: department?.name,
      act: () => go(`/company/people/${id}`),
    }));
  return fittingOf(
    (team.data ?? []).map(({ person, department }) => ({
      key: `person ${person.id}`,
      group: 'people' as const,
      name: person.name,
      beside: department?.name,
      act: () => go(`/team/presence?${new URLSearchParams({ name: person.name })}`),
    })),
    typed,
  );
}

/** Every word that was typed begins a word of the name; accents and case do not count. */
function fittingOf(offered: readonly Found[], typed: string): readonly Found[] {
  const wanted = plain(typed).split(' ');
  return offered
    .map((one) => ({ one, parts: plain(`${one.name} ${one.group === 'people' ? '' : (one.beside ?? '')}`).split(' ') }))
    .filter(({ parts }) => wanted.every((word) => parts.some((part) => part.startsWith(word))))
    .map(({ one }) => one);
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .split(/[\s-]+/)
    .join(' ');
}
