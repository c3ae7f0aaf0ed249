/** The content of a closed month for each person, part by part, from the rows that closing has stored. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { listVacationTypes } from '../absences/closed-absence-rows.js';
import type { EntryRow } from '../clock/rows.js';
import { readBreaks } from '../clock/time-entry.js';
import type { ClosedDay, ClosedDays } from '../months/closed-days.js';
import { groupBy } from '../months/grouping.js';
import { signedDay } from '../months/sheets/month-sheet.js';
import { contentOf, digestOf } from '../months/sheets/sign-off.js';
import { nameOf } from '../people/actor.js';
import type { PersonId } from '../store/ids.js';
import { type Part, partText } from './month-proof.js';
import {
  type ClosedPersonRow,
  listBookingsOfMonth,
  listClosedPeople,
  listEntriesOfMonth,
  listSignOffsOfMonth,
  listSteps,
  type MonthSpan,
} from './rows.js';

/** A person under a commitment, with every part but the head, which depends on the attempt. */
export interface MonthOfPerson {
  readonly personId: PersonId;
  readonly personToken: string;
  readonly recordSalt: Buffer;
  readonly parts: readonly Part[];
}

/** Minutes, as in the part `figures`. */
export interface Figures {
  readonly target: number;
  readonly worked: number;
  readonly difference: number;
  readonly carried: number;
  readonly booked: number;
  readonly balance: number;
}

/** @param figuresOf as they are after closing, by the stored ones of the month alone */
export async function readMonths(
  reader: Reader,
  span: MonthSpan,
  companyName: string,
  figuresOf: (person: ClosedPersonRow) => Figures,
): Promise<MonthOfPerson[]> {
  const vacationTypes = await listVacationTypes(reader, span);
  const entries = groupBy(await listEntriesOfMonth(reader, span), (entry) => entry.person_id);
  const bookings = groupBy(await listBookingsOfMonth(reader, span), (booking) => booking.person_id);
  const signOffs = groupBy(await listSignOffsOfMonth(reader, span), (signOff) => signOff.person_id);
  const steps = (await listSteps(reader, span)).map(({ step, at, reason }) => ({
    step,
    at: formatInstant(at),
    reason,
  }));
  return (await listClosedPeople(reader, span)).map((person) => {
    const id = person.person_id;
    const { general, confidential = general } = JSON.parse(person.days) as ClosedDays;
    const personEntries = entries.get(id) ?? [];
    const digest = () =>
      digestOf({ personId: id, month: span.month }, contentOf(general.map((day) => signedDay(day, personEntries))));
    const contents: [string, object][] = [
      ['person', { name: nameOf(person), personnel_number: person.personnel_number, company: companyName }],
      ['figures', figuresOf(person)],
      ['bookings', (bookings.get(id) ?? []).map(({ date, kind, minutes }) => ({ date, kind, minutes }))],
      [
        'sign_offs',
        (signOffs.get(id) ?? []).map((signOff) => ({
          role: signOff.role,
          at: formatInstant(signOff.at),
          held: signOff.digest === digest(),
        })),
      ],
      ['steps', steps],
      ...confidential.map((day): [string, object] => [day.date, dayOf(day, personEntries, vacationTypes)]),
    ];
    return {
      personId: id,
      personToken: person.proof_token,
      recordSalt: Buffer.from(person.record_salt, 'hex'),
      parts: contents.map(([name, content]) => ({ name, text: partText(content) })),
    };
  });
}

/** No kind of absence but vacation: the file goes to strangers. */
function dayOf(day: ClosedDay, entries: readonly EntryRow[], vacationTypes: ReadonlySet<string>): object {
  return {
    worked: day.workedMinutes,
    paused: day.breakMinutes,
    target: day.due.scheduledMinutes - day.due.creditedMinutes,
    absences: day.absences.map(({ type, portion }) => ({
      category: vacationTypes.has(type) ? 'vacation' : 'other',
      halves: portion * 2,
    })),
    entries: entries
      .filter((entry) => entry.date === day.date)
      .map((entry) => ({
        start: formatInstant(entry.start_at),
        end: formatInstant(entry.end_at) ?? null,
        breaks: readBreaks(entry.breaks).map(({ start, end }) => ({
          start: formatInstant(start),
          end: formatInstant(end) ?? null,
        })),
        source: entry.source_kind,
        proof: entry.proof,
        state: entry.status,
      })),
  };
}
