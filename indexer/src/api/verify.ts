import { normaliseRoot } from '../ledger/identifiers.js';
import { presentProof } from '../store/proof-record.js';
import { proofsOfTransaction } from '../store/proofs.js';
import { immutableAnswer } from './immutable.js';
import { presentKnowledge } from './knowledge.js';
import { type ApiContext, type Request, type Response, refuse, refuseUnlessDigest } from './request.js';
import { verdictOn } from './verdict.js';

/** Whether the transaction is indexed and holds the expected root. A well-formed question always gets a verdict. */
export async function verifyTransaction(
  { db, knowledge }: Pick<ApiContext, 'db' | 'knowledge'>,
  { path, query, headers, at }: Request<'verifyTransaction'>,
): Promise<Response<'verifyTransaction'>> {
  const { tx } = path;
  const root = query.root === undefined ? undefined : normaliseRoot(query.root);
  if (query.root !== undefined && root === undefined)
    throw refuse('invalid_request', 'root', 'wrong_format', 'Write 64 hexadecimal digits.');
  // Read first: the proofs seen next are at least as many as the watermark promises.
  const known = await knowledge.at(at);
  const { rows, incomplete, settled } = await proofsOfTransaction(db, tx);
  if (rows.length === 0) refuseUnlessDigest(tx);
  const { proofs, ...verdict } = verdictOn(rows.map(presentProof), root, known, incomplete);
  if (verdict.verdict === 'unknown')
    return { status: 200, body: { tx, ...verdict, proofs: [...proofs], knowledge: presentKnowledge(known) } };
  const body = { tx, ...verdict, proofs: [...proofs] };
  if (!settled || rows[0]!.checkpoint > (known.watermark ?? -1)) return { status: 200, body };
  const answer = immutableAnswer(body, headers['if-none-match']);
  return answer.unchanged
    ? { status: 304, headers: answer.headers }
    : { status: 200, headers: answer.headers, serialised: answer.serialised, body };
}
