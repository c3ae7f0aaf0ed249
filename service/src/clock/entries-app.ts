/** Entries of one person in a period, as a page. */

import { personInApproverScope } from '../absences/deciders/approver-scope.js';
import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { isPresence, revealedTo } from '../working-time/evaluations.js';
import { correctWithNotice } from './corrections.js';
import { draftOf } from './entry-draft.js';
import { presentCorrections, presentVersions } from './present-correction.js';
import { findEntryAnywhere } from './rows.js';
import { historyOf } from './versions.js';

export const listEntryHistory: AppHandler<'listEntryHistory'> = async ({ db, caller, path: { id }, at }) => {
  const entry = await findEntryAnywhere(db, id);
  if (entry === undefined) throw new Refusal('not_found');
  const person = await personInApproverScope(db, caller, entry.person_id, at);
  const { presence } = await revealedTo(db, caller.person.id, person);
  if (!presence && isPresence(entry, at)) throw new Refusal('not_found');
  return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
};

export const correctEntry: AppHandler<'correctEntry'> = ({ db, caller, path: { id }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await findPersonAnywhere(write, id);
    if (person === undefined) throw new Refusal('not_found');
    const row = await correctWithNotice(write, {
      person,
      by: caller.person,
      draft: draftOf(body),
      reason: body.reason,
    });
    return { status: 201, body: (await presentCorrections(write, [row])).get(row)! };
  });
