/** The root of a day's events on the ledger, and the verdict of the verification service on it. */
import { createHash } from 'node:crypto';
import type { TargetProof } from '../target.js';

export interface Anchoring {
  readonly ledgerUrl: string;
  readonly indexerUrl: string;
  readonly sender: string;
  readonly companyToken: string;
}

export interface Anchored {
  readonly proof: TargetProof;
  /** 64 hexadecimal digits: RFC 6962 §2.1 over the events as JSON. */
  readonly root: string;
  readonly verdict: string;
}

/** @param period each root has one of its own: two roots for one period look like a forgery */
export async function anchor(
  { ledgerUrl, indexerUrl, sender, companyToken }: Anchoring,
  events: readonly unknown[],
  period: string,
): Promise<Anchored> {
  const root = merkleRoot(events.map((event) => Buffer.from(JSON.stringify(event))));
  const proof = (await json(`${ledgerUrl}/anchor`, {
    sender,
    company_token: companyToken,
    period,
    merkle_root: root,
  })) as TargetProof;
  return { proof, root, verdict: await verdictOf(indexerUrl, proof.tx, root) };
}

/** Waits until the verification service knows the transaction, half a minute at most. */
async function verdictOf(indexerUrl: string, tx: string, root: string): Promise<string> {
  let verdict = 'unknown';
  for (let attempt = 0; attempt < 60 && verdict === 'unknown'; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    ({ verdict } = (await json(`${indexerUrl}/api/v1/verify/${tx}?root=${root}`)) as { verdict: string });
  }
  return verdict;
}

/** @throws Error with the answer, if it is not a success */
export async function json(url: string, body?: object): Promise<unknown> {
  const response = await fetch(
    url,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

function merkleRoot(leaves: readonly Buffer[]): string {
  const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const of = (leaves: readonly Buffer[]): Buffer => {
    if (leaves.length <= 1) return leaves.length === 0 ? sha() : sha(Buffer.of(0), leaves[0]!);
    let split = 1;
    while (split * 2 < leaves.length) split *= 2;
    return sha(Buffer.of(1), of(leaves.slice(0, split)), of(leaves.slice(split)));
  };
  return of(leaves).toString('hex');
}
