/** Die Sätze über mehrere Unternehmen auf Deutsch. */
import type { companiesEn } from './companies.en.js';
import { sentence } from './sentence.js';

export const companiesDe: typeof companiesEn = {
  companies_title: 'Unternehmen',
  companies_text: 'Jedes Unternehmen dieser Installation hat eigene Personen, Regeln und Monate.',
  companies_add: 'Unternehmen hinzufügen',
  companies_open: 'Öffnen',
  companies_opened: 'Gerade geöffnet',
  companies_off: 'Deaktiviert',
  companies_own: 'Ihr Unternehmen',
  companies_place: (country, zone) => `${country}, ${zone}`,
  companies_deactivate: 'Deaktivieren',
  companies_deactivate_title: (name) => `${name} deaktivieren?`,
  companies_deactivate_people: (count) =>
    count === 1
      ? 'Eine Person wird sofort abgemeldet und kann sich nicht mehr anmelden oder buchen.'
      : `${count} Personen werden sofort abgemeldet und können sich nicht mehr anmelden oder buchen.`,
  companies_deactivate_links:
    'Ihre persönlichen Verknüpfungen enden endgültig. Erweiterungen und Terminals des Unternehmens werden abgewiesen.',
  companies_deactivate_kept:
    'Alle Aufzeichnungen bleiben. Sie können das Unternehmen wieder aktivieren; beendete Verknüpfungen bleiben beendet.',
  companies_activate: 'Aktivieren',
  companies_switch: 'Unternehmen',
  companies_elsewhere: (name) => sentence(`Sie verwalten ${name}`),
  companies_back: (name) => `Zurück zu ${name}`,
};
