import type { components } from '../generated/app-types.js';
import type { AppHandler, AppRequest } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import type { StampKind } from './clock-state.js';
import { stamp } from './stamp.js';

async function clockMyself(
  kind: StampKind,
  { db, caller, at }: Pick<AppRequest<'clockMyselfIn'>, 'db' | 'caller' | 'at'>,
): Promise<{ readonly status: 200; readonly body: components['schemas']['OwnStamp'] }> {
  const { id: personId, company_id: companyId } = caller.person;
  const { clock_state, server_time, warnings } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    stamp(write, { personId, companyId, kind, source: { kind: 'web' } }),
  );
  return { status: 200, body: { clock_state, server_time, warnings } };
}

export const clockMyselfIn: AppHandler<'clockMyselfIn'> = (request) => clockMyself('in', request);

export const clockMyselfOut: AppHandler<'clockMyselfOut'> = (request) => clockMyself('out', request);

export const startMyBreak: AppHandler<'startMyBreak'> = (request) => clockMyself('break_start', request);

export const endMyBreak: AppHandler<'endMyBreak'> = (request) => clockMyself('break_end', request);
