/**
 * The process: serve (without a word), or one of the commands. Exit codes: 0 done, 1 failed or disagreeing, 78
 * configuration.
 */

import { configurationExitCode, orExit } from '@clockproof/platform/config/config';
import { createLog } from '@clockproof/platform/log';
import { operatorFault } from '@clockproof/platform/operator-fault';
import { compare, IndexUnreachable } from './commands/compare.js';
import { doctor } from './commands/doctor.js';
import { exportProofs } from './commands/export.js';
import { importProofs } from './commands/import.js';
import { reindex } from './commands/reindex.js';
import { readConfig, termsUrl } from './config.js';
import { WrongLedger } from './follow/follower.js';
import { startIndexer } from './indexer.js';
import { LedgerFailure } from './ledger/graphql.js';
import { version } from './package-folder.js';
import { optimiseForSpeed } from './v8-flags.js';

const usage = `clockproof-indexer ${version}
  (no command)            follow the ledger and serve the verification API
  reindex --from N        read everything from checkpoint N on once more
  export [FILE]           write every proof with its evidence, one JSON object a line
  import [FILE]           take proofs of another index, each after asking the ledger about it
  doctor                  examine configuration, database and ledger
  compare URL URL         compare two indexes over their APIs; with --full also whether their lists give their digests
Settings are environment variables; see docs/operations/indexer.md.`;

const [command, ...words] = process.argv.slice(2);
const print = (line: string) => void process.stdout.write(`${line}\n`);

switch (command) {
  case undefined:
    await serve();
    break;
  case 'reindex':
    await run(() =>
      reindex(
        orExit(() => readConfig(process.env)),
        words,
        print,
      ),
    );
    break;
  case 'export':
    await run(() =>
      exportProofs(
        orExit(() => readConfig(process.env)),
        words,
        print,
      ),
    );
    break;
  case 'import':
    await run(() =>
      importProofs(
        orExit(() => readConfig(process.env)),
        words,
        print,
        Date.now,
      ),
    );
    break;
  case 'doctor':
    await run(() => doctor(process.env, print));
    break;
  case 'compare':
    await run(() => compare(words, print));
    break;
  case 'help':
  case '--help':
  case '-h':
    print(usage);
    break;
  default:
    console.error(usage);
    process.exitCode = 64;
}

async function run(work: () => Promise<number>): Promise<void> {
  // `export | head`: whoever read has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    process.exitCode = await work();
  } catch (error) {
    const fault =
      error instanceof LedgerFailure || error instanceof IndexUnreachable ? error.message : operatorFault(error);
    if (fault === undefined) throw error;
    console.error(`${command}: ${fault}`);
    process.exitCode = 1;
  }
}

async function serve(): Promise<void> {
  const config = orExit(() => readConfig(process.env));
  const log = createLog(config.LOG_LEVEL, 'indexer');
  log.info({ terms: termsUrl }, 'the terms of use are accepted');
  try {
    const indexer = await startIndexer({
      config,
      log,
      onStep: (step) => {
        if (step === 'pass finished') optimiseForSpeed();
      },
      onFatal(error) {
        log.fatal({ reason: error instanceof Error ? error.message : String(error) }, 'the follower has stopped');
        process.exit(error instanceof WrongLedger ? configurationExitCode : 1);
      },
    });
    log.info(
      { url: indexer.url, version, database: config.DB_DRIVER, ledger: new URL(config.CHAIN_GRAPHQL_URL).host },
      'listening',
    );
    let stopping = false;
    const stop = (signal: string) => {
      // Whoever asks twice does not want to wait. Everything that was committed stays.
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal }, 'stopping');
      void indexer.close().then(() => process.exit(0));
    };
    process.on('SIGTERM', () => stop('SIGTERM'));
    process.on('SIGINT', () => stop('SIGINT'));
  } catch (error) {
    const fault = operatorFault(error);
    if (fault === undefined) throw error;
    log.fatal(fault);
    process.exit(1);
  }
}
