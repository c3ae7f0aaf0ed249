import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readPeopleAccess } from '../../extensions/rows.js';
import type { operations } from '../../generated/service-types.js';
import type { Anyone } from '../caller.js';

export function getStatus({ db, version, extensionsEnabled }: { readonly db: Reader; readonly version: string; readonly extensionsEnabled: boolean }): Handler<operations['getStatus'], Anyone> {
  return async ({ at }) => {
    const access = await readPeopleAccess(db);
    const writes = extensionsEnabled && access.people_writes === 1;
    return {
      status: 200,
      body: {
        version, api_versions: ['v1'],
        features: { extensions: extensionsEnabled, people_writes: writes, personal_links: extensionsEnabled && access.personal_links === 1, terminals: access.terminals === 1, webhooks: extensionsEnabled, websocket: extensionsEnabled },
        server_time: formatInstant(at),
      },
    };
  };
}
