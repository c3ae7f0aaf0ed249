/** The sentences about several companies in English. */
import { sentence } from './sentence.js';
export const companiesEn = {
  companies_title: 'Companies',
  companies_text: 'Every company of this installation has its own people, rules and months.',
  companies_add: 'Add company',
  companies_open: 'Open',
  companies_opened: 'Open now',
  companies_off: 'Deactivated',
  companies_own: 'Your company',
  companies_place: (country: string, zone: string) => `${country}, ${zone}`,
  companies_deactivate: 'Deactivate',
  companies_deactivate_title: (name: string) => `Deactivate ${name}?`,
  companies_deactivate_people: (count: number) =>
    count === 1
      ? 'One person is signed out at once and can no longer sign in or stamp.'
      : `${count} people are signed out at once and can no longer sign in or stamp.`,
  companies_deactivate_links: 'Their personal links end for good. Extensions and terminals of the company are refused.',
  companies_deactivate_kept: 'All records stay. You can activate the company again; ended links stay ended.',
  companies_activate: 'Activate',
  companies_switch: 'Company',
  companies_elsewhere: (name: string) => sentence(`You are administering ${name}`),
  companies_back: (name: string) => `Back to ${name}`,
};
