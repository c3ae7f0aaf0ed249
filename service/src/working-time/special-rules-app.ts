/** For which times working-time law has rules of its own for a person: kept by admins. */
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { personFor } from '../people/administered.js';
import type { PersonCaller } from '../people/caller.js';
import { addSpecialRule as add, removeSpecialRule as remove } from './change-special-rules.js';
import { presentSpecialRule } from './present.js';
import { listSpecialRules as listRows } from './rows.js';

export function listSpecialRules({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listSpecialRules'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const person = await personFor(db, caller, id);
    return { status: 200, body: { data: (await listRows(db, person.id)).map(presentSpecialRule) } };
  };
}

export function addSpecialRule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['addSpecialRule'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const { id: personId, company_id: companyId } = await personFor(write, caller, id);
      const row = await add(write, {
        companyId,
        personId,
        kind: body.kind,
        validFrom: body.valid_from,
        validTo: body.valid_to ?? null,
        eveningWork: body.evening_work === true,
      });
      return { status: 201, body: presentSpecialRule(row) };
    });
}

export function removeSpecialRule({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['removeSpecialRule'], PersonCaller> {
  return async ({ caller, path: { id, special_rule_id: ruleId }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const { id: personId, company_id: companyId } = await personFor(write, caller, id);
      await remove(write, { companyId, personId, id: numberIn(ruleId, 'spr') });
    });
    return { status: 204 };
  };
}
