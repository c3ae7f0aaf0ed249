import { describe, expect, it } from '@jest/globals';
import { type Probe, sharesConnections } from '../src/database/postgres-pooler.js';

/** Connections to a server whose processes have numbers; `take` says which one answers a connection's question. */
function poolerOf(take: (connection: number, question: number) => number) {
  let connections = 0;
  let questions = 0;
  let ended = 0;
  const connect = async (): Promise<Probe> => {
    const connection = connections++;
    return { pid: async () => take(connection, questions++), end: async () => void ended++ };
  };
  return { connect, ended: () => ended };
}

describe('a pooler between service and PostgreSQL', () => {
  it.each([
    ['none', false, (connection: number) => 100 + connection],
    ['one that shares a connection', true, () => 100],
    ['one that takes the next connection each time', true, (_: number, question: number) => 100 + question],
  ])('%s: %s', async (_, shares, take) => {
    const { connect, ended } = poolerOf(take);
    expect(await sharesConnections(connect)).toBe(shares);
    expect(ended()).toBe(2);
  });

  it('is not blamed for a server that is away', async () => {
    expect(await sharesConnections(() => Promise.reject(new Error('ECONNREFUSED')))).toBe(false);
  });
});
