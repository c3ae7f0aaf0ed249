/**
 * For the service itself, and for a row whose company another row has already determined. Handlers may not import it:
 * they call a function whose name says that it looks everywhere, and check the result.
 */
export const allCompanies = { all: true } as const;
