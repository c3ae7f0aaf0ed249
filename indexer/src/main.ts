/**
 * The process: serve without a command, or run one. Exit codes: 0 done, 1 failed or disagreeing, 64 usage, 78
 * configuration.
 */
// First: the heap has its size from the modules that are loaded after these flags are set.
import './v8-flags.js';

import { runProgram } from '@clockproof/platform/cli/command-line';
import { configurationExitCode, orExit } from '@clockproof/platform/config/config';
import { endOnLoss, endOnSignal } from '@clockproof/platform/end-on-signal';
import { createLog } from '@clockproof/platform/log';
import { operationalError } from '@clockproof/platform/operational-error';
import { type CommandLine, parseCommandLine } from './commands/command-line.js';
import { compare } from './commands/compare.js';
import { doctor } from './commands/doctor.js';
import { exportProofs } from './commands/export.js';
import { importProofs } from './commands/import.js';
import { IndexUnreachable } from './commands/peer-index.js';
import { recheck } from './commands/recheck.js';
import { reindex } from './commands/reindex.js';
import { settle } from './commands/settle.js';
import { type IndexerConfig, readConfig } from './config.js';
import { startIndexer } from './indexer.js';
import { WrongLedger } from './ledger/chain.js';
import { LedgerFailure } from './ledger/graphql.js';
import { version } from './package-folder.js';
import { optimiseForSpeed } from './v8-flags.js';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const context = { print, clock: Date.now };
const config = (): IndexerConfig => orExit(() => readConfig(process.env));

await runProgram(parseCommandLine(process.argv.slice(2), version), { serve, run });

function start({ name, words, options }: Extract<CommandLine, { kind: 'run' }>): Promise<number> {
  switch (name) {
    case 'reindex':
      return reindex(config(), Number(options['from']), print);
    case 'export':
      return exportProofs(config(), words[0], print);
    case 'import':
      return importProofs(config(), words[0], context);
    case 'settle':
      return settle(config(), context);
    case 'recheck':
      return recheck(config(), options['remove'] === true, context);
    case 'doctor':
      return doctor(process.env, print);
    case 'compare':
      return compare([words[0]!, words[1]!], options['full'] === true, { print });
  }
}

async function run(command: Extract<CommandLine, { kind: 'run' }>): Promise<void> {
  // `export | head`: the reader has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    process.exitCode = await start(command);
  } catch (error) {
    const isExpected =
      error instanceof LedgerFailure || error instanceof IndexUnreachable || error instanceof WrongLedger;
    const fault = isExpected ? error.message : operationalError(error);
    if (fault === undefined) throw error;
    console.error(`${command.name}: ${fault}`);
    process.exitCode = error instanceof WrongLedger ? configurationExitCode : 1;
  }
}

async function serve(): Promise<void> {
  const settings = config();
  const log = createLog(settings.LOG_LEVEL, 'indexer');
  log.info({ terms: settings.TERMS_URL }, 'the terms of use are accepted');
  try {
    const indexer = await startIndexer({
      config: settings,
      log,
      exclusive: true,
      onStep: (step) => {
        if (step === 'pass finished') optimiseForSpeed();
      },
      onFatal(error) {
        log.fatal({ reason: error instanceof Error ? error.message : String(error) }, 'the follower has stopped');
        process.exit(error instanceof WrongLedger ? configurationExitCode : 1);
      },
    });
    endOnSignal(indexer, log);
    endOnLoss(indexer.db, log);
    log.info(
      { url: indexer.url, version, database: settings.DB_DRIVER, ledger: new URL(settings.CHAIN_GRAPHQL_URL).host },
      'listening',
    );
  } catch (error) {
    const fault = operationalError(error);
    if (fault === undefined) throw error;
    log.fatal(fault);
    process.exit(1);
  }
}
