import { formatInstant } from '@clockproof/platform/time/instant';
import type { ApiHandler } from '../http/handler.js';
import { Refusal } from '../store/refusal.js';
import { seeDevice } from './device.js';
import { refuseWithoutTerminals } from './guard.js';
import { highestNumber } from './offline-rows.js';
import { pairDevice } from './pairing.js';
import { onceForNonce } from './request-signature.js';
import { balancePermitOf } from './terminal-info.js';
import { sealKeyFor } from './upload-offline.js';

export const pairTerminal: ApiHandler<'pairTerminal'> = async ({ db, hashPairingCode, body, at }) => {
  await refuseWithoutTerminals(db);
  const pairing = await db.write({ actor: { kind: 'terminal' }, at }, (write) =>
    pairDevice(write, { code: body.code, publicKey: body.public_key, device: body.device }, hashPairingCode),
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

export const getTerminalStatus: ApiHandler<'getTerminalStatus'> = async ({ db, dataKey, caller, query, at }) => {
  const { terminal } = caller;
  const { stopped, issuing } = await onceForNonce(db, caller, at, async (tx) => {
    await refuseWithoutTerminals(tx);
    return seeDevice(tx, terminal, query);
  });
  // Two devices would count offline stamps in one series.
  const sealsFor = terminal.confirmed_at === null || stopped === 'key_copied' ? undefined : dataKey;
  const key = { terminalId: terminal.id, fingerprint: terminal.fingerprint! };
  return {
    status: 200,
    body: {
      confirmed: terminal.confirmed_at !== null,
      name: terminal.name,
      location: terminal.location ?? undefined,
      server_time: formatInstant(at),
      stopped,
      offers: {
        actions: ['in', 'out', 'break_start', 'break_end'],
        info: (await balancePermitOf(db, terminal)) !== undefined,
        info_without_pin: terminal.info_without_pin === 1,
        badge_and_pin: terminal.badge_and_pin === 1,
        repeat_lock_seconds: terminal.repeat_lock_seconds,
        offline: sealsFor !== undefined,
      },
      issuing:
        issuing === undefined
          ? undefined
          : { person_first_name: issuing.first_name, expires_at: formatInstant(issuing.expires_at) },
      offline_last_number: await highestNumber(db, key),
      seal_key: sealsFor === undefined ? undefined : sealKeyFor(sealsFor, terminal.id),
    },
  };
};
