import { Refusal } from '@clockproof/platform/http/refusal';
import { presentKnowledge } from '../knowledge.js';
import { presentProof } from '../proofs/present.js';
import { proofsOfTransaction } from '../proofs/rows.js';
import { reasonForUnknown } from '../proofs/verdict.js';
import { immutableAnswer } from './immutable.js';
import { type ApiNeeds, type Request, type Response, refuseUnlessDigest } from './operations.js';

/** The proof of a transaction. Where there is none, the refusal says how much the index knows. */
export async function getProof(
  { db, knowledge }: Pick<ApiNeeds, 'db' | 'knowledge'>,
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
