/**
 * Three plausible weeks, told through the same verbs that pages and doors use, each at its own instant: working days,
 * absences and the decisions of approvers, a forgotten clock-out, a correction that waits, and the people at work now.
 * The same every time, except that the days are counted back from today.
 */
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { withdrawOrCancelAbsence } from '../src/absences/change-absence.js';
import { type Decision, decideAbsence } from '../src/absences/decide-absence.js';
import { draftOf } from '../src/absences/draft.js';
import { requestAbsence } from '../src/absences/request-absence.js';
import { saveEntitlement } from '../src/absences/vacation/vacation-account.js';
import { correctWithNotice, submitCorrection } from '../src/clock/corrections.js';
import { stamp } from '../src/clock/stamp.js';
import { actorOf } from '../src/people/actor.js';
import { findPerson, type PersonRow } from '../src/people/rows.js';
import { allCompanies } from '../src/store/every-company.js';
import type { EntryId } from '../src/store/ids.js';
import type { Store, Write } from '../src/store/write.js';
import { changePersonRecord } from '../src/working-time/change-person.js';
import { holidaysIn } from '../src/working-time/holidays.js';
import { workdaysBetween } from './calendar.js';
import { type FoundedCompany, system } from './company.js';

export interface Story {
  readonly store: Store;
  readonly companies: readonly FoundedCompany[];
  readonly from: LocalDate;
  readonly now: Instant;
}

/** Something that happens at an instant. Stamps of different people may be written together. */
interface Act {
  readonly at: Instant;
  readonly stamps?: PersonRow;
  happen(): Promise<unknown>;
}

type StampKind = 'in' | 'break_start' | 'break_end' | 'out';

/** @returns the number of stamps told */
export async function tellStory({ store, companies, from, now }: Story): Promise<number> {
  let stamps = 0;
  for (const company of companies) {
    const people: PersonRow[] = [];
    for (const { id } of company.people) people.push((await findPerson(store, id, allCompanies))!);
    await openAccounts(store, people, company, from);
    const plan =
      company === companies[0]
        ? nordlicht(store, company, people, from, now)
        : ordinaryWeeks(store, company, people, { from, now });
    plan.sort((a, b) => a.at - b.at);
    stamps += plan.filter((act) => act.stamps !== undefined).length;
    await perform(plan);
  }
  return stamps;
}

/** Balances and vacation, brought along from an earlier system. */
async function openAccounts(store: Store, people: readonly PersonRow[], company: FoundedCompany, from: LocalDate) {
  const at = startOfDay(from, company.cast.timeZone) + 7 * hour;
  const year = Number(from.slice(0, 4));
  for (const [index, person] of people.entries()) {
    const random = randomOf(index);
    await store.write({ actor: system, at }, async (write) => {
      await changePersonRecord(write, person.id, person.company_id, {
        tracking_start: from,
        opening_minutes: 15 * Math.round(random() * 60 - 8),
      });
      const entitlement = { days: 30, carriedDays: 0, carriedUntil: null };
      await saveEntitlement(write, person, year, entitlement);
      await saveEntitlement(write, person, year + 1, entitlement);
    });
  }
}

/** Performs acts one after the other, but neighbouring stamps of different people in groups. */
async function perform(acts: readonly Act[]): Promise<void> {
  let group: Act[] = [];
  const flush = async () => {
    await Promise.all(group.map((act) => act.happen()));
    group = [];
  };
  for (const act of acts) {
    const canJoin =
      act.stamps !== undefined && !group.some((otherAct) => otherAct.stamps === act.stamps) && group.length < 24;
    if (!canJoin) await flush();
    group.push(act);
    if (act.stamps === undefined) await flush();
  }
  await flush();
}

