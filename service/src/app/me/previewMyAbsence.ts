import type { Handler } from '@clockproof/platform/http/operation';
import { previewAbsence } from '../../absences/preview-absence.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { ownRequest } from './own-absences.js';

export function previewMyAbsence({ db }: Pick<AppNeeds, 'db'>): Handler<operations['previewMyAbsence'], PersonCaller> {
  return async ({ caller, body, at }) => ({
    status: 200,
    body: await previewAbsence(db, ownRequest(caller, body, at)),
  });
}
