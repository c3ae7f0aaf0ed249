/** The service's public API, as far as the anchor service uses it. */
import { parseInstant } from '@clockproof/platform/time/instant';
import { z } from 'zod';
import type { components } from '../src/generated/service-client-types.js';
import { type Fetch, readJson, Unreachable } from './read-json.js';

type Schemas = components['schemas'];
export type CommitmentState = 'made' | 'reported' | 'anchored' | 'contradicted';
export type AnchorReport = Schemas['AnchorReport'];
export type Check = NonNullable<AnchorReport['checks']>[number];
export type Anchor = Omit<AnchorReport, 'checks' | 'indexes'> & {
  readonly reported_at: string;
  readonly checks: readonly { readonly index: string; readonly verdict: string; readonly checked_at: string }[];
};
export type Commitment = Pick<
  Schemas['Commitment'],
  'id' | 'company_token' | 'period' | 'merkle_root' | 'made_at' | 'overdue'
> & { readonly anchors: readonly Anchor[] };

/** The methods answer a refusal of the service as its sentence with its code. All throw `Unreachable`. */
export interface Commitments {
  list(state: CommitmentState): Promise<readonly Commitment[]>;
  /** Asks for the right to write this root once. @returns the reason for a refusal */
  claim(id: number, claim: Schemas['ClaimRequest']): Promise<string | undefined>;
  /** Reports a transaction; the same one again adds verdicts. @returns the reason for a refusal */
  report(id: number, report: AnchorReport): Promise<string | undefined>;
}

// Unused members are not checked: the service may add some.
const instant = z.string().refine((text) => parseInstant(text) !== undefined);
const anchor: z.ZodType<Anchor> = z.object({
  tx: z.string(),
  sender: z.string(),
  package: z.string(),
  chain: z.string(),
  reported_at: instant,
  checks: z.array(z.object({ index: z.string(), verdict: z.string(), checked_at: instant })),
});
const commitment: z.ZodType<Commitment> = z.object({
  id: z.int(),
  company_token: z.string().regex(/^[0-9a-z]{1,64}$/),
  // Checked, since it is an argument of a command.
  period: z.string().regex(/^[0-9a-z][0-9a-z-]{0,63}$/),
  merkle_root: z.string().regex(/^[0-9a-f]{64}$/),
  made_at: instant,
  overdue: z.boolean(),
  anchors: z.array(anchor),
});
const page = z.object({ data: z.array(commitment), next_cursor: z.string().nullable() });
const problem = z.object({ code: z.string(), error: z.string() });

export function createCommitments(url: string, key: string, fetch: Fetch): Commitments {
  const base = `${url}/api/v1/commitments`;

  /**
   * @returns the service's objection to this commitment; a refusal of the key, a limit or a fault concerns everything
   */
  async function post(path: string, body: object): Promise<string | undefined> {
    const answer = await readJson(fetch, `${base}${path}`, { key, body });
    if (answer.status === 200 || answer.status === 201) return undefined;
    if (answer.status === 404 || answer.status === 409 || answer.status === 422) return sentenceOf(answer.body);
    throw new Unreachable(`${base} answered ${answer.status}: ${sentenceOf(answer.body)}`);
  }

  return {
    async list(state) {
      const commitments: Commitment[] = [];
      const query = new URLSearchParams({ state, limit: '200' });
      for (;;) {
        const { status, body } = await readJson(fetch, `${base}?${query}`, { key });
        if (status !== 200) throw new Unreachable(`${base} answered ${status}: ${sentenceOf(body)}`);
        const { data, error } = page.safeParse(body);
        if (data === undefined) throw new Unreachable(`${base} does not list commitments: ${error.issues[0]?.message}`);
        commitments.push(...data.data);
        if (data.next_cursor === null) return commitments;
        query.set('cursor', data.next_cursor);
      }
    },
    claim: (id, claim) => post(`/${id}/claims`, claim),
    report: (id, report) => post(`/${id}/anchors`, report),
  };
}

function sentenceOf(body: unknown): string {
  const { data } = problem.safeParse(body);
  return data === undefined ? 'without a reason' : `${data.code}, ${data.error}`;
}
