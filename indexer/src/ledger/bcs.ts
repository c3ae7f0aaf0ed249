/**
 * Binary Canonical Serialization, decoded by the layout of the Move type: little-endian integers, ULEB128 lengths,
 * fields in order without names.
 * Supports only the types of event fields. https://github.com/diem/bcs#readme
 */

/** The form of the `MoveTypeLayout` scalar, the same in both families. */
export type Layout =
  | string
  | { readonly vector: Layout }
  | { readonly struct: { readonly type: string; readonly fields: readonly LayoutField[] } }
  | { readonly enum: unknown };
export interface LayoutField {
  readonly name: string;
  readonly layout: Layout;
}

/**
 * A decoded value: vector<u8> becomes bytes, both string types of the standard library become text, an address becomes
 * `0x…` text, a struct becomes a record.
 */
export type MoveValue =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'bool'; readonly bool: boolean }
  | { readonly kind: 'vector'; readonly items: readonly MoveValue[] }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, MoveValue>> };

const integerBytes: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32 };
const stringTypes = /^0x0*1::(string|ascii)::String$/;
const maxVectorLength = 100_000;

export class BcsUnreadable extends Error {
  override readonly name = 'BcsUnreadable';
}

/** @throws BcsUnreadable if the bytes are not exactly one value of this layout */
export function decodeBcs(bytes: Uint8Array, layout: Layout): MoveValue {
  const reader = { bytes, at: 0 };
  const value = readValue(reader, layout, 0);
  if (reader.at !== bytes.length) throw new BcsUnreadable('bytes are left over');
  return value;
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readValue(cursor: Cursor, layout: Layout, depth: number): MoveValue {
  if (depth > 32) throw new BcsUnreadable('nested too deeply');
  if (typeof layout === 'string') return readPrimitive(cursor, layout);
  if ('vector' in layout) {
    const length = readLength(cursor);
    if (layout.vector === 'u8') return { kind: 'bytes', bytes: take(cursor, length) };
    if (length > maxVectorLength) throw new BcsUnreadable('vector too long');
    return { kind: 'vector', items: Array.from({ length }, () => readValue(cursor, layout.vector, depth + 1)) };
  }
  if (!('struct' in layout)) throw new BcsUnreadable('layout not supported');
  const { type, fields } = layout.struct;
  if (stringTypes.test(type)) {
    const bytes = take(cursor, readLength(cursor));
    const text = decodeUtf8(bytes);
    if (text === undefined) throw new BcsUnreadable('a string is not UTF-8');
    return { kind: 'text', text };
  }
  const values: Record<string, MoveValue> = Object.create(null) as Record<string, MoveValue>;
  for (const field of fields) values[field.name] = readValue(cursor, field.layout, depth + 1);
  return { kind: 'struct', fields: values };
}

function readPrimitive(cursor: Cursor, layout: string): MoveValue {
  if (layout === 'address') return { kind: 'address', address: `0x${Buffer.from(take(cursor, 32)).toString('hex')}` };
  if (layout === 'bool') {
    const byte = take(cursor, 1)[0]!;
    if (byte > 1) throw new BcsUnreadable('a bool is neither 0 nor 1');
    return { kind: 'bool', bool: byte === 1 };
  }
  const size = integerBytes[layout];
  if (size === undefined) throw new BcsUnreadable(`layout ${layout.slice(0, 40)} not supported`);
  let number = 0n;
  take(cursor, size).forEach((byte, index) => {
    number |= BigInt(byte) << BigInt(8 * index);
  });
  return { kind: 'number', number };
}

function take(cursor: Cursor, length: number): Uint8Array {
  if (cursor.at + length > cursor.bytes.length) throw new BcsUnreadable('bytes are missing');
  const start = cursor.at;
  cursor.at += length;
  return cursor.bytes.subarray(start, cursor.at);
}

/** ULEB128, at most 32 bits, without superfluous zero bytes. */
function readLength(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = take(cursor, 1)[0]!;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) {
      if (byte === 0 && shift > 0) throw new BcsUnreadable('a length is not in its shortest form');
      return value;
    }
  }
  throw new BcsUnreadable('a length is too long');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** True if the decoder knows every part of a layout; the length of an unknown part is unknown too. */
export function isSupported(layout: Layout): boolean {
  if (typeof layout === 'string')
    return layout === 'address' || layout === 'bool' || Object.hasOwn(integerBytes, layout);
  if ('vector' in layout) return isSupported(layout.vector);
  return 'struct' in layout && layout.struct.fields.every((field) => isSupported(field.layout));
}

/** True if a JSON value has the shape of a layout. */
export function isLayout(value: unknown, depth = 0): value is Layout {
  if (depth > 32) return false;
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null) return false;
  if ('vector' in value) return isLayout(value.vector, depth + 1);
  if ('enum' in value) return true;
  if (!('struct' in value)) return false;
  const { type, fields } = value.struct as { type?: unknown; fields?: unknown };
  return (
    typeof type === 'string' &&
    Array.isArray(fields) &&
    fields.every(
      (field: unknown) =>
        typeof field === 'object' &&
        field !== null &&
        typeof (field as LayoutField).name === 'string' &&
        isLayout((field as LayoutField).layout, depth + 1),
    )
  );
}
