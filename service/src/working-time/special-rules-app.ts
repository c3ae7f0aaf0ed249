/** Times with working-time rules of their own for a person: kept by admins. */

import type { AppHandler } from '../http/handler.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { personFor } from '../people/administered.js';
import { addRuleOfPerson, removeRuleOfPerson } from './change-special-rules.js';
import { presentSpecialRule } from './present.js';
import { listSpecialRuleRows } from './rows.js';

export const listSpecialRules: AppHandler<'listSpecialRules'> = async ({ db, caller, path: { id } }) => {
  const person = await personFor(db, caller, id);
  return { status: 200, body: { data: (await listSpecialRuleRows(db, person.id)).map(presentSpecialRule) } };
};

export const addSpecialRule: AppHandler<'addSpecialRule'> = ({ db, caller, path: { id }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const { id: personId, company_id: companyId } = await personFor(write, caller, id);
    const row = await addRuleOfPerson(write, {
      companyId,
      personId,
      kind: body.kind,
      validFrom: body.valid_from,
      validTo: body.valid_to ?? null,
      eveningWork: body.evening_work === true,
    });
    return { status: 201, body: presentSpecialRule(row) };
  });

export const removeSpecialRule: AppHandler<'removeSpecialRule'> = async ({
  db,
  caller,
  path: { id, special_rule_id: ruleId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const { id: personId, company_id: companyId } = await personFor(write, caller, id);
    await removeRuleOfPerson(write, { companyId, personId, id: numberIn(ruleId, 'spr') });
  });
  return { status: 204 };
};
