/** The stamp after the proof: one a session, by the same rule as through every other door. */
import type { Database, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { verifyPin } from '../badges/pin.js';
import { type BadgeRow, findBadgeById } from '../badges/rows.js';
import type { StampKind } from '../clocking/clock-state.js';
import { lockClock } from '../clocking/rows.js';
import { type ClockResult, stamp } from '../clocking/stamp.js';
import { Refusal } from '../refusal.js';
import type { DataKey } from '../sealing/data-key.js';
import { aliveSession, terminalActor } from './card-session.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import { endSession } from './rows.js';

export interface TerminalStampRequest {
  readonly session: string;
  readonly action: StampKind;
  readonly pin?: string | undefined;
}

/**
 * @param refuseDoor whether this terminal may be used at all, asked in the transaction that spends the nonce
 * @throws Refusal `card_refused` the session is over, was used or never proved anything; `pin_required`, `pin_wrong`,
 * `pin_locked`; whatever `stamp` refuses
 */
export async function stampAtTerminal(
  db: Database,
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
  // The PIN is compared outside of a transaction, because comparing is slow on purpose. The nonce is spent before, so
  // that nobody can spend tries by playing a request again.
  const badge = await onceForNonce(db, caller, at, async (tx) => {
    await refuseDoor(tx);
    return provedBadge(tx, caller, session, at);
  });
  if (pin === undefined) throw new Refusal('pin_required');
  await verifyPin(db, dataKey, badge, pin, at);
  return db.write((tx) => stampInSession(tx, caller, session, action, 'badge_pin', at));
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
 * If the process stops before the commit, the session is still proved and nothing was stamped; after it the session is
 * over.
 */
async function stampInSession(
  tx: Transaction,
  caller: TerminalCaller,
  sessionId: string,
  kind: StampKind,
  proof: 'badge' | 'badge_pin',
  at: Instant,
): Promise<ClockResult> {
  const { terminal } = caller;
  const badge = await provedBadge(tx, caller, sessionId, at);
  // Held until the commit: the stamp finds what it read.
  await lockClock(tx, badge.person_id, terminal.company_id, at);
  const stamped = await stamp(tx, {
    personId: badge.person_id,
    companyId: terminal.company_id,
    kind,
    at,
    source: { kind: 'terminal', id: terminal.id, name: terminal.name },
    actor: terminalActor(terminal),
    proof,
  });
  await endSession(tx, sessionId, terminal.id);
  return stamped;
}
