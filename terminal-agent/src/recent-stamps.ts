import type { Proof, TerminalAction } from './terminal-api.js';
import type { World } from './world.js';

interface RecentStamp {
  /** Undefined where the service was to choose it, and its answer was lost. */
  readonly action: TerminalAction | undefined;
  /** By {@link World.elapsed}. */
  readonly at: number;
  /** No earlier than this by the service's clock. */
  readonly from: number;
  readonly certain: boolean;
}

/** Milliseconds after a stamp in which holding the same badge there again is a repetition, not the opposite action. */
const repeatLock = 10_000;
/** Milliseconds for which a stamp without an answer is remembered. */
const doubtLasts = 600_000;

/** The operation that leads to a state. */
export const lastMove = { in: 'in', out: 'out', on_break: 'break_start' } as const;

/** The last stamp of each badge, by UID. */
export class RecentStamps {
  readonly #stamps = new Map<string, RecentStamp>();
  readonly #elapsed: () => number;

  constructor(elapsed: World['elapsed']) {
    this.#elapsed = elapsed;
  }

  remember(uid: string, stamp: Omit<RecentStamp, 'at'>): void {
    const time = this.#elapsed();
    for (const [knownUid, { at }] of this.#stamps) if (time - at >= doubtLasts) this.#stamps.delete(knownUid);
    this.#stamps.set(uid, { ...stamp, at: time });
  }

  /** The last stamp of this badge, if it has a say in what is done now. */
  of(uid: string): RecentStamp | undefined {
    const last = this.#stamps.get(uid);
    return last !== undefined && this.#elapsed() - last.at < (last.certain ? repeatLock : doubtLasts)
      ? last
      : undefined;
  }
}

/**
 * Resolves a stamp in doubt, whose answer was lost, when the next proof shows the person's state.
 *
 * @returns the action that is wanted now; `counted` is true if the earlier stamp has already made it.
 */
export function resolveDoubt(
  last: RecentStamp,
  proof: Proof,
  { action, toggled }: { readonly action: TerminalAction; readonly toggled: boolean },
): { readonly action: TerminalAction; readonly counted: boolean } {
  if (last.action === undefined) {
    // That stamp made a state that began since then. We know the service's clock as its last answer told it,
    // which may be late by as much as an answer travels.
    const isCounted = proof.since !== undefined && Date.parse(proof.since) >= last.from - 1_000;
    return { action: isCounted ? lastMove[proof.state] : action, counted: isCounted };
  }
  if (!toggled && action !== last.action) return { action, counted: false };
  // The service's offers show whether the earlier stamp counted: then it is not possible again.
  return { action: last.action, counted: !proof.actions.includes(last.action) };
}
