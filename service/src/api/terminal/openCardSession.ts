import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import { openCardSession as open } from '../../terminals/card-session.js';
import { onceForNonce, type TerminalCaller } from '../../terminals/request-signature.js';
import { needDataKey, presentCardAnswer, refuseUnconfirmed, type TerminalHandlerNeeds } from './door.js';

export function openCardSession({
  db,
  dataKey,
  randomBytes,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey' | 'randomBytes'>): Handler<
  operations['openCardSession'],
  TerminalCaller
> {
  return async ({ caller, body, at }) => {
    const answer = await onceForNonce(db, caller, at, async (tx) => {
      await refuseUnconfirmed(tx, caller.terminal);
      return open(
        tx,
        { dataKey: needDataKey(dataKey), randomBytes },
        caller.terminal,
        Buffer.from(body.uid, 'hex'),
        at,
      );
    });
    return { status: 200, body: presentCardAnswer(answer) };
  };
}
