import type { Handler } from '@clockproof/platform/http/operation';
import { requestCorrection as askForCorrection } from '../../clocking/corrections.js';
import { presentCorrections } from '../../clocking/present-correction.js';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import { wishOf } from '../entries/wish.js';
import type { AppNeeds } from '../needs.js';

export function requestCorrection({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['requestCorrection'], PersonCaller> {
  return ({ caller, body, at }) =>
    db.write(async (tx) => {
      const person = await findPerson(tx, caller.person.id, caller.person.company_id);
      if (person === undefined) throw new Refusal('not_found');
      const row = await askForCorrection(tx, { person, by: person, wish: wishOf(body), reason: body.reason, at });
      return { status: 201, body: (await presentCorrections(tx, [row])).get(row)! };
    });
}
