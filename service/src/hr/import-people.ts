/**
 * People from a CSV file: a plan that names every fault, and the import, which follows the same plan and writes
 * everyone or no one.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { comparableName, isName, normalizeName } from '@clockproof/platform/text/name';
import { type Admin, companyFor } from '../people/administered.js';
import { readEmailAddress } from '../people/email-address.js';
import { fieldOf, type ImportField, readCsv, readDate } from '../people/import-file.js';
import { addDepartment } from '../people/people.js';
import { findPerson, listDepartments, type PersonRow, takenValues } from '../people/rows.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { addTrackedPerson } from '../working-time/change-person.js';

const maxPeople = 1_000;
const maxColumns = 200;
const lengths = { first_name: 100, last_name: 100, email: 254, personnel_number: 40, department: 100 } as const;

export type FaultCode =
  | 'missing'
  | 'wrong_format'
  | 'too_long'
  | 'unknown'
  | 'taken'
  | 'repeated'
  | 'before_start'
  | 'too_many'
  | 'empty'
  | 'width';

export interface ImportFault {
  readonly field?: ImportField | undefined;
  readonly code: FaultCode;
  readonly error: string;
}

export interface PlannedPerson {
  readonly line: number;
  /** Normalised if they could be read, otherwise as in the file. */
  readonly values: Partial<Record<ImportField, string>>;
  readonly faults: readonly ImportFault[];
}

export interface ImportPlan {
  readonly columns: readonly { readonly header: string; readonly field: ImportField | undefined }[];
  /** Faults of the file as a whole. */
  readonly faults: readonly ImportFault[];
  readonly people: readonly PlannedPerson[];
  readonly newDepartments: readonly string[];
}

export interface ImportFile {
  readonly csv: string;
  /** Adds departments that the company lacks, instead of refusing them. */
  readonly createDepartments: boolean;
}

export function isReady({ faults, people }: ImportPlan): boolean {
  return faults.length === 0 && people.every((person) => person.faults.length === 0);
}

/** Reads a file; reports the people it would add, and every fault. @throws Refusal `not_found` */
export async function planImport(
  reader: Reader,
  admin: Admin,
  companyId: CompanyId,
  { csv, createDepartments }: ImportFile,
): Promise<ImportPlan> {
  const { id } = await companyFor(reader, admin, companyId);
  const [header, ...records] = readCsv(csv);
  const columns = (header?.values ?? []).slice(0, maxColumns).map((name) => ({ header: name, field: fieldOf(name) }));
  const fields = columns.map(({ field }) => field);
  const faults: ImportFault[] = [];
  for (const field of ['first_name', 'last_name', 'employment_start'] as const)
    if (!fields.includes(field)) faults.push(fault('missing', 'The file has no such column.', field));
  for (const field of new Set(
    fields.filter((candidate, index) => candidate !== undefined && fields.indexOf(candidate) !== index),
  ))
    faults.push(fault('repeated', 'Several columns hold this.', field));
  if (records.length === 0) faults.push(fault('empty', 'There is no person in the file.'));
  if (records.length > maxPeople) faults.push(fault('too_many', `A file holds at most ${maxPeople} people.`));
  const rows = records.slice(0, maxPeople).map(({ line, values }) => ({
    line,
    tooWide: values.slice(columns.length).some((value) => value !== ''),
    values: Object.fromEntries(
      fields.flatMap((field, index) => {
        const value = values[index] ?? '';
        return field === undefined || value === '' ? [] : [[field, normalize(field, value)]];
      }),
    ) as PlannedPerson['values'],
  }));
  const departments = new Map(
    (await listDepartments(reader, { company: id })).map(({ name }) => [comparableName(name), name]),
  );
  const newDepartments = new Map<string, string>();
  if (createDepartments)
    for (const { values } of rows) {
      const { department } = values;
      if (department === undefined || lengthFault('department', department) !== undefined) continue;
      const key = comparableName(department);
      if (!departments.has(key) && !newDepartments.has(key)) newDepartments.set(key, department);
    }
  const allDepartments = new Map([...departments, ...newDepartments]);
  const existingValues = await takenValues(reader, id, {
    emails: rows.flatMap(({ values }) => values.email ?? []),
    numbers: rows.flatMap(({ values }) => values.personnel_number ?? []),
  });
  const earlierValues = { email: new Set<string>(), personnel_number: new Set<string>() };
  const people = rows.map(({ line, values, tooWide }): PlannedPerson => {
    const lineFaults = tooWide ? [fault('width', 'The line has more values than the header.')] : [];
    for (const field of ['first_name', 'last_name', 'employment_start'] as const)
      if (fields.includes(field) && values[field] === undefined)
        lineFaults.push(fault('missing', 'This is required.', field));
    for (const [field, value] of Object.entries(values) as [ImportField, string][]) {
      const valueFault = formFault(field, value) ?? knownFault(field, value);
      if (valueFault !== undefined) lineFaults.push(valueFault);
    }
    const { employment_start: start, employment_end: end } = values;
    const hasBothDates =
      start !== undefined && end !== undefined && readDate(start) !== undefined && readDate(end) !== undefined;
    if (hasBothDates && end < start)
      lineFaults.push(fault('before_start', 'The last day lies before the first.', 'employment_end'));
    return { line, values, faults: lineFaults };
  });
  return { columns, faults, people, newDepartments: [...newDepartments.values()] };

  function knownFault(field: ImportField, value: string): ImportFault | undefined {
    if (field === 'department' && !allDepartments.has(comparableName(value)))
      return fault('unknown', 'The company has no such department.', field);
    if (field !== 'email' && field !== 'personnel_number') return undefined;
    if (existingValues[field].has(value))
      return fault('taken', `Another person has this ${field === 'email' ? 'address' : 'number'}.`, field);
    if (earlierValues[field].has(value)) return fault('repeated', 'An earlier line has the same value.', field);
    earlierValues[field].add(value);
    return undefined;
  }
}

