/**
 * The entries of the navigation, by job, by role and by the features of the installation. It only hides: the service
 * decides at every request. Further pages are further lines.
 */
import type { PagePath } from '../../../src/http/page-paths.js';
import { holds, type Role, type Session } from '../api/session.js';
import type { Words } from '../words/words.js';

type Sentence = { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words];

export interface Entry {
  readonly path: PagePath;
  readonly word: Sentence;
  readonly role?: Role;
  /** Open without the role to substitutes, who decide requests in the place of an approver. */
  readonly forSubstitutes?: true;
  /** Open without the role if the company shows people this much of their colleagues. */
  readonly visibleWhen?: readonly Session['company']['colleagues_see'][];
  readonly feature?: keyof Session['features'];
}

export interface Section {
  readonly word: Sentence;
  readonly entries: readonly Entry[];
}

/** The start page stands above the groups. */
export const start: Entry = { path: '/', word: 'nav_today' };

const sections: readonly Section[] = [
  {
    word: 'nav_my_time',
    entries: [
      { path: '/time', word: 'month_title' },
      { path: '/time/account', word: 'time_account_title' },
      { path: '/time/corrections', word: 'corrections_title' },
      { path: '/absences', word: 'absences_title' },
    ],
  },
  {
    word: 'team',
    entries: [
      { path: '/team/presence', word: 'presence_title', role: 'approver', visibleWhen: ['absences_and_presence'] },
      {
        path: '/team/calendar',
        word: 'calendar_title',
        role: 'approver',
        visibleWhen: ['absences', 'absences_and_presence'],
      },
      { path: '/team/approvals', word: 'approvals_title', role: 'approver', forSubstitutes: true },
      {
        path: '/team/unresolved-stamps',
        word: 'unresolved_title',
        role: 'approver',
        forSubstitutes: true,
        feature: 'terminals',
      },
      { path: '/team/people', word: 'my_people_title', role: 'approver' },
      { path: '/team/corrections', word: 'several_title', role: 'approver' },
      { path: '/team/substitutes', word: 'substitutes_title', role: 'approver' },
    ],
  },
  {
    word: 'company',
    entries: [
      { path: '/company/start', word: 'start_title', role: 'company_admin' },
      { path: '/company/people', word: 'people_title', role: 'company_admin' },
      { path: '/company/months', word: 'months_title', role: 'company_admin' },
      { path: '/company/payroll', word: 'payroll_title', role: 'company_admin' },
      { path: '/company/rules', word: 'rules_title', role: 'company_admin' },
      { path: '/company/departments', word: 'departments_title', role: 'company_admin' },
      { path: '/company/sign-in', word: 'company_sign_in_title', role: 'company_admin' },
      { path: '/company/companies', word: 'companies_title', role: 'super_admin' },
    ],
  },
  {
    word: 'entrances',
    entries: [
      {
        path: '/admin/terminals',
        word: 'terminals_title',
        role: 'company_admin',
        feature: 'terminals',
      },
      { path: '/admin/badges', word: 'badges_title', role: 'company_admin', feature: 'terminals' },
    ],
  },
  {
    word: 'nav_developers',
    entries: [
      {
        path: '/admin/extensions',
        word: 'extensions_title',
        role: 'super_admin',
        feature: 'extensions',
      },
      { path: '/admin/access', word: 'access_title', role: 'super_admin' },
    ],
  },
  {
    word: 'records',
    entries: [{ path: '/admin/audit', word: 'audit_title', role: 'company_admin' }],
  },
];

/** The pages about the person themselves: in the menu behind their name. */
const account: readonly Entry[] = [
  { path: '/profile', word: 'profile_title' },
  { path: '/notices', word: 'notices_title' },
  { path: '/profile/proofs', word: 'proofs_title' },
  { path: '/profile/second-factor', word: 'factor_title' },
  { path: '/profile/badges', word: 'my_badges_title', feature: 'terminals' },
  { path: '/profile/linked-apps', word: 'linked_apps_title', feature: 'extensions' },
  { path: '/profile/sessions', word: 'sessions_title' },
  { path: '/profile/password', word: 'password_title' },
  { path: '/company/evaluations', word: 'evaluations_title' },
];

/** Pages that other pages lead to. Their addresses begin with none of the navigation. */
const otherPages: readonly Entry[] = [
  { path: '/admin/card-keys', word: 'card_keys_title', role: 'company_admin', feature: 'terminals' },
];

/** The first three of the four places at the bottom of a phone; the fourth opens everything. */
const thumb: readonly (Entry & { readonly icon: 'today' | 'time' | 'absences' })[] = [
  { ...start, icon: 'today' },
  { path: '/time', word: 'nav_time', icon: 'time' },
  { path: '/absences', word: 'absences_title', icon: 'absences' },
];

export function navigationOf(session: Session): readonly Section[] {
  return sections
    .map((section) => ({ ...section, entries: openTo(session, section.entries) }))
    .filter((section) => section.entries.length > 0);
}

export function accountOf(session: Session): readonly Entry[] {
  return openTo(session, account);
}

export function thumbOf(session: Session): typeof thumb {
  return openTo(session, thumb);
}

function openTo<Of extends Entry>(session: Session, entries: readonly Of[]): readonly Of[] {
  return entries.filter((entry) => standingOf(entry, session) === 'open');
}

/** Tells whether a page is open to the person, and if not, the reason. */
export function standingOf(
  { role, forSubstitutes, visibleWhen, feature }: Pick<Entry, 'role' | 'forSubstitutes' | 'visibleWhen' | 'feature'>,
  session: Session,
): 'open' | 'not_offered' | 'not_allowed' {
  const isAllowed =
    role === undefined ||
    holds(session, role) ||
    (forSubstitutes === true && session.substitute) ||
    visibleWhen?.includes(session.company.colleagues_see) === true;
  if (!isAllowed) return 'not_allowed';
  return feature !== undefined && !session.features[feature] ? 'not_offered' : 'open';
}

/** The entry that an address belongs to: the longest it begins with. */
export function presentEntry(path: string): Entry | undefined {
  return [start, ...sections.flatMap((section) => section.entries), ...account, ...otherPages]
    .filter((entry) => entry.path === path || (entry.path !== '/' && path.startsWith(`${entry.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** The order in which groups stay open if there is room. */
const openFirst: readonly Sentence[] = ['company', 'nav_developers', 'entrances', 'nav_my_time', 'records', 'team'];
/** The name of a group, with the space above it, in lines. */
const linesOfName = 1.25;

/**
 * The open groups: that of the present page, and others as long as they fit.
 * @param lines the room, in lines
 */
export function openSections(
  sections: readonly Section[],
  present: string | undefined,
  lines: number,
): ReadonlySet<Sentence> {
  let room = lines - 1 - sections.length * linesOfName;
  const openWords = new Set<Sentence>();
  const rank = ({ word, entries }: Section) =>
    entries.some(({ path }) => path === present) ? -1 : openFirst.indexOf(word);
  for (const section of [...sections].sort((a, b) => rank(a) - rank(b))) {
    if (section.entries.length > room && openWords.size > 0) continue;
    room -= section.entries.length;
    openWords.add(section.word);
  }
  return openWords;
}
