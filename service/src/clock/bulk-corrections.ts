/**
 * Corrections of several people's time in one transaction, as after the failure of a terminal: previewed, made with one
 * reason, and undone together. Each follows the rules of a single correction and has its own audit entry.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { refuseToDecideRequest } from '../absences/deciders/authority.js';
import { inLanguage } from '../people/language.js';
import { findPersonAnywhere, type PersonRow } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import type { CorrectionId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedMonth } from '../working-time/closed-months.js';
import { changeEntry } from './change-entry.js';
import { notifyOfCorrection } from './correction-notice.js';
import { type CorrectionRow, findCorrection, listVersions, type VersionRow } from './correction-rows.js';
import { correctWithoutNotice, type EntryDraft, validateDraft } from './corrections.js';
import { type EntryRow, findEntryAnywhere, lockClock, saveLastEnd, workWithin } from './rows.js';
import { listVersionsAt } from './team-entry-rows.js';
import { breakRulesOn, timeOf, writeBreaks } from './time-entry.js';
import { recordVersion } from './versions.js';

export interface PersonDraft {
  readonly personId: PersonId;
  readonly draft: EntryDraft;
}

/** The effect that a correction would have. */
export type Effect =
  | { readonly person: PersonRow; readonly entry: EntryRow | undefined; readonly workedMinutes: number }
  | { readonly refusal: string };

/** Judges each correction alone. Corrections of one request that overlap each other are refused when they are made. */
export async function previewCorrection(
  reader: Reader,
  {
    by,
    draftOf,
    personId,
  }: { readonly by: PersonRow; readonly personId: PersonId; readonly draftOf: () => EntryDraft },
  at: Instant,
): Promise<Effect> {
  try {
    const person = await findPersonAnywhere(reader, personId);
    if (person === undefined) throw new Refusal('not_found');
    await refuseToDecideRequest(reader, by, person, at);
    const draft = draftOf();
    const { entry } = await validateDraft(reader, person, draft, at);
    return { person, entry, workedMinutes: 'remove' in draft ? 0 : workedMinutesOf(draft.times) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.code };
    throw error;
  }
}

function workedMinutesOf({ start, end, breaks }: Extract<EntryDraft, { times: unknown }>['times']): number {
  return Math.floor(timeOf({ start_at: start, end_at: end, breaks: writeBreaks(breaks) }).worked / minute);
}

/**
 * Makes all corrections, in their order, or none. If the process dies, none is made. Each person gets one notice.
 * @throws Refusal of {@link correctWithoutNotice}, with the correction as `corrections[0]` in its details
 */
export async function correctAll(
  write: Write,
  { by, drafts, reason }: { readonly by: PersonRow; readonly drafts: readonly PersonDraft[]; readonly reason: string },
): Promise<CorrectionRow[]> {
  await write.lock({ people: [...new Set(drafts.map(({ personId }) => personId))] });
  const rows: CorrectionRow[] = [];
  const changesByPerson = new Map<PersonId, { readonly person: PersonRow; readonly dates: LocalDate[] }>();
  for (const [index, { personId, draft }] of drafts.entries()) {
    try {
      const person = await findPersonAnywhere(write, personId);
      if (person === undefined) throw new Refusal('not_found');
      const { correction, dates } = await correctWithoutNotice(write, { person, by, draft, reason });
      rows.push(correction);
      changesByPerson.set(personId, { person, dates: [...(changesByPerson.get(personId)?.dates ?? []), ...dates] });
    } catch (error) {
      throw error instanceof Refusal ? ofCorrection(index, error) : error;
    }
  }
  for (const { person, dates } of changesByPerson.values())
    await notifyOfCorrection(write, person, { by, dates, reason });
  return rows;
}

/** The refusal of one of several corrections. */
export function ofCorrection(index: number, { code, options }: Refusal): Refusal {
  const field = `corrections[${index}]`;
  const details = options.details?.map((detail) => ({ ...detail, field: `${field}.${detail.field}` }));
  return new Refusal(code, {
    details: details ?? [{ field, code: 'not_allowed', error: 'This correction is refused.' }],
  });
}

/**
 * Restores the entries as they were before corrections that `by` made immediately, with the zero-length entries that
 * these struck out. All corrections that `by` made of a person at the same instant are undone together.
 * @param ids corrections that `by` made
 * @returns the entries as they are now
 * @throws Refusal `not_found` one is missing, somebody else's, was requested by the person or is out of scope,
 * `entry_changed`, `month_closed`, `entry_overlap`
 */
