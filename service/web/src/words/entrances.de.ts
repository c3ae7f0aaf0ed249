import type { entrancesEn } from './entrances.en.js';

/** The same in German: the same keys, or it does not compile. */
export const entrancesDe: typeof entrancesEn = {};
