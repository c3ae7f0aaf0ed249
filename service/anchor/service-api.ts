/** The service's public API, as far as the anchor service uses it. */
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { z } from 'zod';
import type { IndexVerdict } from './ledger-index.js';
import { type Fetch, readJson, Unreachable } from './read-json.js';

export type CommitmentState = 'made' | 'reported' | 'anchored' | 'contradicted';

export interface AnchorFacts {
  readonly tx: string;
  readonly sender: string;
  readonly package: string;
  readonly chain: string;
}

export interface Check extends IndexVerdict {
  /** Address of the index. */
  readonly index: string;
}

export interface Anchor extends AnchorFacts {
  readonly checks: readonly (Check & { readonly at: string })[];
}

export interface Commitment {
  readonly id: number;
  readonly companyToken: string;
  readonly period: string;
  readonly root: string;
  readonly madeAt: Instant;
  readonly state: string;
  readonly anchors: readonly Anchor[];
}

/** What the service refuses is a sentence with its code. All throw `Unreachable`. */
export interface Commitments {
  list(state: CommitmentState): Promise<readonly Commitment[]>;
  /** Asks for the right to write this root once. @returns why not */
  claim(
    id: number,
    claim: { readonly seconds: number; readonly ledger_read_until?: string },
  ): Promise<string | undefined>;
  /** The same anchor again adds checks. @returns why not */
  report(id: number, anchor: AnchorFacts, checks: readonly Check[]): Promise<string | undefined>;
}

const instant = z.string().refine((text) => parseInstant(text) !== undefined);
const anchor = z.object({
  tx: z.string(),
  sender: z.string(),
  package: z.string(),
  chain: z.string(),
  checks: z.array(
    z.object({
      index: z.string(),
      verdict: z.enum(['match', 'mismatch', 'unknown']),
      reason: z.string().optional(),
      at: instant,
    }),
  ),
});
const page = z.object({
  data: z.array(
    z.object({
      id: z.int(),
      company_token: z.string().regex(/^[0-9a-z]{26}$/),
      period: z.string().regex(/^[0-9a-z-]{1,64}$/),
      merkle_root: z.string().regex(/^[0-9a-f]{64}$/),
      made_at: instant,
      state: z.string(),
      anchors: z.array(anchor),
    }),
  ),
  next_cursor: z.string().nullable(),
});
const problem = z.object({ code: z.string(), error: z.string() });

export function createCommitments(url: string, key: string, fetch: Fetch): Commitments {
  const base = `${url}/api/v1/commitments`;

  /** @returns what the service says against it; a refusal of the key, a limit or a fault concerns everything */
  async function post(path: string, body: object): Promise<string | undefined> {
    const answer = await readJson(fetch, `${base}${path}`, { key, body });
    if (answer.status === 200 || answer.status === 201) return undefined;
    if (answer.status === 404 || answer.status === 409 || answer.status === 422) return sentenceOf(answer.body);
    throw new Unreachable(`${base} answered ${answer.status}: ${sentenceOf(answer.body)}`);
  }

  return {
    async list(state) {
      const commitments: Commitment[] = [];
      const query = new URLSearchParams({ state, limit: '100' });
      for (;;) {
        const { status, body } = await readJson(fetch, `${base}?${query}`, { key });
        if (status !== 200) throw new Unreachable(`${base} answered ${status}: ${sentenceOf(body)}`);
        const { data, error } = page.safeParse(body);
        if (data === undefined) throw new Unreachable(`${base} does not list commitments: ${error.issues[0]?.message}`);
        for (const { company_token, merkle_root, made_at, ...item } of data.data)
          commitments.push({
            ...item,
            companyToken: company_token,
            root: merkle_root,
            madeAt: parseInstant(made_at)!,
            anchors: item.anchors as readonly Anchor[],
          });
        if (data.next_cursor === null) return commitments;
        query.set('cursor', data.next_cursor);
      }
    },
    claim: (id, claim) => post(`/${id}/claims`, claim),
    report: (id, facts, checks) => post(`/${id}/anchors`, { ...facts, checks }),
  };
}

function sentenceOf(body: unknown): string {
  const { data } = problem.safeParse(body);
  return data === undefined ? 'without a reason' : `${data.code}, ${data.error}`;
}
