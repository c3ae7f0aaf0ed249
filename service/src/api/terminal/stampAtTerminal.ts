import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/service-types.js';
import type { TerminalCaller } from '../../terminals/request-signature.js';
import { stampAtTerminal as stamp } from '../../terminals/stamp-at-terminal.js';
import { needDataKey, refuseUnconfirmed, type TerminalHandlerNeeds } from './door.js';

export function stampAtTerminal({
  db,
  dataKey,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey'>): Handler<operations['stampAtTerminal'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    const { clock, warnings } = await stamp(db, needDataKey(dataKey), caller, body, at, (tx) =>
      refuseUnconfirmed(tx, caller.terminal),
    );
    return {
      status: 200,
      body: {
        state: clock.state,
        since: formatInstant(clock.break_since ?? clock.since!),
        server_time: formatInstant(at),
        warnings: [...warnings],
      },
    };
  };
}
