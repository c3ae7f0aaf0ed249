/** What is evaluated about people, and switching it off. */
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import type { PersonCaller } from '../people/caller.js';
import { findCompany } from '../people/rows.js';
import { type EvaluationState, readOverview, switchEvaluation as switchOne } from './evaluations.js';
import { presentSpecialRule } from './present.js';
import { listSpecialRules } from './rows.js';

/** Of the caller's own company: everyone may know what is evaluated about them. */
export function showEvaluations({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showEvaluations'], PersonCaller> {
  return async ({ caller: { person } }) => {
    const company = (await findCompany(db, person.company_id))!;
    const { states, approvers, admins, superAdmins, extensions } = await readOverview(db, company.id);
    return {
      status: 200,
      body: {
        company: { id: company.id, name: company.name },
        colleagues_see: company.colleagues_see,
        evaluations: states.map(presentState),
        readers: { approvers, company_admins: admins, super_admins: superAdmins, extensions },
        special_rules: (await listSpecialRules(db, person.id)).map(presentSpecialRule),
      },
    };
  };
}

export function switchEvaluation({ db }: Pick<AppNeeds, 'db'>): Handler<operations['switchEvaluation'], PersonCaller> {
  return async ({ caller, path: { id, evaluation }, body: { enabled }, at }) => ({
    status: 200,
    body: presentState(
      await db.write({ actor: actorOf(caller.person), at }, async (write) =>
        switchOne(write, {
          companyId: (await companyFor(write, caller, id)).id,
          evaluation,
          enabled,
          by: caller.person.id,
        }),
      ),
    ),
  });
}

function presentState({ evaluation, enabled, changedAt }: EvaluationState): components['schemas']['EvaluationSwitch'] {
  return {
    evaluation,
    enabled,
    ...(changedAt === undefined ? {} : { changed_at: formatInstant(changedAt) }),
  };
}
