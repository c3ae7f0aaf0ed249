import { describe, expect, it } from '@jest/globals';
import { askOneChain, WrongLedger } from './chain.js';

describe('an answer', () => {
  const ask = (answer: unknown) => askOneChain((async () => answer) as never, '2304aa97')('query', {});

  it('of the chain of the index is taken', async () => {
    await expect(ask({ chainIdentifier: '2304aa97', page: 1 })).resolves.toMatchObject({ page: 1 });
  });

  it('of another chain stops the reading', async () => {
    await expect(ask({ chainIdentifier: '35834a8a' })).rejects.toThrow(WrongLedger);
  });

  it.each([[{}], [{ chainIdentifier: null }], [{ chainIdentifier: 7 }]])(
    'that names no chain is asked for again: %j',
    async (answer) => {
      await expect(ask(answer)).rejects.toMatchObject({ kind: 'retry', code: 'NO_CHAIN' });
    },
  );
});
