/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */

import type { Reader } from '@clockproof/platform/database/database';
import type { EarlyRequest, ReadingAhead } from '@clockproof/platform/http/api';
import type { Handler, OperationRequest } from '@clockproof/platform/http/operation';
import type { StampKind } from '../../clocking/clock-state.js';
import { listClocks } from '../../clocking/rows.js';
import { type ClockResult, readAhead, stamp } from '../../clocking/stamp.js';
import { FactsAhead } from '../../clocking/stamp-rows.js';
import { presentClock } from '../../clocking/time-entry.js';
import type { OperationId } from '../../generated/contract.js';
import type { operations } from '../../generated/service-types.js';
import { bindingOf } from '../../tenant/scope.js';
import type { Store } from '../../write/write.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf } from '../shared/page.js';
import { type ApiCaller, callerActor, callerKey, holderOf, narrowedScope, onBehalfOf, sourceOf } from './caller.js';

type ClockOperation =
  | operations['clockIn']
  | operations['clockOut']
  | operations['startBreak']
  | operations['endBreak'];
async function stampForCaller(
  db: Store,
  kind: StampKind,
  { caller, body, headers, at, ahead }: OperationRequest<ClockOperation, ApiCaller>,
): Promise<{ readonly status: 200; readonly body: ClockResult }> {
  const key = headers['idempotency-key'];
  const result = await stamp(db, {
    ...onBehalfOf(caller, body?.user_id),
    kind,
    at,
    source: sourceOf(caller),
    actor: callerActor(caller),
    repeat: key === undefined ? undefined : { caller: callerKey(caller), key },
    ahead: ahead instanceof FactsAhead ? { facts: ahead, caller: callerKey(caller) } : undefined,
  });
  return { status: 200, body: result };
}

/** What the clock operations read while their caller is looked up. */
export function clockReadingAhead(db: Store): ReadingAhead | undefined {
  const { inOneMessage } = db;
  if (inOneMessage === undefined) return undefined;
  const ahead = (kind: StampKind) => (request: EarlyRequest) => {
    const { headers, body, at } = request;
    const holder = holderOf(headers, body?.['user_id'], at);
    const key = headers['idempotency-key'] as string | undefined;
    return holder && readAhead(db, holder, { kind, at, repeat: key === undefined ? undefined : { key } });
  };
  const operations = {
    clockIn: ahead('in'),
    clockOut: ahead('out'),
    startBreak: ahead('break_start'),
    endBreak: ahead('break_end'),
  } satisfies Partial<Record<OperationId, unknown>>;
  return { inOneMessage, operations };
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
