import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { operations } from '../../generated/service-types.js';
import { stampForCaller } from './stamp-for-caller.js';

export function startBreak({ db }: { readonly db: Database }): Handler<operations['startBreak'], ExtensionCaller> {
  return (request) => stampForCaller(db, 'break_start', request);
}
