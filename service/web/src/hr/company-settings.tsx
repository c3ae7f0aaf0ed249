/** Name, country, region and time zone of the company, and how its breaks are handled. */
import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { regionsOf } from '../access/regions.js';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useFormats, useWords } from '../words/words.js';

const branches = ['none', 'care', 'hospitality', 'transport', 'broadcasting', 'agriculture'] as const;

export function CompanySettings({ id }: { readonly id: number }): ReactNode {
  const company = useQuery({
    queryKey: ['company', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}', { params: { path: { id } } })),
  });
  // The form begins again with what was stored, so this outlives it.
  const [saved, setSaved] = useState(false);
  return (
    <QueryState of={company}>
      {(shown) => <Form key={shown.updated_at} company={shown} saved={saved} onSaved={setSaved} />}
    </QueryState>
  );
}

function Form({
  company,
  saved,
  onSaved,
}: {
  readonly company: Schemas['CompanySettings'];
  readonly saved: boolean;
  readonly onSaved: (saved: boolean) => void;
}): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const queries = useQueryClient();
  const { id } = company;
  const [draft, setDraft] = useState({
    name: company.name,
    country: company.country,
    region: company.region ?? '',
    time_zone: company.time_zone,
    deduct_breaks: company.deduct_breaks,
    colleagues_see: company.colleagues_see,
    short_rest_branch: company.short_rest_branch,
    record_duty: company.record_duty,
  });
  const change = (part: Partial<typeof draft>) => {
    onSaved(false);
    setDraft({ ...draft, ...part });
  };
  const saving = useMutation({
    mutationFn: () =>
      ask(
        client.PATCH('/app/admin/companies/{id}', {
          params: { path: { id } },
          body: { ...draft, region: draft.region === '' ? null : draft.region },
        }),
      ),
    onMutate: () => onSaved(false),
    onSuccess: (stored) => {
      onSaved(true);
      queries.setQueryData(['company', id], stored);
      void queries.invalidateQueries({ queryKey: ['session'] });
    },
  });
  const regions = regionsOf(draft.country);
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <ProblemNotice
        problem={saving.error}
        labels={{ name: words.company_name, region: words.region, time_zone: words.time_zone }}
      />
      <div className="fields">
        <TextInput
          label={words.company_name}
          value={draft.name}
          required
          maxLength={200}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.country}
          value={draft.country}
          onChange={(event) => change({ country: event.currentTarget.value, region: '' })}
          data={[...new Set(['DE', 'AT', 'CH', company.country])].map((value) => ({
            value,
            label: formats.country(value),
          }))}
        />
        <NativeSelect
          label={words.region}
          value={draft.region}
          onChange={(event) => change({ region: event.currentTarget.value })}
          data={[
            { value: '', label: words.region_none },
            ...regions,
            ...(draft.region !== '' && !regions.some(({ value }) => value === draft.region) ? [draft.region] : []),
          ]}
        />
        <NativeSelect
          label={words.time_zone}
          value={draft.time_zone}
          onChange={(event) => change({ time_zone: event.currentTarget.value })}
          data={[...new Set([company.time_zone, ...Intl.supportedValuesOf('timeZone')])]}
        />
      </div>
      <Switch
        label={words.company_breaks}
        description={words.company_breaks_help}
        checked={draft.deduct_breaks}
        onChange={(event) => change({ deduct_breaks: event.currentTarget.checked })}
      />
      <NativeSelect
        label={words.company_short_rest}
        description={words.company_short_rest_help}
        value={draft.short_rest_branch}
        onChange={(event) => change({ short_rest_branch: event.currentTarget.value as typeof draft.short_rest_branch })}
        data={branches.map((value) => ({ value, label: words.company_short_rest_of[value] }))}
      />
      <Switch
        label={words.company_record_duty}
        description={words.company_record_duty_help}
        checked={draft.record_duty}
        onChange={(event) => change({ record_duty: event.currentTarget.checked })}
      />
      <NativeSelect
        label={words.company_colleagues}
        description={words.company_colleagues_help}
        value={draft.colleagues_see}
        onChange={(event) => change({ colleagues_see: event.currentTarget.value as typeof draft.colleagues_see })}
        data={(['nothing', 'absences', 'absences_and_presence'] as const).map((value) => ({
          value,
          label: words.company_colleagues_see[value],
        }))}
      />
      <Done>{saved && !saving.isPending ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
