/** The process: configuration, start, clean stop; or, with `audit verify`, a look at the audit log. */
import { orExit } from '@clockproof/platform/config/config';
import { refuseUnmigrated } from '@clockproof/platform/database/migrate';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import { createLog } from '@clockproof/platform/log';
import { operationalError } from '@clockproof/platform/operational-error';
import { runAuditCommand } from './audit/verify-command.js';
import { readConfig } from './config.js';
import { migrations } from './migrations/migrations.js';
import { WrongDataKey } from './sealing/data-key.js';
import { startService, version } from './service.js';

const config = orExit(() => readConfig(process.env));
const log = createLog(config.LOG_LEVEL, 'service');

if (process.argv[2] === 'audit') {
  try {
    const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
    await refuseUnmigrated(db, migrations);
    const { exitCode, text } = await runAuditCommand(db, process.argv.slice(3));
    (exitCode === 0 ? console.log : console.error)(text);
    await db.close();
    process.exit(exitCode);
  } catch (error) {
    const fault = operationalError(error);
    if (fault === undefined) throw error;
    console.error(fault);
    process.exit(1);
  }
}

try {
  const service = await startService({ config, log });
  log.info({ url: service.url, version, database: config.DB_DRIVER }, 'listening');
  // To the console, not into the log: the first person to follow the link owns the installation.
  if (service.setUpLink !== undefined)
    console.error(
      `\nNobody can sign in yet. Set up this installation, within 24 hours and once, at\n  ${service.setUpLink}\n`,
    );
  let stopping = false;
  const stop = (signal: string) => {
    // A second signal stops at once. Everything that was committed stays.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    void service.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
} catch (error) {
  const fault = error instanceof WrongDataKey ? error.message : operationalError(error);
  if (fault === undefined) throw error;
  log.fatal(fault);
  process.exit(1);
}
