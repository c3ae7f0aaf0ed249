import type { Handler } from '@clockproof/platform/http/operation';
import { presentVersions } from '../../clocking/present-correction.js';
import { findEntry } from '../../clocking/rows.js';
import { historyOf } from '../../clocking/versions.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { decidedFor } from '../reach.js';

export function listEntryHistory({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listEntryHistory'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const entry = await findEntry(db, id, null);
    if (entry === undefined) throw new Refusal('not_found');
    await decidedFor(db, caller, entry.person_id);
    return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
  };
}
