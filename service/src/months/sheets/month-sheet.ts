/** One person's month as a document, and signing it off. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Viewer } from '../../absences/deciders/approver-scope.js';
import { refuseToDecideRequest } from '../../absences/deciders/authority.js';
import type { EntryRow } from '../../clock/rows.js';
import { nameOf } from '../../people/actor.js';
import { findPersonAnywhere, type PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { findClosedMonth } from '../../working-time/closed-month-rows.js';
import { isPresence } from '../../working-time/evaluations.js';
import type { Finding } from '../../working-time/rules.js';
import type { Confidentiality } from '../../working-time/special-rules.js';
import type { PersonDay } from '../calculated-days.js';
import { readClosedDays } from '../closed-days.js';
import { findClosedPerson, keepName } from '../closed-people-rows.js';
import { groupBy } from '../grouping.js';
import { previousMonth } from '../months.js';
import {
  type MonthOfPerson,
  readDaysForViewer,
  readPersonDays,
  readPersonMonths,
  untrackedMonth,
} from '../person-balance.js';
import { settingsFor } from '../targets.js';
import { readPeriodFindings } from './period-findings.js';
import {
  findRootOfSheet,
  insertSignOff,
  listChangesOfEntries,
  listEntriesOfSheet,
  listReopenings,
  listSignOffs,
  listUnanswered,
  type RootOfSheet,
  type SignOffRow,
} from './rows.js';
import { contentOf, digestOf, type Obstacle, obstacleTo, type SignedDay, type SignOffRole } from './sign-off.js';

export interface MonthSheet {
  readonly person: PersonRow;
  /** Names and zone of the document: in a closed month those of then. */
  readonly head: SheetHead;
  readonly month: string;
  /** The month has ended on the company's calendar. */
  readonly over: boolean;
  readonly balance: MonthOfPerson;
  readonly days: readonly PersonDay[];
  readonly entries: readonly EntryRow[];
  readonly corrections: Awaited<ReturnType<typeof listChangesOfEntries>>;
  readonly reopenings: Awaited<ReturnType<typeof listReopenings>>;
  readonly signOffs: readonly SignOffRow[];
  readonly root: RootOfSheet | undefined;
  readonly signedDays: readonly SignedDay[];
  readonly content: string;
  readonly digest: string;
}

export interface SheetHead {
  readonly name: string;
  readonly personnelNumber: string | null;
  readonly companyName: string;
  readonly timeZone: ZoneName;
}

async function readHead(reader: Reader, person: PersonRow, month: string): Promise<SheetHead> {
  const closedMonthKey = { companyId: person.company_id, month };
  const closedMonth = await findClosedMonth(reader, closedMonthKey.companyId, month);
  const namedPerson = (await findClosedPerson(reader, closedMonthKey, person.id)) ?? person;
  return {
    name: nameOf(namedPerson),
    personnelNumber: namedPerson.personnel_number,
    companyName: closedMonth?.company_name ?? person.company_name,
    timeZone: closedMonth?.time_zone ?? person.time_zone,
  };
}

export async function readMonthSheet(
  reader: Reader,
  person: PersonRow,
  month: string,
  at: Instant,
  viewer: Viewer,
): Promise<MonthSheet> {
  const span = { personId: person.id, from: `${month}-01`, to: lastDayOf(month) };
  const days = await readDaysForViewer(reader, person, span, at, viewer);
  const entries = (await listEntriesOfSheet(reader, span)).filter((entry) => viewer.presence || !isPresence(entry, at));
  const visibleEntryIds = new Set(entries.map(({ id }) => id));
  const months = await readPersonMonths(reader, person, month, at);
  const periods = await readPeriodsOf(reader, person, month, at, viewer.confidentiality);
  const signedDays = days.map((day) => signedDay(day, entries));
  const content = contentOf(signedDays);
  const last = months.at(-1);
  return {
    person,
    head: await readHead(reader, person, month),
    month,
    over: span.to < localDateAt(at, person.time_zone),
    balance: last?.month === month ? last : untrackedMonth(month, 0),
    days: days.map((day) => ({
      ...day,
      found: [...day.found, ...periods(day.date)].slice(0, 20),
    })),
    entries,
    corrections: (await listChangesOfEntries(reader, span)).filter(({ entry_id }) => visibleEntryIds.has(entry_id)),
    reopenings: await listReopenings(reader, person.company_id, month),
    signOffs: await listSignOffs(reader, person.id, month),
    root: await findRootOfSheet(reader, person.id, month),
    signedDays,
    content,
    digest: digestOf({ personId: person.id, month }, content),
  };
}

/** The findings of a day that look at many days: those of a closed month, or else calculated. */
async function readPeriodsOf(
  reader: Reader,
  person: PersonRow,
  month: string,
  at: Instant,
  confidentiality: Confidentiality,
): Promise<(date: LocalDate) => readonly Finding[]> {
  const company = settingsFor(person);
  const span = { from: `${month}-01`, to: lastDayOf(month) };
  const closedDay = await readClosedDays(reader, { companyId: company.id, people: [person] }, span, confidentiality);
  if (closedDay(person.id, span.to) !== undefined) return (date) => closedDay(person.id, date)!.periods;
  const findingsByPerson = await readPeriodFindings(reader, company, [person], { month, at }, confidentiality);
  const byDate = groupBy(findingsByPerson.get(person.id) ?? [], ({ date }) => date);
  return (date) => (byDate.get(date) ?? []).map(({ finding }) => finding);
}

