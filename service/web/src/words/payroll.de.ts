/** Die Sätze zu Lohnexport, Aufbewahrung und Auswertungen auf Deutsch. */
import { counted } from './counted.js';
import type { payrollEn } from './payroll.en.js';
import { sentence } from './sentence.js';

export const payrollDe: typeof payrollEn = {
  payroll_title: 'Lohnexport',
  payroll_lead: 'Stunden nach Lohnart und Abwesenheitstage, als Datei für das Lohnprogramm.',
  payroll_export: 'Monat exportieren',
  payroll_month: 'Monat',
  payroll_by: 'Eine Zeile für',
  payroll_bys: { month: 'jede Person und Lohnart', day: 'jeden Tag' },
  payroll_open: 'Exportieren, obwohl der Monat offen ist',
  payroll_open_help: 'Die Zahlen können sich noch ändern. Jede Zeile sagt, dass der Monat offen ist.',
  payroll_file: 'lohn',
  payroll_file_days: 'tage',
  payroll_rules: 'Inhalt der Datei',
  payroll_standard:
    'Noch ist nichts eingerichtet. Bis Sie speichern, gelten diese Lohnarten und Spalten: Ersetzen Sie die Nummern durch die Ihres Lohnprogramms.',
  payroll_rules_text:
    'Änderungen gelten für offene Monate. Geschlossene werden so exportiert, wie sie geschlossen wurden.',
  payroll_types: 'Lohnarten',
  payroll_code: 'Nummer',
  payroll_counts: 'Zählt',
  payroll_kinds: { work: 'Arbeitsstunden', surcharge: 'Stunden mit Zuschlag', absence: 'Abwesenheitstage' },
  payroll_days: 'An',
  payroll_day_kinds: {
    all: 'allen Tagen',
    sundays: 'Sonntagen',
    public_holidays: 'Feiertagen',
    dates: 'bestimmten Daten',
  },
  payroll_dates: 'Daten (Monat-Tag)',
  payroll_from: 'Von (Uhrzeit)',
  payroll_to: 'Bis (Uhrzeit)',
  payroll_begun: 'nur wenn die Arbeit am Vortag begann',
  payroll_type_add: 'Lohnart hinzufügen',
  payroll_remove: 'Entfernen',
  payroll_type_remove: (name) => `${name} entfernen`,
  payroll_columns: 'Spalten',
  payroll_columns_text: 'In der Reihenfolge der Datei, unter diesen Namen.',
  payroll_column_add: 'Spalte hinzufügen',
  payroll_column_up: (column) => `${column} nach vorn`,
  payroll_column_remove: (column) => `${column} entfernen`,
  payroll_column_names: {
    user_id: 'Nummer des Kontos',
    personnel_number: 'Personalnummer',
    name: 'Vor- und Nachname',
    department: 'Abteilung',
    month: 'Monat',
    date: 'Tag, im Export nach Tagen',
    wage_type: 'Nummer der Lohnart',
    wage_type_name: 'ihr Name',
    quantity: 'Stunden oder Tage',
    unit: 'was von beidem',
    hours: 'Stunden',
    minutes: 'Minuten',
    days: 'Abwesenheitstage',
    month_state: 'abgeschlossen oder offen',
  },
  payroll_mark: 'Dezimalzeichen',

  erase_title: 'Daten löschen',
  erase_text:
    'Löscht die Person und alles über sie: Einträge, Korrekturen, Abwesenheiten, Salden, Ausweise und Anmeldung. Das lässt sich nicht rückgängig machen.',
  erase_records: 'Aufzeichnungen',
  erase_count: 'Anzahl',
  erase_period: 'Von – bis',
  erase_kept: 'Aufzubewahren bis',
  erase_not_kept: 'keine gesetzliche Frist',
  erase_kinds: {
    time_entries: 'Arbeitszeiten mit Korrekturen',
    month_sign_offs: 'Freigegebene Stundenzettel',
    absences: 'Abwesenheiten',
  },
  erase_none: 'Über diese Person sind keine Arbeitszeiten und keine Abwesenheiten gespeichert.',
  erase_from: (day) => sentence(`Ohne Grund möglich ab ${day}`),
  erase_before:
    'Bis dahin verlangt das Gesetz, dass die Arbeitszeiten aufbewahrt werden. Früheres Löschen braucht einen Grund.',
  erase_open: 'Daten löschen …',
  erase_dialog: (name) => `Alle Daten von ${name} löschen?`,
  erase_forever:
    'Nichts davon lässt sich wiederherstellen. Das Prüfprotokoll hält fest, dass gelöscht wurde, von wem und wann.',
  erase_reason: 'Grund',
  erase_reason_help: 'Warum Aufzeichnungen vor Ablauf der Frist gelöscht werden. Er steht im Prüfprotokoll.',
  erase_name: (name) => `Geben Sie den Namen ein: ${name}`,
  erase_do: 'Löschen',

  evaluations_title: 'Was erfasst wird',
  evaluations_lead: 'Was dieses System über wen erfasst, wer es sieht und welche Auswertungen das Unternehmen nutzt.',
  evaluations_switches: 'Auswertungen',
  evaluations_one: 'Auswertung',
  evaluations_what: 'Was sie zeigt',
  evaluations_state: 'Zustand',
  evaluations_on: 'ein',
  evaluations_off: 'aus',
  evaluations_since: (day) => `seit ${day}`,
  own_changes: 'Was Admins an sich selbst geändert haben',
  own_changes_none: 'Nichts in den letzten zwölf Monaten.',
  own_changes_refused:
    'Woraus sich Saldo, Urlaub, Sollzeit, Genehmigung und Rollen eines Admins ergeben, ändert jemand anderes.',
  own_changes_marked:
    'Das Unternehmen erlaubt seinem einzigen Admin, den eigenen Datensatz zu ändern. Jede Änderung ist gekennzeichnet und steht ein Jahr lang hier.',
  evaluations_own:
    'Was eine Auswertung von anderen zeigt, ist für alle verborgen, solange sie aus ist, auch für Admins, auf jeder Seite und in jeder Datei. Die eigenen Daten sieht jeder weiterhin. Jedes Schalten steht im Prüfprotokoll.',
  evaluations_names: {
    presence: [
      'Anwesenheit',
      'Wer gerade eingestempelt, in Pause oder ausgestempelt ist, in Listen, Tagen und Prüfprotokoll; die Evakuierungsliste.',
    ],
    month_reports: [
      'Monatsberichte',
      'Arbeitszeit, Soll, Saldo und Abwesenheitstage aller Personen je Monat, und ihr Export; Zeitkonten anderer.',
    ],
    findings: [
      'Verstöße gegen Arbeitszeitregeln',
      'Verstöße anderer gegen Arbeitszeitregeln: in Listen, Tagen, Stundenzetteln und Zahlen.',
    ],
    sheet_exports: [
      'Dateien von Stundenzetteln',
      'Der Stundenzettel einer anderen Person als PDF oder CSV, und ihr Zeitkonto als CSV.',
    ],
    payroll_export: ['Lohnexport', 'Stunden nach Lohnart und Abwesenheitstage je Person.'],
    balance_at_the_door: [
      'Saldo an der Tür',
      'Der eigene Saldo auf dem Bildschirm des Terminals, wo andere mitlesen können.',
    ],
  },
  evaluations_recorded: 'Was über Personen erfasst wird',
  evaluations_data: 'Daten',
  evaluations_content: 'Inhalt',
  evaluations_seen_by: 'Wer sie sieht',
  evaluations_records: [
    [
      'Arbeitszeiten',
      'Beginn, Ende und Pausen; zu jedem Stempel der Weg (Seite, Terminal, Erweiterung) und ob ein Ausweis ihn belegt. Kein Ort außer dem Namen des Terminals.',
      'Die Person, Genehmigende der Abteilung, Admins; Erweiterungen mit dieser Berechtigung.',
    ],
    [
      'Korrekturen',
      'Alte und neue Zeiten, wer sie wann und warum geändert hat.',
      'Die Person, Genehmigende der Abteilung, Admins.',
    ],
    [
      'Abwesenheiten',
      'Art, Tage, Bemerkung und Entscheidung.',
      'Die Person, Genehmigende der Abteilung, Admins; Erweiterungen mit dieser Berechtigung. Kollegen sehen höchstens, dass jemand fehlt.',
    ],
    [
      'Salden',
      'Soll, Arbeitszeit, Saldo und Buchungen; Urlaubstage.',
      'Die Person, Genehmigende, Admins; Erweiterungen mit der Berechtigung für Arbeitszeiten, ohne Urlaubstage.',
    ],
    [
      'Beweise abgeschlossener Monate',
      'Name, Nummer, Summen, Buchungen, Freigaben und Tage mit Stempeln vom Monat einer Person, wie er abgeschlossen wurde, und wann er abgeschlossen und wieder geöffnet wurde, mit dem Grund: gepackt, mit Hashes, damit die Person später zeigen kann, was er aussagte. Abwesenheiten nur als Urlaub oder andere, keine Bemerkungen. Wird die Person gelöscht, bleibt davon nur ein Hash, der zu niemandem führt. Ein Fingerabdruck des ganzen Unternehmens kommt auf das öffentliche Ledger.',
      'Die Person; Admins können die Datei herausgeben, was im Prüfprotokoll steht. Genehmigende bekommen keine Datei, eine App nur über den Link der Person.',
    ],
    [
      'Besondere Regeln',
      'Ob jemand unter 18, schwanger oder stillend oder in einem Minijob ist, mit Zeitraum: nur, wenn Admins es eingetragen haben.',
      'Die Person, Admins. Genehmigende, Terminals und Erweiterungen erfahren nicht, dass jemand schwanger ist oder stillt.',
    ],
    [
      'Ausweise',
      'Welcher Ausweis wann ausgegeben, gesperrt oder zurückgegeben wurde. Die Nummer der Karte ist nirgends gespeichert.',
      'Die Person, Admins.',
    ],
    [
      'Anmeldungen',
      'Zeit, Browser und Netzadresse offener Sitzungen.',
      'Die Person; Anmeldungen im Prüfprotokoll auch Admins.',
    ],
    [
      'Prüfprotokoll',
      'Wer was auf welchem Weg wann getan hat. Einträge lassen sich nicht ändern.',
      'Admins des Unternehmens.',
    ],
  ],
  evaluations_about_you: 'Besondere Regeln, die für Sie erfasst sind',
  evaluations_readers: 'Wer sie hier lesen kann',
  evaluations_reader_counts: {
    approvers: (count) =>
      counted(
        count,
        'Eine genehmigende Person, für die Personen, über die sie entscheidet',
        `${count} genehmigende Personen, je für die Personen, über die sie entscheiden`,
      ),
    company_admins: (count) => counted(count, 'Ein Admin des Unternehmens', `${count} Admins des Unternehmens`),
    super_admins: (count) =>
      counted(count, 'Ein Super-Admin in diesem Unternehmen', `${count} Super-Admins in diesem Unternehmen`),
    extensions: (count) =>
      counted(
        count,
        'Eine Erweiterung, soweit ihre Berechtigungen reichen',
        `${count} Erweiterungen, soweit ihre Berechtigungen reichen`,
      ),
  },
  evaluations_colleagues: {
    nothing: 'Kollegen sehen nichts voneinander.',
    absences: 'Kollegen einer Abteilung sehen, wer an welchen Tagen fehlt.',
    absences_and_presence: 'Kollegen einer Abteilung sehen, wer an welchen Tagen fehlt und wer eingestempelt ist.',
  },
};
