/** `commitment_leaves.parts`: the texts of a month as they were committed to. Later versions would write others. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Part } from './month-proof.js';

export function packParts(parts: readonly Part[]): string {
  return deflateRawSync(JSON.stringify(parts.map(({ name, text }) => [name, text]))).toString('base64');
}

export function unpackParts(packed: string): Part[] {
  const pairs = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as [string, string][];
  return pairs.map(([name, text]) => ({ name, text }));
}
