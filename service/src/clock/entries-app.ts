/** Entries of one person in a period, as a page. */

import type { Handler } from '@clockproof/platform/http/operation';
import { personInApproverScope } from '../absences/approver-scope.js';
import type { operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { isPresence, revealedTo } from '../working-time/evaluations.js';
import { correctEntry as correct } from './corrections.js';
import { draftOf } from './entry-draft.js';
import { presentCorrections, presentVersions } from './present-correction.js';
import { findEntryAnywhere } from './rows.js';
import { historyOf } from './versions.js';

export function listEntryHistory({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listEntryHistory'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const entry = await findEntryAnywhere(db, id);
    if (entry === undefined) throw new Refusal('not_found');
    const person = await personInApproverScope(db, caller, entry.person_id, at);
    const { presence } = await revealedTo(db, caller.person.id, person);
    if (!presence && isPresence(entry, at)) throw new Refusal('not_found');
    return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
  };
}

export function correctEntry({ db }: Pick<AppNeeds, 'db'>): Handler<operations['correctEntry'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const person = await findPersonAnywhere(write, id);
      if (person === undefined) throw new Refusal('not_found');
      const row = await correct(write, { person, by: caller.person, draft: draftOf(body), reason: body.reason });
      return { status: 201, body: (await presentCorrections(write, [row])).get(row)! };
    });
}
