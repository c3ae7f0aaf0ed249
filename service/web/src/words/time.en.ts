/** The sentences of the pages about a person's own time in English. */
export const timeEn = {};
