/** Every company of the installation: opening one, adding one, and the consequences of deactivating one. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { regionsOf, zoneOf } from '../access/regions.js';
import { ask, client } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { withNames } from '../parts/names.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { addressIn, useAllCompanies, useChosenCompany } from '../people/chosen-company.js';
import { usePlainFormats, useWords } from '../words/words.js';

type Company = Schemas['CompanySettings'];

export function CompaniesPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const companies = useAllCompanies(true);
  const [adding, setAdding] = useState(false);
  const openedCompany = useChosenCompany(session);
  return (
    <Page
      title={words.companies_title}
      lead={words.companies_text}
      action={<Button onClick={() => setAdding(true)}>{words.companies_add}</Button>}
    >
      <QueryState of={companies}>
        {({ data }) => (
          <ul className="panel rows">
            {data.map((company) => (
              <CompanyRow
                key={company.id}
                company={company}
                session={session}
                isOpened={openedCompany.id === company.id}
              />
            ))}
          </ul>
        )}
      </QueryState>
      <NewCompany open={adding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function CompanyRow({
  company,
  session,
  isOpened,
}: {
  readonly company: Company;
  readonly session: Session;
  readonly isOpened: boolean;
}): ReactNode {
  const words = useWords();
  const formats = usePlainFormats();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isConfirming, setConfirming] = useState(false);
  const isOwn = company.id === session.company.id;
  const switching = useMutation({
    mutationFn: (active: boolean) =>
      ask(
        client.PATCH('/app/admin/companies/{id}', {
          params: { path: { id: company.id } },
          body: { active },
        }),
      ),
    onSuccess: ({ active }) => {
      if (!active && isOpened) addressIn(undefined);
      void queries.invalidateQueries({ queryKey: ['companies'] });
      void queries.invalidateQueries({ queryKey: ['company', company.id] });
    },
  });
  return (
    <li>
      <div className="grow">
        <strong>
          <bdi>{company.name}</bdi>
        </strong>{' '}
        {!company.active && <span className="badge">{words.companies_off}</span>}
        {isOwn && <span className="badge">{words.companies_own}</span>}{' '}
        {isOpened && !isOwn && (
          <span className="badge" data-tone="ok">
            {words.companies_opened}
          </span>
        )}
        <br />
        <small className="muted">
          {words.companies_place(formats.country(company.country), company.time_zone)} ·{' '}
          {words.people_count(company.people_count, false)}
        </small>
      </div>
      {company.active ? (
        <>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${words.companies_open}: ${company.name}`}
            onClick={() => {
              go(addressIn(isOwn ? undefined : company));
            }}
          >
            {words.companies_open}
          </Button>
          {/* An admin cannot deactivate the company they are in. */}
          {!isOwn && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={`${words.companies_deactivate}: ${company.name}`}
              onClick={() => setConfirming(true)}
            >
              {words.companies_deactivate}
            </Button>
          )}
        </>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          loading={switching.isPending}
          aria-label={`${words.companies_activate}: ${company.name}`}
          onClick={() => switching.mutate(true)}
        >
          {words.companies_activate}
        </Button>
      )}
      <ProblemNotice problem={switching.error} />
      <ConfirmDialog
        open={isConfirming}
        title={withNames(words.companies_deactivate_title, company.name)}
        action={words.companies_deactivate}
        onClose={() => setConfirming(false)}
        onConfirm={() => {
          setConfirming(false);
          switching.mutate(false);
        }}
      >
        <ul>
          <li>{words.companies_deactivate_people(company.people_count)}</li>
          <li>{words.companies_deactivate_links}</li>
          <li>{words.companies_deactivate_kept}</li>
        </ul>
      </ConfirmDialog>
    </li>
  );
}

const emptyDraft = { name: '', country: 'DE', region: '', time_zone: zoneOf['DE']! };

function NewCompany({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }): ReactNode {
  const words = useWords();
  const formats = usePlainFormats();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [draft, setDraft] = useState(emptyDraft);
  const adding = useMutation({
    mutationFn: () => {
      const { region, ...rest } = draft;
      return ask(client.POST('/app/admin/companies', { body: { ...rest, ...(region === '' ? {} : { region }) } }));
    },
    onSuccess: async (company) => {
      await queries.invalidateQueries({ queryKey: ['companies'] });
      go(addressIn(company, '/company/start'));
    },
  });
  return (
    <Dialog open={open} title={words.companies_add} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <ProblemNotice problem={adding.error} />
        <TextInput
          label={words.company_name}
          value={draft.name}
          required
          maxLength={200}
          data-autofocus
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.country}
          value={draft.country}
          onChange={({ currentTarget: { value: country } }) =>
            setDraft({ ...draft, country, region: '', time_zone: zoneOf[country]! })
          }
          data={Object.keys(zoneOf).map((value) => ({ value, label: formats.country(value) }))}
        />
        <NativeSelect
          label={words.region}
          description={words.region_help}
          value={draft.region}
          onChange={(event) => setDraft({ ...draft, region: event.currentTarget.value })}
          data={[{ value: '', label: words.region_none }, ...regionsOf(draft.country)]}
        />
        <NativeSelect
          label={words.time_zone}
          value={draft.time_zone}
          onChange={(event) => setDraft({ ...draft, time_zone: event.currentTarget.value })}
          data={[...new Set([...Object.values(zoneOf), ...Intl.supportedValuesOf('timeZone')])]}
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={adding.isPending}>
            {words.companies_add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
