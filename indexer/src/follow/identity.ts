/** The subject of an index, chain and package, is decided once. Every reader of the ledger checks it first. */
import { WrongLedger } from '../ledger/chain.js';
import { sameChain } from '../ledger/identifiers.js';
import type { PackageVersion } from '../ledger/node.js';
import type { FollowerState } from '../store/streams.js';

/** @throws WrongLedger if the database is an index of another chain */
export function refuseOtherChain({ chainId }: Pick<FollowerState, 'chainId'>, id: string): void {
  if (chainId === null || sameChain(chainId, id)) return;
  throw new WrongLedger(
    `the database is an index of chain ${chainId}, but the node at the configured address belongs to chain ${id}`,
  );
}

/** Addresses of every version of the indexed package that any node has reported so far. */
export function packageAddresses({
  originalPackage,
  packageVersions,
}: Pick<FollowerState, 'originalPackage' | 'packageVersions'>): ReadonlySet<string> {
  return new Set([
    ...packageVersions.map((version) => version.address),
    ...(originalPackage === null ? [] : [originalPackage]),
  ]);
}

/**
 * @param reportedVersions the node's answer about versions of the configured package
 * @throws WrongLedger if the configured package is no known version of the one that the database is an index of
 */
export function refuseOtherPackage(
  state: Pick<FollowerState, 'originalPackage' | 'packageVersions'>,
  configuredPackage: string,
  reportedVersions: readonly PackageVersion[],
): void {
  const knownAddresses = packageAddresses(state);
  if (knownAddresses.size === 0) return;
  if (
    [configuredPackage, ...reportedVersions.map((version) => version.address)].some((address) =>
      knownAddresses.has(address),
    )
  )
    return;
  throw new WrongLedger(
    `the database is an index of package ${state.originalPackage}, and ${configuredPackage} is no version of it that is known`,
  );
}
