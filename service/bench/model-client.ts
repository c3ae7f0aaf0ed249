/**
 * Clients that remember their sent and acknowledged stamps, and hold the database to them: each acknowledged stamp is
 * there once, and no other, and audit log, entries and events agree. A request without an answer is sent again with its
 * `Idempotency-Key` until there is one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@clockproof/platform/database/database';
import { runVerify } from '../src/commands/verify.js';

export interface ModelOptions {
  readonly port: number;
  readonly key: string;
  readonly people: readonly number[];
  /** Time between two stamps of one person. */
  readonly pauseMilliseconds?: number;
  /** The number of repetitions of a request, a tenth of a second apart, before it counts as a fault. */
  readonly maxTries?: number;
  /** Statuses that are also tried again: the answer of a full disk, for example. */
  readonly isTransient?: (status: number) => boolean;
}

export interface Model {
  /** The number of clients: one for each person. */
  readonly clients: number;
  readonly count: { acknowledged: number; refused: number; unanswered: number };
  readonly faults: string[];
  /** The last unanswered request: a status and text, or an error. */
  lastUnanswered(): string;
  /** The longest time without an acknowledgement so far. */
  longestGap(): number;
  /** Milliseconds of each acknowledged request, tries included. */
  readonly latencies: number[];
  /** Sends no more new requests; those under way are brought to an end. */
  stop(): Promise<void>;
  /** The entries that acknowledged requests began: true if one also ended it. */
  readonly entries: ReadonlyMap<number, boolean>;
  /**
   * @param otherModels clients that wrote to the same database @returns the faults found, those of the clients included
   */
  verify(db: Database, otherModels?: readonly Model[]): Promise<readonly string[]>;
}

export function startModel({
  port,
  key,
  people,
  pauseMilliseconds = 20,
  maxTries = 600,
  isTransient = (status) => status >= 500,
}: ModelOptions): Model {
  let isOver = false;
  let lastAt = performance.now();
  let gap = 0;
  const count = { acknowledged: 0, refused: 0, unanswered: 0 };
  const faults: string[] = [];
  let lastUnanswered = '';
  const latencies: number[] = [];
  const entries = new Map<number, boolean>();

  async function stampUntilStopped(person: number): Promise<void> {
    let isIn = false;
    while (!isOver) {
      const id = randomUUID();
      const action = isIn ? 'out' : 'in';
      const sentAt = performance.now();
      for (let tries = 0; ; tries++) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/clock/${action}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id },
          body: JSON.stringify({ user_id: person }),
          signal: AbortSignal.timeout(30_000),
        })
          .then(async (response) => ({ status: response.status, text: await response.text() }))
          .catch((error: Error) => {
            lastUnanswered = String(error.cause ?? error);
            return undefined;
          });
        if (answer === undefined || isTransient(answer.status)) {
          count.unanswered++;
          if (answer !== undefined) lastUnanswered = `${answer.status} ${answer.text}`;
          if (tries > maxTries) {
            faults.push(`${action} of ${person} was never answered: ${JSON.stringify(answer)}`);
            return;
          }
          await pause(100);
          continue;
        }
        if (answer.status !== 200) {
          count.refused++;
          faults.push(`${action} of ${person}, try ${tries}: ${answer.status} ${answer.text.slice(0, 200)}`);
          return;
        }
        const entry = (JSON.parse(answer.text) as { time_entry: { id: number } }).time_entry.id;
        if (!isIn && entries.has(entry)) faults.push(`entry ${entry} was begun twice`);
        if (isIn && entries.get(entry) !== false) faults.push(`entry ${entry} was ended without having been begun`);
        entries.set(entry, isIn);
        count.acknowledged++;
        const now = performance.now();
        gap = Math.max(gap, now - lastAt);
        lastAt = now;
        latencies.push(now - sentAt);
        isIn = !isIn;
        break;
      }
      await pause(pauseMilliseconds);
    }
  }
  const clients = people.map(stampUntilStopped);

  return {
    clients: people.length,
    count,
    faults,
    lastUnanswered: () => lastUnanswered,
    latencies,
    entries,
    longestGap: () => gap,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
    async verify(db, otherModels = []) {
      const problems = [...faults, ...otherModels.flatMap((model) => model.faults)];
      const allEntries = [entries, ...otherModels.map((model) => model.entries)].flatMap((entryMap) => [
        ...entryMap.values(),
      ]);
      const beginCount = allEntries.length;
      const endCount = allEntries.filter((isEnded) => isEnded).length;
      const countRows = async (sql: string) => Number((await db.get<{ n: number }>(sql))!.n);
      const countAudited = (action: string) =>
        countRows(`SELECT count(*) AS n FROM audit_entries WHERE action = '${action}'`);
      const countEvents = (type: string) => countRows(`SELECT count(*) AS n FROM events WHERE type = '${type}'`);
      for (const [name, actual, due] of [
        ['time entries', await countRows('SELECT count(*) AS n FROM time_entries'), beginCount],
        ['ended entries', await countRows('SELECT count(*) AS n FROM time_entries WHERE end_at IS NOT NULL'), endCount],
        ['clock.in in the audit log', await countAudited('clock.in'), beginCount],
        ['clock.out in the audit log', await countAudited('clock.out'), endCount],
        ['events clock.in', await countEvents('clock.in'), beginCount],
        ['events clock.out', await countEvents('clock.out'), endCount],
      ] as const)
        if (actual !== due) problems.push(`${name}: ${actual}, acknowledged were ${due}`);
      const verification = await runVerify(db, { head: undefined, heads: undefined, sign: undefined });
      if (verification.exitCode !== 0) problems.push(verification.text);
      return problems;
    },
  };
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
