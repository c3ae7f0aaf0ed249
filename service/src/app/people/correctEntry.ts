import type { Handler } from '@clockproof/platform/http/operation';
import { correctEntry as correct } from '../../clocking/corrections.js';
import { presentCorrections } from '../../clocking/present-correction.js';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import { wishOf } from '../entries/wish.js';
import type { AppNeeds } from '../needs.js';

export function correctEntry({ db }: Pick<AppNeeds, 'db'>): Handler<operations['correctEntry'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      const person = await findPerson(tx, id, null);
      if (person === undefined) throw new Refusal('not_found');
      const row = await correct(tx, { person, by: caller.person, wish: wishOf(body), reason: body.reason, at });
      return { status: 201, body: (await presentCorrections(tx, [row])).get(row)! };
    });
}
