/**
 * Cursors of lists: opaque, keyset, bound to the caller and the filters. `c1_` + base64url of the position and a MAC
 * over position, caller and filters, so that neither a changed byte nor another tenant's cursor nor other filters get
 * through.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../store/refusal.js';

const macBytes = 16;

export interface Cursors {
  /** @param binding values that must be the same on the next page: operation, caller, filters */
  write(binding: readonly unknown[], position: unknown): string;
  /** @throws Refusal `invalid_cursor` */
  read<Position>(binding: readonly unknown[], cursor: string): Position;
}

export function createCursors(secret: Uint8Array): Cursors {
  const mac = (binding: readonly unknown[], position: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(binding))
      .update('\0')
      .update(position)
      .digest()
      .subarray(0, macBytes);
  return {
    write(binding, position) {
      const text = JSON.stringify(position);
      return `c1_${Buffer.concat([mac(binding, text), Buffer.from(text)]).toString('base64url')}`;
    },
    read(binding, cursor) {
      const bytes = Buffer.from(cursor.slice(3), 'base64url');
      // Base64 ignores stray bits in its last digit; a cursor has one spelling.
      if (!cursor.startsWith('c1_') || bytes.length <= macBytes || bytes.toString('base64url') !== cursor.slice(3))
        throw new Refusal('invalid_cursor');
      const text = bytes.subarray(macBytes).toString();
      if (!timingSafeEqual(mac(binding, text), bytes.subarray(0, macBytes))) throw new Refusal('invalid_cursor');
      return JSON.parse(text);
    },
  };
}
