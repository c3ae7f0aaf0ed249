import { formatInstant } from '@clockproof/platform/time/instant';
import type { ApiHandler } from '../http/handler.js';
import { readProofFile } from './proof-file.js';
import { findTokens, listProofsOfPerson } from './rows.js';

export const listMyProofs: ApiHandler<'listMyProofs'> = async ({ db, caller }) => {
  const tokens = (await findTokens(db, caller.personId))!;
  const proofs = await listProofsOfPerson(db, caller.personId);
  return {
    status: 200,
    body: {
      ...tokens,
      data: proofs.map(({ made_at, ...proof }) => ({ ...proof, made_at: formatInstant(made_at) })),
    },
  };
};

export const getMyProof: ApiHandler<'getMyProof'> = async ({ db, caller, path: { period }, query }) => {
  const { revision, hide = [] } = query;
  const file = await readProofFile(db, { personId: caller.personId, period, revision, hidden: new Set(hide) });
  return { status: 200, body: file };
};
