/** The sentences of the pages of this area in English: see `navigation.ts` for the areas. */
export const companyEn = {};
