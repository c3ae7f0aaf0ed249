/**
 * Everyone's differences of the open months that are over. A report rests on all of them, and each costs a pass over its
 * days; they hardly ever change. So a process remembers them, and calculates again what changed: people with an entry or
 * absence that was written since, or whose employment or schedule differs. What everyone's figures rest on (the time
 * zone, the holidays, the kinds of absence, the company's schedules) makes it forget everything.
 *
 * What is remembered is also kept in the database, so that a new process goes on from there; see `keepOpenMonths`.
 *
 * Writes need not announce themselves: each use compares what is remembered with the database, in the commit sequence.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { absenceTypesOf } from '../absences/types.js';
import { readSequenceHead } from '../events/rows.js';
import type { CompanyId, PersonId } from '../ids.js';
import { type CompanyRow, findPerson } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import type { Store } from '../write/write.js';
import { nextMonth } from './months.js';
import { readPersonMonths } from './person-balance.js';
import {
  findRememberedMonths,
  listScheduleFacts,
  listTrackedPeople,
  peopleChangedSince,
  saveRememberedMonths,
} from './rows.js';

interface Remembered {
  /** Where the commit sequence stood before anything of it was read. */
  sequence: number;
  readonly settings: string;
  /** What a person's figures rest on, beside their entries and absences. */
  people: ReadonlyMap<PersonId, string>;
  readonly months: Map<string, Map<PersonId, number>>;
  /** Something of it is not in the database. */
  unsaved: boolean;
}

/** More people than these are calculated all together, which costs less than one after the other. */
const mostPeople = (everyone: number) => Math.max(40, everyone / 2);
/** Raise it when the difference of a month is calculated otherwise: what is kept in the database is then forgotten. */
const calculation = 1;
/** Figures remembered per database: some 100 MB at most. */
const mostFigures = 2_000_000;

const byDatabase = new WeakMap<Reader, Map<CompanyId, Remembered>>();

/**
 * @param months open ones, in order
 * @param calculate one month of everyone, from its entries
 */
export async function openDifferences(
  reader: Reader,
  company: CompanyRow,
  months: readonly string[],
  at: Instant,
  calculate: (
    month: string,
  ) => Promise<readonly { readonly person: { readonly id: PersonId }; readonly minutes: number }[]>,
): Promise<Map<PersonId, number>> {
  const present = localDateAt(at, company.time_zone).slice(0, 7);
  const known = await rememberedOf(reader, company, at);
  const sums = new Map<PersonId, number>();
  const add = (id: PersonId, minutes: number) => sums.set(id, (sums.get(id) ?? 0) + minutes);
  for (const month of months) {
    let figures = known.months.get(month);
    if (figures === undefined) {
      figures = new Map((await calculate(month)).map(({ person, minutes }) => [person.id, minutes]));
      // The minutes of a month that is not over grow by themselves.
      if (month < present) {
        known.months.set(month, figures);
        known.unsaved = true;
      }
    }
    for (const [id, minutes] of figures) add(id, minutes);
  }
  return sums;
}

async function rememberedOf(reader: Reader, company: CompanyRow, at: Instant): Promise<Remembered> {
  const companies = byDatabase.get(reader) ?? new Map<CompanyId, Remembered>();
  byDatabase.set(reader, companies);
  const { sequence } = await readSequenceHead(reader);
  const { settings, people } = await readFacts(reader, company, Number(localDateAt(at, company.time_zone).slice(0, 4)));
  const fresh: Remembered = { sequence, settings, people, months: new Map(), unsaved: false };
  const known = companies.get(company.id) ?? (await readKept(reader, company.id));
  if (known === undefined || known.settings !== settings || known.months.size === 0)
    return remember(companies, company.id, fresh);
  const last = [...known.months.keys()].sort().at(-1)!;
  const stale = new Set([
    ...[...people].filter(([id, facts]) => known.people.get(id) !== facts).map(([id]) => id),
    ...(await peopleChangedSince(reader, company.id, { after: known.sequence, before: `${nextMonth(last)}-01` })),
  ]);
  fresh.unsaved = known.unsaved || stale.size > 0;
  if (stale.size > mostPeople(people.size)) return remember(companies, company.id, fresh);
  // Copied, so that a report that reads at the same time keeps what it began with.
  for (const [month, figures] of known.months) fresh.months.set(month, new Map(figures));
  for (const id of stale) {
    for (const figures of fresh.months.values()) figures.delete(id);
    const person = await findPerson(reader, id, { company: company.id });
    if (person === undefined) continue;
    for (const { month, sum } of await readPersonMonths(reader, person, last, at))
      if (isEmployedIn(person, month)) fresh.months.get(month)?.set(id, sum.differenceMinutes);
  }
  return remember(companies, company.id, fresh);
}

