/**
 * Tells waiting readers about commits: the people and extensions whose records changed, and the place up to which a
 * reader may read now. It carries no content; readers read rows with their own rights. A commit of another process
 * arrives as a signal of the database. A signal may be lost, so the place is also looked up: at worst a reader learns
 * of it late.
 */
import { setTimeout } from 'node:timers/promises';
import type { Reader, Signals } from '@clockproof/platform/database/database';
import { familyOf } from './audit/actions.js';
import type { AuditEntry } from './audit/audit.js';
import { partiesOf } from './audit/records.js';
import type { CompanyId } from './ids.js';
import { settledPosition } from './position.js';
import type { Commit } from './write.js';

/** The owners of changed records, in the words of the audit log. */
export interface Change {
  /** `clock`, `absence`, `extension`: the family of the action. */
  readonly family: string;
  /** Null for the whole installation. */
  readonly company: CompanyId | null;
  /** `person 12`, `extension ext_…`. */
  readonly parties: readonly string[];
}

export interface ChangeNotification {
  /** The settled place. */
  readonly place: number;
  /** Undefined if the changes are unknown, so that anything may have changed. */
  readonly changes: readonly Change[] | undefined;
}

export type ChangeListener = (notification: ChangeNotification) => void;

export interface Hub {
  /** Resolves when signals of other processes arrive, or cannot for now. */
  readonly opening: Promise<void>;
  /** Calls `listener` after commits, several at once if they come quickly. @returns ends it */
  subscribe(listener: ChangeListener): () => void;
  /** Announces a commit of this process. */
  noteCommit(commit: Commit): void;
  /** Looks the settled place up: for signals that were lost. */
  lookUp(): Promise<void>;
  close(): Promise<void>;
}

/** Changes in one signal or notification; beyond them anything may have changed. */
const maxChanges = 100;
/** Between two looks, and between two signals: each is a commit of the database and wakes all processes. */
const pauseMs = 20;

export interface HubOptions {
  readonly reader: Reader;
  /** Connects the processes that share the database. */
  readonly openSignals?: ((listener: { onMessage(text: string): void; onConnect(): void }) => Signals) | undefined;
  /** Names this process, which ignores its own signals. */
  readonly process: string;
  /** Resolves when the next look, or the next signal, is due. */
  readonly pause?: () => Promise<void>;
}

type Changes = readonly Change[] | 'anything';

export function createHub({ reader, openSignals, process, pause = defaultPause }: HubOptions): Hub {
  const listeners = new Set<ChangeListener>();
  /** The newest place that is known to be committed, and the newest that readers know. */
  let committedPlace = 0;
  let lastNotified = 0;
  let pendingChanges: Changes = [];
  let unsentChanges: Changes | undefined;
  let notification: Promise<void> | undefined;
  let isSending = false;
  let isClosed = false;

  function notify(place: number): void {
    const changes = pendingChanges;
    pendingChanges = [];
    if (changes.length === 0 && place <= lastNotified) return;
    lastNotified = Math.max(lastNotified, place);
    for (const listener of [...listeners])
      listener({ place: lastNotified, changes: changes === 'anything' ? undefined : changes });
  }

  /**
   * Tells the settled place, and looks again as long as a commit has not settled: an older transaction is still open. A
   * look that fails is repeated with the next commit or look-up.
   */
  async function follow(): Promise<void> {
    try {
      do {
        const { place } = await settledPosition(reader);
        notify(place);
        if (lastNotified < committedPlace || pendingChanges.length > 0) await pause();
      } while (!isClosed && (lastNotified < committedPlace || pendingChanges.length > 0));
    } catch {
      notify(lastNotified);
    } finally {
      notification = undefined;
    }
  }

  function note(place: number, changes: Changes): void {
    committedPlace = Math.max(committedPlace, place);
    pendingChanges = merge(pendingChanges, changes);
    if (listeners.size > 0) notification ??= follow();
  }

  /** Sends the first signal at once, then one after each pause: commits in between go into the next one. */
  async function send(signals: Signals): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (unsentChanges !== undefined) {
      const changes = unsentChanges;
      unsentChanges = undefined;
      await signals.send(signalOf(process, committedPlace, changes));
      await pause();
    }
    isSending = false;
  }

  const hub: Omit<Hub, 'opening'> = {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    noteCommit({ place, changes }) {
      note(place, changes);
      if (signals === undefined) return;
      unsentChanges = merge(unsentChanges ?? [], changes);
      void send(signals);
    },
    async lookUp() {
      if (listeners.size === 0) return;
      const { place } = await settledPosition(reader);
      // This process announces its own commits with their families.
      if (notification === undefined && place > lastNotified) {
        pendingChanges = 'anything';
        notify(place);
      }
    },
    async close() {
      isClosed = true;
      listeners.clear();
      await notification;
      if (signals === undefined) return;
      if (unsentChanges !== undefined) await signals.send(signalOf(process, committedPlace, unsentChanges));
      await signals.close();
    },
  };
  const signals = openSignals?.({
    onMessage(text) {
      const signal = readSignal(text);
      if (signal !== undefined && signal.process !== process) note(signal.place, signal.changes);
    },
    // Signals sent before are lost, those of others and our own.
    onConnect() {
      note(0, 'anything');
      unsentChanges = 'anything';
      if (signals !== undefined) void send(signals);
    },
  });
  return { ...hub, opening: signals?.opened ?? Promise.resolve() };
}

const defaultPause = () => setTimeout(pauseMs, undefined, { ref: false });

/** The owners of changed records, from an entry of the audit log. */
export function changeOf({ action, companyId, actor, subject, details }: AuditEntry): Change {
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

function merge(a: Changes, b: Changes): Changes {
  if (a === 'anything' || b === 'anything' || a.length + b.length > maxChanges) return 'anything';
  return [...a, ...b];
}

interface Signal {
  readonly process: string;
  readonly place: number;
  readonly changes: Changes;
}

/** Under the 8,000 bytes that PostgreSQL takes. */
const maxSignalBytes = 7_900;

function signalOf(process: string, place: number, changes: Changes): string {
  const text = JSON.stringify({ process, place, changes } satisfies Signal);
  return Buffer.byteLength(text) <= maxSignalBytes
    ? text
    : JSON.stringify({ process, place, changes: 'anything' } satisfies Signal);
}

/** Undefined for a text of another program. */
function readSignal(text: string): Signal | undefined {
  try {
    const signal = JSON.parse(text) as Signal;
    const isSignal =
      typeof signal.process === 'string' &&
      Number.isSafeInteger(signal.place) &&
      (signal.changes === 'anything' || Array.isArray(signal.changes));
    return isSignal ? signal : undefined;
  } catch {
    return undefined;
  }
}
