/** Bytes as text, strictly: one accepted spelling each, so that two texts never mean the same bytes by accident. */

/** @returns undefined unless the text is an even number of hex digits (either case). */
export function fromHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Lower case. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** RFC 4648 §4 with padding, and only the canonical spelling (no stray bits in the last digit). */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
