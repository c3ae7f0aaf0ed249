import type { IncomingMessage } from 'node:http';

/** @returns the parsed body; undefined if it is no JSON, or longer than `maxBytes` */
export async function readJson(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!/^application\/json(;|$)/.test(incoming.headers['content-type'] ?? '')) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBytes) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}
