/** The first words of the keys of queries, as the live pages know them. */
export const badgesKey = ['badges'] as const;
export const terminalsKey = ['terminals'] as const;
