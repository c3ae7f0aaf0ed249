/** The holidays of the company: those of its region and municipality, and its own additions and changes. */
import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

type Holiday = Schemas['HolidaySetting'];
type Kind = Schemas['HolidayKind'];

const kinds: readonly Kind[] = ['public_holiday', 'day_off', 'half_day', 'working_day'];

export function Holidays({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const thisYear = Number(calendar.today.slice(0, 4));
  const [year, setYear] = useState(thisYear);
  const [editedHoliday, setEditedHoliday] = useState<Holiday>();
  const holidays = useQuery({
    queryKey: ['rules', 'holidays', id, year],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/holidays', { params: { path: { id }, query: { year } } })),
  });
  const refetch = () => {
    void queries.invalidateQueries({ queryKey: ['rules', 'holidays', id] });
    void queries.invalidateQueries({ queryKey: ['my-holidays'] });
  };
  const removing = useMutation({
    mutationFn: (holiday: string) =>
      ask(
        client.DELETE('/app/admin/companies/{id}/holidays/{holiday_id}', {
          params: { path: { id, holiday_id: holiday } },
        }),
      ),
    onSuccess: refetch,
  });
  return (
    <>
      <section className="panel" aria-label={words.rules_holidays}>
        <div className="panel-bar">
          <NativeSelect
            aria-label={words.entitlement_year}
            value={String(year)}
            onChange={(event) => setYear(Number(event.currentTarget.value))}
            data={[thisYear - 1, thisYear, thisYear + 1, thisYear + 2].map(String)}
          />
          <span className="hint">{words.holidays_text}</span>
        </div>
        <ProblemNotice problem={removing.error} />
        <QueryState of={holidays}>
          {({ data }) => (
            <ul className="rows">
              {data.map((holiday) => (
                <Row
                  key={holiday.date}
                  holiday={holiday}
                  onEdit={() => setEditedHoliday(holiday)}
                  onRemove={(holidayId) => removing.mutate(holidayId)}
                />
              ))}
            </ul>
          )}
        </QueryState>
        <p className="hint panel-note">{words.holidays_closed}</p>
      </section>
      <Form
        key={editedHoliday === undefined ? '' : `${editedHoliday.date} ${editedHoliday.company_holiday?.id}`}
        id={id}
        editedHoliday={editedHoliday}
        onCancel={() => setEditedHoliday(undefined)}
        onSaved={() => {
          setEditedHoliday(undefined);
          refetch();
        }}
      />
    </>
  );
}

function Row({
  holiday: { date, name, kind, company_holiday: companyHoliday },
  onEdit,
  onRemove,
}: {
  readonly holiday: Holiday;
  readonly onEdit: () => void;
  readonly onRemove: (id: string) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <li>
      <span className="grow">
        <bdi>{name}</bdi>
        {companyHoliday !== undefined && (
          <small className="muted">
            {' '}
            ·{' '}
            {[words.holidays_kinds[kind], companyHoliday.yearly ? words.holidays_yearly_tag : '']
              .filter(Boolean)
              .join(', ')}
          </small>
        )}
      </span>
      <span>{calendar.fullDay(date)}</span>
      <span className="nowrap">
        <Button size="compact-sm" variant="subtle" aria-label={words.holidays_change_of(name)} onClick={onEdit}>
          {words.holidays_edit}
        </Button>
        {companyHoliday !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={words.holidays_remove_of(name)}
            onClick={() => onRemove(companyHoliday.id)}
          >
            {words.schedule_remove}
          </Button>
        )}
      </span>
    </li>
  );
}

/** Adds a holiday, changes one of the company, or overrides a public one. */
function Form({
  id,
  editedHoliday,
  onSaved,
  onCancel,
}: {
  readonly id: number;
  readonly editedHoliday: Holiday | undefined;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}): ReactNode {
  const words = useWords();
  const companyHoliday = editedHoliday?.company_holiday;
  const [date, setDate] = useState(companyHoliday?.date ?? editedHoliday?.date ?? '');
  const [kind, setKind] = useState<Kind>(
    companyHoliday?.kind ?? (editedHoliday === undefined ? 'half_day' : 'working_day'),
  );
  const [yearly, setYearly] = useState(companyHoliday?.yearly ?? false);
  const [nameDe, setNameDe] = useState(companyHoliday?.name_de ?? '');
  const [nameEn, setNameEn] = useState(companyHoliday?.name_en ?? '');
  const saving = useMutation({
    mutationFn: () => {
      const body = {
        date,
        kind,
        yearly,
        ...(nameDe.trim() === '' ? {} : { name_de: nameDe.trim() }),
        ...(nameEn.trim() === '' ? {} : { name_en: nameEn.trim() }),
      };
      return companyHoliday === undefined
        ? ask(client.POST('/app/admin/companies/{id}/holidays', { params: { path: { id } }, body }))
        : ask(
            client.PATCH('/app/admin/companies/{id}/holidays/{holiday_id}', {
              params: { path: { id, holiday_id: companyHoliday.id } },
              body,
            }),
          );
    },
    onSuccess: () => {
      setDate('');
      setNameDe('');
      setNameEn('');
      onSaved();
    },
  });
  // The list is long, so choosing a day moves the focus to this form.
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (editedHoliday !== undefined) form.current?.querySelector('select')?.focus();
  }, [editedHoliday]);
  return (
    <form
      ref={form}
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (date !== '') saving.mutate();
      }}
    >
      <h2>{editedHoliday === undefined ? words.holidays_new : words.holidays_change}</h2>
      <ProblemNotice
        problem={saving.error}
        labels={{
          date: words.holidays_day,
          kind: words.holidays_kind,
          name_de: words.holidays_name_de,
          name_en: words.holidays_name_en,
        }}
      />
      <div className="fields">
        <DayField label={words.holidays_day} value={date} onChange={setDate} required />
        <NativeSelect
          label={words.holidays_kind}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Kind)}
          data={kinds.map((value) => ({ value, label: words.holidays_kinds[value] }))}
        />
        <TextInput
          label={words.holidays_name_de}
          value={nameDe}
          maxLength={100}
          onChange={(event) => setNameDe(event.currentTarget.value)}
        />
        <TextInput
          label={words.holidays_name_en}
          value={nameEn}
          maxLength={100}
          onChange={(event) => setNameEn(event.currentTarget.value)}
        />
      </div>
      <p className="hint">{words.holidays_kind_help[kind]}</p>
      <Switch
        label={words.holidays_yearly}
        checked={yearly}
        onChange={(event) => setYearly(event.currentTarget.checked)}
      />
      <Done>{saving.isSuccess ? words.saved : undefined}</Done>
      <div className="end">
        {editedHoliday !== undefined && (
          <Button variant="subtle" onClick={onCancel}>
            {words.cancel}
          </Button>
        )}
        <Button type="submit" variant="default" loading={saving.isPending}>
          {editedHoliday === undefined ? words.holidays_add : words.save}
        </Button>
      </div>
    </form>
  );
}
