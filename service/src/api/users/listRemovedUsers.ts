import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { operations } from '../../generated/service-types.js';
import type { Cursors } from '../cursor.js';
import { listRemoved } from '../removed.js';

export function listRemovedUsers(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedUsers'], ExtensionCaller> {
  return (request) => listRemoved(needs, 'person', request);
}