/**
 * The months among the last two finished ones that people have signed off as they stand and no approver has. Only
 * sheets with such a sign-off are calculated.
 * @returns months by person, oldest first
 */
export async function monthsToSignOff(
  reader: Reader,
  people: readonly PersonRow[],
  today: LocalDate,
  at: Instant,
): Promise<ReadonlyMap<PersonId, readonly string[]>> {
  const last = previousMonth(today.slice(0, 7));
  const byId = new Map(people.map((person) => [person.id, person]));
  const monthsByPerson = new Map<PersonId, string[]>();
  for (const { person_id: id, month, digest } of await listUnanswered(
    reader,
    [...byId.keys()],
    [previousMonth(last), last],
  )) {
    const span = { personId: id, from: `${month}-01`, to: lastDayOf(month) };
    const days = await readPersonDays(reader, byId.get(id)!, span.from, span.to, at);
    const entries = await listEntriesOfSheet(reader, span);
    const content = contentOf(days.map((day) => signedDay(day, entries)));
    if (digestOf({ personId: id, month }, content) === digest)
      monthsByPerson.set(id, [...(monthsByPerson.get(id) ?? []), month]);
  }
  return monthsByPerson;
}

/** The signed content leaves out entries that were rejected or struck out. */
export function signedDay(day: PersonDay, entries: readonly EntryRow[]): SignedDay {
  const isOpen = entries.some((entry) => entry.date === day.date && entry.end_at === null);
  return {
    date: day.date,
    // The minutes of an open entry grow, and those of one without a clock-out come later; neither can be signed off.
    worked: isOpen ? 0 : day.workedMinutes,
    paused: isOpen ? 0 : day.breakMinutes,
    target: day.due.scheduledMinutes - day.due.creditedMinutes,
    absences: day.absences.map(({ type, portion }) => (portion === 1 ? type : `${type}/2`)),
    entries: entries
      .filter((entry) => entry.date === day.date && entry.status !== 'rejected')
      .map(({ start_at, end_at, breaks, status }) => [
        start_at,
        end_at,
        breaks,
        end_at === null ? 'open' : status === 'pending' ? status : 'counts',
      ]),
  };
}

export function obstacleOf(sheet: MonthSheet, role: SignOffRole): Obstacle | undefined {
  return obstacleTo(role, { ...sheet, days: sheet.signedDays });
}

const sentences: Readonly<Record<Obstacle, readonly [field: string, sentence: string]>> = {
  not_over: ['month', 'The month is not over.'],
  open_entries: ['entries', 'An entry is open or awaits approval.'],
  already_signed: ['role', 'The sheet is signed off already.'],
  person_first: ['role', 'The person has not signed off the sheet as it stands.'],
};

/**
 * Signs off a month as it stands. Its row and its audit entry are written together; it holds as long as the sheet has
 * the same digest.
 * @param digest of the sheet that was shown
 * @throws Refusal `not_found` the signer does not decide about the person, `sheet_changed`,
 * `sheet_not_signable` with the reason
 */
export async function signOff(
  write: Write,
  {
    personId,
    month,
    by,
    digest,
  }: { readonly personId: number; readonly month: string; readonly by: PersonRow; readonly digest: string },
  viewerOf: (person: PersonRow) => Promise<Viewer>,
): Promise<MonthSheet & { readonly viewer: Viewer }> {
  // The lock keeps the sheet unchanged between reading and signing.
  await write.lock({ people: [personId] });
  const person = await findPersonAnywhere(write, personId);
  if (person === undefined) throw new Refusal('not_found');
  const role: SignOffRole = by.id === person.id ? 'person' : 'approver';
  if (role === 'approver') await refuseToDecideRequest(write, by, person, write.at);
  const viewer = await viewerOf(person);
  const sheet = await readMonthSheet(write, person, month, write.at, viewer);
  if (sheet.digest !== digest) throw new Refusal('sheet_changed');
  const obstacle = obstacleOf(sheet, role);
  if (obstacle !== undefined) {
    const [field, error] = sentences[obstacle];
    throw new Refusal('sheet_not_signable', { details: [{ field, code: obstacle, error }] });
  }
  await insertSignOff(write, {
    company_id: person.company_id,
    person_id: person.id,
    month,
    role,
    signed_by: by.id,
    at: write.at,
    digest,
    content: sheet.content,
  });
  await keepName(write, { companyId: person.company_id, month }, by.id);
  await write.audit({
    companyId: person.company_id,
    action: 'sheet.signed_off',
    subject: `person ${person.id}`,
    // Not the digest: months without work could be guessed from it after the person is erased.
    details: { month, role },
  });
  return { ...sheet, viewer, signOffs: await listSignOffs(write, person.id, month) };
}
