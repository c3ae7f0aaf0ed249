import { inLanguage } from '../../people/language.js';
import type { actionsForPeople } from '../../store/audit/actions.js';
import type { EntryRow } from '../../store/audit/rows.js';

/** An action of an app in a person's name, as a sentence. */
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

/** For absences that need no approval. */
const recordedAbsence: Sentence = ['Abwesenheit eingetragen', 'Recorded an absence'];

function readStatus(details: string | null): unknown {
  return details === null ? undefined : (JSON.parse(details) as { status?: unknown }).status;
}

/** @param language BCP 47; German if it is German, English otherwise */
export function describeAction({ action, details }: Pick<EntryRow, 'action' | 'details'>, language: string): string {
  const sentence =
    action === 'absence.requested' && readStatus(details) === 'approved'
      ? recordedAbsence
      : (sentences as Readonly<Record<string, Sentence>>)[action];
  return sentence === undefined ? action : inLanguage(language, { de: sentence[0], en: sentence[1] });
}
