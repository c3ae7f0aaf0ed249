import type { companyEn } from './company.en.js';

/** The same in German: the same keys, or it does not compile. */
export const companyDe: typeof companyEn = {};
