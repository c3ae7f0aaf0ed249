/** The wage types of a company: the measure, days and times of each. */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';

type WageType = Schemas['WageType'];
type Days = NonNullable<WageType['days']>;

const kinds = ['work', 'surcharge', 'absence'] as const;
const days: readonly Days[] = ['all', 'sundays', 'public_holidays', 'dates'];

export function WageTypes({
  company,
  types,
  onChange,
}: {
  readonly company: number;
  readonly types: readonly WageType[];
  readonly onChange: (types: readonly WageType[]) => void;
}): ReactNode {
  const words = useWords();
  const absences = useQuery({
    queryKey: ['rules', 'types', company],
    queryFn: () =>
      ask(
        client.GET('/app/admin/companies/{id}/absence-types', {
          params: { path: { id: company }, query: { limit: 500 } },
        }),
      ),
  });
  return (
    <ol className="wage-types" aria-label={words.payroll_types}>
      {types.map((type, index) => (
        <Line
          // Lines have no name of their own: the person is still typing the code.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={index}
          type={type}
          absences={absences.data?.data ?? []}
          onChange={(changedType) => onChange(types.with(index, changedType))}
          onRemove={types.length > 1 ? () => onChange(types.filter((otherType) => otherType !== type)) : undefined}
        />
      ))}
      <li>
        <Button
          variant="default"
          onClick={() => onChange([...types, { code: '', name: '', counts: 'surcharge', days: 'sundays' }])}
        >
          {words.payroll_type_add}
        </Button>
      </li>
    </ol>
  );
}

/** Changes the kind of a wage type, and keeps its code and name. */
function withCounts(type: WageType, counts: WageType['counts'], absence: string): WageType {
  const { code, name } = type;
  return {
    code,
    name,
    counts,
    ...(counts === 'surcharge' ? { days: type.days ?? 'sundays' } : {}),
    ...(counts === 'absence' ? { absence_type: absence } : {}),
  };
}

function Line({
  type,
  absences,
  onChange,
  onRemove,
}: {
  readonly type: WageType;
  readonly absences: readonly Schemas['AbsenceTypeSettings'][];
  readonly onChange: (type: WageType) => void;
  readonly onRemove: (() => void) | undefined;
}): ReactNode {
  const words = useWords();
  return (
    <li>
      <div className="fields">
        <TextInput
          label={words.payroll_code}
          value={type.code}
          maxLength={64}
          required
          onChange={(event) => onChange({ ...type, code: event.currentTarget.value })}
        />
        <TextInput
          label={words.people_name}
          value={type.name}
          maxLength={100}
          required
          onChange={(event) => onChange({ ...type, name: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.payroll_counts}
          value={type.counts}
          onChange={(event) =>
            onChange(withCounts(type, event.currentTarget.value as WageType['counts'], absences[0]?.key ?? 'vacation'))
          }
          data={kinds.map((value) => ({ value, label: words.payroll_kinds[value] }))}
        />
        {type.counts === 'absence' && (
          <NativeSelect
            label={words.approvals_kind}
            value={type.absence_type ?? ''}
            onChange={(event) => onChange({ ...type, absence_type: event.currentTarget.value })}
            data={absences.map(({ key, label }) => ({ value: key, label }))}
          />
        )}
        {type.counts === 'surcharge' && <SurchargeFields type={type} onChange={onChange} />}
      </div>
      {onRemove !== undefined && (
        <Button variant="default" aria-label={words.payroll_type_remove(type.name)} onClick={onRemove}>
          {words.payroll_remove}
        </Button>
      )}
    </li>
  );
}

/** The days and the times of a surcharge. */
function SurchargeFields({
  type,
  onChange,
}: {
  readonly type: WageType;
  readonly onChange: (type: WageType) => void;
}): ReactNode {
  const words = useWords();
  const { dates, from, to, begun_before_midnight: begunBeforeMidnight, ...rest } = type;
  const times = from === undefined || to === undefined ? {} : { from, to };
  const night = begunBeforeMidnight === true ? { begun_before_midnight: true } : {};
  return (
    <>
      <NativeSelect
        label={words.payroll_days}
        value={type.days ?? 'all'}
        onChange={(event) => {
          const dayKind = event.currentTarget.value as Days;
          onChange({
            ...rest,
            days: dayKind,
            ...times,
            ...night,
            ...(dayKind === 'dates' ? { dates: dates ?? ['12-25'] } : {}),
          });
        }}
        data={days.map((value) => ({ value, label: words.payroll_day_kinds[value] }))}
      />
      {type.days === 'dates' && (
        <TextInput
          label={words.payroll_dates}
          placeholder="12-25 12-26"
          value={(dates ?? []).join(' ')}
          required
          onChange={(event) => onChange({ ...type, dates: event.currentTarget.value.split(/[\s,;]+/).slice(0, 31) })}
        />
      )}
      <TextInput
        label={words.payroll_from}
        placeholder="23:00"
        value={from ?? ''}
        onChange={(event) => onChange(withTimes(type, event.currentTarget.value, to ?? ''))}
      />
      <TextInput
        label={words.payroll_to}
        placeholder="06:00"
        value={to ?? ''}
        onChange={(event) => onChange(withTimes(type, from ?? '', event.currentTarget.value))}
      />
      <Checkbox
        label={words.payroll_begun}
        checked={begunBeforeMidnight === true}
        onChange={(event) =>
          onChange({
            ...rest,
            ...times,
            dates,
            ...(event.currentTarget.checked ? { begun_before_midnight: true } : {}),
          })
        }
      />
    </>
  );
}

/** Empty times are left out; half a span is kept, so that the service reports the missing one. */
function withTimes({ from: _from, to: _to, ...type }: WageType, from: string, to: string): WageType {
  return { ...type, ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
}
