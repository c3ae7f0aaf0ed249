import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { personFor } from '../people/administered.js';
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

export const handOutProof: AppHandler<'handOutProof'> = async ({ db, caller, path: { id, period }, at }) => {
  const body = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    const file = await readProofFile(write, { personId: person.id, period });
    await write.audit({
      companyId: person.company_id,
      action: 'proof.handed_out',
      subject: `person ${person.id}`,
      details: { period },
    });
    return file;
  });
  return { status: 200, body };
};
