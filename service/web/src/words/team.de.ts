import type { teamEn } from './team.en.js';

/** The same in German: the same keys, or it does not compile. */
export const teamDe: typeof teamEn = {};
