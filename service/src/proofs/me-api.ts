import type { ApiHandler } from '../http/handler.js';
import { Refusal } from '../store/refusal.js';
import { presentProofs } from './present-proofs.js';
import { readProofFile } from './proof-file.js';

export const listMyProofs: ApiHandler<'listMyProofs'> = async ({ db, caller, at }) => ({
  status: 200,
  body: await presentProofs(db, caller.personId, at),
});

export const getMyProof: ApiHandler<'getMyProof'> = async ({ db, caller, path: { period }, query }) => {
  // The file shows absences as well.
  if (!caller.scopes.includes('read:leave_entries')) throw new Refusal('insufficient_scope');
  const { revision, hide = [] } = query;
  const file = await readProofFile(db, { personId: caller.personId, period, revision, hidden: new Set(hide) });
  return { status: 200, body: file };
};
