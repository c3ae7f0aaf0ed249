/** Lists the evaluations of people and switches them off. */

import { day, formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { actorOf, personReference } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { findCompany, listNames } from '../people/rows.js';
import { countProven, listOwnChanges } from './evaluation-rows.js';
import { type EvaluationState, readOverview, setEvaluation } from './evaluations.js';
import { presentSpecialRule } from './present.js';
import { listSpecialRuleRows } from './rows.js';

/** A year of changes that admins made to their own records. */
const ownChangesShown = 366 * day;

/** Evaluations of the caller's own company: everyone may know those about them. */
export const showEvaluations: AppHandler<'showEvaluations'> = async ({ db, caller: { person }, at }) => {
  const company = (await findCompany(db, person.company_id))!;
  const changes = await listOwnChanges(db, { companyId: company.id, since: at - ownChangesShown, limit: 100 });
  const names = await listNames(
    db,
    changes.map(({ actor_id: id }) => Number(id)),
  );
  const { states, approvers, admins, superAdmins, extensions } = await readOverview(db, company.id);
  return {
    status: 200,
    body: {
      company: { id: company.id, name: company.name },
      colleagues_see: company.colleagues_see,
      evaluations: states.map(presentState),
      readers: { approvers, company_admins: admins, super_admins: superAdmins, extensions },
      proven_months: await countProven(db, company.id),
      one_admin: company.one_admin === 1,
      own_changes: changes.map((change) => ({
        at: formatInstant(change.at),
        person: personReference(Number(change.actor_id), names),
        action: change.action,
      })),
      special_rules: (await listSpecialRuleRows(db, person.id)).map(presentSpecialRule),
    },
  };
};

export const switchEvaluation: AppHandler<'switchEvaluation'> = async ({
  db,
  caller,
  path: { id, evaluation },
  body: { enabled },
  at,
}) => ({
  status: 200,
  body: presentState(
    await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      setEvaluation(write, {
        companyId: (await companyFor(write, caller, id)).id,
        evaluation,
        enabled,
        by: caller.person.id,
      }),
    ),
  ),
});

function presentState({ evaluation, enabled, changedAt }: EvaluationState): components['schemas']['EvaluationSwitch'] {
  return {
    evaluation,
    enabled,
    changed_at: formatInstant(changedAt),
  };
}