export async function undoAll(
  write: Write,
  { ids, by }: { readonly ids: readonly CorrectionId[]; readonly by: PersonRow },
): Promise<EntryRow[]> {
  const corrections: CorrectionRow[] = [];
  for (const id of ids) {
    const correction = await findCorrection(write, id, allCompanies);
    if (correction?.requested_by !== by.id || correction.decided_by !== by.id) throw new Refusal('not_found');
    corrections.push(correction);
  }
  await write.lock({ people: [...new Set(corrections.map((correction) => correction.person_id))] });
  const undoneKeys = new Set<string>();
  const restoredEntries: EntryRow[] = [];
  for (const { person_id: personId, decided_at: at, reason } of corrections) {
    const key = `${personId} ${at}`;
    if (undoneKeys.has(key)) continue;
    undoneKeys.add(key);
    const person = await findPersonAnywhere(write, personId);
    if (person === undefined) throw new Refusal('not_found');
    const onBehalfOf = await refuseToDecideRequest(write, by, person, write.at);
    restoredEntries.push(...(await undoAt(write, person, { by, onBehalfOf, at: at!, reason })));
  }
  return restoredEntries;
}

interface UndoneChange {
  readonly by: PersonRow;
  /** The approver in whose place it is undone. */
  readonly onBehalfOf: PersonId | undefined;
  readonly at: Instant;
  readonly reason: string;
}

/** Undoes the changes that `by` made in the time of a person at one instant. The person gets a notice of that too. */
async function undoAt(
  write: Write,
  person: PersonRow,
  { by, onBehalfOf, at, reason }: UndoneChange,
): Promise<EntryRow[]> {
  const clock = await lockClock(write, person.id);
  const versions = await listVersionsAt(write, { by: by.id, at, people: [person.id] });
  const undoReason = inLanguage(person.language, { de: `Zurückgenommen: ${reason}`, en: `Undone: ${reason}` }).slice(
    0,
    maxReasonLength,
  );
  const restoredEntries: EntryRow[] = [];
  const dates: LocalDate[] = [];
  for (const first of firstOfEach(versions)) {
    const history = await listVersions(write, first.entry_id);
    const last = history.at(-1)!;
    if (last.at !== at || last.changed_by !== by.id) throw new Refusal('entry_changed');
    const before = (await findEntryAnywhere(write, first.entry_id))!;
    const earlierVersion = history.find(({ version }) => version === first.version - 1);
    const restoredValues = restoredTo(earlierVersion, person);
    for (const date of new Set([before.date, restoredValues.date ?? before.date])) {
      await refuseClosedMonth(write, person.company_id, date);
      dates.push(date);
    }
    const after = await changeEntry(write, { ...before, ...restoredValues, updated_at: write.at });
    const change = after.status === 'rejected' ? 'struck_out' : 'corrected';
    await recordVersion(write, {
      before,
      after,
      change,
      by: by.id,
      reason: undoReason,
      at: write.at,
    });
    await write.audit({
      companyId: person.company_id,
      action: `entry.${change}`,
      subject: `person ${person.id}`,
      details: {
        entry: after.id,
        because: 'undone',
        on_behalf_of: onBehalfOf,
      },
    });
    restoredEntries.push(after);
  }
  // Other work may have been recorded at the earlier times of these entries.
  for (const { id, status, start_at: start, end_at: end } of restoredEntries)
    if (
      status !== 'rejected' &&
      end !== null &&
      (await workWithin(write, { personId: person.id, start, end, except: id }))
    )
      throw new Refusal('entry_overlap');
  if (clock.state === 'out') await saveLastEnd(write, person.id);
  await notifyOfCorrection(write, person, { by, dates, reason: undoReason });
  return restoredEntries;
}

/** The contract's limit. */
const maxReasonLength = 1_000;

/** @param versions by entry and version */
function firstOfEach(versions: readonly VersionRow[]): VersionRow[] {
  return versions.filter(({ entry_id }, index) => versions[index - 1]?.entry_id !== entry_id);
}

/** @param version undefined: the entry was added and is struck out */
function restoredTo(version: VersionRow | undefined, person: PersonRow): Partial<EntryRow> & Pick<EntryRow, 'status'> {
  if (version === undefined) return { status: 'rejected' };
  const { start_at, end_at, breaks, stamps, status } = version;
  // The company's zone may be another one since.
  const date = localDateAt(start_at, person.time_zone);
  return {
    date,
    start_at,
    end_at,
    breaks,
    stamps,
    // The person has been clocked out since.
    status: status === 'open' ? 'clock_out_missing' : status,
    break_rules: breakRulesOn(person, date),
  };
}
