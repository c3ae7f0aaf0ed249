/** The meaning of each permission, as worded on the consent page. */
import { inLanguage } from '../people/language.js';
import type { LinkScope } from './links.js';

export interface ScopeText {
  readonly title: string;
  readonly description: string;
}

const texts: Readonly<Record<'de' | 'en', Readonly<Record<LinkScope, ScopeText>>>> = {
  de: {
    'read:time_entries': {
      title: 'Arbeitszeiten lesen',
      description: 'Die App sieht deine Arbeitszeiten mit ihren Pausen.',
    },
    'read:leave_entries': {
      title: 'Abwesenheiten lesen',
      description: 'Die App sieht deine Abwesenheiten mit Art, Zeitraum, Tagen und Kommentar.',
    },
    'read:clock_states': {
      title: 'Stempelstand lesen',
      description: 'Die App sieht, ob du eingestempelt, ausgestempelt oder in der Pause bist.',
    },
    'write:clock': {
      title: 'Ein- und ausstempeln',
      description: 'Die App stempelt dich ein und aus und beginnt und beendet Pausen.',
    },
    'write:absences': {
      title: 'Abwesenheiten beantragen',
      description: 'Die App beantragt in deinem Namen Abwesenheiten, ändert sie und nimmt sie zurück.',
    },
  },
  en: {
    'read:time_entries': {
      title: 'Read your working time',
      description: 'The app sees your working time with its breaks.',
    },
    'read:leave_entries': {
      title: 'Read your absences',
      description: 'The app sees your absences with kind, period, days and comment.',
    },
    'read:clock_states': {
      title: 'Read your clock',
      description: 'The app sees whether you are clocked in, out or on a break.',
    },
    'write:clock': {
      title: 'Clock in and out',
      description: 'The app clocks you in and out and starts and ends breaks.',
    },
    'write:absences': {
      title: 'Ask for absences',
      description: 'The app asks for absences in your name, changes them and takes them back.',
    },
  },
};

/** @param language BCP 47; German where it is German, English otherwise */
export function scopeText(scope: LinkScope, language: string): ScopeText {
  return inLanguage(language, texts)[scope];
}
