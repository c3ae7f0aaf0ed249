/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */

import type { ApiHandler, ApiRequest } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { callerActor, callerKey, narrowedScope, onBehalfOf } from '../people/caller.js';
import { bindingOf } from '../store/scope.js';
import type { StampKind } from './clock-state.js';
import { listClocks } from './rows.js';
import { type ClockResult, stamp } from './stamp.js';
import { presentClock } from './time-entry.js';

async function stampForCaller(
  kind: StampKind,
  { db, caller, body, headers, at }: ApiRequest<'clockIn' | 'clockOut' | 'startBreak' | 'endBreak'>,
): Promise<{ readonly status: 200; readonly body: ClockResult }> {
  const key = headers['idempotency-key'];
  const result = await db.write({ actor: callerActor(caller), at }, (write) =>
    stamp(write, {
      ...onBehalfOf(caller, body?.user_id),
      kind,
      newDay: body !== undefined && 'new_day' in body && body.new_day === true,
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

export const clockIn: ApiHandler<'clockIn'> = (request) => stampForCaller('in', request);

export const clockOut: ApiHandler<'clockOut'> = (request) => stampForCaller('out', request);

export const startBreak: ApiHandler<'startBreak'> = (request) => stampForCaller('break_start', request);

export const endBreak: ApiHandler<'endBreak'> = (request) => stampForCaller('break_end', request);

export const listClockStates: ApiHandler<'listClockStates'> = async ({
  db,
  cursors,
  caller,
  query: { user_id: personId, company_id: companyId, state, cursor, limit = 100 },
}) => {
  const scope = await narrowedScope(db, caller, { companyId, personId });
  const binding = ['listClockStates', callerKey(caller), bindingOf(scope), state];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const rows = await listClocks(db, scope, { state, afterId, limit: limit + 1 });
  return { status: 200, body: pageOf(rows, limit, presentClock, (last) => cursors.write(binding, last.person_id)) };
};
