/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */
import type { Database } from '@clockproof/platform/database/database';
import type { OperationRequest } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { StampKind } from '../../clocking/clock-state.js';
import { presentClock, presentEntry } from '../../clocking/present.js';
import { stamp } from '../../clocking/stamp.js';
import type { components, operations } from '../../generated/service-types.js';
import { once } from '../../idempotency/idempotency.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { type ApiCaller, actingFor, actorOf, callerKey, sourceOf } from '../acting.js';

type ClockOperation =
  | operations['clockIn']
  | operations['clockOut']
  | operations['startBreak']
  | operations['endBreak'];
type ClockResult = components['schemas']['ClockResult'];

export async function stampForCaller(
  db: Database,
  kind: StampKind,
  { caller, body, headers, at }: OperationRequest<ClockOperation, ApiCaller>,
): Promise<{ readonly status: 200; readonly body: ClockResult }> {
  const { personId, companyId } = actingFor(caller, body?.user_id);
  // If the process stops before the commit nothing has happened; after it the entry, its audit entry, its event and the
  // remembered answer all stand.
  const result = await db.write((tx) =>
    once<ClockResult>(
      tx,
      { caller: callerKey(caller), key: headers['idempotency-key'], content: `clock.${kind} ${personId}`, at },
      async () => {
        const person = await findPerson(tx, personId, companyId);
        if (person === undefined) throw new Refusal('not_found');
        const { clock, entry, warnings } = await stamp(tx, {
          person,
          kind,
          at,
          source: sourceOf(caller),
          actor: actorOf(caller),
        });
        return {
          clock_state: presentClock(clock),
          time_entry: presentEntry(entry),
          server_time: formatInstant(at),
          warnings: [...warnings],
        };
      },
    ),
  );
  return { status: 200, body: result };
}
