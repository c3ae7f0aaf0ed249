/**
 * The four clock operations of the pages: the person stamps for themselves, by the same rule as through every other
 * entry point.
 */

import type { Handler } from '@clockproof/platform/http/operation';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import type { Store } from '../store/write.js';
import type { StampKind } from './clock-state.js';
import { stamp } from './stamp.js';

async function clockMyself(
  db: Store,
  kind: StampKind,
  { caller, at }: { readonly caller: PersonCaller; readonly at: Instant },
): Promise<{ readonly status: 200; readonly body: components['schemas']['OwnStamp'] }> {
  const { id: personId, company_id: companyId } = caller.person;
  const { clock_state, server_time, warnings } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    stamp(write, { personId, companyId, kind, source: { kind: 'web' } }),
  );
  return { status: 200, body: { clock_state, server_time, warnings } };
}

export function clockMyselfIn({ db }: Pick<AppNeeds, 'db'>): Handler<operations['clockMyselfIn'], PersonCaller> {
  return (request) => clockMyself(db, 'in', request);
}

export function clockMyselfOut({ db }: Pick<AppNeeds, 'db'>): Handler<operations['clockMyselfOut'], PersonCaller> {
  return (request) => clockMyself(db, 'out', request);
}

export function startMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['startMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_start', request);
}

export function endMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_end', request);
}
