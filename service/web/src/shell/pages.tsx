/** The page of each address but the start page. Comes beside the first file, so that none of it waits for this list. */
import type { ComponentType } from 'react';
import { Redirect } from 'wouter';
import type { PagePath } from '../../../src/http/page-paths.js';
import { tellFieldFaults } from '../parts/field-faults.js';
import { mantinePage, plainPage } from '../parts/lazy-page.js';
import { keepFocusOfBusyButtons } from '../parts/lost-focus.js';
import type { SignedInPageProps } from '../parts/page.js';

// With the pages that have forms, which none of the first file's has.
tellFieldFaults();
keepFocusOfBusyButtons();

/** Pages for everyone. */
export const open = {
  '/set-up': mantinePage(() => import('../sign-in/set-up-page.js'), 'SetUpPage'),
  '/invitation': mantinePage(() => import('../sign-in/invitation-page.js'), 'InvitationPage'),
  '/reset-password': mantinePage(() => import('../sign-in/reset-page.js'), 'ResetPage'),
  '/sign-in/company': mantinePage(() => import('../sign-in/company-page.js'), 'CompanyPage'),
  '/sign-in/company/:id': mantinePage(() => import('../sign-in/company-answer-page.js'), 'CompanyAnswerPage'),
  '/terms': plainPage(() => import('./terms-page.js'), 'TermsPage'),
} as const satisfies Partial<Record<PagePath, ComponentType>>;

type SignedInPage<Name extends string> = Readonly<Record<Name, ComponentType<SignedInPageProps>>>;

/** A page of the company that a super admin has opened. */
function companyPage<Name extends string>(load: () => Promise<SignedInPage<Name>>, name: Name) {
  return mantinePage(async () => {
    const [page, { inCompany }] = await Promise.all([load(), import('../company/chosen-company.js')]);
    return { Shown: inCompany(page[name]) };
  }, 'Shown');
}

/** Pages for people who are signed in. Every address that the service answers has a page, or this does not compile. */
export const own: Readonly<
  Record<
    Exclude<PagePath, '/' | keyof typeof open>,
    ComponentType<SignedInPageProps> & { readonly preload?: () => Promise<unknown> }
  >
> = {
  '/sign-in': () => <Redirect to="/" replace />,
  '/time': plainPage(() => import('../time/month-page.js'), 'MonthPage'),
  '/time/corrections': plainPage(() => import('../time/corrections-page.js'), 'CorrectionsPage'),
  '/time/sheet': plainPage(() => import('../time/sheet-page.js'), 'SheetPage'),
  '/time/account': mantinePage(() => import('../time/account-page.js'), 'AccountPage'),
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
  '/team/people': mantinePage(() => import('../team/my-people-page.js'), 'MyPeoplePage'),
  '/team/substitutes': mantinePage(() => import('../team/substitutes-page.js'), 'SubstitutesPage'),
  '/company/people/new': companyPage(() => import('../company/new-person-page.js'), 'NewPersonPage'),
  '/company/people/import': companyPage(() => import('../company/import-page.js'), 'ImportPage'),
  '/company/people/invite': companyPage(() => import('../company/invite-page.js'), 'InvitePage'),
  '/company/people/:id': companyPage(() => import('../company/person-page.js'), 'PersonPage'),
  '/company/people': companyPage(() => import('../company/people-page.js'), 'PeoplePage'),
  '/company/companies': mantinePage(() => import('../company/companies-page.js'), 'CompaniesPage'),
  '/company/start': companyPage(() => import('../company/start-page.js'), 'StartPage'),
  '/company/months': companyPage(() => import('../company/months-page.js'), 'MonthsPage'),
  '/company/rules': companyPage(() => import('../company/rules-page.js'), 'RulesPage'),
  '/company/evaluations': companyPage(() => import('../company/evaluations-page.js'), 'EvaluationsPage'),
  '/company/payroll': companyPage(() => import('../company/payroll-page.js'), 'PayrollPage'),
  '/company/sign-in': companyPage(() => import('../company/sign-in-settings-page.js'), 'SignInSettingsPage'),
  '/company/departments': companyPage(() => import('../company/departments-page.js'), 'DepartmentsPage'),
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
