/**
 * HalfSipHash-2-4 with 64 bits of output (Aumasson, Bernstein): a keyed hash for tables whose keys come from strangers.
 * Not for signatures.
 * Words of 32 bits, so that JavaScript computes it in small integers.
 */

const state = new Int32Array(4);
/** Short texts are encoded in place: a table in front of every request should not leave garbage. */
const scratch = Buffer.alloc(1_024);

function round(): void {
  let [v0, v1, v2, v3] = state as unknown as [number, number, number, number];
  v0 = (v0 + v1) | 0;
  v1 = (v1 << 5) | (v1 >>> 27);
  v1 ^= v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = (v3 << 8) | (v3 >>> 24);
  v3 ^= v2;
  v0 = (v0 + v3) | 0;
  v3 = (v3 << 7) | (v3 >>> 25);
  v3 ^= v0;
  v2 = (v2 + v1) | 0;
  v1 = (v1 << 13) | (v1 >>> 19);
  v1 ^= v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}

function rounds(count: number): void {
  for (let index = 0; index < count; index++) round();
}

/**
 * @param text hashed as its UTF-8 bytes; @param key eight bytes
 * @returns the first and the second word of the output, each 0 to 2^32 - 1
 */
export function halfSipHash(text: string, key: Uint8Array): readonly [number, number] {
  return text.length > 300
    ? halfSipHashBytes(Buffer.from(text), key)
    : halfSipHashBytes(scratch.subarray(0, scratch.write(text)), key);
}

export function halfSipHashBytes(bytes: Uint8Array, key: Uint8Array): readonly [number, number] {
  const word = (from: Uint8Array, at: number) =>
    from[at]! | (from[at + 1]! << 8) | (from[at + 2]! << 16) | (from[at + 3]! << 24);
  const [k0, k1] = [word(key, 0), word(key, 4)];
  state[0] = k0;
  state[1] = k1 ^ 0xee;
  state[2] = k0 ^ 0x6c796765;
  state[3] = k1 ^ 0x74656462;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) compress(word(bytes, at));
  let last = bytes.length << 24;
  for (let index = bytes.length & 3; index > 0; index--) last |= bytes[whole + index - 1]! << (8 * (index - 1));
  compress(last);
  state[2]! ^= 0xee;
  rounds(4);
  const low = (state[1]! ^ state[3]!) >>> 0;
  state[1]! ^= 0xdd;
  rounds(4);
  return [low, (state[1]! ^ state[3]!) >>> 0];
}

function compress(word: number): void {
  state[3]! ^= word;
  rounds(2);
  state[0]! ^= word;
}
