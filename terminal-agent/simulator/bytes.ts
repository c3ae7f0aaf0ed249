/** Bytes as the data sheets write them. */

export function fromHex(hex: string): Uint8Array {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) throw new RangeError(`not hexadecimal: ${hex}`);
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function join(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** a xor b, as long as the shorter one. */
export function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  const length = Math.min(a.length, b.length);
  return Uint8Array.from({ length }, (_, index) => a[index]! ^ b[index]!);
}

/** Rotation to the left by one byte: the token of every DESFire authentication carries the other side's number so. */
export function rotateLeft(bytes: Uint8Array): Uint8Array {
  return join(bytes.subarray(1), bytes.subarray(0, 1));
}

/** 16 bits, least significant byte first, as CmdCtr is written. */
export function littleEndian16(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff);
}
