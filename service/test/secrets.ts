/** Keys and random bytes of the tests: the same in every run. */
import { createHash } from 'node:crypto';

export const dataKey = createHash('sha256').update('the data key of the tests').digest();

/** Deterministic bytes, different at every call. */
export function seededBytes(seed: string): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    while (blocks.length * 32 < size) blocks.push(createHash('sha256').update(`${seed} ${counter++}`).digest());
    return Buffer.concat(blocks).subarray(0, size);
  };
}