/** As `listPeopleOfMonth`: who has left before a month is no part of it. */
const isEmployedIn = (person: { readonly employment_end: string | null }, month: string) =>
  person.employment_end === null || person.employment_end >= `${month}-01`;

function remember(companies: Map<CompanyId, Remembered>, id: CompanyId, fresh: Remembered): Remembered {
  const figures = (one: Remembered) => one.months.size * one.people.size;
  if ([...companies.values()].reduce((sum, one) => sum + figures(one), 0) > mostFigures) companies.clear();
  companies.set(id, fresh);
  return fresh;
}

async function readFacts(
  reader: Reader,
  company: CompanyRow,
  year: number,
): Promise<{ readonly settings: string; readonly people: ReadonlyMap<PersonId, string> }> {
  const schedules = await listScheduleFacts(reader, company.id);
  const own = new Map<PersonId | null, string[]>();
  for (const { person_id, valid_from, week } of schedules) {
    const list = own.get(person_id) ?? [];
    list.push(`${valid_from} ${week}`);
    own.set(person_id, list);
  }
  const { time_zone, country, region } = company;
  const tracked = await listTrackedPeople(reader, company.id);
  const first = Math.min(...tracked.map((person) => Number(person.kept_from.slice(0, 4))), year);
  // They come from tables that a later version may change.
  const holidays = Array.from({ length: year - first + 1 }, (_, index) =>
    holidaysIn(country, region)
      .ofYear(first + index)
      .map(({ date }) => date),
  );
  const kinds = (await absenceTypesOf(reader, company.id)).map(({ key, target }) => [key, target]);
  const people = tracked.map(
    ({ id, kept_from, employment_start, employment_end }) =>
      [id, [kept_from, employment_start, employment_end, ...(own.get(id) ?? [])].join('|')] as const,
  );
  return {
    settings: JSON.stringify([calculation, holidays, time_zone, country, region, kinds, own.get(null) ?? []]),
    people: new Map(people),
  };
}

/** What the database keeps. The people it was calculated for are compared by their facts, as what is remembered is. */
async function readKept(reader: Reader, companyId: CompanyId): Promise<Remembered | undefined> {
  const row = await findRememberedMonths(reader, companyId);
  if (row === undefined) return undefined;
  const { people, months } = JSON.parse(row.figures) as Kept;
  return {
    sequence: row.sequence,
    settings: row.settings,
    people: new Map(people),
    months: new Map(
      months.map(([month, figures]) => [
        month,
        new Map(
          figures.flatMap((minutes, index) =>
            minutes === null ? [] : [[people[index]![0], minutes] as [PersonId, number]],
          ),
        ),
      ]),
    ),
    unsaved: false,
  };
}

/** The figures of a month stand in the order of the people; null: the person has none. */
interface Kept {
  readonly people: readonly (readonly [PersonId, string])[];
  readonly months: readonly (readonly [string, readonly (number | null)[]])[];
}

/**
 * Keeps what is remembered of a company in the database, if that is newer.
 * @returns whether something was kept
 */
export async function keepRemembered(store: Store, companyId: CompanyId): Promise<boolean> {
  const known = byDatabase.get(store)?.get(companyId);
  if (known === undefined || !known.unsaved) return false;
  const people = [...known.people];
  const kept: Kept = {
    people,
    months: [...known.months].map(([month, figures]) => [month, people.map(([id]) => figures.get(id) ?? null)]),
  };
  const row = {
    company_id: companyId,
    sequence: known.sequence,
    settings: known.settings,
    figures: JSON.stringify(kept),
  };
  await store.maintain('remembered months', (tx) => saveRememberedMonths(tx, row));
  known.unsaved = false;
  return true;
}
