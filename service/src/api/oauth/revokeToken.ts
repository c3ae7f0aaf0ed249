import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import type { ClientCaller } from '../../oauth/client.js';
import { revoke } from '../../oauth/tokens.js';
import { noStore, refuseOtherClient } from './answers.js';

export function revokeToken({ db }: { readonly db: Database }): Handler<operations['revokeToken'], ClientCaller> {
  return async ({ caller, body, at }) => {
    refuseOtherClient(body, caller.clientId);
    await db.write((tx) => revoke(tx, caller, body.token, at));
    return { status: 200, headers: noStore };
  };
}
