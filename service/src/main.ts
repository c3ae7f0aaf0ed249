/**
 * The process: serve without a command, or run one. Exit codes: 0 done, 1 failed or disagreeing, 64 usage, 78
 * configuration.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { runProgram } from '@clockproof/platform/cli/command-line';
import { configurationExitCode, orExit } from '@clockproof/platform/config/config';
import type { Database } from '@clockproof/platform/database/database';
import { refuseUnmigrated } from '@clockproof/platform/database/migrate';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import { endOnLoss, endOnSignal } from '@clockproof/platform/end-on-signal';
import { createLog } from '@clockproof/platform/log';
import { operationalError } from '@clockproof/platform/operational-error';
import { type CommandLine, parseCommandLine } from './commands/command-line.js';
import { runRotate } from './commands/data-key.js';
import { headLine, runVerify } from './commands/verify.js';
import { readConfig, type ServiceConfig } from './config.js';
import { installationSecret } from './store/installation.js';
import { migrations } from './store/migrations/migrations.js';
import { createDataKey, signWith } from './store/sealing/data-key.js';
import { makeKeys, readDataKey, WrongDataKey } from './store/sealing/data-keys.js';
import { createSealingKeys } from './store/sealing/sealing-keys.js';
import { positionNoteOf } from './store/set-back.js';
import { createStore } from './store/write.js';
import { version } from './version.js';

await runProgram(parseCommandLine(process.argv.slice(2), version), { serve, run });

async function run(command: Extract<CommandLine, { kind: 'run' }>): Promise<void> {
  const { name, options } = command;
  if (name === 'doctor') {
    const { doctor } = await import('./commands/doctor.js');
    const { fetch } = await import('undici');
    const reach = (url: string) => fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
    process.exitCode = await doctor({
      env: process.env,
      print: (text) => console.log(text),
      clock: Date.now,
      randomBytes,
      fetch: reach,
    });
    return;
  }
  const config = orExit(() => readConfig(process.env));
  const { isOperatorCommand, runOperatorCommand } = await import('./commands/commands.js');
  if (isOperatorCommand(name)) {
    process.exitCode = await runOperatorCommand(name, command, config, Date.now());
    return;
  }
  const isReplacement = name === 'data-key replace';
  if (isReplacement && config.DATA_KEY === undefined) {
    console.error('configuration: DATA_KEY is not set: set the new key, for example from openssl rand -base64 32');
    process.exitCode = configurationExitCode;
    return;
  }
  // Commands that write need the SQLite file to themselves.
  const exclusive = isReplacement || name === 'data-key rotate';
  try {
    const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN, exclusive });
    try {
      await refuseUnmigrated(db, migrations);
      const { exitCode, text } = isReplacement
        ? await replaceKey(db, config.DATA_KEY!, options['preview'] === true)
        : name === 'data-key rotate'
          ? await runRotate(db, config, Date.now())
          : await runAudit(db, name, options, config);
      if (text !== undefined) (exitCode === 0 ? console.log : console.error)(text);
      process.exitCode = exitCode;
    } finally {
      await db.close();
    }
  } catch (error) {
    const wrongKey = error instanceof WrongDataKey;
    const fault = wrongKey ? error.message : operationalError(error);
    if (fault === undefined) throw error;
    console.error(fault);
    process.exitCode = wrongKey ? configurationExitCode : 1;
  }
}

interface Ended {
  readonly exitCode: 0 | 1;
  readonly text: string | undefined;
}

async function runAudit(
  db: Database,
  name: 'audit head' | 'audit verify',
  options: Extract<CommandLine, { kind: 'run' }>['options'],
  { DATA_KEY: key, DB_DRIVER: driver, DB_DSN: dsn }: ServiceConfig,
): Promise<Ended> {
  const { head, heads: file, append, anchors: index, sender } = options as Readonly<Record<string, string | undefined>>;
  // A database that lost its keys must not pass as one that was never signed.
  const sign = key && signWith((await readDataKey(db, key, randomBytes)) ?? createDataKey(key, randomBytes));
  if (name === 'audit head') {
    const text = await headLine(db, Date.now(), sign);
    if (text !== undefined && append !== undefined) await appendFile(append, `${text}\n`);
    return { exitCode: 0, text };
  }
  const heads = file === undefined ? undefined : await readFile(file, 'utf8');
  const { fetch } = await import('undici');
  const anchors = index === undefined || sender === undefined ? undefined : { index, sender, fetch };
  return runVerify(db, { head, heads, sign, anchors, note: positionNoteOf({ driver, dsn }) });
}

async function replaceKey(db: Database, key: Uint8Array, preview: boolean): Promise<Ended> {
  const { replaceDataKey } = await import('./hr/replace-data-key.js');
  const keys = makeKeys(key, randomBytes);
  const store = createStore(db, { sign: signWith(keys.dataKey), randomBytes });
  const sealingKeys = createSealingKeys(keys.dataKey, await installationSecret(store, randomBytes), randomBytes);
  return replaceDataKey(store, { key, keys, sealingKeys, randomBytes, at: Date.now(), preview });
}

async function serve(): Promise<void> {
  const config = orExit(() => readConfig(process.env));
  const log = createLog(config.LOG_LEVEL, 'service');
  const isNew = config.DB_DRIVER === 'sqlite' && !existsSync(config.DB_DSN);
  try {
    const { startService } = await import('./service.js');
    const service = await startService({ config, log, exclusive: true });
    endOnSignal(service, log);
    endOnLoss(service.db, log);
    // A mistyped path looks like a lost database: say that this one has just been made.
    if (isNew) log.warn({ database: config.DB_DSN }, 'there was no database at DB_DSN; a new one has been created');
    log.info({ url: service.url, version, database: config.DB_DRIVER }, 'listening');
    // To the operator's terminal, not into the log: the first to follow the link owns the installation.
    if (service.setUpLink !== undefined)
      console.error(
        `\nNobody can sign in yet. Set up this installation, within 24 hours and once, at\n  ${service.setUpLink}\n`,
      );
  } catch (error) {
    const wrongKey = error instanceof WrongDataKey;
    const fault = wrongKey ? error.message : operationalError(error);
    if (fault === undefined) throw error;
    log.fatal(fault);
    process.exit(wrongKey ? configurationExitCode : 1);
  }
}
