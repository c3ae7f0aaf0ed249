/** A request is stored, and those who decide about it get a notice. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { isWaiting, openRequest, type Request } from '../approvals/approvals.js';
import { listSubstitutesOf } from '../approvals/rows.js';
import type { PersonId } from '../ids.js';
import { companyAdmins, installationAdmins, notify } from '../notices/notices.js';
import { findPerson, listApprovers, type PersonRow } from '../people/rows.js';
import type { Write } from '../write/write.js';
import { isInForce } from './deciding.js';

export type Requester = Pick<PersonRow, 'id' | 'company_id' | 'department_id'>;

/** Of several stamps without a connection they hear once, until all of the person's are decided. */
export async function requestDecision(write: Write, person: Requester, request: Request): Promise<void> {
  const { kind, from, to } = request;
  const known = kind === 'offline_stamp' && (await isWaiting(write, person.id, kind));
  const { id: approval } = await openRequest(write, request);
  if (known) return;
  await notify(write, await decidersOf(write, person, write.at), {
    kind: 'request_waiting',
    approval,
    request: kind,
    person: person.id,
    from,
    to,
  });
}

/**
 * The approvers of a person, or else the admins of the company, or else those of the installation; with the substitutes
 * who decide in their place now. Never the person.
 */
async function decidersOf(
  reader: Reader,
  { id, company_id: companyId, department_id: departmentId }: Requester,
  at: Instant,
): Promise<PersonId[]> {
  const approvers = (await listApprovers(reader, companyId)).filter(
    ({ department_id: of }) => of === null || of === departmentId,
  );
  const choices: readonly (() => Promise<PersonId[]>)[] = [
    async () => approvers.map((approver) => approver.id),
    () => companyAdmins(reader, companyId),
    () => installationAdmins(reader),
  ];
  for (const choice of choices) {
    const deciders = new Set((await choice()).filter((decider) => decider !== id));
    if (deciders.size === 0) continue;
    for (const row of await listSubstitutesOf(reader, [...deciders])) {
      const scope = { company: row.company_id };
      const replaced = await findPerson(reader, row.person_id, scope);
      const substitute = await findPerson(reader, row.substitute_id, scope);
      if (substitute === undefined || substitute.active === 0 || substitute.id === id) continue;
      if (replaced !== undefined && (await isInForce(reader, row, replaced, at))) deciders.add(substitute.id);
    }
    return [...deciders];
  }
  return [];
}
