import type { Handler } from '@clockproof/platform/http/operation';
import { presentVersions } from '../../clocking/present-correction.js';
import { findEntry } from '../../clocking/rows.js';
import { historyOf } from '../../clocking/versions.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyEntryHistory({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['listMyEntryHistory'], PersonCaller> {
  return async ({ caller: { person }, path: { id } }) => {
    const entry = await findEntry(db, id, person.company_id);
    if (entry?.person_id !== person.id) throw new Refusal('not_found');
    return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
  };
}
