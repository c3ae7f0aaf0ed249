/** The stamp after the proof: one a session, by the same rule as through every other entry point. */

import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { verifyPin } from '../badges/pin.js';
import { type BadgeRow, findBadgeById } from '../badges/rows.js';
import type { StampKind } from '../clocking/clock-state.js';
import { lockClock } from '../clocking/rows.js';
import { type ClockResult, stamp } from '../clocking/stamp.js';
import { Refusal } from '../refusal.js';
import type { DataKey } from '../sealing/data-key.js';
import type { Store, Write } from '../write/write.js';
import { aliveSession, terminalActor } from './card-session.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import { endSession } from './rows.js';

export interface TerminalStampRequest {
  readonly session: string;
  readonly action: StampKind;
  readonly pin?: string | undefined;
}

/**
 * @param refuseDoor whether this terminal may be used at all, checked in the transaction that uses up the nonce
 * @throws Refusal `card_refused` the session is over, used or not authenticated; `pin_required`, `pin_wrong`,
 * `pin_locked`; whatever `stamp` refuses
 */
export async function stampAtTerminal(
  db: Store,
  dataKey: DataKey,
  caller: TerminalCaller,
  { session, action, pin }: TerminalStampRequest,
  at: Instant,
  refuseDoor: (tx: Transaction) => Promise<void>,
): Promise<ClockResult> {
  const { terminal } = caller;
  if (terminal.badge_and_pin === 0)
    return onceForNonce(db, caller, at, async (tx) => {
      await refuseDoor(tx);
      return stampInSession(tx, caller, session, action, 'badge', at);
    });
  // The PIN is compared outside a transaction, because comparing is deliberately slow. The nonce is used up before, so
  // that replays cannot use up attempts.
  const badge = await onceForNonce(db, caller, at, async (tx) => {
    await refuseDoor(tx);
    tx.unaudited('nonce');
    return provedBadge(tx, caller, session, at);
  });
  if (pin === undefined) throw new Refusal('pin_required');
  await verifyPin(db, dataKey, badge, pin, at);
  return db.write({ actor: terminalActor(terminal), at }, (write) =>
    stampInSession(write, caller, session, action, 'badge_pin', at),
  );
}

async function provedBadge(
  tx: Transaction,
  { terminal }: TerminalCaller,
  sessionId: string,
  at: Instant,
): Promise<BadgeRow> {
  const session = await aliveSession(tx, sessionId, terminal, at);
  const badge = session?.state === 'proved' ? await findBadgeById(tx, session.badge_id) : undefined;
  if (badge === undefined || badge.state !== 'active') throw new Refusal('card_refused');
  return badge;
}

/**
 * If the process stops before the commit, the session is still authenticated and nothing was stamped; after it, the
 * session is over.
 */
async function stampInSession(
  write: Write,
  caller: TerminalCaller,
  sessionId: string,
  kind: StampKind,
  proof: 'badge' | 'badge_pin',
  at: Instant,
): Promise<ClockResult> {
  const { terminal } = caller;
  const badge = await provedBadge(write, caller, sessionId, at);
  // Locked until the commit, so that the stamp finds what was read here.
  await lockClock(write, badge.person_id, terminal.company_id, at);
  const stamped = await stamp(write, {
    personId: badge.person_id,
    companyId: terminal.company_id,
    kind,
    at,
    source: { kind: 'terminal', id: terminal.id, name: terminal.name },
    actor: terminalActor(terminal),
    proof,
  });
  await endSession(write, sessionId, terminal.id);
  return stamped;
}
