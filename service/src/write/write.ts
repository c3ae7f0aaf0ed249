/**
 * The unit of work: one transaction that knows who acts and when, and that does not commit a change that could not be found
 * in the audit log.
 */
import type { Batch, BatchWriter, Results } from '@clockproof/platform/database/batch';
import type { Database, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type Actor, type AuditEntry, appendAudit } from '../audit/audit.js';
import { allocateSequence, appendEvent, type EventFacts } from '../events/events.js';

/** Who causes a write, and the one instant of the request. */
export interface Cause {
  readonly actor: Actor;
  readonly at: Instant;
}

/**
 * Why a write has no entry in the audit log:
 * - `repeated`: the same request was answered before, and nothing but the memory of such answers changed
 * - `credential`: a token, code, challenge or session step, which the entry of its outcome stands for
 * - `attempt`: a wrong try that its counter holds
 * - `locks`: nothing came of it but rows that exist to be locked
 * - `nonce`: a signed request that changed nothing but its nonce, which it used up
 * - `progress`: a step of something that is recorded when it ends, as a card dialogue is
 */
export type Unaudited = 'repeated' | 'credential' | 'attempt' | 'locks' | 'nonce' | 'progress';

export interface Write extends Transaction, Cause {
  /**
   * Appends an entry to the audit log, as done by the write's actor unless another one is named. Locks the head of the
   * log until the commit: call it late.
   */
  audit(entry: Omit<AuditEntry, 'at' | 'actor'> & { readonly actor?: Actor }): Promise<void>;
  /** Allocates the next number of the commit sequence; other writers of events wait from here to the commit. */
  allocateSequence(): Promise<number>;
  /** Appends an event with a number from {@link allocateSequence}. */
  event(sequence: number, event: Omit<EventFacts, 'at'>): Promise<void>;
  /** Says that this write has no entry in the audit log, and why. */
  unaudited(reason: Unaudited): void;
}

/** Upkeep that no one requested and the audit log does not list. */
export type Upkeep =
  | 'balances of a closed month'
  | 'deliveries'
  | 'attempt counter'
  | 'housekeeping'
  | 'installation'
  | 'last used'
  | 'nonce of a refused request'
  | 'preview'
  | 'sealing';

/** The database as the service uses it: every write has a cause, or is upkeep. */
export interface Store extends Reader, BatchWriter {
  /**
   * Runs an effect in one transaction. If it throws, nothing of it stays.
   * @throws {UnauditedWrite} it changed rows, appended no audit entry and did not say why; nothing of it stays
   */
  write<Result>(cause: Cause, effect: (write: Write) => Promise<Result>): Promise<Result>;
  /** One transaction without a cause. */
  maintain<Result>(upkeep: Upkeep, effect: (tx: Transaction) => Promise<Result>): Promise<Result>;
  ping(): Promise<boolean>;
}

/** A mistake of the program: a write would have left no trace. */
export class UnauditedWrite extends Error {
  override readonly name = 'UnauditedWrite';
}

const changesRows = /^\s*(?:INSERT|UPDATE|DELETE|WITH)\b/i;

function isAudited({ steps }: Batch): boolean {
  return steps.some((step) => 'insert' in step && step.insert === 'audit_entries');
}

export function createStore(database: Database): Store {
  return {
    dialect: database.dialect,
    all: (sql, parameters) => database.all(sql, parameters),
    get: (sql, parameters) => database.get(sql, parameters),
    batch: async (batch) => {
      if (!isAudited(batch)) throw new UnauditedWrite('a batch without an entry in the audit log');
      return database.batch(batch);
    },
    ping: () => database.ping(),
    maintain: (_upkeep, effect) => database.write(effect),
    write: (cause, effect) =>
      database.write(async (tx) => {
        const unit = createUnit(tx, cause);
        const result = await effect(unit.write);
        unit.refuseUnaudited();
        return result;
      }),
  };
}

function createUnit(tx: Transaction, cause: Cause): { readonly write: Write; refuseUnaudited(): void } {
  let firstChange: string | undefined;
  let accounted = false;
  const noting = <Answer>(sql: string, answer: Answer, rowsIn: (answer: Answer) => number): Answer => {
    if (changesRows.test(sql) && rowsIn(answer) > 0) firstChange ??= sql;
    return answer;
  };
  const write: Write = {
    ...cause,
    dialect: tx.dialect,
    all: async (sql, parameters) => noting(sql, await tx.all(sql, parameters), (rows) => rows.length),
    get: async (sql, parameters) => noting(sql, await tx.get(sql, parameters), (row) => (row === undefined ? 0 : 1)),
    run: async (sql, parameters) => noting(sql, await tx.run(sql, parameters), (rows) => rows),
    batch: async (batch: Batch): Promise<Results | undefined> => {
      const results = await tx.batch(batch);
      if (results === undefined) return results;
      firstChange ??= 'a batch';
      if (isAudited(batch)) accounted = true;
      return results;
    },
    audit: async (entry) => {
      await appendAudit(tx, { actor: cause.actor, ...entry, at: cause.at });
      accounted = true;
    },
    allocateSequence: () => allocateSequence(tx),
    event: (sequence, event) => appendEvent(tx, sequence, { ...event, at: cause.at }),
    unaudited: () => {
      accounted = true;
    },
  };
  return {
    write,
    refuseUnaudited() {
      if (firstChange !== undefined && !accounted) {
        throw new UnauditedWrite(`a write without an entry in the audit log: ${firstChange.trim().slice(0, 80)}`);
      }
    },
  };
}
