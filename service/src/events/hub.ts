/**
 * Tells waiting readers that something was committed: that the commit sequence moved, and whose records changed. It
 * carries no content; readers read rows with their own rights. What other processes commit arrives as a signal of the
 * database. A signal may be lost, so the sequence is also looked up: a reader hears of it late at worst.
 */
import { setTimeout } from 'node:timers/promises';
import type { Reader, Signals } from '@clockproof/platform/database/database';
import type { AuditEntry } from '../audit/audit.js';
import { partiesOf } from '../audit/records.js';
import type { CompanyId } from '../ids.js';
import { currentSequence } from './rows.js';

/** Whose records changed, in the words of the audit log. */
export interface Change {
  /** `clock`, `absence`, `extension`: the family of the action. */
  readonly family: string;
  /** Null for the whole installation. */
  readonly company: CompanyId | null;
  /** `person 12`, `extension ext_…`. */
  readonly parties: readonly string[];
}

export interface News {
  /** The newest number of the commit sequence that is known. */
  readonly sequence: number;
  /** Undefined where what changed is not known, and anything may have. */
  readonly changes: readonly Change[] | undefined;
}

export type NewsListener = (news: News) => void;

export interface Commit {
  /** The number that the transaction allocated; 0 for none. */
  readonly sequence: number;
  readonly changes: readonly Change[];
}

export interface Hub {
  /** Calls `listener` after commits, several at once where they come quickly. @returns ends it */
  subscribe(listener: NewsListener): () => void;
  /** Says what this process has committed. */
  committed(commit: Commit): void;
  /** Looks up the sequence: for signals that were lost. */
  lookUp(): Promise<void>;
  close(): Promise<void>;
}

/** Changes in one signal; beyond them anything may have changed. */
const mostChanges = 100;
/** Between two signals. Each is a commit of the database and wakes all processes. */
const pauseMilliseconds = 20;

export interface HubOptions {
  readonly reader: Reader;
  /** Connects the processes that share the database. */
  readonly openSignals?: (listener: { received(text: string): void; connected(): void }) => Signals;
  /** Names this process, which ignores its own signals. */
  readonly process: string;
  /** Resolves when another signal may be sent. */
  readonly pause?: () => Promise<void>;
}

export function createHub({ reader, openSignals, process, pause = defaultPause }: HubOptions): Hub {
  const listeners = new Set<NewsListener>();
  let sequence = 0;
  let told = 0;
  let waiting: Change[] | 'anything' = [];
  let telling: NodeJS.Immediate | undefined;
  let unsent: Change[] | 'anything' | undefined;
  let sending = false;

  function tell(): void {
    telling = undefined;
    const changes = waiting;
    waiting = [];
    if (changes.length === 0 && sequence <= told) return;
    told = sequence;
    for (const listener of [...listeners])
      listener({ sequence, changes: changes === 'anything' ? undefined : changes });
  }

  function note(moved: number, changes: readonly Change[] | 'anything'): void {
    sequence = Math.max(sequence, moved);
    waiting = together(waiting, changes);
    telling ??= setImmediate(tell);
  }

  async function send(signals: Signals, changes: Change[] | 'anything'): Promise<void> {
    unsent = undefined;
    await signals.send(signalOf(process, sequence, changes));
  }

  /** The first at once, then one after each pause: what is committed meanwhile goes into the next one. */
  async function sendWaiting(signals: Signals): Promise<void> {
    if (sending) return;
    sending = true;
    while (unsent !== undefined) {
      await send(signals, unsent);
      await pause();
    }
    sending = false;
  }

  const hub: Hub = {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    committed({ sequence: moved, changes }) {
      if (moved <= sequence && changes.length === 0) return;
      note(moved, changes);
      if (signals === undefined) return;
      unsent = together(unsent ?? [], changes);
      void sendWaiting(signals);
    },
    async lookUp() {
      if (listeners.size === 0) return;
      const found = await currentSequence(reader);
      if (found > sequence) note(found, 'anything');
    },
    async close() {
      clearImmediate(telling);
      listeners.clear();
      if (signals === undefined) return;
      if (unsent !== undefined) await send(signals, unsent);
      await signals.close();
    },
  };
  const signals = openSignals?.({
    received(text) {
      const signal = readSignal(text);
      if (signal !== undefined && signal.process !== process) note(signal.sequence, signal.changes);
    },
    // Signals sent before are lost, those of others and our own.
    connected() {
      note(0, 'anything');
      unsent = 'anything';
      if (signals !== undefined) void sendWaiting(signals);
      hub.lookUp().catch(() => undefined);
    },
  });
  return hub;
}

const defaultPause = () => setTimeout(pauseMilliseconds, undefined, { ref: false });

/** What an entry of the audit log says about whose records changed. */
export function changeOf({ action, companyId, actor, subject, details }: Omit<AuditEntry, 'at'>): Change {
  return {
    family: familyOf(action),
    company: companyId ?? null,
    parties: partiesOf({
      actor_kind: actor.kind,
      actor_id: actor.id ?? null,
      subject: subject ?? null,
      details: details === undefined ? null : JSON.stringify(details),
    }),
  };
}

export function familyOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

function together(some: readonly Change[] | 'anything', others: readonly Change[] | 'anything'): Change[] | 'anything' {
  if (some === 'anything' || others === 'anything' || some.length + others.length > mostChanges) return 'anything';
  return [...some, ...others];
}

interface Signal {
  readonly process: string;
  readonly sequence: number;
  readonly changes: Change[] | 'anything';
}

/** Under the 8,000 bytes that PostgreSQL takes. */
const longestSignal = 7_900;

function signalOf(process: string, sequence: number, changes: Change[] | 'anything'): string {
  const text = JSON.stringify({ process, sequence, changes } satisfies Signal);
  return Buffer.byteLength(text) <= longestSignal
    ? text
    : JSON.stringify({ process, sequence, changes: 'anything' } satisfies Signal);
}

/** Undefined for a text of another program. */
function readSignal(text: string): Signal | undefined {
  try {
    const signal = JSON.parse(text) as Signal;
    const isSignal =
      typeof signal.process === 'string' &&
      Number.isSafeInteger(signal.sequence) &&
      (signal.changes === 'anything' || Array.isArray(signal.changes));
    return isSignal ? signal : undefined;
  } catch {
    return undefined;
  }
}
