/**
 * One index of LEDGER_URLS over its public API. It is not trusted: answers are checked, and no index decides alone that
 * a root is anchored.
 */
import { isBase58Digest } from '@clockproof/platform/bytes/base58';
import { z } from 'zod';
import { type Fetch, readJson, Unreachable } from './read-json.js';

/** The proof that has to stand on the ledger. */
export interface Expectation {
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
  readonly sender: string;
}

export interface IndexStatus {
  readonly package: string;
  /** First four bytes of the genesis digest. Absent until the index has reached a node. */
  readonly chain?: string | undefined;
  /** Time on the ledger up to which every proof of the sender is indexed; absent if the index cannot say. */
  readonly readUntil?: number | undefined;
}

export type IndexVerdict = 'match' | 'mismatch' | 'unknown';

export interface LedgerIndex {
  readonly url: string;
  /** @throws Unreachable */
  status(sender: string): Promise<IndexStatus>;
  /** Ask for the status first: the list then reaches at least as far. @returns the transaction @throws Unreachable */
  find(expectation: Expectation): Promise<string | undefined>;
  /** @throws Unreachable */
  verify(tx: string, expectation: Expectation): Promise<IndexVerdict>;
}

const count = z.int().nonnegative();
const statusAnswer = z.object({
  package: z.string().regex(/^0x[0-9a-f]{64}$/),
  chain_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .optional(),
  state: z.string(),
  checkpoint: count.optional(),
  head_checkpoint: count.optional(),
  head_time: z.string().optional(),
  addresses: z.array(z.string()),
});
const proofsAnswer = z.object({
  data: z.array(
    z.object({
      tx: z.string().refine(isBase58Digest),
      sender: z.string(),
      company_token: z.string(),
      period: z.string(),
      merkle_root: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
const verdictAnswer = z.object({ verdict: z.enum(['match', 'mismatch', 'unknown']) });
/** A month has a handful of roots of one sender. */
const maxPages = 20;

export function createLedgerIndex(url: string, fetch: Fetch): LedgerIndex {
  async function ask<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const { status, body } = await readJson(fetch, `${url}${path}`);
    if (status !== 200) throw new Unreachable(`${url} answered ${status}`);
    const result = schema.safeParse(body);
    if (!result.success) throw new Unreachable(`${url} does not answer as an index of proofs does`);
    return result.data;
  }

  return {
    url,
    async status(sender) {
      const status = await ask('/api/v1/status', statusAnswer);
      const { addresses, checkpoint, head_checkpoint: head, head_time: headTime } = status;
      const isRead =
        status.state === 'ready' &&
        checkpoint !== undefined &&
        head !== undefined &&
        checkpoint >= head &&
        (addresses.length === 0 || addresses.includes(sender));
      const readUntil = isRead && headTime !== undefined ? Date.parse(headTime) : Number.NaN;
      return {
        package: status.package,
        chain: status.chain_id,
        ...(Number.isNaN(readUntil) ? {} : { readUntil }),
      };
    },
    async find({ merkle_root, ...place }) {
      const query = new URLSearchParams({ ...place, limit: '500' });
      for (let page = 0; page < maxPages; page++) {
        const { data, next_cursor: next } = await ask(`/api/v1/proofs?${query}`, proofsAnswer);
        const expectation = Object.entries({ ...place, merkle_root }) as [keyof Expectation, string][];
        const proof = data.find((candidate) => expectation.every(([name, value]) => candidate[name] === value));
        if (proof !== undefined) return proof.tx;
        if (next === null) return undefined;
        query.set('cursor', next);
      }
      throw new Unreachable(`${url} lists the proofs of one month without an end`);
    },
    async verify(tx, { merkle_root: root, ...place }) {
      const query = new URLSearchParams({ root, ...place });
      return (await ask(`/api/v1/verify/${tx}?${query}`, verdictAnswer)).verdict;
    },
  };
}
