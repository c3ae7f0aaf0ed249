/** What the navigation offers, by role and by what the installation offers. It only hides: the service decides at every request. Further pages are further lines. */
import type { PagePath } from '../../../src/app/page-paths.js';
import { holds, type Session } from '../api/session.js';
import type { Words } from '../words/words.js';

type Sentence = { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words];

export interface Entry { readonly path: PagePath; readonly word: Sentence; readonly text?: Sentence; readonly shown?: (session: Session) => boolean }
export interface Section { readonly word: Sentence; readonly entries: readonly Entry[] }

const superAdmin = (session: Session) => holds(session, 'super_admin');

const sections: readonly Section[] = [
  {
    word: 'my_account',
    entries: [
      { path: '/', word: 'home' },
      { path: '/profile', word: 'profile_title' },
      { path: '/profile/linked-apps', word: 'linked_apps_title', text: 'home_linked_apps', shown: (session) => session.features.extensions },
      { path: '/profile/second-factor', word: 'factor_title', text: 'home_second_factor' },
      { path: '/profile/sessions', word: 'sessions_title', text: 'home_sessions' },
      { path: '/profile/password', word: 'password_title', text: 'home_password' },
    ],
  },
  {
    word: 'administration',
    entries: [
      { path: '/admin/extensions', word: 'extensions_title', text: 'home_extensions', shown: (session) => superAdmin(session) && session.features.extensions },
      { path: '/admin/access', word: 'access_title', text: 'home_access', shown: superAdmin },
    ],
  },
  { word: 'records', entries: [{ path: '/admin/audit', word: 'audit_title', text: 'home_audit', shown: (session) => holds(session, 'company_admin') }] },
];

export function navigationOf(session: Session): readonly Section[] {
  return sections.map((section) => ({ ...section, entries: section.entries.filter((entry) => entry.shown?.(session) ?? true) })).filter((section) => section.entries.length > 0);
}

/** The entry to mark as the present one: the longest that the address begins with. */
export function presentEntry(path: string): PagePath | undefined {
  return sections.flatMap((section) => section.entries).map((entry) => entry.path).filter((one) => one === path || (one !== '/' && path.startsWith(`${one}/`))).sort((a, b) => b.length - a.length)[0];
}
