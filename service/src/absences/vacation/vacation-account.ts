/**
 * The vacation account of a person and year: entitlement, days taken, planned and remaining, and the rest of the
 * carry-over.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { keepValues } from '../../people/personal-values.js';
import type { CompanyRow, PersonRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import type { Write } from '../../store/write.js';
import { type ClosedShares, readClosedShares } from '../closed-absence-rows.js';
import { daysBetween, loadCompanyWorkdays, loadWorkdays, type Workdays } from '../days.js';
import {
  type AbsenceRow,
  type EntitlementRow,
  findEntitlement,
  findVacationPolicy,
  listEntitlementsOf,
  listTouching,
  listTouchingOf,
  listVacationBookings,
  listVacationBookingsOf,
  maxSpanDays,
  saveEntitlementRow,
  type VacationPolicyRow,
} from '../rows.js';
import { counts } from '../state.js';
import { absenceTypesOf } from '../types.js';

/** Days of a year, in steps of .5. */
export interface Entitlement {
  readonly days: number;
  /** Carried over from the previous year. */
  readonly carriedDays: number;
  /** Last day on which carried-over days can be taken; null if they do not expire. */
  readonly carriedUntil: LocalDate | null;
}

/** One working day (or half of it) of a kind that counts as vacation. */
export interface VacationDay {
  readonly date: LocalDate;
  readonly portion: 1 | 0.5;
  readonly waiting: boolean;
}

/** Days added to the account by hand, or taken away if negative. */
export interface BookedDays {
  readonly date: LocalDate;
  readonly days: number;
}

export interface VacationAccount extends Entitlement {
  /** Sum of the bookings. */
  readonly bookedDays: number;
  /** Carried over and expired. */
  readonly expiredDays: number;
  /** Approved, up to and including the given day. */
  readonly takenDays: number;
  /** Approved, after it. */
  readonly plannedDays: number;
  readonly waiting: number;
  /** Remaining after all approved days; negative if more was approved than available. */
  readonly remainingDays: number;
}

/**
 * Carried-over days are used first, also by bookings, which count by their sum: one that corrects another takes
 * nothing. The rest expires after their last day.
 * @param today days count as taken up to here, as planned after it
 * @param asOf the day for which expiry is evaluated; use one after `today` for the days remaining by then
 */
export function vacationAccount(
  entitlement: Entitlement,
  days: readonly VacationDay[],
  bookings: readonly BookedDays[],
  today: LocalDate,
  asOf: LocalDate = today,
): VacationAccount {
  const sum = (isCounted: (day: VacationDay) => boolean) =>
    days.reduce((total, day) => total + (isCounted(day) ? day.portion : 0), 0);
  const bookedBy = (last: LocalDate) =>
    bookings.reduce((total, { date, days: bookedDays }) => total + (date <= last ? bookedDays : 0), 0);
  const { carriedDays, carriedUntil } = entitlement;
  const expiredDays =
    carriedUntil === null || asOf <= carriedUntil
      ? 0
      : Math.max(
          0,
          carriedDays - sum((day) => !day.waiting && day.date <= carriedUntil) - Math.max(0, -bookedBy(carriedUntil)),
        );
  const bookedTotal = bookings.reduce((total, { days: bookedDays }) => total + bookedDays, 0);
  const takenDays = sum((day) => !day.waiting && day.date <= today);
  const plannedDays = sum((day) => !day.waiting && day.date > today);
  return {
    ...entitlement,
    bookedDays: bookedTotal,
    expiredDays,
    takenDays,
    plannedDays,
    waiting: sum((day) => day.waiting),
    remainingDays: entitlement.days + carriedDays + bookedTotal - expiredDays - takenDays - plannedDays,
  };
}

