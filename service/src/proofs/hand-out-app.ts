/** An admin hands a file out, for a person who cannot download it. */
import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { personFor } from '../people/administered.js';
import { requirePermitFor } from '../working-time/evaluations.js';
import { readProofFile } from './proof-file.js';

export const handOutProof: AppHandler<'handOutProof'> = async ({ db, caller, path: { id, period }, at }) => {
  const person = await personFor(db, caller, id);
  // The file has the data of these evaluations. A person who has left gets theirs in any case.
  if (person.active === 1)
    for (const evaluation of ['month_reports', 'sheet_exports'] as const)
      await requirePermitFor(db, { caller: caller.person.id, person }, evaluation);
  // Before the transaction: it is long in making.
  const body = await readProofFile(db, { personId: person.id, period });
  await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    await write.audit({
      companyId: person.company_id,
      action: 'proof.handed_out',
      subject: `person ${person.id}`,
      details: { period },
    });
  });
  return { status: 200, body };
};
