/** Takes away the rights of callers while a request is under way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Transaction } from '@clockproof/platform/database/database';
import type { DialectName } from '@clockproof/platform/testing/databases';
import type { Answer, World } from './world.js';

const moments = ['while its body arrives', 'before it writes', 'while it waits for a lock'] as const;
export type Moment = (typeof moments)[number];

/** With one writer nothing waits for a lock of a row. */
export const momentsOn = (dialect: DialectName): readonly Moment[] =>
  dialect === 'postgres' ? moments : moments.filter((moment) => moment !== 'while it waits for a lock');

/** An instant that no test uses. */
const mark = 1;

/** The columns that end a right. */
const ends = { sessions: 'ended_at', api_keys: 'revoked_at', links: 'ended_at', terminals: 'removed_at' } as const;
export type Right = keyof typeof ends;

/** Calls, and ends all rights of a kind meanwhile. They are back when the answer is there. */
export async function callWithLostRight(
  { db }: World,
  { right, moment }: { readonly right: Right; readonly moment: Moment },
  call: () => Promise<Answer>,
): Promise<Answer> {
  const column = ends[right];
  const endRight = (tx: Transaction) => tx.run(`UPDATE ${right} SET ${column} = ${mark} WHERE ${column} IS NULL`);
  try {
    return await ways[moment](db, endRight, call);
  } finally {
    await db.write((tx) => tx.run(`UPDATE ${right} SET ${column} = NULL WHERE ${column} = ${mark}`));
  }
}

type End = (tx: Transaction) => Promise<unknown>;
type Way = (db: Database, end: End, call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Ends the rights once the headers and all but a byte of the body are there, and the service has had time to read them.
 */
export async function callWhileBodyArrives(end: () => Promise<unknown>, call: () => Promise<Answer>): Promise<Answer> {
  const { fetch } = globalThis;
  async function* sendSlowly(body: string) {
    yield Buffer.from(body.slice(0, -1));
    await pause(30);
    await end();
    yield Buffer.from(body.slice(-1));
  }
  globalThis.fetch = async (address, init = {}) => {
    globalThis.fetch = fetch;
    if (typeof init.body === 'string')
      return fetch(address, {
        ...init,
        body: ReadableStream.from(sendSlowly(init.body)),
        duplex: 'half',
      } as RequestInit);
    await end();
    return fetch(address, init);
  };
  return call();
}

/**
 * Ends the rights once the caller is known and before the transaction begins.
 * @param end through another connection to the database
 */
export async function callAndLoseBeforeWrite(
  db: Database,
  end: () => Promise<unknown>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { write } = db;
  let ending: Promise<unknown> | undefined;
  db.write = async (effect) => {
    ending ??= end();
    await ending;
    return write(effect);
  };
  try {
    return await call();
  } finally {
    db.write = write;
  }
}

/**
 * PostgreSQL: the right has ended in a transaction that is not committed before the write waits for it. The other way
 * round the two could wait for each other, and chance would decide which of them is refused.
 */
async function callWhileLocked(db: Database, end: End, call: () => Promise<Answer>): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  await db.write(async (tx) => {
    await end(tx);
    let isAnswered = false;
    const note = () => {
      isAnswered = true;
    };
    answer = call();
    answer.then(note, note);
    // Not in this transaction: it would go on seeing the connections of its first look.
    const findWaiter = () =>
      db.get("SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    while (!isAnswered && (await findWaiter()) === undefined) await pause(5);
  });
  return answer!;
}

const ways: Readonly<Record<Moment, Way>> = {
  'while its body arrives': (db, end, call) => callWhileBodyArrives(() => db.write(end), call),
  'before it writes': (db, end, call) => {
    // The function as it is before the call replaces it.
    const { write } = db;
    return callAndLoseBeforeWrite(db, () => write(end), call);
  },
  'while it waits for a lock': callWhileLocked,
};
