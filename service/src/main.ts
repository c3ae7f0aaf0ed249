/** The process: configuration, start, clean stop; or, with `audit verify`, a look at the audit log. */
import { existsSync } from 'node:fs';
import { orExit } from '@clockproof/platform/config/config';
import { PortInUse } from '@clockproof/platform/http/server';
import { SchemaUnknown } from '@clockproof/platform/database/migrate';
import { createLog } from '@clockproof/platform/log';
import { openDatabase } from '@clockproof/platform/database/open';
import { runAuditCommand } from './audit/verify-command.js';
import { WrongDataKey } from './sealing/data-key.js';
import { readConfig } from './config.js';
import { startService, version } from './service.js';

const config = orExit(() => readConfig(process.env));
const log = createLog(config.LOG_LEVEL, 'service');

if (process.argv[2] === 'audit') {
  if (config.DB_DRIVER === 'sqlite' && !existsSync(config.DB_DSN)) {
    console.error(`there is no database at ${config.DB_DSN}`);
    process.exit(1);
  }
  const db = await openDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  const { exitCode, text } = await runAuditCommand(db, process.argv.slice(3));
  (exitCode === 0 ? console.log : console.error)(text);
  await db.close();
  process.exit(exitCode);
}

try {
  const service = await startService({ config, log });
  log.info({ url: service.url, version, database: config.DB_DRIVER }, 'listening');
  // To the terminal of whoever starts it, not into the log: whoever follows the link first owns the installation.
  if (service.setUpLink !== undefined) console.error(`\nNobody can sign in yet. Set up this installation, within 24 hours and once, at\n  ${service.setUpLink}\n`);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    void service.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
} catch (error) {
  if (!(error instanceof PortInUse || error instanceof SchemaUnknown || error instanceof WrongDataKey)) throw error;
  log.fatal(error.message);
  process.exit(1);
}
