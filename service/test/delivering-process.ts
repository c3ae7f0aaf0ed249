/**
 * The service as the kill test starts it: as in production, but a failed delivery is tried again at once, and HOLDER
 * names the process among the replicas.
 */
import { createLog } from '@clockproof/platform/log';
import { readConfig } from '../src/config.js';
import { maximumAttempts } from '../src/extensions/webhooks/retry-schedule.js';
import { startService } from '../src/service.js';

const { HOLDER: holder, ...env } = process.env;
const log = createLog('info', 'service');
const service = await startService({
  config: readConfig(env),
  log,
  exclusive: true,
  delivering: { holder: holder!, schedule: (tries, at) => (tries < maximumAttempts ? at : undefined) },
});
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
log.info({ url: service.url }, 'listening');