/** The entitlement of a year: the person's own, else the company's, reduced on entry and exit, else undefined. */
export async function entitlementOf(reader: Reader, person: PersonRow, year: number): Promise<Entitlement | undefined> {
  const ownEntitlement = await findEntitlement(reader, person.id, year);
  return entitledBy(
    ownEntitlement,
    ownEntitlement === undefined ? await findVacationPolicy(reader, person.company_id) : undefined,
    person,
    year,
  );
}

function entitledBy(
  ownEntitlement: EntitlementRow | undefined,
  policy: VacationPolicyRow | undefined,
  employment: Employment,
  year: number,
): Entitlement | undefined {
  if (ownEntitlement !== undefined)
    return {
      days: ownEntitlement.half_days / 2,
      carriedDays: ownEntitlement.carried_half_days / 2,
      carriedUntil: ownEntitlement.carried_until,
    };
  if (policy === undefined) return undefined;
  const { days } = proRata(policy.half_days / 2, policy.pro_rata, employment, year);
  return { days, carriedDays: 0, carriedUntil: null };
}

/** A day of vacation and the absence it belongs to. */
export interface DayOfAbsence extends VacationDay {
  readonly absence: AbsenceRow;
}

/** Every working day of a year on which the person has or requests vacation; of a closed month as it was closed. */
export async function vacationDays(reader: Reader, person: PersonRow, year: number): Promise<DayOfAbsence[]> {
  const kinds = await vacationKinds(reader, person.company_id);
  const workdays = await loadWorkdays(reader, person);
  const closedShares = await readClosedShares(reader, { personId: person.id });
  const absences = await listTouching(reader, { personId: person.id, ...spanOf(year) });
  return daysOfVacation(absences, { kinds, workdays, closedShares }, year);
}

/** The days that an absence takes from the account of a year, which it may share with another. */
export async function daysOfAbsence(reader: Reader, person: PersonRow, year: number, id: number): Promise<number> {
  const days = await vacationDays(reader, person, year);
  return days.reduce((sum, { absence, portion }) => sum + (absence.id === id ? portion : 0), 0);
}

async function vacationKinds(reader: Reader, companyId: CompanyId): Promise<ReadonlySet<string>> {
  const types = await absenceTypesOf(reader, companyId);
  return new Set(types.filter((type) => type.countsAsVacation).map((type) => type.key));
}

function spanOf(year: number): { readonly from: LocalDate; readonly to: LocalDate; readonly earliest: LocalDate } {
  const from = `${year}-01-01`;
  return { from, to: `${year}-12-31`, earliest: addDays(from, 1 - maxSpanDays) };
}

function daysOfVacation(
  absences: readonly AbsenceRow[],
  {
    kinds,
    workdays,
    closedShares,
  }: { readonly kinds: ReadonlySet<string>; readonly workdays: Workdays; readonly closedShares: ClosedShares },
  year: number,
): DayOfAbsence[] {
  const { from, to } = spanOf(year);
  return absences.flatMap((absence) => {
    const { id, type, status, start_date: first, end_date: last } = absence;
    return daysBetween(first > from ? first : from, last < to ? last : to)
      .filter((date) => closedShares(id, date)?.vacation ?? kinds.has(type))
      .flatMap((date): DayOfAbsence[] => {
        const halves = workdays(date, absence);
        return halves === 0 ? [] : [{ date, portion: halves === 2 ? 1 : 0.5, waiting: !counts(status), absence }];
      });
  });
}

export async function bookedDays(reader: Reader, person: PersonRow, year: number): Promise<BookedDays[]> {
  return (await listVacationBookings(reader, person.id, year)).map(bookedOf);
}

const bookedOf = (row: { readonly date: LocalDate; readonly half_days: number }): BookedDays => ({
  date: row.date,
  days: row.half_days / 2,
});

/** The entitlement if none is set. */
export const noEntitlement: Entitlement = { days: 0, carriedDays: 0, carriedUntil: null };

