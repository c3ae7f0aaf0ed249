/**
 * Turns at what a process has little of: connections, and rows that many want at once. Those who wait do so here, without
 * a connection.
 */
import { DatabaseUnavailable } from './database.js';

/** An effect asked for a row that others of this process are already waiting for. Nothing of it stays; it runs again. */
export class Contended extends Error {
  override readonly name = 'Contended';
  constructor(readonly row: string) {
    super(`others wait for ${row}`);
  }
}

export interface RowTurns {
  /** Takes a turn at a row, if one is free. */
  take(row: string): boolean;
  /** Waits for a turn. @throws what the one before was given up with */
  wait(row: string): Promise<void>;
  /** @param failure what those who wait get too, instead of trying in vain one after the other */
  leave(row: string, failure?: DatabaseUnavailable): void;
}

/** Who has the row, and one that waits for it in the database: it goes on without a message more. */
const together = 2;

export function createRowTurns(): RowTurns {
  interface Turn {
    begin(): void;
    giveUp(reason: unknown): void;
  }
  const rows = new Map<string, { taken: number; readonly waiting: Turn[] }>();
  return {
    take(row) {
      const known = rows.get(row);
      if (known === undefined) rows.set(row, { taken: 1, waiting: [] });
      else if (known.taken < together && known.waiting.length === 0) known.taken++;
      else return false;
      return true;
    },
    wait(row) {
      if (this.take(row)) return Promise.resolve();
      return new Promise<void>((begin, giveUp) => rows.get(row)!.waiting.push({ begin, giveUp }));
    },
    leave(row, failure) {
      const known = rows.get(row)!;
      if (failure !== undefined) for (const turn of known.waiting.splice(0)) turn.giveUp(failure);
      const next = known.waiting.shift();
      if (next !== undefined) next.begin();
      else if (--known.taken === 0) rows.delete(row);
    },
  };
}

/**
 * So many effects at a time. The others wait in order for as long as it goes on: one is given up only when no effect has
 * succeeded for so long.
 */
export function createPlaces(
  places: number,
  patienceMilliseconds: number,
): <Result>(effect: () => Promise<Result>, first?: boolean) => Promise<Result> {
  let free = places;
  let successes = 0;
  const waiting: (() => void)[] = [];

  const wait = (first: boolean) =>
    new Promise<void>((resolve, reject) => {
      let seen = successes;
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const look = () => {
        if (seen !== successes) {
          seen = successes;
          timer = setTimeout(look, patienceMilliseconds);
          return;
        }
        waiting.splice(waiting.indexOf(begin), 1);
        reject(new DatabaseUnavailable('busy'));
      };
      let timer = setTimeout(look, patienceMilliseconds);
      if (first) waiting.unshift(begin);
      else waiting.push(begin);
    });

  return async (effect, first = false) => {
    if (free > 0) free--;
    else await wait(first);
    try {
      const result = await effect();
      successes++;
      return result;
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
