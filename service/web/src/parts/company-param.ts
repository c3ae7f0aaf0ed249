/** What a page adds to every address it leads to: the company that is open (`company/chosen-company.tsx`). */
export const companyParam = { addTo: (to: string): string => to };
