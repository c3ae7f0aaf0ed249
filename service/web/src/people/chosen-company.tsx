/**
 * The company that a super admin administers now: their own, or another they have opened. It stands in the address, so
 * that a reload, the back button and a second tab show the same, and every link between its pages carries it on.
 */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { holds, type Session } from '../api/session.js';
import { companyParam } from '../parts/company-param.js';
import { withNames } from '../parts/names.js';
import type { SignedInPageProps } from '../parts/page.js';
import { useWords } from '../words/words.js';

const parameter = 'company';
/** The company whose pages this tab showed last; null: one's own. */
let last: string | null = null;

/** The list of companies is of no company. */
const isOfCompany = (path: string) => path.startsWith('/company/') && path !== '/company/companies';
const inAddress = () => new URLSearchParams(location.search).get(parameter);

companyParam.addTo = (to) => {
  const open = isOfCompany(location.pathname) ? inAddress() : last;
  const url = new URL(to, location.href);
  if (open === null || url.origin !== location.origin || !isOfCompany(url.pathname)) return to;
  if (url.searchParams.has(parameter)) return to;
  url.searchParams.set(parameter, open);
  return url.pathname + url.search + url.hash;
};

/** @param company undefined: one's own @returns the address of one of its pages */
export function addressIn(company: Pick<Session['company'], 'id'> | undefined, path = '/company/people'): string {
  last = company === undefined ? null : String(company.id);
  return last === null ? path : `${path}?${parameter}=${last}`;
}

/** Shows pages of one's own company again; no link carries this on. */
function leave(path: string): void {
  last = null;
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
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

/** @returns the company whose pages are shown: one's own if the person administers no other. */
export function useChosenCompany(session: Session): Session['company'] {
  const [path] = useLocation();
  const companyParameter = new URLSearchParams(useSearch()).get(parameter);
  const id = isOfCompany(path) ? companyParameter : last;
  const root = holds(session, 'super_admin');
  const companies = useAllCompanies(root);
  if (!root || id === null) return session.company;
  return companies.data?.data.find((company) => String(company.id) === id) ?? session.company;
}

/** A page of one company: for a super admin, of the one they have opened. */
export function inCompany(Owned: ComponentType<SignedInPageProps>): ComponentType<SignedInPageProps> {
  return ({ session, params }) => {
    const company = useChosenCompany(session);
    const [path] = useLocation();
    useEffect(() => {
      if (isOfCompany(path)) last = company.id === session.company.id ? null : String(company.id);
    }, [path, company.id, session.company.id]);
    return (
      <>
        <Switcher session={session} company={company} />
        <Owned key={company.id} session={{ ...session, company }} params={params} />
      </>
    );
  };
}

/** Names the company of these pages, if there is more than one. */
function Switcher({
  session,
  company,
}: {
  readonly session: Session;
  readonly company: Session['company'];
}): ReactNode {
  const words = useWords();
  const [path, go] = useLocation();
  const root = holds(session, 'super_admin');
  const companies = (useAllCompanies(root).data?.data ?? []).filter(
    (candidate) => candidate.active || candidate.id === company.id,
  );
  if (!root || companies.length < 2) return null;
  // A person of one company does not exist in another.
  const samePage = () => (/\d/.test(path) ? '/company/people' : path);
  const isElsewhere = company.id !== session.company.id;
  return (
    <div className={isElsewhere ? 'notice warn row company-switch' : 'company-switch'}>
      <NativeSelect
        size="xs"
        aria-label={words.companies_switch}
        value={String(company.id)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          if (value === String(session.company.id)) leave(samePage());
          else go(addressIn({ id: Number(value) }, samePage()));
        }}
        data={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      {isElsewhere && (
        <>
          <span>{withNames(words.companies_elsewhere, company.name)}</span>
          <button type="button" className="button small" onClick={() => leave(samePage())}>
            <bdi>{words.companies_back(session.company.name)}</bdi>
          </button>
        </>
      )}
    </div>
  );
}