export async function readVacationAccount(
  reader: Reader,
  person: PersonRow,
  year: number,
  today: LocalDate,
  asOf?: LocalDate,
): Promise<VacationAccount> {
  return vacationAccount(
    (await entitlementOf(reader, person, year)) ?? noEntitlement,
    await vacationDays(reader, person, year),
    await bookedDays(reader, person, year),
    today,
    asOf,
  );
}

/**
 * The accounts of many people of one company, with as many queries as for one.
 * @returns by person
 */
export async function readVacationAccounts(
  reader: Reader,
  company: Pick<CompanyRow, 'id' | 'country' | 'region' | 'local_holidays'>,
  people: readonly PersonRow[],
  year: number,
  today: LocalDate,
): Promise<ReadonlyMap<PersonId, VacationAccount>> {
  const ids = people.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const entitlementsByPerson = new Map(
    (await listEntitlementsOf(reader, ids, year)).map((row) => [row.person_id, row]),
  );
  const policy = await findVacationPolicy(reader, company.id);
  const kinds = await vacationKinds(reader, company.id);
  const workdays = await loadCompanyWorkdays(reader, company, spanOf(year));
  const closedShares = await readClosedShares(reader, { companyId: company.id, ...spanOf(year) });
  const absences = byPerson(await listTouchingOf(reader, ids, spanOf(year)));
  const bookingsByPerson = byPerson(await listVacationBookingsOf(reader, ids, year));
  return new Map(
    people.map((person) => [
      person.id,
      vacationAccount(
        entitledBy(entitlementsByPerson.get(person.id), policy, person, year) ?? noEntitlement,
        daysOfVacation(absences.get(person.id) ?? [], { kinds, workdays: workdays(person), closedShares }, year),
        (bookingsByPerson.get(person.id) ?? []).map(bookedOf),
        today,
      ),
    ]),
  );
}

function byPerson<Row extends { readonly person_id: PersonId }>(rows: readonly Row[]): ReadonlyMap<PersonId, Row[]> {
  const lists = new Map<PersonId, Row[]>();
  for (const row of rows) lists.set(row.person_id, [...(lists.get(row.person_id) ?? []), row]);
  return lists;
}

/** Sets a person's entitlement for a year. @param forEveryone the entitlement follows from a rule of the company */
export async function saveEntitlement(
  write: Write,
  person: PersonRow,
  year: number,
  entitlement: Entitlement,
  { forEveryone = false }: { readonly forEveryone?: boolean } = {},
): Promise<void> {
  await write.lock({ people: [person.id] });
  await saveEntitlementRow(write, {
    person_id: person.id,
    year,
    half_days: entitlement.days * 2,
    carried_half_days: entitlement.carriedDays * 2,
    carried_until: entitlement.carriedUntil,
  });
  await write.audit({
    companyId: person.company_id,
    action: 'entitlement.set',
    subject: `person ${person.id}`,
    details: await keepValues(write, person.id, { year, ...entitlement }),
    forEveryone,
  });
}

/** The effect of carrying over on a person. */
export interface CarryOverPlan {
  /** The next year's entitlement as it would be. */
  readonly next: Entitlement;
  /** Days carried into the next year so far. */
  readonly carriedBefore: number;
  /** Days carried into the year that expire in it. */
  readonly expiredDays: number;
  readonly changes: boolean;
}

/**
 * The remaining days of a year go over into the next one, to be taken until the company's expiry day. The next year's
 * own days stay; if none are set, they are the company's, or else this year's.
 */
export async function planCarryOver(reader: Reader, person: PersonRow, fromYear: number): Promise<CarryOverPlan> {
  const { remainingDays, expiredDays } = await readVacationAccount(reader, person, fromYear, `${fromYear}-12-31`);
  const existingRow = await findEntitlement(reader, person.id, fromYear + 1);
  const previousEntitlement =
    (await entitlementOf(reader, person, fromYear + 1)) ??
    (await entitlementOf(reader, person, fromYear)) ??
    noEntitlement;
  const expiryDay = (await findVacationPolicy(reader, person.company_id))?.carry_until ?? null;
  const next = {
    days: previousEntitlement.days,
    carriedDays: Math.max(0, remainingDays),
    carriedUntil: expiryDay === null ? null : `${fromYear + 1}-${expiryDay}`,
  };
  return {
    next,
    carriedBefore: existingRow === undefined ? 0 : existingRow.carried_half_days / 2,
    expiredDays,
    changes:
      existingRow === undefined ||
      existingRow.carried_half_days !== next.carriedDays * 2 ||
      existingRow.carried_until !== next.carriedUntil,
  };
}

