/**
 * The addresses of the web application's pages: the service answers them with its HTML, and the application has a page
 * for each. A part with a colon stands for any one.
 */
export const pagePaths = [
  '/',
  '/set-up',
  '/sign-in',
  '/invitation',
  '/link',
  '/terms',
  '/time',
  '/time/corrections',
  '/absences',
  '/notices',
  '/profile',
  '/profile/linked-apps',
  '/profile/second-factor',
  '/profile/sessions',
  '/profile/password',
  '/profile/badges',
  '/team/approvals',
  '/team/presence',
  '/team/calendar',
  '/company/start',
  '/company/people',
  '/company/months',
  '/company/rules',
  '/company/departments',
  '/company/people/new',
  '/company/people/:id',
  '/admin/extensions',
  '/admin/extensions/new',
  '/admin/extensions/:id',
  '/admin/access',
  '/admin/terminals',
  '/admin/terminals/new',
  '/admin/terminals/:id',
  '/admin/badges',
  '/admin/audit',
] as const;

export type PagePath = (typeof pagePaths)[number];
