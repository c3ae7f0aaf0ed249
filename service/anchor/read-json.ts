/** One request to another program, which decides neither the duration of the wait nor the size of the answer. */
import type { fetch as undiciFetch } from 'undici';

export type Fetch = typeof undiciFetch;

/** The program does not answer as documented. The message names the address. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const answerMilliseconds = 30_000;
const maxAnswerBytes = 2 * 1024 * 1024;

/** @throws Unreachable without an answer of JSON */
export async function readJson(
  fetch: Fetch,
  url: string,
  { key, body }: { readonly key?: string; readonly body?: object } = {},
): Promise<Answer> {
  const address = url.replace(/\?.*/, '');
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(answerMilliseconds),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += (chunk as Uint8Array).byteLength;
      if (size > maxAnswerBytes) throw new Error(`more than ${maxAnswerBytes} bytes`);
      chunks.push(chunk as Uint8Array);
    }
    return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch (error) {
    throw new Unreachable(`${address}: ${sentenceOf(error)}`);
  }
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
