import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../generated/service-types.js';
import type { Anyone } from '../people/caller.js';
import { readFeatures } from './features.js';

export function getStatus({
  db,
  version,
  extensionsEnabled,
}: {
  readonly db: Reader;
  readonly version: string;
  readonly extensionsEnabled: boolean;
}): Handler<operations['getStatus'], Anyone> {
  return async ({ at }) => ({
    status: 200,
    body: {
      version,
      api_versions: ['v1'],
      features: await readFeatures(db, extensionsEnabled),
      server_time: formatInstant(at),
    },
  });
}