/** Stamps in, a break and out on every working day before today, except for people who are elsewhere. */
function ordinaryWeeks(
  store: Store,
  { cast }: FoundedCompany,
  people: readonly PersonRow[],
  {
    from,
    now,
    isElsewhere = () => false,
  }: {
    readonly from: LocalDate;
    readonly now: Instant;
    readonly isElsewhere?: (person: PersonRow, date: LocalDate) => boolean;
  },
): Act[] {
  const today = localDateAt(now, cast.timeZone);
  const acts: Act[] = [];
  for (const date of workdaysBetween(from, addDays(today, -1), holidaysIn('DE', cast.region)))
    for (const [index, person] of people.entries()) {
      if (isElsewhere(person, date)) continue;
      const random = randomOf(index * 1_000 + Number(date.slice(8)) + 31 * Number(date.slice(5, 7)));
      const start = startOfDay(date, cast.timeZone) + usualStart(index) + Math.round((random() - 0.5) * 18 * minute);
      const breakStart = start + 3.6 * hour + Math.round(random() * 50 * minute);
      const breakEnd = breakStart + 30 * minute + Math.round(random() * 14 * minute);
      const end = start + 8 * hour + (breakEnd - breakStart) + Math.round((random() - 0.42) * 42 * minute);
      acts.push(
        stampAct(store, person, 'in', start),
        stampAct(store, person, 'break_start', breakStart),
        stampAct(store, person, 'break_end', breakEnd),
        stampAct(store, person, 'out', end),
      );
    }
  return acts;
}

/** Some begin at six, most around eight. */
function usualStart(index: number): number {
  return index % 5 === 1 ? 6 * hour : 7.5 * hour + ((index * 13) % 60) * minute;
}

function stampAct(store: Store, person: PersonRow, kind: StampKind, at: Instant): Act {
  const request = { personId: person.id, companyId: person.company_id, kind, source: { kind: 'web' } } as const;
  const happen = () => store.write({ actor: actorOf(person), at }, (write) => stamp(write, request));
  return { at, stamps: person, happen };
}

/** The company whose weeks are told with names. */
interface Script {
  readonly store: Store;
  /** Finds a person by last name. */
  personNamed(lastName: string): PersonRow;
  readonly acts: Act[];
  /** Tells, for each person, the days on which they are neither in the company nor working elsewhere. */
  readonly away: Map<PersonRow, (date: LocalDate) => boolean>;
}

interface StoryDays {
  readonly today: LocalDate;
  /** The n-th working day before today, from 1. */
  workdayBefore(days: number): LocalDate;
  /** The working days after today. */
  readonly next: readonly LocalDate[];
  clock(date: LocalDate, hours: number, minutes?: number): Instant;
}

function nordlicht(
  store: Store,
  company: FoundedCompany,
  people: readonly PersonRow[],
  from: LocalDate,
  now: Instant,
): Act[] {
  const days = daysOfStory(company, from, now);
  const script: Script = {
    store,
    personNamed(lastName) {
      const person = people.find((candidate) => candidate.last_name === lastName);
      if (person === undefined) throw new Error(`nobody is called ${lastName}`);
      return person;
    },
    acts: [],
    away: new Map(),
  };
  tellDecidedAbsences(script, days);
  tellWaitingRequests(script, days);
  const ownDays = new Map<PersonRow, LocalDate>([
    [script.personNamed('Hansen'), tellYardCorrection(script, days)],
    [script.personNamed('Vogt'), tellForgottenBreak(script, days)],
    [script.personNamed('Aziz'), tellForgottenClockOut(script, days)],
  ]);
  const isAway = (person: PersonRow, date: LocalDate) => script.away.get(person)?.(date) === true;
  const isElsewhere = (person: PersonRow, date: LocalDate) => isAway(person, date) || ownDays.get(person) === date;
  const tariq = script.personNamed('Aziz');
  return [
    ...script.acts,
    ...ordinaryWeeks(store, company, people, { from, now, isElsewhere }),
    ...atWorkNow(store, people, now, (person) => isAway(person, days.today) || person === tariq),
  ];
}

function daysOfStory({ cast: { timeZone, region } }: FoundedCompany, from: LocalDate, now: Instant): StoryDays {
  const today = localDateAt(now, timeZone);
  const holidays = holidaysIn('DE', region);
  const pastWorkdays = workdaysBetween(from, addDays(today, -1), holidays);
  return {
    today,
    workdayBefore: (days) => pastWorkdays.at(-days)!,
    next: workdaysBetween(addDays(today, 1), addDays(today, 70), holidays),
    clock: (date, hours, minutes = 0) => startOfDay(date, timeZone) + hours * hour + minutes * minute,
  };
}

function addAct({ store, acts }: Script, at: Instant, by: PersonRow, effect: (write: Write) => Promise<unknown>): void {
  acts.push({ at, happen: () => store.write({ actor: actorOf(by), at }, effect) });
}

