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
  /** Addresses of all versions: what a caller may have called. */
  readonly addresses: readonly string[];
  readonly publishedBy: string | null;
  readonly publishedAt: number | null;
}

/** @param versions oldest first, as the node lists them */
export function lineageOf(configured: string, versions: readonly PackageVersion[]): Lineage {
  const first = versions[0];
  if (first === undefined) {
    return {
      known: false,
      original: configured,
      definingIds: [{ id: configured, publishedAt: null }],
      addresses: [configured],
      publishedBy: null,
      publishedAt: null,
    };
  }
  const publishedAt = new Map(versions.map((version) => [version.address, version.publishedAt]));
  const ids = new Set([first.address, ...versions.flatMap((version) => version.definingIds)]);
  return {
    known: true,
    original: first.address,
    definingIds: [...ids].sort().map((id) => ({ id, publishedAt: publishedAt.get(id) ?? null })),
    addresses: [...new Set([...versions.map((version) => version.address), configured])],
    publishedBy: first.publishedBy,
    publishedAt: first.publishedAt,
  };
}

/** Versions are never taken back: a node that lags, has pruned or fails may know fewer of them, and less about each. */
export function mergeVersions(
  remembered: readonly PackageVersion[],
  reported: readonly PackageVersion[],
): PackageVersion[] {
  const merged = new Map(remembered.map((version) => [version.address, version]));
  for (const version of reported) {
    const before = merged.get(version.address);
    merged.set(version.address, {
      ...version,
      definingIds: [...new Set([...(before?.definingIds ?? []), ...version.definingIds])],
      publishedBy: version.publishedBy ?? before?.publishedBy ?? null,
      publishedAt: version.publishedAt ?? before?.publishedAt ?? null,
    });
  }
  return [...merged.values()].sort((a, b) => a.version - b.version);
}
