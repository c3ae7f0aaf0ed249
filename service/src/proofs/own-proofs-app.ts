import type { AppHandler } from '../http/handler.js';
import { presentProofs } from './present-proofs.js';
import { readProofFile } from './proof-file.js';

export const listOwnProofs: AppHandler<'listOwnProofs'> = async ({ db, caller, at }) => ({
  status: 200,
  body: await presentProofs(db, caller.person.id, at),
});

export const downloadOwnProof: AppHandler<'downloadOwnProof'> = async ({ db, caller, path: { period }, query }) => {
  const { revision, hide = [] } = query;
  const file = await readProofFile(db, { personId: caller.person.id, period, revision, hidden: new Set(hide) });
  return { status: 200, body: file };
};
