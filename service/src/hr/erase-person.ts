import type { Reader } from '@clockproof/platform/database/database';
import { normalizeName } from '@clockproof/platform/text/name';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { nameOf } from '../people/actor.js';
import { type Admin, personBelow, personFor } from '../people/administered.js';
import type { PersonRow } from '../people/rows.js';
import { invalidField } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { presentSince, revealedTo } from '../working-time/evaluations.js';
import { erasePerson } from './erasure.js';
import { erasableFrom, type KeptRecords, readKeptRecords } from './kept-records.js';

/**
 * Erases a deactivated person. If the process stops before the commit, all their data exists; after it, none.
 * @param confirmName the person's name, typed by the admin
 * @param reason needed as long as records must be kept
 * @throws Refusal `not_found`, `forbidden`, `still_in_use`, `retention_running`, `invalid_request` another name
 */
export async function eraseRecordsOf(
  write: Write,
  admin: Admin,
  id: number,
  { confirmName, reason }: { readonly confirmName: string; readonly reason?: string | undefined },
): Promise<void> {
  const person = await personBelow(write, admin, id);
  if (confirmName !== normalizeName(nameOf(person)))
    throw invalidField('confirm_name', 'mismatch', 'Type the name of the person as it is shown.');
  await erasePerson(write, { personId: id, scope: { company: person.company_id }, reason });
}

export interface ErasurePreview {
  readonly person: PersonRow;
  readonly records: readonly KeptRecords[];
  /** Undefined: nothing has to be kept. */
  readonly possibleFrom: LocalDate | undefined;
}

/** @throws Refusal `not_found` */
export async function previewErasure(reader: Reader, admin: Admin, id: number, at: Instant): Promise<ErasurePreview> {
  const person = await personFor(reader, admin, id);
  const { presence } = await revealedTo(reader, admin.person.id, person);
  const records = await readKeptRecords(reader, person, presence ? undefined : presentSince(at));
  return { person, records, possibleFrom: erasableFrom(records, person, at) };
}
