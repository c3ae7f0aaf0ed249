import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/service-types.js';
import { Refusal } from '../../refusal.js';
import { pairTerminal as pair } from '../../terminals/pairing.js';
import type { Anyone } from '../caller.js';
import { refuseWithoutTerminals, type TerminalHandlerNeeds } from './door.js';

export function pairTerminal({
  db,
  hashPairingCode,
}: Pick<TerminalHandlerNeeds, 'db' | 'hashPairingCode'>): Handler<operations['pairTerminal'], Anyone> {
  return async ({ body, at }) => {
    await refuseWithoutTerminals(db);
    const pairing = await db.write((tx) =>
      pair(tx, { code: body.code, publicKey: body.public_key, device: body.device }, at, hashPairingCode),
    );
    if ('refused' in pairing) throw new Refusal(pairing.refused, { secretTried: true });
    return {
      status: 201,
      body: {
        terminal_id: pairing.terminal.id,
        fingerprint: pairing.terminal.fingerprint!,
        confirmed: false,
        server_time: formatInstant(at),
      },
    };
  };
}
