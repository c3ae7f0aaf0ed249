import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';

export function showOpeningBalance({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['showOpeningBalance'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const person = await personFor(db, caller, id);
    return { status: 200, body: { date: person.kept_from, balance_minutes: person.opening_minutes } };
  };
}
