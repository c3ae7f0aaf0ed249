/** Die Sätze der Suche nach Personen, Seiten und Aktionen auf Deutsch. */
import type { findEn } from './find.en.js';

export const findDe: typeof findEn = {
  find: 'Suchen',
  find_keys: { control: 'Strg K', command: '⌘ K' },
  find_title: 'Personen, Seiten und Aktionen suchen',
  find_own_title: 'Seiten und Aktionen suchen',
  find_none: (typed) => `Nichts passt zu „${typed}“.`,
  find_count: (count) => (count === 1 ? 'Ein Ergebnis' : `${count} Ergebnisse`),
  find_groups: { pages: 'Seiten', actions: 'Aktionen', people: 'Personen' },
  find_help: { move: 'bewegen', open: 'öffnen', close: 'schließen' },
  find_actions: {
    request: 'Abwesenheit beantragen',
    correct: 'Tag korrigieren',
    presence: 'Wer ist da',
    person: 'Person hinzufügen',
    import: 'Personen importieren',
    invite: 'Personen einladen',
    terminal: 'Terminal anlegen',
    extension: 'Neue Erweiterung',
    light: 'Helle Farben',
    dark: 'Dunkle Farben',
    system: 'Farben des Systems',
  },
};
