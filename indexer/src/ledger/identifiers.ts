/**
 * Names on the ledger: transaction digests (Base58 of 32 bytes), addresses (`0x` and 64 hex digits), chain identifiers.
 * Everything that leaves this file has one spelling.
 */
import { decodeBase58, isBase58Digest } from '@clockproof/platform/bytes/base58';

/** True for a transaction digest: Base58 of exactly 32 bytes. */
export function isTransactionDigest(text: string): boolean {
  return isBase58Digest(text);
}

/** `0x2` → `0x` and 64 lower-case digits. @returns undefined unless the text is `0x` and 1 to 64 hex digits. */
export function normaliseAddress(text: string): string | undefined {
  const match = /^0[xX]([0-9a-fA-F]{1,64})$/.exec(text);
  return match === null ? undefined : `0x${match[1]!.toLowerCase().padStart(64, '0')}`;
}

/**
 * A Merkle root as people write it: 64 hex digits of either case, with or without `0x`. @returns lower case without
 * prefix, or undefined.
 */
export function normaliseRoot(text: string): string | undefined {
  const match = /^(?:0[xX])?([0-9a-fA-F]{64})$/.exec(text);
  return match?.[1]?.toLowerCase();
}

/**
 * The digest of the genesis checkpoint in hex, as much of it as a node tells: all 32 bytes, given in Base58, or the
 * first four, given in hex.
 * @returns 64 or 8 digits; undefined if the text is neither
 */
export function normaliseChainIdentifier(text: string): string | undefined {
  if (/^[0-9a-fA-F]{8}$/.test(text)) return text.toLowerCase();
  const digest = isTransactionDigest(text) ? decodeBase58(text, 32) : undefined;
  return digest === undefined ? undefined : Buffer.from(digest).toString('hex');
}

/**
 * Compares two chain identifiers as far as both are known. Four bytes keep networks apart; a chain that is made to look
 * like another one takes an afternoon to share them.
 */
export function sameChain(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

/** The eight hex digits that every node tells. */
export function shortChain(identifier: string): string {
  return identifier.slice(0, 8);
}

/** Mainnets and testnets are there to stay; devnets are wiped and get a new identifier each time. */
export const knownChains: Readonly<
  Record<string, { readonly family: 'iota' | 'sui'; readonly network: 'mainnet' | 'testnet' }>
> = {
  '6364aad5': { family: 'iota', network: 'mainnet' },
  '2304aa97': { family: 'iota', network: 'testnet' },
  '35834a8a': { family: 'sui', network: 'mainnet' },
  '4c78adac': { family: 'sui', network: 'testnet' },
};

/** Default GraphQL addresses of the two families that run anchor packages. */
export const defaultEndpoints: Readonly<
  Record<'iota' | 'sui', Readonly<Record<'mainnet' | 'testnet' | 'devnet', string>>>
> = {
  iota: {
    mainnet: 'https://graphql.mainnet.iota.cafe',
    testnet: 'https://graphql.testnet.iota.cafe',
    devnet: 'https://graphql.devnet.iota.cafe',
  },
  sui: {
    mainnet: 'https://graphql.mainnet.sui.io/graphql',
    testnet: 'https://graphql.testnet.sui.io/graphql',
    devnet: 'https://graphql.devnet.sui.io/graphql',
  },
};
