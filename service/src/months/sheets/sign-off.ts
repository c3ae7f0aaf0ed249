/** Signing off a month: the signed content, the validity of a sign-off, and the next signer. Pure. */
import { createHash } from 'node:crypto';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';

/** The content of an entry in a sign-off: start, end (null if there is none), breaks, and whether it counts yet. */
export type SignedEntry = readonly [
  start: Instant,
  end: Instant | null,
  breaks: string,
  state: 'counts' | 'open' | 'pending',
];

/** The content of a day in a sign-off. It has no names and words: a person may marry, a type be renamed. */
export interface SignedDay {
  readonly date: LocalDate;
  readonly worked: number;
  readonly paused: number;
  readonly target: number;
  /** Keys of the kinds of absence, with `/2` for half a day. */
  readonly absences: readonly string[];
  readonly entries: readonly SignedEntry[];
}

/** The text whose SHA-256 is the digest. It is stored with the sign-off. */
export function contentOf(days: readonly SignedDay[]): string {
  return JSON.stringify(
    days.map(({ date, worked, paused, target, absences, entries }) => ({
      date,
      worked,
      paused,
      target,
      absences: [...absences].sort(),
      entries,
    })),
  );
}

/** @param owner the person and month: the same content of another person or month has another digest */
export function digestOf(owner: { readonly personId: number; readonly month: string }, content: string): string {
  return createHash('sha256').update(`clockproof sheet 1\n${owner.personId}\n${owner.month}\n${content}`).digest('hex');
}

export type SignOffRole = 'person' | 'approver';

export interface SignOff {
  readonly role: SignOffRole;
  readonly digest: string;
  readonly content: string;
}

export interface DayChange {
  readonly date: LocalDate;
  readonly before: SignedDay | undefined;
  readonly now: SignedDay | undefined;
}

/** The days in which two contents differ, in order. */
export function changesBetween(before: string, now: string): DayChange[] {
  const [previousDays, presentDays] = [daysOf(before), daysOf(now)];
  const dates = [...new Set([...previousDays.keys(), ...presentDays.keys()])].sort();
  return dates.flatMap((date) => {
    const [previousDay, presentDay] = [previousDays.get(date), presentDays.get(date)];
    return JSON.stringify(previousDay) === JSON.stringify(presentDay)
      ? []
      : [{ date, before: previousDay, now: presentDay }];
  });
}

const daysOf = (content: string) => new Map((JSON.parse(content) as SignedDay[]).map((day) => [day.date, day]));

/** The reason why a sheet cannot be signed off; undefined if it can. */
export type Obstacle = 'not_over' | 'open_entries' | 'already_signed' | 'person_first';

/**
 * The person signs first, the approver signs the same content. A sign-off whose digest is not that of the sheet as it
 * stands is void and counts as none, so that the next one begins again with the person.
 */
export function obstacleTo(
  role: SignOffRole,
  sheet: {
    readonly over: boolean;
    readonly days: readonly SignedDay[];
    readonly digest: string;
    readonly signOffs: readonly Pick<SignOff, 'role' | 'digest'>[];
  },
): Obstacle | undefined {
  if (!sheet.over) return 'not_over';
  if (sheet.days.some((day) => day.entries.some(([, , , state]) => state !== 'counts'))) return 'open_entries';
  const hasSigned = (by: SignOffRole) =>
    sheet.signOffs.some((signOff) => signOff.role === by && signOff.digest === sheet.digest);
  if (hasSigned(role)) return 'already_signed';
  return role === 'approver' && !hasSigned('person') ? 'person_first' : undefined;
}
