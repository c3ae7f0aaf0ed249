import type { ApiHandler } from '../../http/handler.js';
import { Refusal } from '../../store/refusal.js';

export const connectExtension: ApiHandler<'connectExtension'> = async ({
  connections,
  caller,
  query,
  at,
  isHandshake,
  address,
  headers,
}) => {
  // RFC 9110 §15.5.22.
  if (!isHandshake) throw new Refusal('upgrade_required', { headers: { upgrade: 'websocket', connection: 'upgrade' } });
  return {
    status: 101,
    opened: await connections.admit(caller, query.after, at, { address, agent: headers['user-agent'] }),
  };
};
