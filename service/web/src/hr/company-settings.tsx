/** Name, country, region and time zone of the company, and the rules for its breaks. */
import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { regionsOf } from '../access/regions.js';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useEdits } from '../parts/edits.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { usePlainFormats, useWords } from '../words/words.js';

/** Holidays that only some municipalities of a region have, by region. */
const localHolidays: Readonly<Record<string, readonly Company['local_holidays'][]>> = {
  'DE-BY': ['none', 'assumption_day', 'augsburg'],
  'DE-SN': ['none', 'corpus_christi'],
  'DE-TH': ['none', 'corpus_christi'],
};

const branches = ['none', 'care', 'hospitality', 'transport', 'broadcasting', 'agriculture'] as const;

/** @param mayAllow true if the reader may let the only admin change their own record */
export function CompanySettings({ id, mayAllow }: { readonly id: number; readonly mayAllow: boolean }): ReactNode {
  const company = useQuery({
    queryKey: ['company', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}', { params: { path: { id } } })),
  });
  return <QueryState of={company}>{(settings) => <Form key={id} company={settings} mayAllow={mayAllow} />}</QueryState>;
}

type Company = Schemas['CompanySettings'];
type Draft = Pick<
  Company,
  | 'name'
  | 'country'
  | 'local_holidays'
  | 'time_zone'
  | 'deduct_breaks'
  | 'colleagues_see'
  | 'short_rest_branch'
  | 'record_duty'
  | 'new_day_after_hours'
  | 'idle_minutes'
  | 'one_admin'
> & { readonly region: string };

interface FieldsProps {
  readonly value: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function draftOf(company: Company): Draft {
  return {
    name: company.name,
    country: company.country,
    region: company.region ?? '',
    local_holidays: company.local_holidays,
    time_zone: company.time_zone,
    deduct_breaks: company.deduct_breaks,
    colleagues_see: company.colleagues_see,
    short_rest_branch: company.short_rest_branch,
    new_day_after_hours: company.new_day_after_hours,
    idle_minutes: company.idle_minutes,
    record_duty: company.record_duty,
    one_admin: company.one_admin,
  };
}

function Form({ company, mayAllow }: { readonly company: Company; readonly mayAllow: boolean }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const { id } = company;
  const { draft, edits, isEdited, change, saved } = useEdits(draftOf(company));
  const saving = useMutation({
    mutationFn: ({ region, ...rest }: Partial<Draft>) => {
      const body = { ...rest, ...(region === undefined ? {} : { region: region === '' ? null : region }) };
      return Object.keys(body).length === 0
        ? Promise.resolve(company)
        : ask(client.PATCH('/app/admin/companies/{id}', { params: { path: { id } }, body }));
    },
    onSuccess: (storedSettings, sent) => {
      queries.setQueryData(['company', id], storedSettings);
      void queries.invalidateQueries({ queryKey: ['session'] });
      saved(sent);
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(edits);
      }}
    >
      <ProblemNotice
        problem={saving.error}
        labels={{ name: words.company_name, region: words.region, time_zone: words.time_zone }}
      />
      <PlaceFields company={company} value={draft} onChange={change} />
      <RuleFields value={draft} onChange={change} />
      <Switch
        label={words.company_one_admin}
        description={words.company_one_admin_help}
        checked={draft.one_admin}
        disabled={!mayAllow}
        onChange={(event) => change({ one_admin: event.currentTarget.checked })}
      />
      <Done>{saving.isSuccess && !isEdited ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

function PlaceFields({ company, value, onChange }: FieldsProps & { readonly company: Company }): ReactNode {
  const words = useWords();
  const formats = usePlainFormats();
  const regions = regionsOf(value.country);
  return (
    <div className="fields">
      <TextInput
        label={words.company_name}
        value={value.name}
        required
        maxLength={200}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.country}
        value={value.country}
        onChange={(event) => onChange({ country: event.currentTarget.value, region: '', local_holidays: 'none' })}
        data={[...new Set(['DE', 'AT', 'CH', company.country])].map((country) => ({
          value: country,
          label: formats.country(country),
        }))}
      />
      <NativeSelect
        label={words.region}
        value={value.region}
        onChange={(event) => onChange({ region: event.currentTarget.value, local_holidays: 'none' })}
        data={[
          { value: '', label: words.region_none },
          ...regions,
          ...(value.region !== '' && !regions.some((region) => region.value === value.region) ? [value.region] : []),
        ]}
      />
      {localHolidays[value.region] !== undefined && (
        <NativeSelect
          label={words.local_holidays}
          description={words.local_holidays_help}
          value={value.local_holidays}
          onChange={(event) => onChange({ local_holidays: event.currentTarget.value as Draft['local_holidays'] })}
          data={localHolidays[value.region]!.map((local) => ({ value: local, label: words.local_holidays_of[local] }))}
        />
      )}
      <NativeSelect
        label={words.time_zone}
        value={value.time_zone}
        onChange={(event) => onChange({ time_zone: event.currentTarget.value })}
        data={[...new Set([company.time_zone, ...Intl.supportedValuesOf('timeZone')])]}
      />
    </div>
  );
}

function RuleFields({ value, onChange }: FieldsProps): ReactNode {
  const words = useWords();
  return (
    <>
      <Switch
        label={words.company_breaks}
        description={words.company_breaks_help}
        checked={value.deduct_breaks}
        onChange={(event) => onChange({ deduct_breaks: event.currentTarget.checked })}
      />
      <NativeSelect
        label={words.company_short_rest}
        description={words.company_short_rest_help}
        value={value.short_rest_branch}
        onChange={(event) => onChange({ short_rest_branch: event.currentTarget.value as Draft['short_rest_branch'] })}
        data={branches.map((branch) => ({ value: branch, label: words.company_short_rest_of[branch] }))}
      />
      <NativeSelect
        label={words.company_new_day}
        description={words.company_new_day_help}
        value={String(value.new_day_after_hours ?? '')}
        onChange={(event) =>
          onChange({
            new_day_after_hours: event.currentTarget.value === '' ? null : Number(event.currentTarget.value),
          })
        }
        data={[
          ...[10, 12, 14, 16, 18, 20, 24].map((hours) => ({
            value: String(hours),
            label: words.company_new_day_after(hours),
          })),
          { value: '', label: words.company_new_day_never },
        ]}
      />
      <NativeSelect
        label={words.company_idle}
        description={words.company_idle_help}
        value={String(value.idle_minutes)}
        onChange={(event) => onChange({ idle_minutes: Number(event.currentTarget.value) })}
        data={[...new Set([30, 60, 120, 240, 480, 600, 720, value.idle_minutes])]
          .toSorted((first, second) => first - second)
          .map((minutes) => ({ value: String(minutes), label: words.company_idle_after(minutes) }))}
      />
      <Switch
        label={words.company_record_duty}
        description={words.company_record_duty_help}
        checked={value.record_duty}
        onChange={(event) => onChange({ record_duty: event.currentTarget.checked })}
      />
      <NativeSelect
        label={words.company_colleagues}
        description={words.company_colleagues_help}
        value={value.colleagues_see}
        onChange={(event) => onChange({ colleagues_see: event.currentTarget.value as Draft['colleagues_see'] })}
        data={(['nothing', 'absences', 'absences_and_presence'] as const).map((level) => ({
          value: level,
          label: words.company_colleagues_see[level],
        }))}
      />
    </>
  );
}