interface Answer {
  readonly by: PersonRow;
  readonly at: Instant;
  readonly decision: Decision;
  readonly comment?: string;
}

const approvedBy = (by: PersonRow, at: Instant) => ({ answer: { by, at, decision: 'approve' as const } });

/**
 * A person asks for an absence, and an approver may answer. @returns a function that answers its id, once it is asked
 * for
 */
function tellAbsence(
  script: Script,
  person: PersonRow,
  [startDate, endDate]: readonly [LocalDate, LocalDate],
  requestedAt: Instant,
  {
    type = 'vacation',
    comment = null,
    answer,
  }: { readonly type?: string; readonly comment?: string | null; readonly answer?: Answer } = {},
): () => number {
  let id: number;
  addAct(script, requestedAt, person, async (write) => {
    const { absence: row } = await requestAbsence(write, {
      personId: person.id,
      companyId: person.company_id,
      draft: draftOf({ type, start_date: startDate, end_date: endDate, comment }),
      author: { kind: 'person', personId: person.id },
    });
    id = row.id;
  });
  if (answer !== undefined)
    addAct(script, answer.at, answer.by, (write) =>
      decideAbsence(write, { id, decision: answer.decision, decider: answer.by, comment: answer.comment }),
    );
  const counts =
    type !== 'home_office' && type !== 'business_trip' && (answer === undefined || answer.decision === 'approve');
  if (counts) script.away.set(person, (date) => date >= startDate && date <= endDate);
  return () => id;
}

function tellDecidedAbsences(script: Script, { today, workdayBefore, next, clock }: StoryDays): void {
  const { personNamed } = script;
  const [mia, lena] = [personNamed('Brandt'), personNamed('Krüger')];
  tellAbsence(
    script,
    personNamed('Meyer'),
    [workdayBefore(9), workdayBefore(5)],
    clock(workdayBefore(15), 9, 12),
    approvedBy(lena, clock(workdayBefore(15), 13, 40)),
  );
  tellAbsence(script, personNamed('Hansen'), [workdayBefore(8), workdayBefore(7)], clock(workdayBefore(8), 6, 41), {
    type: 'sickness',
    comment: 'Erkältung',
  });
  tellAbsence(script, personNamed('Demir'), [workdayBefore(1), addDays(today, 1)], clock(workdayBefore(1), 7, 3), {
    type: 'sickness',
  });
  tellAbsence(
    script,
    personNamed('Neumann'),
    [workdayBefore(1), next[4]!],
    clock(workdayBefore(13), 10, 20),
    approvedBy(mia, clock(workdayBefore(12), 8, 5)),
  );
  tellAbsence(script, personNamed('Wolff'), [workdayBefore(2), next[1]!], clock(workdayBefore(6), 11, 2), {
    type: 'business_trip',
    comment: 'Messe Hannover',
    ...approvedBy(lena, clock(workdayBefore(6), 15, 30)),
  });
  tellAbsence(script, personNamed('Yıldız'), [next[14]!, next[17]!], clock(workdayBefore(10), 14, 9), {
    answer: {
      by: lena,
      at: clock(workdayBefore(9), 9, 48),
      decision: 'reject',
      comment: 'In dieser Woche ist Inventur. Passt die Woche danach?',
    },
  });
  const cancelledAbsence = tellAbsence(
    script,
    personNamed('Sørensen'),
    [next[6]!, next[8]!],
    clock(workdayBefore(14), 16, 2),
    approvedBy(mia, clock(workdayBefore(13), 8, 15)),
  );
  addAct(script, clock(workdayBefore(1), 14, 3), personNamed('Sørensen'), (write) =>
    withdrawOrCancelAbsence(write, {
      id: cancelledAbsence(),
      access: { by: 'person', personId: personNamed('Sørensen').id },
    }),
  );
}

