import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentAdministered } from './present-person.js';

export function showPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showPerson'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentAdministered(db, await personFor(db, caller, id)),
  });
}
