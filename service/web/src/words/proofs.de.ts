import type { proofsEn } from './proofs.en.js';
import { sentence } from './sentence.js';

/** The same in German: the same keys, or it does not compile. */
export const proofsDe: typeof proofsEn = {
  proofs_title: 'Meine Beweise',
  proofs_text:
    'Wenn ein Monat abgeschlossen wird, legt sich der Dienst auf das fest, was er über Sie aussagt. Mit der Datei des Monats zeigen Sie jedem, was er aussagte und wann, ohne ein Konto hier. Bewahren Sie die Dateien auf, vor allem bevor Sie das Unternehmen verlassen.',
  proofs_linked_text:
    'Wenn ein Monat abgeschlossen wird, legt sich der Dienst auf das fest, was er über Sie aussagt. Mit der Datei des Monats zeigen Sie jedem, was er aussagte und wann, ohne ein Konto hier. Laden Sie die Dateien herunter, solange der Link gilt.',
  proofs_not_closed: (from, to) => sentence(`Noch nicht abgeschlossen: ${from === to ? from : `${from} bis ${to}`}`),
  proofs_none: 'Es wurde noch kein Monat mit Ihren Zeiten abgeschlossen.',
  proofs_keep: 'Notieren Sie das an anderer Stelle',
  proofs_keep_text:
    'Eine Datei kann nicht für sich selbst bürgen. Wer eine prüft, vergleicht sie mit dem, was Sie hier notiert haben.',
  proofs_company_token: 'Kennung des Unternehmens',
  proofs_person_token: 'Ihre Kennung',
  proofs_senders: 'Absender auf dem Ledger',
  proofs_no_sender: 'Noch keiner',
  proofs_all: 'Alle herunterladen',
  proofs_download: 'Herunterladen',
  proofs_download_selection: 'Auswahl herunterladen',
  proofs_hide: 'Nur das Nötige zeigen',
  proofs_show: 'Die Datei zeigt',
  proofs_shows: { all: 'den ganzen Monat', sums: 'nur die Summen', days: 'bestimmte Tage' },
  proofs_from: 'Erster Tag',
  proofs_to: 'Letzter Tag',
  proofs_with_name: 'Mit meinem Namen und meiner Nummer',
  proofs_hint: 'Was fehlt, lässt sich aus der Datei nicht erraten, und der Rest führt zum selben Fingerabdruck.',
  proofs_revision: (month: string, revision: string) => `${month}, Fassung ${revision}`,
  proofs_closed: (day: string) => sentence(`Abgeschlossen am ${day}`),
  proofs_reopened: 'Der Monat wurde später wieder geöffnet.',
  proofs_reopened_on: (day: string) => sentence(`Die Administration hat den Monat am ${day} wieder geöffnet`),
  proofs_unchanged: 'Von Ihnen hat sich seit der vorigen Fassung nichts geändert.',
  proofs_changes: 'Geändert seit der vorigen Fassung:',
  proofs_worked: (before: string, now: string) => `Arbeit ${before}, jetzt ${now}`,
  proofs_day_differs: 'andere Zeiten, Pausen oder Abwesenheiten, dieselben Stunden',
  proofs_parts: {
    person: 'Ihr Name, Ihre Nummer oder Ihr Unternehmen',
    figures: 'Ihre Summen des Monats',
    bookings: 'Buchungen auf Ihrem Zeitkonto',
    sign_offs: 'Freigaben',
  },
  proofs_states: {
    made: 'Noch nicht auf dem Ledger',
    reported: 'Gemeldet, noch nicht bestätigt',
    anchored: 'Auf dem Ledger',
    contradicted: 'Bestritten',
  },
  proofs_since: (day: string, indexes: number) =>
    `${sentence(`Auf dem Ledger seit ${day}`)} ${indexes === 1 ? 'Ein Index bestätigt es.' : `${indexes} Indexe bestätigen es.`}`,
  proofs_overdue: 'Das dauert länger als einen Tag.',
  proofs_contradicted:
    'Ein Index findet auf dem Ledger etwas anderes, als gemeldet wurde. Heben Sie die Datei auf, und fragen Sie Ihr Unternehmen.',
  proofs_link: 'Link zu den Beweisen',
  proofs_link_make: 'Link zu den Beweisen erstellen',
  proofs_link_hint:
    'Mit einem Link lädt diese Person die Dateien ihrer abgeschlossenen Monate ohne Konto herunter. Er ersetzt einen früheren.',
  proofs_link_until: (time: string) => sentence(`Der Link gilt bis ${time}`),
  evaluations_proven: 'Beweise abgeschlossener Monate',
  evaluations_month: 'Monat',
  evaluations_with_times: 'Personen mit Zeiten',
  evaluations_with_proof: 'Davon mit Beweis',
  proofs_hand_out: 'Beweis herausgeben',
  months_on_ledger: 'Ledger',
  months_overdue: 'Einen Tag nach dem Abschluss nicht bestätigt. Prüfen Sie den Ankerdienst.',
  months_revision: (revision: number) => (revision === 1 ? 'Einmal abgeschlossen' : `${revision} Mal abgeschlossen`),
};
