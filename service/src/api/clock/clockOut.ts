import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import type { ApiCaller } from '../acting.js';
import { stampForCaller } from './stamp-for-caller.js';

export function clockOut({ db }: { readonly db: Database }): Handler<operations['clockOut'], ApiCaller> {
  return (request) => stampForCaller(db, 'out', request);
}
