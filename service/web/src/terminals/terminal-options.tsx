/** Name, place, departments and options of a terminal: the same fields for a new one and for an existing one. */
import { Checkbox, Fieldset, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { useCompanies } from '../extensions/companies.js';
import { useWords, type Words } from '../words/words.js';

export interface Options {
  readonly companyId: number;
  readonly name: string;
  readonly location: string;
  readonly departments: readonly number[];
  readonly show_info: boolean;
  readonly info_without_pin: boolean;
  readonly badge_and_pin: boolean;
  readonly repeat_lock_seconds: number;
  readonly issuing_allowed: boolean;
}

export function newOptions(session: Session): Options {
  return {
    companyId: session.company.id,
    name: '',
    location: '',
    departments: [],
    show_info: false,
    info_without_pin: false,
    badge_and_pin: false,
    repeat_lock_seconds: 60,
    issuing_allowed: false,
  };
}

export function optionsOf(terminal: Schemas['Terminal']): Options {
  return {
    companyId: terminal.company_id,
    name: terminal.name,
    location: terminal.location ?? '',
    departments: terminal.departments.map(({ id }) => id),
    show_info: terminal.show_info,
    info_without_pin: terminal.info_without_pin,
    badge_and_pin: terminal.badge_and_pin,
    repeat_lock_seconds: terminal.repeat_lock_seconds,
    issuing_allowed: terminal.issuing_allowed,
  };
}

/** The options in the form that the service takes. */
export function changeOf({
  companyId: _company,
  departments,
  ...options
}: Options): Required<Schemas['TerminalChange']> {
  return { ...options, department_ids: [...departments] };
}

/** The service's refusal, at its field. */
function faultOf(problem: unknown, field: 'name' | 'location', words: Words): string | undefined {
  const detail =
    problem instanceof Problem ? problem.details.find((fieldDetail) => fieldDetail.field === field) : undefined;
  if (detail === undefined) return undefined;
  return detail.code === 'taken' ? words.terminal_name_taken : words.terminal_name_unfit;
}

export function TerminalFields({
  session,
  value,
  onChange,
  isNew = false,
  problem,
}: {
  readonly session: Session;
  readonly value: Options;
  readonly onChange: (value: Options) => void;
  readonly isNew?: boolean;
  readonly problem: unknown;
}): ReactNode {
  const words = useWords();
  const companies = useCompanies(session);
  const departments = useQuery({
    queryKey: ['departments', value.companyId],
    queryFn: () =>
      ask(client.GET('/app/admin/companies/{id}/departments', { params: { path: { id: value.companyId } } })),
  });
  const change = (part: Partial<Options>) => onChange({ ...value, ...part });
  const option = (name: keyof Words['terminal_options'], isDisabled = false) => (
    <Switch
      label={words.terminal_options[name]}
      description={words.terminal_options_help[name]}
      checked={value[name]}
      disabled={isDisabled}
      onChange={(event) => change({ [name]: event.currentTarget.checked })}
    />
  );
  return (
    <Stack>
      {isNew && companies.length > 1 && (
        <NativeSelect
          label={words.profile_company}
          value={String(value.companyId)}
          onChange={(event) => change({ companyId: Number(event.currentTarget.value), departments: [] })}
          data={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <TextInput
        label={words.terminal_name}
        description={words.terminal_name_help}
        value={value.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={100}
        required
        error={faultOf(problem, 'name', words)}
      />
      <TextInput
        label={words.terminal_location}
        value={value.location}
        onChange={(event) => change({ location: event.currentTarget.value })}
        maxLength={200}
        required
        error={faultOf(problem, 'location', words)}
      />
      {(departments.data?.data.length ?? 0) > 0 && (
        <Fieldset legend={words.terminal_departments}>
          <Text size="sm" c="dimmed" mb="xs">
            {words.terminal_departments_help}
          </Text>
          <div className="entrance-choices">
            {departments.data!.data.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={<bdi>{name}</bdi>}
                checked={value.departments.includes(id)}
                onChange={(event) =>
                  change({
                    departments: event.currentTarget.checked
                      ? [...value.departments, id]
                      : value.departments.filter((otherId) => otherId !== id),
                  })
                }
              />
            ))}
          </div>
        </Fieldset>
      )}
      <Fieldset legend={words.terminal_options_title}>
        <Stack>
          {option('show_info')}
          {option('info_without_pin', !value.show_info)}
          {option('badge_and_pin')}
          {option('issuing_allowed')}
          <TextInput
            label={words.terminal_repeat_lock}
            description={words.terminal_repeat_lock_help}
            type="number"
            min={0}
            max={600}
            value={String(value.repeat_lock_seconds)}
            onChange={(event) => change({ repeat_lock_seconds: Number(event.currentTarget.value) })}
            required
          />
        </Stack>
      </Fieldset>
    </Stack>
  );
}
