/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Handler, OperationRequest } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/service-types.js';
import type { Cursors } from '../http/cursor.js';
import { pageOf } from '../http/page.js';
import { type ApiCaller, callerActor, callerKey, narrowedScope, onBehalfOf } from '../people/caller.js';
import { bindingOf } from '../store/scope.js';
import type { Store } from '../store/write.js';
import type { StampKind } from './clock-state.js';
import { listClocks } from './rows.js';
import { type ClockResult, stamp } from './stamp.js';
import { presentClock } from './time-entry.js';

type ClockOperation =
  | operations['clockIn']
  | operations['clockOut']
  | operations['startBreak']
  | operations['endBreak'];
async function stampForCaller(
  db: Store,
  kind: StampKind,
  { caller, body, headers, at }: OperationRequest<ClockOperation, ApiCaller>,
): Promise<{ readonly status: 200; readonly body: ClockResult }> {
  const key = headers['idempotency-key'];
  const result = await db.write({ actor: callerActor(caller), at }, (write) =>
    stamp(write, {
      ...onBehalfOf(caller, body?.user_id),
      kind,
      source: {
        kind: caller.kind === 'link' ? 'personal_link' : 'extension',
        id: callerKey(caller),
        name: caller.name,
      },
      repeat: key === undefined ? undefined : { caller: callerKey(caller), key },
    }),
  );
  return { status: 200, body: result };
}

export function clockIn({ db }: { readonly db: Store }): Handler<operations['clockIn'], ApiCaller> {
  return (request) => stampForCaller(db, 'in', request);
}

export function clockOut({ db }: { readonly db: Store }): Handler<operations['clockOut'], ApiCaller> {
  return (request) => stampForCaller(db, 'out', request);
}

export function startBreak({ db }: { readonly db: Store }): Handler<operations['startBreak'], ApiCaller> {
  return (request) => stampForCaller(db, 'break_start', request);
}

export function endBreak({ db }: { readonly db: Store }): Handler<operations['endBreak'], ApiCaller> {
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
    const binding = ['listClockStates', callerKey(caller), bindingOf(scope), state];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listClocks(db, scope, { state, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentClock, (last) => cursors.write(binding, last.person_id)) };
  };
}
