/**
 * A package and its upgrades. An upgrade gets an address of its own, but a struct keeps the id of the version that
 * first defined it, and that id is what events are found by. So whichever address the configuration names, the same
 * events are found.
 */
import type { PackageVersion } from './node.js';

export interface Lineage {
  /** False if the node does not know the package; the configured address then stands for itself. */
  readonly known: boolean;
  /** Id of version 1. */
  readonly original: string;
  /** Every id under which some version defined structs, each with the checkpoint of its publication where known. */
  readonly definingIds: readonly { readonly id: string; readonly publishedAt: number | null }[];
  /** Addresses of all versions: a caller may have called any of them. */
  readonly addresses: readonly string[];
  readonly publishedBy: string | null;
  readonly publishedAt: number | null;
}

/** @param versions oldest first, as the node lists them */
export function lineageOf(configuredPackage: string, versions: readonly PackageVersion[]): Lineage {
  const firstVersion = versions[0];
  if (firstVersion === undefined) {
    return {
      known: false,
      original: configuredPackage,
      definingIds: [{ id: configuredPackage, publishedAt: null }],
      addresses: [configuredPackage],
      publishedBy: null,
      publishedAt: null,
    };
  }
  const publishedAt = new Map(versions.map((version) => [version.address, version.publishedAt]));
  const ids = new Set([firstVersion.address, ...versions.flatMap((version) => version.definingIds)]);
  return {
    known: true,
    original: firstVersion.address,
    definingIds: [...ids].sort().map((id) => ({ id, publishedAt: publishedAt.get(id) ?? null })),
    addresses: [...new Set([...versions.map((version) => version.address), configuredPackage])],
    publishedBy: firstVersion.publishedBy,
    publishedAt: firstVersion.publishedAt,
  };
}

/** Versions are never taken back: a node that lags, has pruned or fails may know fewer of them, and less about each. */
export function mergeVersions(
  storedVersions: readonly PackageVersion[],
  reportedVersions: readonly PackageVersion[],
): PackageVersion[] {
  const mergedVersions = new Map(storedVersions.map((version) => [version.address, version]));
  for (const version of reportedVersions) {
    const storedVersion = mergedVersions.get(version.address);
    mergedVersions.set(version.address, {
      ...version,
      definingIds: [...new Set([...(storedVersion?.definingIds ?? []), ...version.definingIds])],
      publishedBy: version.publishedBy ?? storedVersion?.publishedBy ?? null,
      publishedAt: version.publishedAt ?? storedVersion?.publishedAt ?? null,
    });
  }
  return [...mergedVersions.values()].sort((a, b) => a.version - b.version);
}
