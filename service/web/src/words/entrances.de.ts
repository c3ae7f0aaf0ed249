import type { entrancesEn } from './entrances.en.js';

/** The same in German: the same keys, or it does not compile. */
export const entrancesDe: typeof entrancesEn = {
  my_badges_title: 'Ausweise und PIN',
  notice_proofs_stopped:
    'Die Karten von fünf Ausweisen konnten dort innerhalb von zehn Minuten ihren Schlüssel nicht beweisen. Vielleicht probiert jemand kopierte Karten, oder der Leser ist defekt. Sehen Sie nach dem Terminal und lassen Sie es dann wieder Ausweise annehmen.',
  notice_to_terminal: 'Zum Terminal',
  notice_pin_reset: 'Die Verwaltung hat die PIN entfernt, die Sie an Terminals eingeben. Legen Sie eine neue fest.',
};
