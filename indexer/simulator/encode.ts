/**
 * The far side's own spelling of things. Written apart from `src/ledger`, so that a mistake there cannot agree with
 * itself here: Base58 by big integers, BCS by writing bytes, JSON as each dialect's server renders it.
 */
import { createHash } from 'node:crypto';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = alphabet[Number(number % 58n)] + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = `1${text}`;
  }
  return text;
}

/** A digest that looks like one: SHA-256 of the words, in Base58. */
export function digestOf(...words: readonly (string | number)[]): string {
  return base58(createHash('sha256').update(words.join(' ')).digest());
}

/** An address made of a word, for casts and demonstrations. */
export function addressOf(word: string): string {
  return `0x${createHash('sha256').update(`address ${word}`).digest('hex')}`;
}

/** A field of the Move struct in an event. */
export type Field =
  | { readonly name: string; readonly type: 'string'; readonly text: string }
  | { readonly name: string; readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly name: string; readonly type: 'address'; readonly address: string }
  | { readonly name: string; readonly type: 'u64'; readonly number: bigint };

function uleb128(value: number): Buffer {
  const bytes: number[] = [];
  do {
    const quotient = Math.floor(value / 128);
    bytes.push((value % 128) | (quotient > 0 ? 128 : 0));
    value = quotient;
  } while (value > 0);
  return Buffer.from(bytes);
}

export function bcsOf(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(bytesOf));
}

function bytesOf(field: Field): Buffer[] {
  switch (field.type) {
    case 'string':
      return [uleb128(Buffer.byteLength(field.text)), Buffer.from(field.text)];
    case 'bytes':
      return [uleb128(field.bytes.length), Buffer.from(field.bytes)];
    case 'address':
      return [Buffer.from(field.address.slice(2).padStart(64, '0'), 'hex')];
    case 'u64': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(field.number);
      return [bytes];
    }
  }
}

/** `vector<u8>` is Base64 on newer Sui and an array of numbers everywhere else. */
export function jsonOf(fields: readonly Field[], bytesAsBase64: boolean): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, jsonValueOf(field, bytesAsBase64)]));
}

function jsonValueOf(field: Field, bytesAsBase64: boolean): unknown {
  switch (field.type) {
    case 'string':
      return field.text;
    case 'bytes':
      return bytesAsBase64 ? Buffer.from(field.bytes).toString('base64') : [...field.bytes];
    case 'address':
      return field.address;
    case 'u64':
      return field.number.toString();
  }
}

const zeros = '0'.repeat(63);
export function layoutOf(type: string, fields: readonly Field[]): unknown {
  return {
    struct: {
      type,
      fields: fields.map((field) => ({
        name: field.name,
        layout:
          field.type === 'bytes'
            ? { vector: 'u8' }
            : field.type === 'string'
              ? {
                  struct: {
                    type: `0x${zeros}1::string::String`,
                    fields: [{ name: 'bytes', layout: { vector: 'u8' } }],
                  },
                }
              : field.type,
      })),
    },
  };
}
