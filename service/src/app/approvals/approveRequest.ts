import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { decideRequest } from './decide-request.js';

export function approveRequest({ db }: Pick<AppNeeds, 'db'>): Handler<operations['approveRequest'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => ({
    status: 200,
    body: await decideRequest(db, { caller, id, outcome: 'approved', comment: body?.comment, at }),
  });
}
