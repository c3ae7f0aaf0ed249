/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */
import type { Database, Reader } from '@clockproof/platform/database/database';
import type { Handler, OperationRequest } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { StampKind } from '../../clocking/clock-state.js';
import { presentClock, presentEntry } from '../../clocking/present.js';
import { listClocks } from '../../clocking/rows.js';
import { stamp } from '../../clocking/stamp.js';
import type { components, operations } from '../../generated/service-types.js';
import { once } from '../../idempotency/idempotency.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf } from '../shared/page.js';
import { type ApiCaller, actingFor, actorOf, callerKey, sourceOf } from '../shared/subject.js';
import { narrowedScope } from '../shared/tenant-scope.js';

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
        const person = await findPerson(tx, personId, { company: companyId });
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

export function clockIn({ db }: { readonly db: Database }): Handler<operations['clockIn'], ApiCaller> {
  return (request) => stampForCaller(db, 'in', request);
}

export function clockOut({ db }: { readonly db: Database }): Handler<operations['clockOut'], ApiCaller> {
  return (request) => stampForCaller(db, 'out', request);
}

export function startBreak({ db }: { readonly db: Database }): Handler<operations['startBreak'], ApiCaller> {
  return (request) => stampForCaller(db, 'break_start', request);
}

export function endBreak({ db }: { readonly db: Database }): Handler<operations['endBreak'], ApiCaller> {
  return (request) => stampForCaller(db, 'break_end', request);
}

export function listClockStates({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listClockStates'], ApiCaller> {
  return async ({ caller, query: { user_id: personId, company_id: companyId, state, cursor, limit = 100 } }) => {
    const scope = await narrowedScope(db, caller, { companyId, personId });
    const binding = ['listClockStates', callerKey(caller), scope, state];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listClocks(db, scope, { state, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentClock, (last) => cursors.write(binding, last.person_id)) };
  };
}
