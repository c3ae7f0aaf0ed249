/** Every sentence at the door. Both languages have the same keys, or it does not compile. */
import type { Failure, Language } from '../../src/screen/machine.js';
import type { ClockStateName, TerminalAction } from '../../src/terminal-api.js';

const de = {
  other_language: 'English',
  online: 'Online',
  offline_since: (time: string) => `Offline seit ${time}`,
  offline: 'Offline',
  starting: 'Verbindung wird aufgebaut',
  not_paired: 'Noch nicht gekoppelt',
  not_confirmed: 'Noch nicht bestätigt',

  pairing_code: 'Kopplungscode',
  pairing_code_from: 'aus der Verwaltung, gilt 10 min',
  pair: 'Koppeln',
  code_wrong: 'Code nicht gültig. Neuen Code anfordern.',
  code_unreachable: 'Keine Verbindung. Bitte noch einmal versuchen.',
  code_label: (count: number) => `${count} von 8 Zeichen`,
  delete_last: 'Letztes Zeichen löschen',
  pair_terminal: 'Terminal koppeln',
  code: 'Code',
  same_fingerprint: ['Zeigt die Verwaltung denselben ', 'Fingerabdruck', '?'],
  compare:
    'In der Verwaltung unter Eingänge › Terminals. Stimmen alle 16 Zeichen: dort bestätigen. Sonst dort »Sie weichen ab« wählen.',
  waiting: 'Warten auf Bestätigung',

  hold: 'Ausweis vorhalten',
  hold_still: 'Ausweis bitte ruhig halten',
  issuing: (name: string) => `Neuen Ausweis für ${name} vorhalten`,
  issued: 'Ausweis ist fertig',
  issued_text: 'Zum Stempeln wegnehmen und noch einmal vorhalten.',

  hello: (name: string) => `Hallo ${name}`,
  state: { in: 'Eingestempelt', on_break: 'In Pause', out: 'Nicht eingestempelt' } satisfies Record<
    ClockStateName,
    string
  >,
  since: 'seit',
  action: {
    in: 'Kommen',
    out: 'Gehen',
    break_start: 'Pause',
    break_end: 'Pause beenden',
  } satisfies Record<TerminalAction, string>,
  hold_again: 'oder Ausweis noch einmal vorhalten',
  break_starts: (time: string) => `beginnt ${time}, Rückkehr stempeln`,
  account: 'Zeitkonto anzeigen',
  cancel: 'Abbrechen',
  touch_stops: 'Berühren hält den Countdown an',
  countdown: (action: string, seconds: number) => `${action} in ${seconds} Sekunden. Berühren hält an.`,

  enter_pin: 'PIN eingeben',
  pin_digits: (count: number) => `${count} von 6 Ziffern`,
  pin_wrong: 'PIN nicht richtig.',
  tries_left: (count: number) => (count === 1 ? 'Noch 1 Versuch.' : `Noch ${count} Versuche.`),
  locked: 'PIN für eine Stunde gesperrt',
  locked_text: ['', 'Die Personalabteilung kann sie zurücksetzen.'],

  checking_answer: 'Antwort wird geprüft',
  unsure: 'Nicht sicher, ob gespeichert',
  unsure_text: ['', 'Bitte unter „Meine Zeit“ nachsehen.'],

  done: {
    in: 'Gekommen',
    out: 'Gegangen',
    break_start: 'Pause beginnt',
    break_end: 'Pause beendet',
  } satisfies Record<TerminalAction, string>,
  already: 'Schon gespeichert:',
  closes: (seconds: number) => `Schließt in ${seconds} s`,

  account_title: 'Zeitkonto',
  today: 'Heute',
  balance: 'Zeitkonto',
  vacation: 'Resturlaub',
  days: (days: string, one: boolean) => (one ? `${days} Tag` : `${days} Tage`),

  refused: 'Ausweis nicht angenommen',
  refused_text: [
    'Es wurde nichts gestempelt.',
    'Ausweis noch einmal flach vorhalten. Klappt es wieder nicht, hilft die Personalabteilung.',
  ],
  removed: 'Zu kurz',
  removed_text: ['Es wurde nichts gestempelt.', 'Bitte noch einmal vorhalten.'],
  close: 'Schließen',
  not_stamped: 'Nicht gestempelt',
  failed: {
    month_closed: 'Der Monat ist abgeschlossen. Die Personalabteilung hilft weiter.',
    department_not_allowed: 'An diesem Terminal ist das Stempeln nicht freigegeben. Bitte ein anderes benutzen.',
    changed: 'Der Stand hat sich inzwischen geändert. Bitte noch einmal vorhalten.',
    unreachable: 'Keine Verbindung. Bitte später noch einmal oder am Telefon oder Rechner stempeln.',
    not_written: 'Der Stempel konnte nicht gespeichert werden. Bitte am Telefon oder Rechner stempeln.',
    switched_off: 'Das Stempeln am Terminal ist zurzeit ausgeschaltet. Bitte am Telefon oder Rechner stempeln.',
    other: 'Die Personalabteilung hilft weiter.',
  } satisfies Record<Failure, string>,
  nothing_stamped: 'Es wurde nichts gestempelt.',

  stamps_wait: (count: number) => (count === 1 ? '1 Stempel wartet' : `${count} Stempel warten`),
  offline_text: 'Stempel werden gespeichert und zählen erst nach einer Freigabe.',
  offline_not_here: 'Hier kann jetzt nicht gestempelt werden. Bitte am Telefon oder Rechner stempeln.',
  what: 'Was stempeln?',
  saved: 'Gespeichert:',
  needs_approval: 'Freigabe nötig.',
  no_reader: 'Leser nicht bereit',
  no_reader_text: 'Bitte am Telefon oder Rechner stempeln.',
};

