import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import type { ApiCaller } from '../acting.js';
import type { Cursors } from '../cursor.js';
import { listRemoved } from '../removed.js';

export function listRemovedLeaves(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedLeaves'], ApiCaller> {
  return (request) => listRemoved(needs, 'absence', request);
}
