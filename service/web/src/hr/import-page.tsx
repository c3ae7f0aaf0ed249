/** People from a CSV file: shown with every fault, and added only when confirmed. */
import { Anchor, Button, Checkbox, FileInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { type Formats, useFormats } from '../parts/formats.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';
import { isRewritable, withValue } from './import-csv.js';
import { InvitePeople } from './invite-people.js';

type Preview = Schemas['PeopleImportPreview'];
type Fault = Schemas['ImportFault'];
const shownFields = [
  'last_name',
  'first_name',
  'email',
  'personnel_number',
  'department',
  'employment_start',
  'employment_end',
] as const;
/** The number of lines that the page shows at once. */
const shownRows = 200;
const maxCharacters = 200_000;

/** Spreadsheets save UTF-8 or Windows-1252. @returns undefined if the file is no text */
async function textOf(file: File): Promise<string | undefined> {
  const bytes = await file.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes);
  }
  text = text.replaceAll(/\r\n?/g, '\n');
  return /[^\P{Cc}\t\n]/u.test(text) ? undefined : text;
}

function sentenceOf({ field, code }: Fault, words: Words): string {
  const text = words.import_faults[code];
  return field === undefined ? text : `${words.import_fields[field]}: ${text}`;
}

export function ImportPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const company = session.company.id;
  const [file, setFile] = useState<File | null>(null);
  const [csv, setCsv] = useState<string | undefined>(undefined);
  const [fileFault, setFileFault] = useState<string | undefined>(undefined);
  const [create, setCreate] = useState(false);
  const body = { csv: csv ?? '', create_departments: create };
  const params = { path: { id: company } };
  const preview = useQuery({
    queryKey: ['people-import', company, body],
    queryFn: () => ask(client.POST('/app/admin/companies/{id}/people-import/preview', { params, body })),
    enabled: csv !== undefined,
    gcTime: 0,
  });
  const adding = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/companies/{id}/people-import', { params, body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['people'] });
      void queries.invalidateQueries({ queryKey: ['departments', company] });
    },
  });
  const choose = async (selectedFile: File | null) => {
    setFile(selectedFile);
    setCsv(undefined);
    setFileFault(undefined);
    adding.reset();
    if (selectedFile === null) return;
    const text = await textOf(selectedFile);
    if (text === undefined || text.trim() === '') setFileFault(words.import_unreadable);
    else if (text.length > maxCharacters) setFileFault(words.import_too_large);
    else setCsv(text);
  };
  const template = () => {
    saveFile(
      'people.csv',
      new Blob(['\uFEFF', `${words.import_template_columns.join(';')}\r\n`], { type: 'text/csv' }),
    );
  };
  if (adding.data !== undefined) return <Imported people={adding.data.people} company={company} />;
  return (
    <Page title={words.import_title} lead={words.import_lead}>
      <section className="panel form-card" aria-label={words.import_columns_title}>
        <h2>{words.import_columns_title}</h2>
        <p>{words.import_columns_text}</p>
        <div className="toolbar">
          <Button variant="default" onClick={template}>
            {words.import_template}
          </Button>
        </div>
        <FileInput
          label={words.import_file}
          placeholder={words.import_choose}
          accept=".csv,.txt,text/csv,text/plain"
          value={file}
          onChange={(chosenFile) => void choose(chosenFile)}
          error={fileFault}
        />
        <Checkbox
          label={words.import_create_departments}
          checked={create}
          onChange={(event) => setCreate(event.currentTarget.checked)}
        />
      </section>
      {csv !== undefined && (
        <QueryState of={preview}>
          {(checkedImport) => (
            <Found preview={checkedImport} onCorrected={setCsv}>
              <ProblemNotice problem={adding.error} />
              <div className="toolbar">
                <Button
                  className="push"
                  disabled={!checkedImport.ready || preview.isFetching}
                  loading={adding.isPending}
                  onClick={() => adding.mutate()}
                >
                  {checkedImport.ready ? words.import_do(checkedImport.rows.length) : words.import_faults_first}
                </Button>
              </div>
            </Found>
          )}
        </QueryState>
      )}
    </Page>
  );
}