const en: typeof de = {
  other_language: 'Deutsch',
  online: 'Online',
  offline_since: (time) => `Offline since ${time}`,
  offline: 'Offline',
  starting: 'Connecting',
  not_paired: 'Not paired yet',
  not_confirmed: 'Not confirmed yet',

  pairing_code: 'Pairing code',
  pairing_code_from: 'from the admin pages, valid 10 min',
  pair: 'Pair',
  code_wrong: 'Code not valid. Ask for a new one.',
  code_unreachable: 'No connection. Please try again.',
  code_label: (count) => `${count} of 8 characters`,
  delete_last: 'Delete the last character',
  pair_terminal: 'Pair this terminal',
  code: 'Code',
  same_fingerprint: ['Do the admin pages show the same ', 'fingerprint', '?'],
  compare:
    'See Entrances › Terminals in the admin pages. If all 16 characters match, confirm there. If not, choose “They differ” there.',
  waiting: 'Waiting for confirmation',

  hold: 'Hold your badge to the reader',
  hold_still: 'Hold still',
  issuing: (name) => `Hold the new badge for ${name} to the reader`,
  issued: 'The badge is ready',
  issued_text: 'To clock in, take it away and hold it to the reader again.',

  hello: (name) => `Hello ${name}`,
  state: { in: 'Clocked in', on_break: 'On a break', out: 'Not clocked in' },
  since: 'since',
  action: { in: 'Clock in', out: 'Clock out', break_start: 'Break', break_end: 'End break' },
  hold_again: 'or hold your badge again',
  break_starts: (time) => `starts ${time}, stamp when you are back`,
  account: 'Show time account',
  cancel: 'Cancel',
  touch_stops: 'Touch to stop the countdown',
  countdown: (action, seconds) => `${action} in ${seconds} seconds. Touch to stop.`,

  enter_pin: 'Enter PIN',
  pin_digits: (count) => `${count} of 6 digits`,
  pin_wrong: 'Wrong PIN.',
  tries_left: (count) => (count === 1 ? '1 try left.' : `${count} tries left.`),
  locked: 'PIN locked for one hour',
  locked_text: ['', 'HR can reset it.'],

  checking_answer: 'Checking the answer',
  unsure: 'We cannot tell whether this was recorded',
  unsure_text: ['', 'Please check My time.'],

  done: { in: 'Clocked in', out: 'Clocked out', break_start: 'Break starts', break_end: 'Break ended' },
  already: 'Already recorded:',
  closes: (seconds) => `Closes in ${seconds} s`,

  account_title: 'Time account',
  today: 'Today',
  balance: 'Balance',
  vacation: 'Vacation left',
  days: (days, one) => (one ? `${days} day` : `${days} days`),

  refused: 'Badge not accepted',
  refused_text: ['Nothing was recorded.', 'Hold it flat to the reader again. If it still fails, HR can help.'],
  removed: 'Too short',
  removed_text: ['Nothing was recorded.', 'Please hold it again.'],
  close: 'Close',
  not_stamped: 'Not recorded',
  failed: {
    month_closed: 'The month is closed. HR can help.',
    department_not_allowed: 'You cannot clock in at this terminal. Please use another one.',
    changed: 'Your state has changed meanwhile. Please hold your badge again.',
    unreachable: 'No connection. Please try later, or clock in by phone or computer.',
    not_written: 'The stamp could not be saved. Please clock in by phone or computer.',
    switched_off: 'Clocking in at the terminal is switched off. Please clock in by phone or computer.',
    other: 'HR can help.',
  },
  nothing_stamped: 'Nothing was recorded.',

  stamps_wait: (count) => (count === 1 ? '1 stamp waiting' : `${count} stamps waiting`),
  offline_text: 'Stamps are saved. They count once approved.',
  offline_not_here: 'Nothing can be recorded here now. Please clock in by phone or computer.',
  what: 'What do you want to record?',
  saved: 'Saved:',
  needs_approval: 'Needs approval.',
  no_reader: 'Reader not ready',
  no_reader_text: 'Please clock in by phone or computer.',
};

export type Words = typeof de;
export const words: Readonly<Record<Language, Words>> = { de, en };
