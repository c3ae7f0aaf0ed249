import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { listSchedules as listRows } from '../../working-time/rows.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentSchedules } from './present-schedule.js';

export function listSchedules({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listSchedules'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const person = await personFor(db, caller, id);
    return { status: 200, body: { data: presentSchedules(await listRows(db, person.company_id, person.id)) } };
  };
}
