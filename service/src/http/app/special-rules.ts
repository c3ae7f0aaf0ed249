/** For which times working-time law has rules of its own for a person: kept by admins. */
import type { Handler } from '@clockproof/platform/http/operation';
import type { components, operations } from '../../generated/app-types.js';
import { personFor } from '../../lifecycle/administered.js';
import { actorOf } from '../../people/actor.js';
import { addSpecialRule as add, removeSpecialRule as remove } from '../../working-time/change-special-rules.js';
import { listSpecialRules as listRows, type SpecialRuleRow } from '../../working-time/rows.js';
import type { PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';
import { numberIn } from './prefixed-id.js';

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

export function presentSpecialRule(row: SpecialRuleRow): components['schemas']['SpecialRule'] {
  return {
    id: `spr_${row.id}`,
    kind: row.kind,
    valid_from: row.valid_from,
    ...(row.valid_to === null ? {} : { valid_to: row.valid_to }),
    evening_work: row.evening_work === 1,
  };
}