function tellWaitingRequests(script: Script, { workdayBefore, next, clock }: StoryDays): void {
  const { personNamed } = script;
  tellAbsence(script, personNamed('Petersen'), [next[9]!, next[10]!], clock(workdayBefore(2), 15, 21), {
    comment: 'Umzug',
  });
  tellAbsence(script, personNamed('Nguyen'), [next[10]!, next[12]!], clock(workdayBefore(1), 9, 55));
  tellAbsence(script, personNamed('Aziz'), [next[19]!, next[23]!], clock(workdayBefore(3), 13, 12));
  tellAbsence(script, personNamed('Ferrari'), [next[3]!, next[3]!], clock(workdayBefore(1), 16, 44), {
    type: 'overtime_reduction',
  });
  tellAbsence(script, personNamed('Schröder'), [next[7]!, next[8]!], clock(workdayBefore(2), 8, 31), {
    type: 'training',
    comment: 'Ladungssicherung',
  });
  tellAbsence(script, personNamed('Koch'), [next[1]!, next[2]!], clock(workdayBefore(1), 11, 18), {
    type: 'home_office',
  });
}

/**
 * Ole left through the yard, where there is no reader, and asks for a correction.
 * @returns the day
 */
function tellYardCorrection(script: Script, { workdayBefore, clock }: StoryDays): LocalDate {
  const ole = script.personNamed('Hansen');
  const date = workdayBefore(4);
  stampEntry(script, ole, clock(date, 7, 59), clock(date, 12, 24));
  addAct(script, clock(workdayBefore(3), 8, 12), ole, async (write) =>
    submitCorrection(write, {
      person: ole,
      by: ole,
      draft: {
        entryId: await entryOn(write, ole, date),
        times: {
          start: clock(date, 7, 59),
          end: clock(date, 16, 48),
          breaks: [{ start: clock(date, 12, 24), end: clock(date, 12, 56) }],
        },
      },
      reason: 'Über den Hof gegangen, dort ist kein Leser.',
    }),
  );
  return date;
}

/** Lina's break was corrected at once by Lena. @returns the day */
function tellForgottenBreak(script: Script, { workdayBefore, clock }: StoryDays): LocalDate {
  const lena = script.personNamed('Krüger');
  const lina = script.personNamed('Vogt');
  const date = workdayBefore(6);
  stampEntry(script, lina, clock(date, 8, 2), clock(date, 17, 9));
  addAct(script, clock(workdayBefore(5), 9, 30), lena, async (write) =>
    correctWithNotice(write, {
      person: lina,
      by: lena,
      draft: {
        entryId: await entryOn(write, lina, date),
        times: {
          start: clock(date, 8, 2),
          end: clock(date, 17, 9),
          breaks: [{ start: clock(date, 12, 15), end: clock(date, 12, 50) }],
        },
      },
      reason: 'Pause vergessen, telefonisch bestätigt.',
    }),
  );
  return date;
}

/** Tariq forgot to clock out yesterday. @returns the day */
function tellForgottenClockOut({ store, personNamed, acts }: Script, { workdayBefore, clock }: StoryDays): LocalDate {
  const yesterday = workdayBefore(1);
  acts.push(stampAct(store, personNamed('Aziz'), 'in', clock(yesterday, 7, 52)));
  return yesterday;
}

function stampEntry({ store, acts }: Script, person: PersonRow, start: Instant, end: Instant): void {
  acts.push(stampAct(store, person, 'in', start), stampAct(store, person, 'out', end));
}

/**
 * Visitors of the demo meet people at work, also on a Sunday night: a crew that began some hours ago, two of them on a
 * break, one just gone. The holders of badges are out: the door is theirs.
 */
function atWorkNow(
  store: Store,
  people: readonly PersonRow[],
  now: Instant,
  isAway: (person: PersonRow) => boolean,
): Act[] {
  const crew = people.slice(3).filter((person, index) => index % 2 === 1 && !isAway(person));
  return crew.slice(0, 14).flatMap((person, index) => {
    const start = now - 90 * minute - index * 7 * minute;
    const acts = [stampAct(store, person, 'in', start)];
    if (index % 6 === 2) acts.push(stampAct(store, person, 'break_start', now - (6 + index) * minute));
    if (index === 5) acts.push(stampAct(store, person, 'out', now - 3 * minute));
    return acts;
  });
}

async function entryOn(write: Write, person: PersonRow, date: LocalDate): Promise<EntryId> {
  const row = await write.get<{ id: EntryId }>(
    'SELECT id FROM time_entries WHERE person_id = :personId AND date = :date ORDER BY id LIMIT 1',
    { personId: person.id, date },
  );
  if (row === undefined) throw new Error(`${person.first_name} has no entry on ${date}`);
  return row.id;
}

/** mulberry32: the same story every time. @returns numbers from 0 to below 1 */
function randomOf(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
