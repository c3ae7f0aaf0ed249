/** Payroll: the file of a month, and the company's settings for it. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { plusMonths, useCalendar } from '../parts/calendar.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { WageTypes } from './wage-types.js';

type Settings = Schemas['PayrollSettings'];
type Column = Schemas['PayrollColumn'];

const columns: readonly Column[] = [
  'user_id',
  'personnel_number',
  'name',
  'department',
  'month',
  'date',
  'wage_type',
  'wage_type_name',
  'quantity',
  'unit',
  'hours',
  'minutes',
  'days',
  'month_state',
];

export function PayrollPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const { id } = session.company;
  const settings = useQuery({
    queryKey: ['payroll', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/payroll', { params: { path: { id } } })),
  });
  return (
    <Page title={words.payroll_title} lead={words.payroll_lead}>
      <Export company={id} zone={zoneOf(session.company)} />
      <QueryState of={settings}>{(payrollSettings) => <Rules id={id} settings={payrollSettings} />}</QueryState>
    </Page>
  );
}

function Export({ company, zone }: { readonly company: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const presentMonth = calendar.today.slice(0, 7);
  const [month, setMonth] = useState(plusMonths(presentMonth, -1));
  const [by, setBy] = useState<'month' | 'day'>('month');
  const [open, setOpen] = useState(false);
  const year = Number(month.slice(0, 4));
  const months = useQuery({
    queryKey: ['months', company, year],
    queryFn: () =>
      ask(client.GET('/app/admin/companies/{id}/months', { params: { path: { id: company }, query: { year } } })),
  });
  const isClosed = months.data?.data.find((row) => row.month === month)?.state === 'closed';
  const exporting = useMutation({
    mutationFn: () =>
      ask<Blob>(
        client.GET('/app/reports/payroll/export', {
          params: { query: { month, company_id: company, by, include_open: open } },
          parseAs: 'blob',
        }),
      ),
    onSuccess: (content) =>
      saveFile(`${words.payroll_file}-${month}${by === 'day' ? `-${words.payroll_file_days}` : ''}.csv`, content),
  });
  return (
    <form
      className="panel form-card"
      aria-label={words.payroll_export}
      onSubmit={(event) => {
        event.preventDefault();
        exporting.mutate();
      }}
    >
      <h2>{words.payroll_export}</h2>
      <ProblemNotice problem={exporting.error} />
      <div className="fields">
        <NativeSelect
          label={words.payroll_month}
          value={month}
          onChange={(event) => setMonth(event.currentTarget.value)}
          data={Array.from({ length: 24 }, (_, index) => plusMonths(presentMonth, -index)).map((value) => ({
            value,
            label: calendar.month(value),
          }))}
        />
        <NativeSelect
          label={words.payroll_by}
          value={by}
          onChange={(event) => setBy(event.currentTarget.value as 'month' | 'day')}
          data={(['month', 'day'] as const).map((value) => ({ value, label: words.payroll_bys[value] }))}
        />
      </div>
      {months.data !== undefined && !isClosed && (
        <>
          <Checkbox
            label={words.payroll_open}
            description={words.payroll_open_help}
            checked={open}
            onChange={(event) => setOpen(event.currentTarget.checked)}
          />
          <Link href={`/company/months?month=${month}`} className="link">
            {words.months_close} ›
          </Link>
        </>
      )}
      <div className="end">
        <Button type="submit" loading={exporting.isPending}>
          {words.months_csv}
        </Button>
      </div>
    </form>
  );
}

function Rules({ id, settings }: { readonly id: number; readonly settings: Settings }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [types, setTypes] = useState<readonly Schemas['WageType'][]>(settings.wage_types);
  const [selectedColumns, setSelectedColumns] = useState<readonly Column[]>(settings.columns);
  const [mark, setMark] = useState(settings.decimal_mark);
  const saving = useMutation({
    mutationFn: () =>
      ask(
        client.PUT('/app/admin/companies/{id}/payroll', {
          params: { path: { id } },
          body: { wage_types: [...types], columns: [...selectedColumns], decimal_mark: mark },
        }),
      ),
    onSuccess: (savedSettings) => queries.setQueryData(['payroll', id], savedSettings),
  });
  return (
    <form
      className="panel form-card"
      aria-label={words.payroll_rules}
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2>{words.payroll_rules}</h2>
      <p className="hint">{settings.standard ? words.payroll_standard : words.payroll_rules_text}</p>
      <ProblemNotice problem={saving.error} />
      <WageTypes company={id} types={types} onChange={setTypes} />
      <fieldset className="columns">
        <legend>{words.payroll_columns}</legend>
        <p className="hint">{words.payroll_columns_text}</p>
        <ol className="column-order">
          {selectedColumns.map((column, index) => (
            <li key={column}>
              <code>{column}</code>
              <button
                type="button"
                className="button square"
                disabled={index === 0}
                aria-label={words.payroll_column_up(column)}
                onClick={() =>
                  setSelectedColumns(selectedColumns.with(index, selectedColumns[index - 1]!).with(index - 1, column))
                }
              >
                ←
              </button>
              <button
                type="button"
                className="button square"
                disabled={selectedColumns.length === 1}
                aria-label={words.payroll_column_remove(column)}
                onClick={() => setSelectedColumns(selectedColumns.filter((otherColumn) => otherColumn !== column))}
              >
                ×
              </button>
            </li>
          ))}
        </ol>
        <div className="fields">
          <NativeSelect
            label={words.payroll_column_add}
            value=""
            onChange={(event) => setSelectedColumns([...selectedColumns, event.currentTarget.value as Column])}
            data={[
              { value: '', label: '' },
              ...columns
                .filter((column) => !selectedColumns.includes(column))
                .map((column) => ({ value: column, label: `${column} – ${words.payroll_column_names[column]}` })),
            ]}
          />
          <NativeSelect
            label={words.payroll_mark}
            value={mark}
            onChange={(event) => setMark(event.currentTarget.value as Settings['decimal_mark'])}
            data={[
              { value: 'comma', label: '7,50' },
              { value: 'point', label: '7.50' },
            ]}
          />
        </div>
      </fieldset>
      <Done>{saving.isSuccess ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