function Imported({
  people,
  company,
}: {
  readonly people: Schemas['ImportedPeople']['people'];
  readonly company: number;
}): ReactNode {
  const words = useWords();
  const invitable = people.flatMap(({ id, name, email }) => (email === undefined ? [] : [{ id, name, email }]));
  return (
    <Page
      title={words.import_title}
      action={
        <Anchor component={Link} href="/company/people">
          {words.people_title}
        </Anchor>
      }
    >
      <Done>{words.import_done(people.length)}</Done>
      {invitable.length > 0 && (
        <>
          <h2>{words.invite_title}</h2>
          <InvitePeople people={invitable} company={company} />
        </>
      )}
    </Page>
  );
}

/** A date in the language of the page; any other text as it is in the file. */
function shownOf(text: string | undefined, formats: Formats): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? formats.day(`${text}T12:00:00Z`)
    : text;
}

function Found({
  preview,
  onCorrected,
  children,
}: {
  readonly preview: Preview;
  /** Called with the corrected file. */
  readonly onCorrected: (csv: string) => void;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [showsFaultyOnly, setShowsFaultyOnly] = useState(false);
  const faultyRows = preview.rows.filter(({ faults }) => faults.length > 0);
  const rows = showsFaultyOnly && faultyRows.length > 0 ? faultyRows : preview.rows;
  const fields = shownFields.filter((field) => preview.columns.some((column) => column.field === field));
  const ignoredColumns = preview.columns.filter(({ field, header }) => field === undefined && header !== '');
  return (
    <>
      <div role="status">
        {preview.faults.map((fault) => (
          <p className="notice bad" key={`${fault.field} ${fault.code}`}>
            {sentenceOf(fault, words)}
          </p>
        ))}
        {faultyRows.length > 0 && (
          <p className="notice warn">{words.import_faulty(faultyRows.length, preview.rows.length)}</p>
        )}
        {preview.ready && <p className="notice ok">{words.import_ready(preview.rows.length)}</p>}
      </div>
      {preview.new_departments.length > 0 && <p>{words.import_new_departments(preview.new_departments.join(', '))}</p>}
      {ignoredColumns.length > 0 && (
        <p className="muted">{words.import_ignored(ignoredColumns.map(({ header }) => header).join(', '))}</p>
      )}
      {faultyRows.length > 0 && faultyRows.length < preview.rows.length && (
        <Checkbox
          label={words.import_only_faults}
          checked={showsFaultyOnly}
          onChange={(event) => setShowsFaultyOnly(event.currentTarget.checked)}
        />
      )}
      {rows.length > 0 && (
        <section className="panel wide-row" aria-label={words.import_title}>
          <table className="grid">
            <thead>
              <tr>
                <th scope="col" className="number">
                  {words.import_line}
                </th>
                {faultyRows.length > 0 && <th scope="col">{words.import_fault}</th>}
                {fields.map((field) => (
                  <th scope="col" key={field}>
                    {words.import_fields[field]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shownRows).map((row) => (
                <tr key={row.line}>
                  <th scope="row" className="number">
                    {row.line}
                  </th>
                  {faultyRows.length > 0 && (
                    <td className="minus" data-label={words.import_fault}>
                      {row.faults.map((fault) => sentenceOf(fault, words)).join('; ')}
                    </td>
                  )}
                  {fields.map((field) => (
                    <td
                      key={field}
                      data-label={words.import_fields[field]}
                      className={field.startsWith('employment') || field === 'email' ? 'unbroken' : undefined}
                    >
                      {isRewritable(preview) && row.faults.some((fault) => fault.field === field) ? (
                        <TextInput
                          size="xs"
                          aria-label={`${words.import_line} ${row.line}: ${words.import_fields[field]}`}
                          defaultValue={row[field]}
                          error
                          onBlur={({ currentTarget: { value } }) => {
                            if (value !== (row[field] ?? ''))
                              onCorrected(withValue(preview, { line: row.line, field, value }));
                          }}
                        />
                      ) : (
                        <bdi>{shownOf(row[field], formats)}</bdi>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rows.length > shownRows && <p className="muted">… {rows.length - shownRows}</p>}
      {children}
    </>
  );
}
