import type { timeEn } from './time.en.js';

/** The same in German: the same keys, or it does not compile. */
export const timeDe: typeof timeEn = {};
