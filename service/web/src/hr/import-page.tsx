/** People from a CSV file: shown with every fault, and added only when confirmed. */
import { Anchor, Button, Checkbox, FileInput, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
import { type Correction, isRewritable, withValues } from './import-csv.js';
import { InvitePeople } from './invite-people.js';

type Preview = Schemas['PeopleImportPreview'];
type Fault = Schemas['ImportFault'];
type AddedPeople = Schemas['ImportedPeople']['people'];
const shownFields = [
  'last_name',
  'first_name',
  'email',
  'personnel_number',
  'department',
  'language',
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
  const company = session.company.id;
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState<string | undefined>(undefined);
  const [fileFault, setFileFault] = useState<string | undefined>(undefined);
  const [create, setCreate] = useState(false);
  const [addedPeople, setAddedPeople] = useState<AddedPeople>();
  const choose = async (selectedFile: File | null) => {
    setFile(selectedFile);
    setText(undefined);
    setFileFault(undefined);
    if (selectedFile === null) return;
    const readText = await textOf(selectedFile);
    if (readText === undefined || readText.trim() === '') setFileFault(words.import_unreadable);
    else if (readText.length > maxCharacters) setFileFault(words.import_too_large);
    else setText(readText);
  };
  const template = () => {
    saveFile(
      'people.csv',
      new Blob(['\uFEFF', `${words.import_template_columns.join(';')}\r\n`], { type: 'text/csv' }),
    );
  };
  if (addedPeople !== undefined) return <Imported people={addedPeople} company={company} />;
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
      {text !== undefined && (
        <ChosenFile key={text} text={text} company={company} createDepartments={create} onAdded={setAddedPeople} />
      )}
    </Page>
  );
}

/** A file with the corrections that were made on the page. */
function ChosenFile({
  text,
  company,
  createDepartments,
  onAdded,
}: {
  readonly text: string;
  readonly company: number;
  readonly createDepartments: boolean;
  readonly onAdded: (people: AddedPeople) => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [csv, setCsv] = useState(text);
  const [corrections, setCorrections] = useState<readonly Correction[]>([]);
  const body = { csv, create_departments: createDepartments };
  const params = { path: { id: company } };
  const preview = useQuery({
    queryKey: ['people-import', company, body],
    queryFn: () => ask(client.POST('/app/admin/companies/{id}/people-import/preview', { params, body })),
    // A person goes on to the next field while a correction is checked.
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const adding = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/companies/{id}/people-import', { params, body })),
    onSuccess: ({ people }) => {
      void queries.invalidateQueries({ queryKey: ['people'] });
      void queries.invalidateQueries({ queryKey: ['departments', company] });
      onAdded(people);
    },
  });
  const correct = (shownPreview: Preview, correction: Correction) => {
    // The preview that is shown lacks the corrections that are still checked.
    const newCorrections = [...(preview.isPlaceholderData ? corrections : []), correction];
    setCorrections(newCorrections);
    setCsv(withValues(shownPreview, newCorrections));
  };
  return (
    <QueryState of={preview}>
      {(checkedImport) => (
        <Found preview={checkedImport} onCorrected={(correction) => correct(checkedImport, correction)}>
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
  );
}

function Imported({ people, company }: { readonly people: AddedPeople; readonly company: number }): ReactNode {
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
  readonly onCorrected: (correction: Correction) => void;
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
                            if (value !== (row[field] ?? '')) onCorrected({ line: row.line, field, value });
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
