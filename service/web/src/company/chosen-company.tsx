/**
 * The company that a super admin administers now: their own, or another they have opened. It belongs to the tab, so that
 * two companies can stand side by side.
 */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';
import { ask, client } from '../api/ask.js';
import { holds, type Session } from '../api/session.js';
import { withNames } from '../parts/names.js';
import type { SignedInPageProps } from '../parts/page.js';
import { useWords } from '../words/words.js';

const kept = 'clockproof.company';
const listeners = new Set<() => void>();

/** @param company undefined: one's own */
export function openCompany(company: Session['company'] | undefined): void {
  if (company === undefined) sessionStorage.removeItem(kept);
  else sessionStorage.setItem(kept, String(company.id));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const companiesKey = ['companies'] as const;

export function useAllCompanies(enabled: boolean) {
  return useQuery({
    queryKey: companiesKey,
    queryFn: () => ask(client.GET('/app/admin/companies', { params: { query: { limit: 500 } } })),
    staleTime: 60_000,
    enabled,
  });
}

/** @returns the company whose pages are shown. What the tab remembers of another super admin counts for nobody else. */
export function useChosenCompany(session: Session): Session['company'] {
  const id = useSyncExternalStore(subscribe, () => sessionStorage.getItem(kept));
  const root = holds(session, 'super_admin');
  const companies = useAllCompanies(root);
  if (!root || id === null) return session.company;
  return companies.data?.data.find((company) => String(company.id) === id) ?? session.company;
}

/** A page of one company: for a super admin, of the one they have opened. */
export function inCompany(Owned: ComponentType<SignedInPageProps>): ComponentType<SignedInPageProps> {
  return ({ session, params }) => {
    const company = useChosenCompany(session);
    return (
      <>
        <Switcher session={session} company={company} />
        <Owned key={company.id} session={{ ...session, company }} params={params} />
      </>
    );
  };
}

/** Says whose pages these are, where there is more than one company. */
function Switcher({
  session,
  company,
}: {
  readonly session: Session;
  readonly company: Session['company'];
}): ReactNode {
  const words = useWords();
  const root = holds(session, 'super_admin');
  const companies = (useAllCompanies(root).data?.data ?? []).filter((one) => one.active || one.id === company.id);
  if (!root || companies.length < 2) return null;
  const elsewhere = company.id !== session.company.id;
  return (
    <div className={elsewhere ? 'notice warn row company-switch' : 'company-switch'}>
      <NativeSelect
        size="xs"
        aria-label={words.companies_switch}
        value={String(company.id)}
        onChange={(event) => openCompany(companies.find(({ id }) => String(id) === event.currentTarget.value))}
        data={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      {elsewhere && (
        <>
          <span>{withNames(words.companies_elsewhere, company.name)}</span>
          <button type="button" className="button small" onClick={() => openCompany(undefined)}>
            <bdi>{words.companies_back(session.company.name)}</bdi>
          </button>
        </>
      )}
    </div>
  );
}
