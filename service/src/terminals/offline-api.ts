import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/service-types.js';
import { needDataKey, refuseUnconfirmed, type TerminalHandlerNeeds } from './guard.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import { uploadOfflineStamps as upload } from './upload-offline.js';

export function uploadOfflineStamps({
  db,
  dataKey,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey'>): Handler<operations['uploadOfflineStamps'], TerminalCaller> {
  return async ({ caller, body, at }) => ({
    status: 200,
    body: await onceForNonce(db, caller, at, async (write) => {
      await refuseUnconfirmed(write, caller.terminal);
      return upload(write, needDataKey(dataKey), caller.terminal, body.stamps);
    }),
  });
}
