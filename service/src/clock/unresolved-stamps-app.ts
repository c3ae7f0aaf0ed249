import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { approverScope } from '../absences/deciders/approver-scope.js';
import { requireAuthority, undecidableApprovers } from '../absences/deciders/authority.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf, personReference } from '../people/actor.js';
import { createZoneOf, findPerson, listNames } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import { listStampsOf, listUnresolvedStampRows, type UnresolvedStampRow } from './unresolved-stamp-rows.js';
import { acceptUnresolvedStamp, dismissUnresolvedStamps } from './unresolved-stamps.js';

export const listUnresolvedStamps: AppHandler<'listUnresolvedStamps'> = async ({
  db,
  cursors,
  caller,
  query: { state = 'waiting', company_id: companyId, cursor, limit = 100 },
  at,
}) => {
  const authority = await requireAuthority(db, caller.person, at);
  const scope = await approverScope(db, caller, { companyId }, authority);
  const binding = ['listUnresolvedStamps', caller.person.id, state, scope];
  const rows = await listUnresolvedStampRows(db, scope, {
    state,
    exceptPeople: [caller.person.id, ...(await undecidableApprovers(db, authority, caller.person))],
    afterId: cursor === undefined ? undefined : cursors.read<number>(binding, cursor),
    limit: limit + 1,
  });
  const stampsByRow = await present(db, rows);
  return {
    status: 200,
    body: pageOf(rows, limit, stampsByRow, (last) => cursors.write(binding, last.id)),
  };
};

export const listOwnUnresolvedStamps: AppHandler<'listOwnUnresolvedStamps'> = async ({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
}) => {
  const binding = ['listOwnUnresolvedStamps', person.id];
  const beforeId = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
  const rows = await listStampsOf(db, person.id, { beforeId, limit: limit + 1 });
  const stampsByRow = await present(db, rows, person.id);
  return {
    status: 200,
    body: pageOf(rows, limit, stampsByRow, (last) => cursors.write(binding, last.id)),
  };
};

export const takeUnresolvedStamp: AppHandler<'takeUnresolvedStamp'> = async ({
  db,
  caller: { person: by },
  path: { id },
  body,
  at,
}) => ({
  status: 200,
  body: await db.write({ actor: actorOf(by), at }, async (write) => {
    const acceptedRow = await acceptUnresolvedStamp(write, { id: numberIn(id, 'ust'), by, personId: body?.user_id });
    return (await present(write, [acceptedRow])).get(acceptedRow)!;
  }),
});

export const rejectUnresolvedStamps: AppHandler<'rejectUnresolvedStamps'> = async ({
  db,
  caller: { person: by },
  body: { ids, comment },
  at,
}) => {
  const numbers = ids.map((id) => numberIn(id, 'ust'));
  await db.write({ actor: actorOf(by), at }, (write) => dismissUnresolvedStamps(write, { ids: numbers, by, comment }));
  return { status: 204 };
};

/** @param readerId the person who reads their own stamps: the answer then hides other people */
async function present(
  reader: Reader,
  rows: readonly UnresolvedStampRow[],
  readerId?: PersonId,
): Promise<Map<UnresolvedStampRow, components['schemas']['UnresolvedStamp']>> {
  const names = await listNames(
    reader,
    rows.flatMap((row) => [row.person_id, row.taken_for, row.decided_by].filter((id) => id !== null)),
  );
  const reference = (id: PersonId) => personReference(id, names);
  const zoneOf = createZoneOf(reader);
  const isShown = (id: PersonId | null): id is PersonId => id !== null && (readerId === undefined || id === readerId);
  const stampsByRow = new Map<UnresolvedStampRow, components['schemas']['UnresolvedStamp']>();
  for (const row of rows) {
    const person = isShown(row.person_id)
      ? await findPerson(reader, row.person_id, { company: row.company_id })
      : undefined;
    stampsByRow.set(row, {
      id: `ust_${row.id}`,
      status: row.status,
      reason: row.reason,
      company_id: row.company_id,
      time_zone: await zoneOf(row.company_id),
      person: person === undefined ? undefined : reference(person.id),
      department:
        person?.department_id == null ? undefined : { id: person.department_id, name: person.department_name! },
      card: row.card_hash === null ? undefined : cardLabel(row.card_hash),
      action: row.action ?? undefined,
      at: formatInstant(row.stamped_at),
      terminal: { id: row.terminal_id, name: row.terminal_name },
      number: row.number,
      received_at: formatInstant(row.received_at),
      taken_for: isShown(row.taken_for) ? reference(row.taken_for) : undefined,
      decided_by: row.decided_by === null ? undefined : reference(row.decided_by),
      decided_at: formatInstant(row.decided_at),
      decision_comment: row.comment ?? undefined,
    });
  }
  return stampsByRow;
}

/** Six digits of a keyed hash: they tell cards apart and lead back to none. */
function cardLabel(hash: string): string {
  return hash.slice(0, 6).toUpperCase();
}
