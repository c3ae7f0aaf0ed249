import { formatInstant } from '@clockproof/platform/time/instant';
import type { ApiHandler } from '../http/handler.js';
import { readFeatures } from './features.js';

export const getStatus: ApiHandler<'getStatus'> = async ({ db, version, extensionsEnabled, at }) => ({
  status: 200,
  body: {
    version,
    api_versions: ['v1'],
    features: await readFeatures(db, extensionsEnabled),
    server_time: formatInstant(at),
  },
});
