/**
 * Erases a person: deletes their data from every table. Only ids and times remain: in the lists of removals for 90
 * days, and in the audit log, which never contained more than ids.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { lockAbsences } from '../absences/rows.js';
import { type Actor, appendAudit } from '../audit/audit.js';
import { lockClock } from '../clocking/rows.js';
import { appendEvent, takeSequence } from '../events/events.js';
import type { components } from '../generated/service-types.js';
import type { PersonId } from '../ids.js';
import { findPerson } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { CompanyScope } from '../tenant/scope.js';
import { eraseAuthorship, eraseRows } from './personal-data.js';
import { forgetRemovals, insertRemoval, removeEntries } from './removals.js';

/**
 * @param scope the company whose people the caller may erase, or all
 * @throws Refusal `not_found`, `still_in_use` the person has not been deactivated
 */
export async function erasePerson(
  tx: Transaction,
  {
    personId,
    scope,
    actor,
    at,
  }: { readonly personId: PersonId; readonly scope: CompanyScope; readonly actor: Actor; readonly at: Instant },
): Promise<void> {
  const known = await findPerson(tx, personId, scope);
  if (known === undefined) throw new Refusal('not_found');
  // Takes the same locks in the same order as a stamp and an absence, so that nothing writes the person's data
  // meanwhile.
  await lockClock(tx, personId, known.company_id, at);
  await lockAbsences(tx, personId);
  const person = await findPerson(tx, personId, scope);
  if (person === undefined) throw new Refusal('not_found');
  if (person.active === 1) throw new Refusal('still_in_use');

  const removed = { company_id: person.company_id, person_id: null, removed_at: at };
  const absences = await tx.all<{ id: number }>('SELECT id FROM absences WHERE person_id = :personId ORDER BY id', {
    personId,
  });
  await eraseAuthorship(tx, person);
  for (const { id } of absences) {
    const changed = await takeSequence(tx);
    await insertRemoval(tx, { kind: 'absence', id, changed, ...removed });
    const data: components['schemas']['RemovedLeave'] = {
      id,
      company_id: person.company_id,
      removed_at: formatInstant(at),
    };
    await appendEvent(tx, changed, { type: 'leave.removed', at, companyId: person.company_id, data });
  }
  const changed = await takeSequence(tx);
  await removeEntries(tx, personId, at, changed);
  await insertRemoval(tx, { kind: 'person', id: personId, changed, ...removed });
  await forgetRemovals(tx, at);
  await eraseRows(tx, personId);
  await appendAudit(tx, {
    at,
    companyId: person.company_id,
    actor,
    action: 'person.erased',
    subject: `person ${personId}`,
    details: { absences: absences.length },
  });
}