/** The company's rule for the days of people who join or leave during a year. */
export type ProRataRule = VacationPolicyRow['pro_rata'];

export type Employment = Pick<PersonRow, 'employment_start' | 'employment_end'>;

/** The days of a person in the year of joining or leaving, and their calculation. */
export interface ProRata {
  /** In steps of .5. */
  readonly days: number;
  /** Full months of employment in the year. */
  readonly months: number;
  readonly rule: 'whole_year' | 'full_claim' | 'waiting_period' | 'left_in_first_half' | 'twelfths';
}

/**
 * `statutory` is §5 (1) BUrlG: a twelfth for each full month if the waiting period of six months (§4) is not completed
 * in the year (a and b), or the employment ends in its first half (c); otherwise the full claim. `twelfths` is a
 * twelfth for each full month, always.
 * @param days of the whole year, in steps of .5
 */
export function proRata(days: number, policy: ProRataRule, employment: Employment, year: number): ProRata {
  const span = spanIn(employment, year);
  const months = span === undefined ? 0 : monthsOf(span);
  if (policy === 'none' || months === 12) return { days, months, rule: 'whole_year' };
  const rule = policy === 'twelfths' ? 'twelfths' : statutory(employment, year);
  return { days: rule === 'full_claim' ? days : twelfths(days, months), months, rule };
}

/** Whether the person is employed on any day of the year. */
export function isEmployedIn(employment: Employment, year: number): boolean {
  return spanIn(employment, year) !== undefined;
}

function statutory(
  { employment_start: start, employment_end: end }: Employment,
  year: number,
): 'full_claim' | 'waiting_period' | 'left_in_first_half' {
  const last = end === null || end > `${year}-12-31` ? `${year}-12-31` : end;
  // Completed only with the end of the last day of the sixth month: a person who joins on 1 July has no full claim in
  // that year.
  if (start !== null && lastDayOfMonths(start, 6) >= last) return 'waiting_period';
  return last <= `${year}-06-30` ? 'left_in_first_half' : 'full_claim';
}

/**
 * §5 (2): half a day or more is rounded up. Less is not rounded down; the account is kept in half days, so it becomes
 * half a day.
 */
function twelfths(days: number, months: number): number {
  const twentyFourths = days * 2 * months;
  const [wholeDays, rest] = [Math.floor(twentyFourths / 24), twentyFourths % 24];
  return wholeDays + (rest >= 12 ? 1 : rest > 0 ? 0.5 : 0);
}

interface Span {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

function spanIn({ employment_start: start, employment_end: end }: Employment, year: number): Span | undefined {
  const [first, last] = [`${year}-01-01`, `${year}-12-31`];
  const from = start === null || start < first ? first : start;
  const to = end === null || end > last ? last : end;
  return from > to ? undefined : { from, to };
}

/** Full months; each runs from the day of the month on which the span begins. */
function monthsOf({ from, to }: Span): number {
  let months = 12;
  while (months > 0 && lastDayOfMonths(from, months) > to) months -= 1;
  return months;
}

/**
 * The last day of some months that begin on a date: the day before the one of the same number, or the end of the month
 * if that has no such day (§§187 (2), 188 (2) and (3) BGB).
 */
function lastDayOfMonths(date: LocalDate, months: number): LocalDate {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return addDays(first.toISOString().slice(0, 10), Math.min(day - 1, length) - 1);
}
