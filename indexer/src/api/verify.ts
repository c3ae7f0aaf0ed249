import { normaliseRoot } from '../ledger/identifiers.js';
import { findEvidence } from './evidence.js';
import { immutableAnswer } from './immutable.js';
import { presentKnowledge } from './knowledge.js';
import { type ApiContext, invalidField, type Request, type Response } from './request.js';
import { verdictOn } from './verdict.js';

/** Whether the transaction is indexed and holds the expected root. A well-formed question always gets a verdict. */
export async function verifyTransaction(
  context: ApiContext,
  { path, query, headers, at }: Request<'verifyTransaction'>,
): Promise<Response<'verifyTransaction'>> {
  const { tx } = path;
  const root = query.root === undefined ? undefined : normaliseRoot(query.root);
  if (query.root !== undefined && root === undefined)
    throw invalidField('root', 'wrong_format', 'Write 64 hexadecimal digits.');
  // Read first: the proofs seen next are at least as many as the watermark promises.
  const known = await context.knowledge.at(at);
  const evidence = await findEvidence(context, tx, at, known, ({ rows }) =>
    rows.some((row) => root !== undefined && Buffer.from(row.merkle_root).toString('hex') === root),
  );
  const verdict = verdictOn(evidence, root, known);
  const proofs = [...verdict.proofs];
  if (verdict.verdict === 'unknown') {
    const { disputed_by, ...rest } = verdict;
    const disputed = disputed_by === undefined ? {} : { disputed_by: [...disputed_by] };
    return { status: 200, body: { tx, ...rest, proofs, ...disputed, knowledge: presentKnowledge(known) } };
  }
  const body = { tx, ...verdict, proofs };
  // A match is certain by itself; everything else says that there is nothing beside it.
  if (!evidence.final || (verdict.verdict !== 'match' && evidence.ledger !== 'confirmed')) return { status: 200, body };
  const answer = immutableAnswer(body, headers['if-none-match']);
  return answer.unchanged
    ? { status: 304, headers: answer.headers }
    : { status: 200, headers: answer.headers, serialised: answer.serialised, body };
}
