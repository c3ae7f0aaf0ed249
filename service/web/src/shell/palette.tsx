/**
 * Finds people, pages and actions by name: `Ctrl K` from anywhere, or the field above the navigation. It offers the
 * pages of the navigation, and people only to approvers and admins; the service checks every permission again.
 */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { PagePath } from '../../../src/http/page-paths.js';
import { ask, client } from '../api/ask.js';
import { holds, type Session } from '../api/session.js';
import { storeTheme, themes } from '../api/theme.js';
import { FrameContext } from '../parts/frame-context.js';
import { fetchTeam } from '../people/team.js';
import { LanguageContext, languageNames, type Words } from '../words/words.js';
import { accountOf, navigationOf, presentEntry, standingOf, start } from './navigation.js';

interface PaletteItem {
  readonly key: string;
  readonly group: 'pages' | 'actions' | 'people';
  readonly name: string;
  /** The group of a page, or the department of a person. */
  readonly context?: string | undefined;
  readonly act: () => void;
}
interface Needs {
  readonly session: Session;
  readonly onSignOut: () => void;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export default function Palette({ session, onSignOut }: Needs): ReactNode {
  const { words } = useContext(LanguageContext);
  const isShown = useContext(FrameContext)?.shown ?? true;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isShown) return;
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // Over another dialog, it would hide the decision there.
      if (document.querySelector('dialog[open], [role="dialog"]') === null) setOpen(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isShown]);
  if (!isShown) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="find"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
      >
        <svg className="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
          <path d="M11 5a6 6 0 1 0 0 12a6 6 0 0 0 0-12z M16 16l4 4" />
        </svg>
        <span>{words.find}</span>
        <kbd>{isMac ? words.find_keys.command : words.find_keys.control}</kbd>
      </button>
      {open && <Search session={session} onSignOut={onSignOut} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The most people shown at once. */
const maxPeople = 8;

function Search({ session, onSignOut, onClose }: Needs & { readonly onClose: () => void }): ReactNode {
  const { words } = useContext(LanguageContext);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The dialog of the browser keeps the focus within, closes with Escape and gives the focus back.
  useEffect(() => box.current?.showModal(), []);
  const items = useItems(session, onSignOut);
  const people = usePeople(session, text.trim());
  const matchingItems = [
    ...(text.trim() === '' ? items.filter(({ group }) => group === 'pages') : itemsMatching(items, text)),
  ];
  const results = [...people.slice(0, maxPeople), ...matchingItems];
  const active = Math.min(at, results.length - 1);
  const act = ({ act: go }: PaletteItem) => {
    // Close first, since the next page takes the focus. The close event comes later, perhaps after the next Ctrl K.
    box.current?.close();
    onClose();
    go();
  };
  const seesPeople = holds(session, 'approver');
  const title = seesPeople ? words.find_title : words.find_own_title;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; this is the click outside
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
          aria-expanded={results.length > 0}
          aria-controls={id}
          aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event: KeyboardEvent) => {
            const to = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key];
            if (to !== undefined) {
              event.preventDefault();
              const next = (to + results.length) % Math.max(results.length, 1);
              setAt(next);
              document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
            } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              const item = results[active];
              if (item !== undefined) act(item);
            }
          }}
        />
        <div id={id} role="listbox" aria-label={title} className="palette-list">
          {(['people', 'pages', 'actions'] as const)
            .filter((group) => results.some((item) => item.group === group))
            .map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
              <div key={group} role="group" aria-label={words.find_groups[group]}>
                <p aria-hidden="true">{words.find_groups[group]}</p>
                {results.map(
                  (item, index) =>
                    item.group === group && (
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
                      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                      <div
                        key={item.key}
                        id={`${id}-${index}`}
                        role="option"
                        aria-selected={index === active}
                        onClick={() => act(item)}
                        onPointerMove={() => setAt(index)}
                      >
                        <bdi>{item.name}</bdi>
                        {item.context !== undefined && (
                          <small>
                            <bdi>{item.context}</bdi>
                          </small>
                        )}
                      </div>
                    ),
                )}
              </div>
            ))}
        </div>
        <p className="palette-none" role="status">
          {text.trim() !== '' &&
            (results.length === 0 ? (
              words.find_none(text.trim())
            ) : (
              <span className="hidden">{words.find_count(results.length)}</span>
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

/** The pages that are open to the person, and the actions that start on them. */
function useItems(session: Session, onSignOut: () => void): readonly PaletteItem[] {
  const { language, words, setLanguage } = useContext(LanguageContext);
  const [, go] = useLocation();
  const page = (path: PagePath, name: string, context?: string): PaletteItem => ({
    key: path,
    group: 'pages',
    name,
    context,
    act: () => go(path),
  });
  const action = (key: keyof Words['find_actions'], path: PagePath): PaletteItem[] =>
    standingOf(presentEntry(path) ?? {}, session) === 'open'
      ? [{ key, group: 'actions', name: words.find_actions[key], act: () => go(path) }]
      : [];
  return [
    page(start.path, words[start.word]),
    ...navigationOf(session).flatMap(({ word, entries }) =>
      entries.map((entry) => page(entry.path, words[entry.word], words[word])),
    ),
    ...accountOf(session).map(({ path, word }) => page(path, words[word])),
    ...action('request', '/absences'),
    ...action('correct', '/time'),
    ...action('presence', '/team/presence'),
    ...action('person', '/company/people/new'),
    ...action('import', '/company/people/import'),
    ...action('invite', '/company/people/invite'),
    ...action('terminal', '/admin/terminals/new'),
    ...action('extension', '/admin/extensions/new'),
    ...themes.map(
      (theme): PaletteItem => ({
        key: theme,
        group: 'actions',
        name: words.find_actions[theme],
        act: () => storeTheme(theme),
      }),
    ),
    ...(['de', 'en'] as const)
      .filter((candidate) => candidate !== language)
      .map(
        (otherLanguage): PaletteItem => ({
          key: otherLanguage,
          group: 'actions',
          name: languageNames[otherLanguage],
          act: () => setLanguage(otherLanguage),
        }),
      ),
    { key: 'sign-out', group: 'actions', name: words.sign_out, act: onSignOut },
  ];
}

/** Admins find the people they administer, approvers the people they decide about, others none. */
function usePeople(session: Session, search: string): readonly PaletteItem[] {
  const [, go] = useLocation();
  const administers = holds(session, 'company_admin');
  const isApprover = !administers && holds(session, 'approver');
  const administeredPeople = useQuery({
    queryKey: ['people', 'find', search],
    queryFn: () => ask(client.GET('/app/admin/people', { params: { query: { limit: maxPeople, search } } })),
    enabled: administers && search !== '',
    placeholderData: (previous) => previous,
  });
  const team = useQuery({ queryKey: ['presence', 'all'], queryFn: fetchTeam, enabled: isApprover && search !== '' });
  if (search === '') return [];
  if (administers)
    return (administeredPeople.data?.data ?? []).map(({ id, display_name: name, department }) => ({
      key: `person ${id}`,
      group: 'people',
      name,
      context: department?.name,
      act: () => go(`/company/people/${id}`),
    }));
  return itemsMatching(
    (team.data ?? []).map(({ person, department }) => ({
      key: `person ${person.id}`,
      group: 'people' as const,
      name: person.name,
      context: department?.name,
      act: () => go(`/team/presence?${new URLSearchParams({ name: person.name })}`),
    })),
    search,
  );
}

/** Keeps items in which every typed word begins a word of the name; ignores accents and case. */
function itemsMatching(items: readonly PaletteItem[], search: string): readonly PaletteItem[] {
  const prefixes = normalise(search).split(' ');
  return items
    .map((item) => ({
      item,
      parts: normalise(`${item.name} ${item.group === 'people' ? '' : (item.context ?? '')}`).split(' '),
    }))
    .filter(({ parts }) => prefixes.every((word) => parts.some((part) => part.startsWith(word))))
    .map(({ item }) => item);
}

function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .split(/[\s-]+/)
    .join(' ');
}
