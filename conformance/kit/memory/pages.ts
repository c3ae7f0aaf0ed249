/**
 * The pages of Clockproof, for rules about what they show: this file alone names them. Another service has none of them,
 * and is judged without these rules.
 */
import type { Step } from './history.js';

type Asked = Pick<Step, 'path'>;
const pages = {
  ownBadges: /^\/app\/me\/badges/,
  ownLinks: /^\/app\/linked-apps/,
  consent: /^\/app\/consent\/(\w+)$/,
  pin: /^\/app\/pin\b/,
  approvals: /^\/app\/approvals/,
  corrections: /^\/app\/people\/\d+\/corrections$/,
  people: /^\/app\/admin\/people(\/\d+(\/deactivation)?)?$/,
  terminal: /^\/app\/admin\/terminals\/\w+$/,
  terminals: /^\/app\/admin\/terminals$/,
  administration: /^\/app\/admin\//,
  bookings: /^\/app\/admin\/people\/\d+\/time-bookings$/,
  departments: /^\/app\/admin\/companies\/\d+\/departments$/,
  audit: /^\/app\/admin\/audit/,
  deliveries: /^\/app\/.*\/deliveries/,
} as const;

export const isPage = ({ path }: Asked): boolean => path.startsWith('/app/');
export const isOf = ({ path }: Asked, page: keyof typeof pages): boolean => pages[page].test(path);
/** What a person sees of themselves. */
export const isOwn = (step: Asked): boolean =>
  /^\/app\/me\//.test(step.path) || isOf(step, 'ownLinks') || isOf(step, 'consent');
/** The question that a consent answers. */
export const questionAt = ({ path }: Asked): string | undefined => pages.consent.exec(path)?.[1];
/** What is done with a page: the last word of the path that something was sent to. */
export const verbOf = (step: Step): string =>
  step.method === 'POST' && isPage(step) ? (step.path.split('/').at(-1) ?? '') : '';
/** The terminal whose page it is. */
export const terminalAt = ({ path }: Asked): string | undefined => /\/terminals\/(\w+)/.exec(path)?.[1];
