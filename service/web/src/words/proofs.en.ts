import { sentence } from './sentence.js';

export const proofsEn = {
  proofs_title: 'My proofs',
  proofs_text:
    'When a month is closed, the service commits to what it says of you. With its file you can show anybody what the month said and when, without an account here. Keep the files, above all before you leave the company.',
  proofs_none: 'No month with your times has been closed yet.',
  proofs_keep: 'Note these somewhere else',
  proofs_keep_text: 'A file cannot vouch for itself. Whoever checks one compares it with what you noted here.',
  proofs_company_token: 'Token of the company',
  proofs_person_token: 'Your token',
  proofs_senders: 'Sender on the ledger',
  proofs_no_sender: 'None yet',
  proofs_all: 'Download all',
  proofs_download: 'Download',
  proofs_hide: 'Show only what is needed',
  proofs_show: 'The file shows',
  proofs_shows: { all: 'the whole month', sums: 'the sums alone', days: 'certain days' },
  proofs_from: 'First day',
  proofs_to: 'Last day',
  proofs_with_name: 'With my name and number',
  proofs_hint: 'What is left out cannot be guessed from the file, and the rest still leads to the same root.',
  proofs_revision: (month: string, revision: string) => `${month}, revision ${revision}`,
  proofs_closed: (day: string) => sentence(`Closed on ${day}`),
  proofs_reopened: 'The month was opened again later.',
  proofs_states: {
    made: 'Not on the ledger yet',
    reported: 'Reported, not confirmed yet',
    anchored: 'On the ledger',
    contradicted: 'Contradicted',
  } as Readonly<Record<string, string>>,
  proofs_since: (day: string, indexes: number) =>
    `${sentence(`On the ledger since ${day}`)} ${indexes === 1 ? 'One index confirms it.' : `${indexes} indexes confirm it.`}`,
  proofs_overdue: 'This takes longer than a day.',
  proofs_contradicted:
    'An index finds something else on the ledger than what was reported. Keep the file, and ask your company.',
  proofs_hand_out: 'Hand out the proof',
  months_on_ledger: 'Ledger',
  months_overdue: 'Not confirmed a day after closing. Check the anchor service.',
  months_revision: (revision: number) => (revision === 1 ? 'Closed once' : `Closed ${revision} times`),
};
