/** The substitutes who decide requests in the place of an approver. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { numberIn } from '../../http/prefixed-id.js';
import { actorOf, personReference } from '../../people/actor.js';
import { findPerson, listNames } from '../../people/rows.js';
import { isInForce } from './authority.js';
import { listCandidates, listSubstituteRows, type SubstituteRow } from './substitute-rows.js';
import { addSubstitute, endSubstitution } from './substitutes.js';

export const listMySubstitutes: AppHandler<'listMySubstitutes'> = async ({ db, caller, at }) => {
  const rows = await listSubstituteRows(db, caller.person);
  return { status: 200, body: { data: await presentSubstitutes(db, rows, at) } };
};

export const nameSubstitute: AppHandler<'nameSubstitute'> = ({ db, caller, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const row = await addSubstitute(write, caller.person, {
      substituteId: body.user_id,
      from: body.start_date,
      to: body.end_date,
    });
    return { status: 201, body: (await presentSubstitutes(write, [row], at))[0]! };
  });

export const removeSubstitute: AppHandler<'removeSubstitute'> = async ({ db, caller, path: { id }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    endSubstitution(write, caller.person, numberIn(id, 'sub')),
  );
  return { status: 204 };
};

export const listSubstituteCandidates: AppHandler<'listSubstituteCandidates'> = async ({ db, caller }) => ({
  status: 200,
  body: { data: await listCandidates(db, caller.person) },
});

async function presentSubstitutes(
  reader: Reader,
  rows: readonly SubstituteRow[],
  at: Instant,
): Promise<components['schemas']['Substitute'][]> {
  const names = await listNames(
    reader,
    rows.flatMap((row) => [row.person_id, row.substitute_id]),
  );
  const reference = (id: number) => personReference(id, names);
  const substitutes: components['schemas']['Substitute'][] = [];
  for (const row of rows) {
    const approver = await findPerson(reader, row.person_id, { company: row.company_id });
    substitutes.push({
      id: `sub_${row.id}`,
      approver: reference(row.person_id),
      substitute: reference(row.substitute_id),
      start_date: row.from_date ?? undefined,
      end_date: row.to_date ?? undefined,
      in_force: approver !== undefined && (await isInForce(reader, row, approver, at)),
    });
  }
  return substitutes;
}