/**
 * Adds everyone in the file. If the process stops before the commit, no person was added; after it, everyone with their
 * entry in the audit log.
 * @throws Refusal `not_found`, `invalid_request` a fault in the file; `details` names the first hundred
 */
export async function addImportedPeople(
  write: Write,
  admin: Admin,
  companyId: CompanyId,
  file: ImportFile,
): Promise<{ readonly people: readonly PersonRow[]; readonly newDepartments: readonly string[] }> {
  await write.lock({ installation: true, company: companyId });
  const plan = await planImport(write, admin, companyId, file);
  refuseFaults(plan);
  for (const name of plan.newDepartments) await addDepartment(write, companyId, name);
  const departments = new Map(
    (await listDepartments(write, { company: companyId })).map(({ id, name }) => [comparableName(name), id]),
  );
  const people: PersonRow[] = [];
  for (const { values } of plan.people) {
    const { email, personnel_number: number, department, employment_end: end } = values;
    const departmentId = department === undefined ? undefined : departments.get(comparableName(department))!;
    const id = await addTrackedPerson(write, {
      companyId,
      role: 'employee',
      firstName: values.first_name!,
      lastName: values.last_name!,
      language: values.language ?? admin.person.language,
      employmentStart: values.employment_start!,
      email,
      personnelNumber: number,
      departmentId,
      employmentEnd: end,
    });
    people.push((await findPerson(write, id, { company: companyId }))!);
  }
  return { people, newDepartments: plan.newDepartments };
}

function refuseFaults({ faults, people }: ImportPlan): void {
  const detailOf = (place: string, { field, code, error }: ImportFault) => ({
    field: field === undefined ? place : `${place}: ${field}`,
    code,
    error,
  });
  const details = [
    ...faults.map((item) => detailOf('csv', item)),
    ...people.flatMap(({ line, faults: personFaults }) => personFaults.map((item) => detailOf(`line ${line}`, item))),
  ];
  if (details.length > 0) throw new Refusal('invalid_request', { details: details.slice(0, 100) });
}

function normalize(field: ImportField, value: string): string {
  if (field === 'email' || field === 'language') return value.toLowerCase();
  return field === 'employment_start' || field === 'employment_end' ? (readDate(value) ?? value) : normalizeName(value);
}

/** A fault that shows without a query. */
function formFault(field: ImportField, value: string): ImportFault | undefined {
  switch (field) {
    case 'employment_start':
    case 'employment_end':
      return readDate(value) === undefined
        ? fault('wrong_format', 'Write a date as 2026-12-01 or 01.12.2026.', field)
        : undefined;
    case 'language':
      return value === 'de' || value === 'en' ? undefined : fault('unknown', 'Write de or en.', field);
    case 'email':
      return readEmailAddress(value) === undefined
        ? fault('wrong_format', 'This is not an e-mail address.', field)
        : undefined;
    default:
      return isName(value)
        ? lengthFault(field, value)
        : fault('wrong_format', 'Write one line of visible characters.', field);
  }
}

function lengthFault(field: keyof typeof lengths, value: string): ImportFault | undefined {
  return [...value].length > lengths[field]
    ? fault('too_long', `At most ${lengths[field]} characters.`, field)
    : undefined;
}

function fault(code: FaultCode, error: string, field?: ImportField): ImportFault {
  return { code, error, field };
}
