import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import { onceForNonce, type TerminalCaller } from '../../terminals/request-signature.js';
import { endSession } from '../../terminals/rows.js';
import { refuseUnconfirmed, type TerminalHandlerNeeds } from './door.js';

export function endTerminalSession({
  db,
}: Pick<TerminalHandlerNeeds, 'db'>): Handler<operations['endTerminalSession'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    await onceForNonce(db, caller, at, async (tx) => {
      await refuseUnconfirmed(tx, caller.terminal);
      await endSession(tx, body.session, caller.terminal.id);
    });
    return { status: 204 };
  };
}
