/** The verdict of the index on a transaction, from the stored proofs and the ledger's current answer. */

import type { Instant } from '@clockproof/platform/time/instant';
import { normaliseAddress, normaliseRoot } from '../ledger/identifiers.js';
import { presentProof } from '../store/proof-record.js';
import { type ProofsOfTransaction, proofsOfTransaction } from '../store/proofs.js';
import { immutableAnswer } from './immutable.js';
import { type IndexKnowledge, presentKnowledge } from './knowledge.js';
import { type ApiContext, invalidField, type Request, type Response, refuseUnlessDigest } from './request.js';
import { type Evidence, type Expectation, meets, reasonForUnknown, verdictOn } from './verdict.js';

/** Tells whether the transaction is indexed and holds the expected root. Every well-formed question gets a verdict. */
export async function verifyTransaction(
  context: ApiContext,
  { path, query, headers, at }: Request<'verifyTransaction'>,
): Promise<Response<'verifyTransaction'>> {
  const { tx } = path;
  const expectation = expectationOf(query);
  // Read first: the proofs seen next are at least as many as the watermark promises.
  const indexKnowledge = await context.knowledge.at(at);
  const evidence = await findEvidence(context, tx, at, indexKnowledge, ({ rows }) =>
    rows.some((row) => expectation.merkle_root !== undefined && meets(presentProof(row), expectation)),
  );
  const verdict = verdictOn(evidence, expectation, indexKnowledge);
  const proofs = [...verdict.proofs];
  if (verdict.verdict === 'unknown') {
    const { disputed_by, ...verdictFields } = verdict;
    const dispute = disputed_by === undefined ? {} : { disputed_by: [...disputed_by] };
    return {
      status: 200,
      body: { tx, ...verdictFields, proofs, ...dispute, knowledge: presentKnowledge(indexKnowledge) },
    };
  }
  const body = { tx, ...verdict, proofs };
  // An answer of a node may be a lie; caches would keep it after the dispute was settled.
  if (!evidence.final) return { status: 200, body };
  const answer = immutableAnswer(body, headers['if-none-match']);
  return answer.unchanged
    ? { status: 304, headers: answer.headers }
    : { status: 200, headers: answer.headers, serialised: answer.serialised, body };
}

/** @throws Refusal `invalid_request` */
function expectationOf({ root, company_token, period, sender }: Request<'verifyTransaction'>['query']): Expectation {
  const merkle_root = root === undefined ? undefined : normaliseRoot(root);
  if (root !== undefined && merkle_root === undefined)
    throw invalidField('root', 'wrong_format', 'Write 64 hexadecimal digits.');
  const address = sender === undefined ? undefined : normaliseAddress(sender);
  if (sender !== undefined && address === undefined)
    throw invalidField('sender', 'wrong_format', 'Write 0x and up to 64 hexadecimal digits.');
  return {
    merkle_root,
    company_token,
    period,
    sender: address,
  };
}

export interface TransactionEvidence extends Evidence {
  /** Nothing about it can change any more: the answer may be kept for ever. */
  readonly final: boolean;
}

/**
 * Everything the index can find out about a transaction now. Reads what is stored. Before an answer that only the whole
 * transaction justifies, the ledger is asked for it by its digest, once: from then on the index knows it whole.
 * @param suffices true if the stored proofs answer the question by themselves
 * @throws Refusal `invalid_request` if nothing is stored and the text is no digest
 */
export async function findEvidence(
  { db, confirm }: Pick<ApiContext, 'db' | 'confirm'>,
  tx: string,
  at: Instant,
  indexKnowledge: IndexKnowledge,
  suffices: (storedProofs: ProofsOfTransaction) => boolean,
): Promise<TransactionEvidence> {
  const storedProofs = await proofsOfTransaction(db, tx);
  if (storedProofs.rows.length === 0) refuseUnlessDigest(tx);
  if (storedProofs.confirmed || storedProofs.disputed || suffices(storedProofs))
    return evidenceOf(storedProofs, indexKnowledge, storedProofs.confirmed ? 'confirmed' : 'unanswered');
  // A miss with another excuse is not worth a question: no answer of the node removes the excuse.
  if (storedProofs.rows.length === 0 && reasonForUnknown(indexKnowledge, storedProofs.incomplete) !== 'not_found')
    return evidenceOf(storedProofs, indexKnowledge, 'unanswered');
  const confirmation = await confirm(tx, at);
  if (confirmation === 'unanswered') return evidenceOf(storedProofs, indexKnowledge, 'unanswered');
  // Also an answer without a proof may have changed what is known about stored ones.
  const currentProofs = await proofsOfTransaction(db, tx);
  if (currentProofs.confirmed) return evidenceOf(currentProofs, indexKnowledge, 'confirmed');
  return evidenceOf(currentProofs, indexKnowledge, confirmation === 'absent' ? 'absent' : 'unanswered');
}

function evidenceOf(
  storedProofs: ProofsOfTransaction,
  indexKnowledge: IndexKnowledge,
  ledger: Evidence['ledger'],
): TransactionEvidence {
  const { rows, incomplete, disputed, disputedBy, final: isFinal } = storedProofs;
  const isPassed = rows.length > 0 && rows.every((row) => row.checkpoint <= (indexKnowledge.watermark ?? -1));
  return {
    proofs: rows.map(presentProof),
    disputed,
    disputedBy: disputedBy.map(presentProof),
    incomplete,
    passed: isPassed,
    ledger,
    final: isFinal && isPassed,
  };
}
