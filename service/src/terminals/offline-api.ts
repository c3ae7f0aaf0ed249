import type { ApiHandler } from '../http/handler.js';
import { needDataKey, refuseUnconfirmed } from './guard.js';
import { onceForNonce } from './request-signature.js';
import { storeOfflineStamps } from './upload-offline.js';

export const uploadOfflineStamps: ApiHandler<'uploadOfflineStamps'> = async ({ db, dataKey, caller, body, at }) => ({
  status: 200,
  body: await onceForNonce(db, caller, at, async (write) => {
    await refuseUnconfirmed(write, caller.terminal);
    return storeOfflineStamps(write, needDataKey(dataKey), caller.terminal, body.stamps);
  }),
});
