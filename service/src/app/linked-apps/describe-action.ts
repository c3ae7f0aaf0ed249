/** What an app did in a person's name, as a sentence. */
import type { actionsForPeople } from '../../audit/actions.js';
import type { EntryRow } from '../../audit/rows.js';

type Sentence = readonly [de: string, en: string];

const sentences: Readonly<Record<(typeof actionsForPeople)[number], Sentence>> = {
  'clock.in': ['Eingestempelt', 'Clocked in'],
  'clock.out': ['Ausgestempelt', 'Clocked out'],
  'clock.break_start': ['Pause begonnen', 'Started a break'],
  'clock.break_end': ['Pause beendet', 'Ended a break'],
  'absence.requested': ['Abwesenheit beantragt', 'Asked for an absence'],
  'absence.changed': ['Abwesenheit geändert', 'Changed an absence'],
  'absence.withdrawn': ['Abwesenheit zurückgezogen', 'Withdrew an absence'],
  'absence.cancellation_requested': ['Stornierung einer Abwesenheit beantragt', 'Asked to cancel an absence'],
  'absence.cancelled': ['Abwesenheit storniert', 'Cancelled an absence'],
  'link.opened': ['Verknüpft', 'Linked'],
};
/** What needs nobody's approval stands at once. */
const recorded: Sentence = ['Abwesenheit eingetragen', 'Recorded an absence'];

/** @param language BCP 47; German where it is German, English otherwise */
export function describeAction({ action, details }: Pick<EntryRow, 'action' | 'details'>, language: string): string {
  const sentence =
    action === 'absence.requested' && readStatus(details) === 'approved'
      ? recorded
      : (sentences as Readonly<Record<string, Sentence>>)[action];
  return sentence?.[/^de\b/i.test(language) ? 0 : 1] ?? action;
}

function readStatus(details: string | null): unknown {
  return details === null ? undefined : (JSON.parse(details) as { status?: unknown }).status;
}
