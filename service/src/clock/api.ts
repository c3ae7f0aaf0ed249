/** The common parts of the four clock operations: the person, the idempotency key, one transaction, the answer. */

import type { ApiHandler, ApiRequest } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { callerActor, callerKey, narrowedScope, onBehalfOf } from '../people/caller.js';
import { type RepeatableAnswer, runOnce } from '../store/idempotency.js';
import { bindingOf } from '../store/scope.js';
import type { StampKind } from './clock-state.js';
import { listClocks } from './rows.js';
import { type ClockResult, stamp } from './stamp.js';
import { presentClock } from './time-entry.js';

async function stampForCaller(
  kind: StampKind,
  { db, caller, body, headers, at }: ApiRequest<'clockIn' | 'clockOut' | 'startBreak' | 'endBreak'>,
): Promise<{
  readonly status: 200;
  readonly headers: RepeatableAnswer<ClockResult>['headers'];
  readonly body: ClockResult;
}> {
  const person = onBehalfOf(caller, body?.user_id);
  const newDay = body !== undefined && 'new_day' in body && body.new_day === true;
  const request = {
    caller: callerKey(caller),
    key: headers['idempotency-key'],
    content: `clock.${kind} ${person.personId}${newDay ? ' new_day' : ''}`,
  };
  const { answer, headers: replayed } = await db.write({ actor: callerActor(caller), at }, (write) =>
    runOnce(write, request, () =>
      stamp(write, {
        ...person,
        kind,
        newDay,
        source: {
          kind: caller.kind === 'link' ? 'personal_link' : 'extension',
          id: callerKey(caller),
          name: caller.name,
        },
      }),
    ),
  );
  return { status: 200, headers: replayed, body: answer };
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
