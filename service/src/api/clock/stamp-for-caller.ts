/** What the four clock operations share: whom the caller acts for, the idempotency key, one transaction, the answer. */
import type { Database } from '@clockproof/platform/database/database';
import type { OperationRequest } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { StampKind } from '../../clocking/clock-state.js';
import { presentClock, presentEntry } from '../../clocking/present.js';
import { stamp } from '../../clocking/stamp.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { components, operations } from '../../generated/service-types.js';
import { once } from '../../idempotency/idempotency.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { invalid } from '../page.js';

type ClockOperation = operations['clockIn'] | operations['clockOut'] | operations['startBreak'] | operations['endBreak'];
type ClockResult = components['schemas']['ClockResult'];

export async function stampForCaller(db: Database, kind: StampKind, { caller, body, headers, at }: OperationRequest<ClockOperation, ExtensionCaller>): Promise<{ readonly status: 200; readonly body: ClockResult }> {
  if (!caller.actsForEveryone || caller.companyId === null) throw new Refusal('company_mismatch');
  const personId = body?.user_id;
  if (personId === undefined) throw invalid('user_id', 'A company key names the person.', 'missing');
  // If the process stops before the commit nothing has happened; after it the entry, its audit entry, its event and the remembered answer all stand.
  const result = await db.write((tx) => once<ClockResult>(tx, { caller: caller.extensionId, key: headers['idempotency-key'], content: `clock.${kind} ${personId}`, at }, async () => {
    const person = await findPerson(tx, personId, caller.companyId);
    if (person === undefined) throw new Refusal('not_found');
    const { clock, entry, warnings } = await stamp(tx, {
      person, kind, at,
      source: { kind: 'extension', id: caller.extensionId, name: caller.name },
      actor: { kind: 'extension', id: caller.extensionId, name: caller.name },
    });
    return { clock_state: presentClock(clock), time_entry: presentEntry(entry), server_time: formatInstant(at), warnings: [...warnings] };
  }));
  return { status: 200, body: result };
}
