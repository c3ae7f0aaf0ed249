/**
 * For the service itself, and for a row whose company another row has already determined. Handlers may not import it:
 * they call a function that says in its name that it looks everywhere, and check what it found.
 */
export const allCompanies = { all: true } as const;
