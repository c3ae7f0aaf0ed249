/** The anchored proofs: one transaction's, and lists. */
import { Refusal } from '@clockproof/platform/http/refusal';
import { normaliseAddress } from '../ledger/identifiers.js';
import { presentProof } from '../store/proof-record.js';
import { proofsOfTransaction } from '../store/proofs.js';
import { immutableAnswer } from './immutable.js';
import { presentKnowledge } from './knowledge.js';
import { defaultLimit, pageOfProofs } from './proof-page.js';
import { type ApiContext, type Request, type Response, refuse, refuseUnlessDigest } from './request.js';
import { reasonForUnknown } from './verdict.js';

/** The proof of a transaction. Where there is none, the refusal says how much the index knows. */
export async function getProof(
  { db, knowledge }: Pick<ApiContext, 'db' | 'knowledge'>,
  { path, headers, at }: Request<'getProof'>,
): Promise<Response<'getProof'>> {
  const known = await knowledge.at(at);
  const { rows, incomplete, settled } = await proofsOfTransaction(db, path.tx);
  const proofs = rows.map(presentProof);
  const first = proofs[0];
  if (first === undefined) {
    refuseUnlessDigest(path.tx);
    throw new Refusal('not_found', {
      extra: { reason: reasonForUnknown(known, incomplete), knowledge: presentKnowledge(known) },
    });
  }
  const body = { ...first, events: proofs.length, proofs };
  if (!settled || first.checkpoint > (known.watermark ?? -1)) return { status: 200, body };
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
    throw refuse('invalid_request', 'address', 'contradiction', 'Give sender or address, not both.');
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
