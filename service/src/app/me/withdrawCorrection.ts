import type { Handler } from '@clockproof/platform/http/operation';
import { withdrawCorrection as takeBack } from '../../clocking/corrections.js';
import { presentCorrections } from '../../clocking/present-correction.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { numberIn } from '../prefixed-id.js';

export function withdrawCorrection({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['withdrawCorrection'], PersonCaller> {
  return ({ caller, path: { id }, at }) =>
    db.write(async (tx) => {
      const row = await takeBack(tx, { id: numberIn(id, 'cor'), by: caller.person, at });
      return { status: 200, body: (await presentCorrections(tx, [row])).get(row)! };
    });
}
