/**
 * What the ledger calls things: transaction digests (Base58 of 32 bytes), addresses (`0x` and 64 hex digits), chain
 * identifiers. Everything that leaves this file has one spelling.
 */

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitOf = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) digitOf[alphabet.charCodeAt(index)] = index;

/** Base58 with the Bitcoin alphabet. Each leading zero byte is one leading `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let index = 0; index < digits.length; index++) {
      carry += digits[index]! << 8;
      digits[index] = carry % 58;
      carry = (carry / 58) | 0;
    }
    for (; carry > 0; carry = (carry / 58) | 0) digits.push(carry % 58);
  }
  let text = '';
  for (let index = 0; index < bytes.length && bytes[index] === 0; index++) text += '1';
  for (let index = digits.length - 1; index >= 0; index--) text += alphabet[digits[index]!];
  return text;
}

/** @returns undefined if a character is not of the alphabet, or if the value needs more than `maxBytes` bytes. */
export function decodeBase58(text: string, maxBytes: number): Uint8Array | undefined {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    let carry = digitOf[text.charCodeAt(index)] ?? -1;
    if (carry < 0) return undefined;
    for (let place = 0; place < bytes.length; place++) {
      carry += bytes[place]! * 58;
      bytes[place] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
    if (bytes.length > maxBytes) return undefined;
  }
  let zeros = 0;
  while (text[zeros] === '1') zeros++;
  if (zeros + bytes.length > maxBytes) return undefined;
  const result = new Uint8Array(zeros + bytes.length);
  for (let index = 0; index < bytes.length; index++) result[zeros + index] = bytes[bytes.length - 1 - index]!;
  return result;
}

/**
 * True for a transaction digest: Base58 of exactly 32 bytes, which is 32 to 44 characters. 44 characters may overflow,
 * so the text is decoded.
 */
export function isTransactionDigest(text: string): boolean {
  return text.length >= 32 && text.length <= 44 && decodeBase58(text, 32)?.length === 32;
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
 * The digest of the genesis checkpoint in hex, as much of it as a node tells: all 32 bytes, given in Base58, or the first
 * four, given in hex.
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
