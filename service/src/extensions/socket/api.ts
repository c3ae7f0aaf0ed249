import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import type { ExtensionCaller } from '../../people/caller.js';
import { Refusal } from '../../store/refusal.js';
import type { Connections } from './connections.js';

export function connectExtension({
  connections,
}: {
  readonly connections: Connections;
}): Handler<operations['connectExtension'], ExtensionCaller> {
  return async ({ caller, query, at, isHandshake, address, headers }) => {
    // RFC 9110 §15.5.22.
    if (!isHandshake)
      throw new Refusal('upgrade_required', { headers: { upgrade: 'websocket', connection: 'upgrade' } });
    return {
      status: 101,
      opened: await connections.admit(caller, query.after, at, { address, agent: headers['user-agent'] }),
    };
  };
}
