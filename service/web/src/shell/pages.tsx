/**
 * The page of each address but the start page. Comes beside the first file, so that the start page does not wait for
 * this list.
 */
import type { ComponentType } from 'react';
import { Redirect } from 'wouter';
import type { PagePath } from '../../../src/http/page-paths.js';
import { tellFieldFaults } from '../parts/field-faults.js';
import { mantinePage, plainPage } from '../parts/lazy-page.js';
import type { SignedInPageProps } from '../parts/page.js';
import { keepFocusOfBusyButtons } from '../parts/restore-focus.js';

// Started with the pages that have forms: the first file's pages have none.
tellFieldFaults();
keepFocusOfBusyButtons();

/** Pages for everyone. */
export const open = {
  '/set-up': mantinePage(() => import('../access/set-up-page.js'), 'SetUpPage'),
  '/invitation': mantinePage(() => import('../access/invitation-page.js'), 'InvitationPage'),
  '/reset-password': mantinePage(() => import('../access/reset-page.js'), 'ResetPage'),
  '/proofs': mantinePage(() => import('../proofs/linked-proofs-page.js'), 'LinkedProofsPage'),
  '/sign-in/company': mantinePage(() => import('../access/company-page.js'), 'CompanyPage'),
  '/sign-in/company/:id': mantinePage(() => import('../access/company-answer-page.js'), 'CompanyAnswerPage'),
  '/terms': plainPage(() => import('./terms-page.js'), 'TermsPage'),
} as const satisfies Partial<Record<PagePath, ComponentType>>;

type SignedInPage<Name extends string> = Readonly<Record<Name, ComponentType<SignedInPageProps>>>;

/** A page of the company that a super admin has opened. */
function companyPage<Name extends string>(load: () => Promise<SignedInPage<Name>>, name: Name) {
  return mantinePage(async () => {
    const [page, { inCompany }] = await Promise.all([load(), import('../people/chosen-company.js')]);
    return { Shown: inCompany(page[name]) };
  }, 'Shown');
}

/** Pages for people who are signed in. Every address that the service answers has a page, or this does not compile. */
export const ownPages: Readonly<
  Record<
    Exclude<PagePath, '/' | keyof typeof open>,
    ComponentType<SignedInPageProps> & { readonly preload?: () => Promise<unknown> }
  >
> = {
  '/sign-in': () => <Redirect to="/" replace />,
  '/time': plainPage(() => import('../months/month-page.js'), 'MonthPage'),
  '/time/corrections': plainPage(() => import('../clock/corrections-page.js'), 'CorrectionsPage'),
  '/time/sheet': plainPage(() => import('../months/sheet-page.js'), 'SheetPage'),
  '/time/account': mantinePage(() => import('../months/account-page.js'), 'AccountPage'),
  '/absences': mantinePage(() => import('../absences/absences-page.js'), 'AbsencesPage'),
  '/link': mantinePage(() => import('../access/consent-page.js'), 'ConsentPage'),
  '/notices': mantinePage(() => import('../inbox/notices-page.js'), 'NoticesPage'),
  '/profile': mantinePage(() => import('../access/profile-page.js'), 'ProfilePage'),
  '/profile/linked-apps': mantinePage(() => import('../access/linked-apps-page.js'), 'LinkedAppsPage'),
  '/profile/proofs': mantinePage(() => import('../proofs/my-proofs-page.js'), 'MyProofsPage'),
  '/profile/second-factor': mantinePage(() => import('../access/second-factor-page.js'), 'SecondFactorPage'),
  '/profile/sessions': mantinePage(() => import('../access/sessions-page.js'), 'SessionsPage'),
  '/profile/password': mantinePage(() => import('../access/password-page.js'), 'PasswordPage'),
  '/team/approvals': mantinePage(() => import('../inbox/approvals-page.js'), 'ApprovalsPage'),
  '/team/unresolved-stamps': mantinePage(() => import('../inbox/unresolved-stamps-page.js'), 'UnresolvedStampsPage'),
  '/team/presence': mantinePage(() => import('../people/presence-page.js'), 'PresencePage'),
  '/team/calendar': mantinePage(() => import('../people/calendar-page.js'), 'CalendarPage'),
  '/team/people/:id': plainPage(() => import('../months/team-person-page.js'), 'TeamPersonPage'),
  '/team/people': mantinePage(() => import('../people/my-people-page.js'), 'MyPeoplePage'),
  '/team/corrections': mantinePage(() => import('../clock/bulk-page.js'), 'BulkPage'),
  '/team/substitutes': mantinePage(() => import('../inbox/substitutes-page.js'), 'SubstitutesPage'),
  '/company/people/new': companyPage(() => import('../hr/new-person-page.js'), 'NewPersonPage'),
  '/company/people/import': companyPage(() => import('../hr/import-page.js'), 'ImportPage'),
  '/company/people/invite': companyPage(() => import('../hr/invite-page.js'), 'InvitePage'),
  '/company/people/:id': companyPage(() => import('../hr/person-page.js'), 'PersonPage'),
  '/company/people': companyPage(() => import('../hr/people-page.js'), 'PeoplePage'),
  '/company/companies': mantinePage(() => import('../hr/companies-page.js'), 'CompaniesPage'),
  '/company/start': companyPage(() => import('../hr/start-page.js'), 'StartPage'),
  '/company/months': companyPage(() => import('../months/months-page.js'), 'MonthsPage'),
  '/company/rules': companyPage(() => import('../hr/rules-page.js'), 'RulesPage'),
  '/company/evaluations': companyPage(() => import('../working-time/evaluations-page.js'), 'EvaluationsPage'),
  '/company/payroll': companyPage(() => import('../months/payroll-page.js'), 'PayrollPage'),
  '/company/sign-in': companyPage(() => import('../access/sign-in-settings-page.js'), 'SignInSettingsPage'),
  '/company/departments': companyPage(() => import('../hr/departments-page.js'), 'DepartmentsPage'),
  '/admin/extensions/new': mantinePage(() => import('../extensions/new-extension-page.js'), 'NewExtensionPage'),
  '/admin/extensions/:id': mantinePage(() => import('../extensions/extension-page.js'), 'ExtensionPage'),
  '/admin/extensions': mantinePage(() => import('../extensions/extensions-page.js'), 'ExtensionsPage'),
  '/admin/access': mantinePage(() => import('../extensions/access-page.js'), 'AccessPage'),
  '/admin/terminals/new': mantinePage(() => import('../terminals/new-terminal-page.js'), 'NewTerminalPage'),
  '/admin/terminals/:id': mantinePage(() => import('../terminals/terminal-page.js'), 'TerminalPage'),
  '/admin/terminals': mantinePage(() => import('../terminals/terminals-page.js'), 'TerminalsPage'),
  '/admin/card-keys': mantinePage(() => import('../terminals/card-keys-page.js'), 'CardKeysPage'),
  '/admin/badges': mantinePage(() => import('../terminals/badges-page.js'), 'BadgesPage'),
  '/profile/badges': mantinePage(() => import('../terminals/my-badges-page.js'), 'MyBadgesPage'),
  '/admin/audit': mantinePage(() => import('../hr/audit-page.js'), 'AuditPage'),
};
