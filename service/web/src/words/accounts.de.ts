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
  type_color: 'Farbe',
  type_colors: {
    usual: 'üblich',
    blue: 'Blau',
    green: 'Grün',
    amber: 'Gelb',
    red: 'Rot',
    violet: 'Violett',
    pink: 'Rosa',
    grey: 'Grau',
  },
  type_visible: 'Teammitglieder sehen',
  type_visible_to: { approvers: 'nur „Abwesend“', everyone: 'die Art' },
  pro_rata: 'Ein- und Austritt im Jahr',
  pro_rata_help: {
    none: 'Alle Tage, wann auch immer jemand kommt oder geht.',
    statutory:
      'Nach § 5 BUrlG: ein Zwölftel je vollem Monat, wenn die sechs Monate der Wartezeit im Jahr nicht erfüllt werden oder das Arbeitsverhältnis in der ersten Jahreshälfte endet; sonst alle Tage.',
    twelfths: 'Immer ein Zwölftel je vollem Monat. Der gesetzliche Urlaub darf § 5 nicht unterschreiten.',
  },
  pro_rata_rules: { none: 'alle Tage', statutory: 'nach dem Gesetz (§ 5 BUrlG)', twelfths: 'ein Zwölftel je Monat' },
  entitlements_title: 'Tage vieler Personen festlegen',
  entitlements_text:
    'Eigene Tage für alle, die im Jahr beschäftigt sind. Sie sehen die Rechnung, bevor sie festgelegt werden.',
  entitlements_department: 'Abteilung',
  entitlements_everyone: 'Alle',
  entitlements_preview: 'Berechnen',
  entitlements_before: 'Bisher',
  entitlements_after: 'Danach',
  entitlements_why: 'Rechnung',
  entitlements_choose: (name) => `Für ${name} festlegen`,
  entitlements_rules: {
    whole_year: 'ganzes Jahr',
    full_claim: 'alle Tage: Wartezeit erfüllt, nicht in der ersten Jahreshälfte ausgetreten',
    waiting_period: 'Wartezeit im Jahr nicht erfüllt',
    left_in_first_half: 'Austritt in der ersten Jahreshälfte',
    twelfths: 'ein Zwölftel je Monat',
  },
  entitlements_sum: (months, whole, exact, rounded) =>
    exact === rounded
      ? `${months}/12 von ${whole} = ${rounded}`
      : `${months}/12 von ${whole} = ${exact}, gerundet ${rounded}`,
  entitlements_unchanged: (count) =>
    count === 1 ? 'Bei einer Person bleibt es dabei.' : `Bei ${count} Personen bleibt es dabei.`,
  entitlements_nobody: 'In diesem Jahr ist niemand beschäftigt.',
  entitlements_set: (count) => (count === 1 ? 'Für eine Person festlegen' : `Für ${count} Personen festlegen`),
  entitlements_done: (count) => (count === 1 ? 'Für eine Person festgelegt.' : `Für ${count} Personen festgelegt.`),
  entitlements_errors: { unknown: 'Nicht mehr im Unternehmen', not_employed: 'In diesem Jahr nicht beschäftigt' },
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
