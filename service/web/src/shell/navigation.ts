/**
 * What the navigation offers, by role and by what the installation offers. It only hides: the service decides at every
 * request. Further pages are further lines.
 */
import type { PagePath } from '../../../src/http/app/page-paths.js';
import { holds, type Role, type Session } from '../api/session.js';
import type { Words } from '../words/words.js';

type Sentence = { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words];

export interface Entry {
  readonly path: PagePath;
  readonly word: Sentence;
  readonly text?: Sentence;
  readonly role?: Role;
  readonly feature?: keyof Session['features'];
}
export interface Section {
  readonly word: Sentence;
  readonly entries: readonly Entry[];
}

const sections: readonly Section[] = [
  {
    word: 'my_account',
    entries: [
      { path: '/', word: 'home' },
      { path: '/notices', word: 'notices_title' },
      { path: '/profile', word: 'profile_title' },
      { path: '/profile/badges', word: 'my_badges_title', text: 'home_my_badges', feature: 'terminals' },
      { path: '/profile/linked-apps', word: 'linked_apps_title', text: 'home_linked_apps', feature: 'extensions' },
      { path: '/profile/second-factor', word: 'factor_title', text: 'home_second_factor' },
      { path: '/profile/sessions', word: 'sessions_title', text: 'home_sessions' },
      { path: '/profile/password', word: 'password_title', text: 'home_password' },
    ],
  },
  {
    word: 'team',
    entries: [
      { path: '/team/presence', word: 'presence_title', text: 'presence_text', role: 'approver' },
      { path: '/team/calendar', word: 'calendar_title', text: 'calendar_text', role: 'approver' },
      { path: '/team/approvals', word: 'approvals_title', text: 'home_approvals', role: 'approver' },
    ],
  },
  {
    word: 'company',
    entries: [
      { path: '/company/start', word: 'start_title', text: 'home_start', role: 'company_admin' },
      { path: '/company/people', word: 'people_title', text: 'home_people', role: 'company_admin' },
      { path: '/company/months', word: 'months_title', text: 'home_months', role: 'company_admin' },
      { path: '/company/rules', word: 'rules_title', text: 'home_rules', role: 'company_admin' },
      { path: '/company/departments', word: 'departments_title', text: 'home_departments', role: 'company_admin' },
    ],
  },
  {
    word: 'entrances',
    entries: [
      {
        path: '/admin/terminals',
        word: 'terminals_title',
        text: 'home_terminals',
        role: 'company_admin',
        feature: 'terminals',
      },
      { path: '/admin/badges', word: 'badges_title', text: 'home_badges', role: 'company_admin', feature: 'terminals' },
    ],
  },
  {
    word: 'administration',
    entries: [
      {
        path: '/admin/extensions',
        word: 'extensions_title',
        text: 'home_extensions',
        role: 'super_admin',
        feature: 'extensions',
      },
      { path: '/admin/access', word: 'access_title', text: 'home_access', role: 'super_admin' },
    ],
  },
  {
    word: 'records',
    entries: [{ path: '/admin/audit', word: 'audit_title', text: 'home_audit', role: 'company_admin' }],
  },
];

export function navigationOf(session: Session): readonly Section[] {
  return sections
    .map((section) => ({
      ...section,
      entries: section.entries.filter((entry) => standingOf(entry, session) === 'open'),
    }))
    .filter((section) => section.entries.length > 0);
}

/** Whether a page is open to the person, and why not. */
export function standingOf(
  { role, feature }: Pick<Entry, 'role' | 'feature'>,
  session: Session,
): 'open' | 'not_offered' | 'not_allowed' {
  if (role !== undefined && !holds(session, role)) return 'not_allowed';
  return feature !== undefined && !session.features[feature] ? 'not_offered' : 'open';
}

/** The entry that an address belongs to: the longest it begins with. */
export function presentEntry(path: string): Entry | undefined {
  return sections
    .flatMap((section) => section.entries)
    .filter((entry) => entry.path === path || (entry.path !== '/' && path.startsWith(`${entry.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0];
}
