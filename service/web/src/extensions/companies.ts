/**
 * The companies to choose from: those that the person administers, or at least their own if the list cannot be read.
 */
import { useQuery } from '@tanstack/react-query';
import { ask, client } from '../api/ask.js';
import type { Session } from '../api/session.js';

export interface CompanyChoice {
  readonly id: number;
  readonly name: string;
}

export function useCompanies(session: Session): readonly CompanyChoice[] {
  const companies = useQuery({
    queryKey: ['companies'],
    queryFn: () => ask(client.GET('/app/admin/companies', { params: { query: { limit: 500 } } })),
    staleTime: 60_000,
  });
  return companies.data?.data ?? [session.company];
}
