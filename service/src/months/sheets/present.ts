/** A sheet in the form of the pages' API. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Viewer } from '../../absences/deciders/approver-scope.js';
import { presentEntry } from '../../clock/time-entry.js';
import type { components } from '../../generated/app-types.js';
import { erasedPersonName } from '../../people/actor.js';
import { listNamesInMonth } from '../closed-people-rows.js';
import { presentDay, presentMonth } from '../present.js';
import { type MonthSheet, obstacleOf } from './month-sheet.js';
import { changesBetween, type DayChange } from './sign-off.js';

type Schemas = components['schemas'];

/** With the zone of the company, in which the times of the document and the table are written. */
export type PresentedSheet = Schemas['MonthSheet'] & { readonly time_zone: ZoneName };

/**
 * @param caller the reader, for the language and the right to sign it off
 * @param viewer their view of the person
 */
export async function presentSheet(
  reader: Reader,
  sheet: MonthSheet,
  caller: { readonly id: number; readonly language: string },
  viewer: Viewer,
): Promise<PresentedSheet> {
  const { person, head, month, corrections, reopenings, signOffs, root } = sheet;
  const names = await listNamesInMonth(reader, { companyId: person.company_id, month }, [
    ...corrections.flatMap(({ changed_by }) => (changed_by === null ? [] : [changed_by])),
    ...reopenings.flatMap(({ person_id }) => (person_id === null ? [] : [person_id])),
    ...signOffs.map(({ signed_by }) => signed_by),
  ]);
  const nameFor = (id: number | null, otherwise: string | null = null) =>
    id === null ? (otherwise ?? erasedPersonName) : (names.get(id) ?? erasedPersonName);
  return {
    person: { id: person.id, name: head.name },
    personnel_number: head.personnelNumber ?? undefined,
    company: head.companyName,
    month,
    time_zone: head.timeZone,
    balance: viewer.balances ? presentMonth(sheet.balance) : undefined,
    days: sheet.days.map((day) => presentDay(day, caller.language, viewer)),
    entries: sheet.entries.map(presentEntry),
    corrections: corrections.map(({ date, entry_id, at, changed_by, source_name, change, reason }) => ({
      date,
      entry_id,
      at: formatInstant(at),
      by: nameFor(changed_by, source_name),
      change: change as Schemas['SheetCorrection']['change'],
      reason: reason ?? undefined,
    })),
    digest: sheet.digest,
    sign_offs: signOffs.map(({ role, signed_by, at, digest, content }) => ({
      role,
      by: { id: signed_by, name: nameFor(signed_by) },
      at: formatInstant(at),
      valid: digest === sheet.digest,
      changes: digest === sheet.digest ? [] : changesBetween(content, sheet.content).map(presentChange),
    })),
    reopenings: reopenings.map(({ at, person_id, reason }) => ({
      at: formatInstant(at),
      by: nameFor(person_id),
      reason: reason ?? undefined,
    })),
    can_sign_off: obstacleOf(sheet, caller.id === person.id ? 'person' : 'approver') === undefined,
    // The token of a person names the owner of a file without a name.
    proof: root && {
      ...root,
      person_token: caller.id === person.id ? root.person_token : undefined,
      sender: root.sender ?? undefined,
    },
  };
}

function presentChange({ date, before, now }: DayChange): Schemas['SheetChange'] {
  return {
    date,
    worked_before: before?.worked ?? 0,
    worked_now: now?.worked ?? 0,
    target_before: before?.target ?? 0,
    target_now: now?.target ?? 0,
  };
}
