/**
 * The vacation account of a person and year: what they are entitled to, what is taken, planned and left, and what the
 * days brought over are still worth.
 */
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { type Actor, appendAudit } from '../audit/audit.js';
import type { PersonRow } from '../people/rows.js';
import { daysBetween } from './calendar.js';
import { loadWorkdays } from './days.js';
import { findEntitlement, findVacationPolicy, listTouching, maxSpanDays, saveEntitlementRow } from './rows.js';
import { counts } from './state.js';
import { absenceTypesOf } from './types.js';

/** Days of a year, in steps of .5. */
export interface Entitlement {
  readonly days: number;
  /** Brought over from the year before. */
  readonly carriedDays: number;
  /** Last day on which days brought over can be taken; null: they do not expire. */
  readonly carriedUntil: LocalDate | null;
}

/** One working day (or half of it) of a kind that counts as vacation. */
export interface VacationDay {
  readonly date: LocalDate;
  readonly portion: 1 | 0.5;
  readonly waiting: boolean;
}

export interface VacationAccount extends Entitlement {
  /** Brought over and not taken in time. */
  readonly expired: number;
  /** Approved, up to and with the day asked about. */
  readonly taken: number;
  /** Approved, after it. */
  readonly planned: number;
  readonly waiting: number;
  /** What is left when all approved days are taken; below zero where more was granted than there is. */
  readonly left: number;
}

/**
 * Days brought over are used first. What is left of them when their last day has passed is gone.
 * @param today taken up to here, planned after it
 * @param asOf the day on which expiry is judged; later than `today` to ask what will be left by then
 */
export function vacationAccount(
  entitlement: Entitlement,
  days: readonly VacationDay[],
  today: LocalDate,
  asOf: LocalDate = today,
): VacationAccount {
  const sum = (fits: (day: VacationDay) => boolean) =>
    days.reduce((total, day) => total + (fits(day) ? day.portion : 0), 0);
  const { carriedDays, carriedUntil } = entitlement;
  const expired =
    carriedUntil === null || asOf <= carriedUntil
      ? 0
      : Math.max(0, carriedDays - sum((day) => !day.waiting && day.date <= carriedUntil));
  const taken = sum((day) => !day.waiting && day.date <= today);
  const planned = sum((day) => !day.waiting && day.date > today);
  return {
    ...entitlement,
    expired,
    taken,
    planned,
    waiting: sum((day) => day.waiting),
    left: entitlement.days + carriedDays - expired - taken - planned,
  };
}

/**
 * The entitlement of a year: the person's own, else what the company gives everyone, else undefined: nobody has said.
 */
export async function entitlementOf(reader: Reader, person: PersonRow, year: number): Promise<Entitlement | undefined> {
  const own = await findEntitlement(reader, person.id, year);
  if (own !== undefined)
    return { days: own.half_days / 2, carriedDays: own.carried_half_days / 2, carriedUntil: own.carried_until };
  const policy = await findVacationPolicy(reader, person.company_id);
  return policy === undefined ? undefined : { days: policy.half_days / 2, carriedDays: 0, carriedUntil: null };
}

/** Every working day of a year on which the person has, or asks for, vacation. */
export async function vacationDays(reader: Reader, person: PersonRow, year: number): Promise<VacationDay[]> {
  const [from, to] = [`${year}-01-01`, `${year}-12-31`];
  const kinds = new Set(
    (await absenceTypesOf(reader, person.company_id)).filter((type) => type.countsAsVacation).map((type) => type.key),
  );
  const workdays = await loadWorkdays(reader, person);
  const absences = await listTouching(reader, {
    personId: person.id,
    from,
    to,
    earliest: addDays(from, 1 - maxSpanDays),
  });
  return absences
    .filter((absence) => kinds.has(absence.type))
    .flatMap((absence) =>
      daysBetween(absence.start_date > from ? absence.start_date : from, absence.end_date < to ? absence.end_date : to)
        .filter(workdays)
        .map(
          (date) => ({ date, portion: absence.half_day === null ? 1 : 0.5, waiting: !counts(absence.status) }) as const,
        ),
    );
}

const none: Entitlement = { days: 0, carriedDays: 0, carriedUntil: null };

export async function readVacationAccount(
  reader: Reader,
  person: PersonRow,
  year: number,
  today: LocalDate,
  asOf?: LocalDate,
): Promise<VacationAccount> {
  return vacationAccount(
    (await entitlementOf(reader, person, year)) ?? none,
    await vacationDays(reader, person, year),
    today,
    asOf,
  );
}

/** Sets what a person is entitled to in a year. */
export async function setEntitlement(
  tx: Transaction,
  person: PersonRow,
  year: number,
  entitlement: Entitlement,
  actor: Actor,
  at: Instant,
): Promise<void> {
  await saveEntitlementRow(tx, {
    person_id: person.id,
    year,
    half_days: entitlement.days * 2,
    carried_half_days: entitlement.carriedDays * 2,
    carried_until: entitlement.carriedUntil,
  });
  await appendAudit(tx, {
    at,
    companyId: person.company_id,
    actor,
    action: 'entitlement.set',
    subject: `person ${person.id}`,
    details: { year, ...entitlement },
  });
}

/**
 * Brings what is left of a year over into the next one, to be taken until the day the company has set. Doing it again
 * after a late change sets it anew.
 * @returns the days brought over
 */
export async function carryOver(
  tx: Transaction,
  person: PersonRow,
  fromYear: number,
  actor: Actor,
  at: Instant,
): Promise<number> {
  const lastDay = `${fromYear}-12-31`;
  const carriedDays = Math.max(0, (await readVacationAccount(tx, person, fromYear, lastDay)).left);
  const next = (await entitlementOf(tx, person, fromYear + 1)) ?? none;
  const until = (await findVacationPolicy(tx, person.company_id))?.carry_until ?? null;
  await setEntitlement(
    tx,
    person,
    fromYear + 1,
    { days: next.days, carriedDays, carriedUntil: until === null ? null : `${fromYear + 1}-${until}` },
    actor,
    at,
  );
  return carriedDays;
}
