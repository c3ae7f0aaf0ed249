import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { createInvitation } from '../../sign-in/one-time-links.js';
import { actorOf, administeredCompany, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function invitePerson({
  db,
  baseUrl,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'baseUrl' | 'randomBytes'>): Handler<operations['invitePerson'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const { token, expiresAt } = await db.write(async (tx) => {
      const person = await findPerson(tx, id, administeredCompany(caller));
      if (person === undefined) throw new Refusal('not_found');
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (
        person.active === 0 ||
        (person.employment_end !== null && person.employment_end < localDateAt(at, person.time_zone))
      )
        throw new Refusal('employment_ended');
      return createInvitation(
        tx,
        { personId: person.id, companyId: person.company_id },
        actorOf(caller),
        randomBytes,
        at,
      );
    });
    return { status: 201, body: { url: `${baseUrl}/invitation#${token}`, expires_at: formatInstant(expiresAt) } };
  };
}

/** Whoever sets another's password could act as them: only a super admin may do so for a super admin. */
export function reachesFurther(theirs: PersonCaller['person']['role'], own: PersonCaller['person']['role']): boolean {
  return theirs === 'super_admin' && own !== 'super_admin';
}
