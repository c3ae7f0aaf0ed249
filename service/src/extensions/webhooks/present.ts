import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { ExtensionId } from '../../store/ids.js';
import { countWaiting, findEndpoint } from './delivery-rows.js';

type Schemas = components['schemas'];

/** The state of an extension's deliveries; undefined if it never had a webhook address. */
export async function presentEndpoint(reader: Reader, id: ExtensionId): Promise<Schemas['DeliveryState'] | undefined> {
  const endpoint = await findEndpoint(reader, id);
  if (endpoint === undefined) return undefined;
  const { disabled_at: disabledAt, disabled_why: why, failing_since: failingSince } = endpoint;
  return {
    state: disabledAt !== null ? 'disabled' : failingSince !== null ? 'failing' : 'ok',
    waiting: await countWaiting(reader, id),
    failing_since: formatInstant(failingSince),
    disabled_at: formatInstant(disabledAt),
    disabled_because: why ?? undefined,
    last_delivered_at: formatInstant(endpoint.last_delivered_at),
  };
}
