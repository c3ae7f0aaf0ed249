/** First words with a node: which dialect, which chain, which versions of the package. */
import { detectDialect } from './dialect.js';
import { LedgerFailure, type Ask } from './graphql.js';
import { lineageOf, type Lineage } from './lineage.js';
import { createLedgerNode, type LedgerNode, type View } from './node.js';

export interface LedgerConnection { readonly node: LedgerNode; readonly chainId: string; readonly view: View }

export async function connectLedger(ask: Ask): Promise<LedgerConnection> {
  const node = createLedgerNode(ask, await detectDialect(ask));
  const { id, view } = await node.chain();
  if (id === undefined) throw new LedgerFailure('retry', 'the node did not say which chain it belongs to', 'NO_CHAIN');
  return { node, chainId: id, view };
}

export async function readLineage(node: LedgerNode, address: string): Promise<Lineage> {
  try {
    return lineageOf(address, await node.packageVersions(address));
  } catch (error) {
    // Some nodes do not tell about packages. Then the configured address stands for itself.
    if (error instanceof LedgerFailure && (error.kind === 'refused' || error.kind === 'schema' || error.kind === 'pruned' || error.code === 'UNKNOWN')) return lineageOf(address, []);
    throw error;
  }
}
