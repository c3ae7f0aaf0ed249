import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { listAbsenceIds } from '../absences/rows.js';
import { listEntryIds } from '../clock/rows.js';
import { recordRemoval } from '../people/removals.js';
import { findPerson } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { CompanyScope } from '../store/scope.js';
import type { Write } from '../store/write.js';
import { erasableFrom, type KeptRecords, readKeptRecords } from './kept-records.js';
import { eraseAuthorship, eraseRows } from './personal-data.js';

/**
 * @param scope the company whose people the caller may erase, or all
 * @param reason for erasing records that the law still requires; it stands in the audit log
 * @throws Refusal `not_found`, `still_in_use` the person has not been deactivated, `retention_running` records must
 * still be kept and there is no reason
 */
export async function erasePerson(
  write: Write,
  {
    personId,
    scope,
    reason,
  }: { readonly personId: PersonId; readonly scope: CompanyScope; readonly reason?: string | undefined },
): Promise<void> {
  const { at } = write;
  await write.lock({ installation: true, people: [personId] });
  const person = await findPerson(write, personId, scope);
  if (person === undefined) throw new Refusal('not_found');
  if (person.active === 1) throw new Refusal('still_in_use');
  const records = await readKeptRecords(write, person);
  const possibleFrom = erasableFrom(records, person, at);
  if (possibleFrom !== undefined && reason === undefined) throw retentionRunning(records, possibleFrom);

  const companyId = person.company_id;
  const absences = await listAbsenceIds(write, personId);
  await eraseAuthorship(write, person);
  for (const id of absences) await recordRemoval(write, { kind: 'absence', id, companyId });
  for (const id of await listEntryIds(write, personId))
    await recordRemoval(write, { kind: 'time_entry', id, companyId });
  await recordRemoval(write, { kind: 'person', id: personId, companyId });
  await eraseRows(write, personId);
  await write.audit({
    companyId,
    action: 'person.erased',
    subject: `person ${personId}`,
    details:
      possibleFrom === undefined || reason === undefined ? {} : { retained_until: addDays(possibleFrom, -1), reason },
  });
}

function retentionRunning(records: readonly KeptRecords[], possibleFrom: LocalDate): Refusal {
  const clauses = [...new Set(records.flatMap((record) => record.clauses))].join(', ');
  const error = `${clauses}: the records can be erased from ${possibleFrom} on, or now with a reason.`;
  return new Refusal('retention_running', { details: [{ field: 'reason', code: 'required', error }] });
}
