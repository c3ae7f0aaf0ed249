/**
 * The negative control: the obvious way to poll, a saved cursor, on the same ledgers. If it ever stops losing events,
 * the simulated ledger has stopped being like a real one.
 */
import { describe, expect, it } from '@jest/globals';
import { createSimulatedNode } from '../simulator/node.js';
import { createGraphqlClient } from '../src/ledger/graphql.js';
import { createLedgerNode, type LedgerNode } from '../src/ledger/node.js';
import { asFetch, createGround, expectedProofs, grow } from './world.js';

async function pollWithSavedCursor(
  node: LedgerNode,
  anchorPackage: string,
  cursorState: { cursor: string | undefined },
  transactions: Set<string>,
): Promise<void> {
  for (;;) {
    const page = await node.page({
      package: anchorPackage,
      direction: 'forward',
      size: 20,
      ...(cursorState.cursor === undefined ? {} : { cursor: cursorState.cursor }),
    });
    for (const event of page.events) transactions.add(`${event.tx} ${event.sequence}`);
    if (page.endCursor !== null) cursorState.cursor = page.endCursor;
    if (!page.hasNext) return;
  }
}

describe('a saved cursor', () => {
  const dialect = 'flat';
  it.each(Array.from({ length: 15 }, (_, index) => index + 1))('loses what came later (seed %i)', async (seed) => {
    const ground = createGround(seed);
    grow(ground, 40);
    const node = createLedgerNode(
      createGraphqlClient({
        url: 'http://node.example',
        fetch: asFetch(createSimulatedNode(ground.chain, { dialect })),
      }),
      dialect,
    );
    const cursorState: { cursor: string | undefined } = { cursor: undefined };
    const transactions = new Set<string>();
    for (let poll = 0; poll < 5; poll++) {
      await pollWithSavedCursor(node, ground.package, cursorState, transactions);
      grow(ground, 10);
    }
    expect(transactions.size).toBeLessThan(expectedProofs(ground, ground.chain.head - 10).length);
  });
});

describe('a saved cursor on ga', () => {
  it('finds what came later, but stands still for ever once its row was pruned', async () => {
    const ground = createGround(1);
    grow(ground, 40);
    let prunedBelow = 0;
    const node = createLedgerNode(
      createGraphqlClient({
        url: 'http://node.example',
        fetch: asFetch(createSimulatedNode(ground.chain, { dialect: 'ga', prunedBelow: () => prunedBelow })),
      }),
      'ga',
    );
    const cursorState: { cursor: string | undefined } = { cursor: undefined };
    const transactions = new Set<string>();
    await pollWithSavedCursor(node, ground.package, cursorState, transactions);
    grow(ground, 10);
    await pollWithSavedCursor(node, ground.package, cursorState, transactions);
    expect(transactions.size).toBe(expectedProofs(ground).length);
    prunedBelow = ground.chain.head + 1;
    grow(ground, 20);
    await pollWithSavedCursor(node, ground.package, cursorState, transactions);
    expect(transactions.size).toBeLessThan(expectedProofs(ground).length);
  });
});
