/** The first steps of every decision about a request. */
import { findPerson, type PersonRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { refuseToDecideRequest } from './authority.js';

interface Request {
  readonly person_id: PersonId;
  readonly company_id: CompanyId;
}

/**
 * Finds a request, asks whether it reaches the decider, locks its person, and finds it again: of two concurrent
 * decisions, the second finds it decided.
 * @returns the request under the lock, its person, and the approver in whose place it is decided, if any
 * @throws Refusal `not_found`, `own_request`, `already_decided`
 */
export async function openRequest<Row extends Request>(
  write: Write,
  by: PersonRow,
  find: () => Promise<Row | undefined>,
  isWaiting: (row: Row) => boolean,
): Promise<{ readonly request: Row; readonly person: PersonRow; readonly onBehalfOf: PersonId | undefined }> {
  const requestRow = await find();
  const person = requestRow && (await findPerson(write, requestRow.person_id, { company: requestRow.company_id }));
  if (person === undefined) throw new Refusal('not_found');
  const onBehalfOf = await refuseToDecideRequest(write, by, person, write.at);
  await write.lock({ people: [person.id] });
  const request = await find();
  if (request === undefined || !isWaiting(request)) throw new Refusal('already_decided');
  return { request, person, onBehalfOf };
}
