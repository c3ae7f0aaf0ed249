/** First questions to a node: its dialect, its chain, the versions of the package. */
import { askOneChain, chainOf } from './chain.js';
import { detectDialect } from './dialect.js';
import { chainDocument } from './documents.js';
import { type Ask, LedgerFailure } from './graphql.js';
import { createLedgerNode, type LedgerNode, type PackageVersion, type View } from './node.js';

export interface LedgerConnection {
  /** Answers only as long as the node stays on this chain, and throws WrongLedger afterwards. */
  readonly node: LedgerNode;
  readonly chainId: string;
  readonly view: View;
}

/** @throws LedgerFailure, `NO_CHAIN` if the node does not say which chain it belongs to */
export async function connectLedger(ask: Ask): Promise<LedgerConnection> {
  const dialect = await detectDialect(ask);
  const chainId = chainOf(await ask<{ chainIdentifier?: unknown }>(chainDocument));
  if (chainId === undefined)
    throw new LedgerFailure('retry', 'the node did not say which chain it belongs to', 'NO_CHAIN');
  const node = createLedgerNode(askOneChain(ask, chainId), dialect);
  return { node, chainId, view: await node.view() };
}

/**
 * The versions of a package as the node lists them: none if it does not know the package or does not answer about
 * packages at all. @throws LedgerFailure if it may answer another time
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
