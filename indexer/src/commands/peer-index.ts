/**
 * Another index, read over its public API. It is not trusted: its answers are checked, and it decides neither how long
 * an answer is nor how long this waits.
 */
import { z } from 'zod';
import type { ProofRecord } from '../store/proof-record.js';

/** The part of `fetch` that is used. `undici`'s and Node's own both fit. */
export type ApiFetch = (
  url: string,
  options: { readonly redirect: 'error'; readonly signal: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

/** It does not answer as an index does. The message names the address. */
export class IndexUnreachable extends Error {
  override readonly name = 'IndexUnreachable';
}

const count = z.int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** As far as a comparison rests on it; later versions may add members. */
const peerStatus = z.object({
  network: z.string(),
  chain_id: z.string().optional(),
  package: z.string(),
  indexed_count: count,
  history: z.string(),
  checkpoint: count.optional(),
  addresses: z.array(z.string()),
  index_digest: z.object({ checkpoint: count, root: digest }).optional(),
});

/** All members are kept: the whole record is compared and hashed. */
const proof = z.looseObject({
  tx: z.string(),
  event_sequence: count,
  sender: z.string(),
  company_token: z.string(),
  period: z.string(),
  merkle_root: z.string(),
  checkpoint: count,
});
const proofPage = z.object({ data: z.array(proof), next_cursor: z.string().nullable() });

export type PeerStatus = z.infer<typeof peerStatus>;

export interface Peer {
  /** @throws IndexUnreachable */
  status(): Promise<PeerStatus>;
  /** All of its proofs, a few more than it claimed at most. @throws IndexUnreachable */
  proofs(status: PeerStatus): Promise<ProofRecord[]>;
}

const tries = 10;
const answerMilliseconds = 30_000;
/** A page of 500 proofs takes less than a third of it. */
const maxAnswerBytes = 2 * 1024 * 1024;
const maxWaitSeconds = 60;
/** Proofs that may have been added since the status was read. */
const maxNewProofs = 10_000;

/** @param wait called if the other side says that it was asked too often */
export function createPeer(address: string, fetch: ApiFetch, wait: (milliseconds: number) => Promise<void>): Peer {
  const base = address.replace(/\/+$/, '');

  async function ask(path: string): Promise<unknown> {
    const url = `${base}${path}`;
    for (let attempt = 1; ; attempt++) {
      const options = { redirect: 'error', signal: AbortSignal.timeout(answerMilliseconds) } as const;
      const response = await fetch(url, options).catch((error: Error) => {
        throw new IndexUnreachable(
          `${url} cannot be reached: ${error.cause instanceof Error ? error.cause.message || error.message : error.message}`,
        );
      });
      if (response.status === 200) return readJson(url, response.body);
      if ((response.status !== 429 && response.status !== 503) || attempt === tries)
        throw new IndexUnreachable(`${url} answered ${response.status}`);
      await wait(1_000 * secondsOf(response.headers.get('retry-after')));
    }
  }

  return {
    async status() {
      const answer = peerStatus.safeParse(await ask('/api/v1/status'));
      if (!answer.success) throw new IndexUnreachable(`${address} is no index of proofs`);
      return answer.data;
    },
    async proofs({ indexed_count: count }) {
      const proofs: ProofRecord[] = [];
      for (let cursor: string | null = null; ; ) {
        const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page = proofPage.safeParse(await ask(`/api/v1/proofs?limit=500${query}`));
        if (!page.success) throw new IndexUnreachable(`${address} does not list proofs`);
        const { data, next_cursor: next } = page.data;
        for (const record of data) proofs.push(record as unknown as ProofRecord);
        if (next === null) return proofs;
        if (data.length === 0 || next === cursor || proofs.length > count + maxNewProofs)
          throw new IndexUnreachable(`${address} lists its proofs without an end`);
        cursor = next;
      }
    },
  };
}

async function readJson(url: string, body: AsyncIterable<Uint8Array> | null): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > maxAnswerBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxAnswerBytes) return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new IndexUnreachable(`${url} did not answer JSON`);
  }
  throw new IndexUnreachable(`${url} answered more than ${maxAnswerBytes} bytes`);
}

/** RFC 9110 §10.2.3; a date, and what is no number, count as five seconds. */
function secondsOf(retryAfter: string | null): number {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Math.min(Number(retryAfter), maxWaitSeconds) : 5;
}
