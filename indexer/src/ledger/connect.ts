/** First words with a node: which dialect, which chain, which versions of the package. */
import { detectDialect } from './dialect.js';
import { type Ask, LedgerFailure } from './graphql.js';
import { createLedgerNode, type LedgerNode, type PackageVersion, type View } from './node.js';

export interface LedgerConnection {
  readonly node: LedgerNode;
  readonly chainId: string;
  readonly view: View;
}

export async function connectLedger(ask: Ask): Promise<LedgerConnection> {
  const node = createLedgerNode(ask, await detectDialect(ask));
  const { id, view } = await node.chain();
  if (id === undefined) throw new LedgerFailure('retry', 'the node did not say which chain it belongs to', 'NO_CHAIN');
  return { node, chainId: id, view };
}

/**
 * What the node tells about the versions of a package: nothing if it does not know the package, or does not tell about
 * packages at all. @throws LedgerFailure where it may tell another time
 */
export async function readVersions(node: LedgerNode, address: string): Promise<readonly PackageVersion[]> {
  try {
    return await node.packageVersions(address);
  } catch (error) {
    if (
      error instanceof LedgerFailure &&
      (error.kind === 'refused' || error.kind === 'schema' || error.kind === 'pruned')
    )
      return [];
    throw error;
  }
}
