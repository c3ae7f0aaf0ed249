/** Die Sätze der Konten für Tage und Stunden und der Buchungen darin auf Deutsch. */
import type { accountsEn } from './accounts.en.js';

export const accountsDe: typeof accountsEn = {
  statement_title: 'Alle Zeilen des Kontos',
  statement_date: 'Datum',
  statement_what: 'Grund',
  statement_days: 'Tage',
  statement_balance: 'Stand',
  statement_kinds: {
    entitlement: 'Anspruch',
    carried_over: 'Übertrag aus dem Vorjahr',
    carry_over_expired: 'Übertrag verfallen',
    absence: 'Abwesenheit',
    correction: 'Korrektur',
    payout: 'Ausgezahlt',
    expiry: 'Verfallen',
  },
  statement_by: (name, instant) => `${name}, ${instant}`,
  booked: 'Gebucht',
  expired: 'Verfallen',
  booking_title: 'Tage buchen',
  booking_text: 'Die Person liest den Grund. Eine Buchung bleibt, wie sie ist; eine weitere berichtigt sie.',
  booking_payout_law:
    'Der gesetzliche Urlaub darf nur bei Ende des Arbeitsverhältnisses ausgezahlt werden (§ 7 Abs. 4 BUrlG).',
  booking_kind: 'Art der Buchung',
  booking_kinds: { correction: 'Korrektur', payout: 'Auszahlung', expiry: 'Verfall' },
  booking_days: 'Zu buchende Tage',
  booking_days_help: { correction: 'Mit Minus werden sie abgezogen.', payout: '', expiry: '' },
  booking_date: 'Gilt ab',
  booking_reason: 'Grund',
  booking_book: 'Buchen',
  booking_done: (days) => `Gebucht. Es bleiben ${days} Tage.`,
};
