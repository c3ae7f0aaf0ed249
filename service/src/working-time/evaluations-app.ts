/** What is evaluated about people, and switching it off. */

import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { findCompany } from '../people/rows.js';
import { type EvaluationState, readOverview, setEvaluation } from './evaluations.js';
import { presentSpecialRule } from './present.js';
import { listSpecialRuleRows } from './rows.js';

/** Of the caller's own company: everyone may know what is evaluated about them. */
export const showEvaluations: AppHandler<'showEvaluations'> = async ({ db, caller: { person } }) => {
  const company = (await findCompany(db, person.company_id))!;
  const { states, approvers, admins, superAdmins, extensions } = await readOverview(db, company.id);
  return {
    status: 200,
    body: {
      company: { id: company.id, name: company.name },
      colleagues_see: company.colleagues_see,
      evaluations: states.map(presentState),
      readers: { approvers, company_admins: admins, super_admins: superAdmins, extensions },
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
