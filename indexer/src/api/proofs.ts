/** The anchored proofs: one transaction's, and lists. */
import { Refusal } from '@clockproof/platform/http/refusal';
import { normaliseAddress } from '../ledger/identifiers.js';
import { immutableAnswer } from './immutable.js';
import { presentKnowledge } from './knowledge.js';
import { defaultLimit, pageOfProofs } from './proof-page.js';
import { type ApiContext, invalidField, type Request, type Response } from './request.js';
import { reasonForMiss } from './verdict.js';
import { findEvidence } from './verify.js';

/** The proof of a transaction. If there is none, the refusal says how much the index knows. */
export async function getProof(
  context: ApiContext,
  { path, headers, at }: Request<'getProof'>,
): Promise<Response<'getProof'>> {
  const indexKnowledge = await context.knowledge.at(at);
  const evidence = await findEvidence(context, path.tx, at, indexKnowledge, () => false);
  const proofs = [...evidence.proofs];
  const firstProof = proofs[0];
  if (firstProof === undefined) {
    const reason = reasonForMiss(evidence, indexKnowledge);
    throw new Refusal('not_found', { extra: { reason, knowledge: presentKnowledge(indexKnowledge) } });
  }
  const dispute = evidence.disputedBy.length === 0 ? {} : { disputed_by: [...evidence.disputedBy] };
  const body = { ...firstProof, events: proofs.length, proofs, ...dispute };
  if (!evidence.final) return { status: 200, body };
  const answer = immutableAnswer(body, headers['if-none-match']);
  return answer.unchanged
    ? { status: 304, headers: answer.headers }
    : { status: 200, headers: answer.headers, serialised: answer.serialised, body };
}

/** Proofs, newest first; usually those of one sender. */
export async function listProofs(
  { db }: Pick<ApiContext, 'db'>,
  { query }: Request<'listProofs'>,
): Promise<Response<'listProofs'>> {
  if (query.sender !== undefined && query.address !== undefined)
    throw invalidField('address', 'contradiction', 'Give sender or address, not both.');
  const sender = query.sender ?? query.address;
  const filter = {
    sender: sender === undefined ? undefined : normaliseAddress(sender),
    companyToken: query.company_token,
    period: query.period,
  };
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: await pageOfProofs(db, filter, query.limit ?? defaultLimit, query.cursor),
  };
}

/** Proofs of one company token, newest first. Conflicting roots of one period are all listed. */
export async function listCompanyProofs(
  { db }: Pick<ApiContext, 'db'>,
  { path, query }: Request<'listCompanyProofs'>,
): Promise<Response<'listCompanyProofs'>> {
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: await pageOfProofs(
      db,
      { companyToken: path.token, period: query.period },
      query.limit ?? defaultLimit,
      query.cursor,
    ),
  };
}
