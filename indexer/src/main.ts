/** The process: serve (without a word), or one of the commands. Exit codes: 0 done, 1 failed or disagreeing, 78 configuration. */
import { letHeapGrow } from './heap.js';
import { configurationExitCode, orExit } from '@clockproof/platform/config/config';
import { SchemaUnknown } from '@clockproof/platform/database/migrate';
import { PortInUse } from '@clockproof/platform/http/server';
import { createLog } from '@clockproof/platform/log';
import { compare } from './commands/compare.js';
import { doctor } from './commands/doctor.js';
import { exportProofs } from './commands/export.js';
import { importProofs } from './commands/import.js';
import { reindex } from './commands/reindex.js';
import { readConfig, termsUrl } from './config.js';
import { WrongLedger } from './follow.js';
import { startIndexer } from './indexer.js';
import { version } from './package-folder.js';

const usage = `clockproof-indexer ${version}
  (no command)            follow the ledger and serve the verification API
  reindex --from N        read everything from checkpoint N on once more
  export [FILE]           write every proof with its evidence, one JSON object a line
  import [FILE]           take proofs of another index, each after asking the ledger about it
  doctor                  examine configuration, database and ledger
  compare URL URL         compare two indexes over their APIs
Settings are environment variables; see docs/operations/indexer.md.`;

const [command, ...words] = process.argv.slice(2);
const print = (line: string) => void process.stdout.write(`${line}\n`);

switch (command) {
  case undefined: await serve(); break;
  case 'reindex': process.exitCode = await reindex(orExit(() => readConfig(process.env)), words, print); break;
  case 'export': process.exitCode = await exportProofs(orExit(() => readConfig(process.env)), words, print); break;
  case 'import': process.exitCode = await importProofs(orExit(() => readConfig(process.env)), words, print); break;
  case 'doctor': process.exitCode = await doctor(process.env, print); break;
  case 'compare': process.exitCode = await compare(words, print); break;
  case 'help': case '--help': case '-h': print(usage); break;
  default:
    console.error(usage);
    process.exitCode = 64;
}

async function serve(): Promise<void> {
  const config = orExit(() => readConfig(process.env));
  const log = createLog(config.LOG_LEVEL, 'indexer');
  log.info({ terms: termsUrl }, 'the terms of use are accepted');
  try {
    const indexer = await startIndexer({
      config, log,
      onStep: (step) => { if (step === 'pass finished') letHeapGrow(); },
      onFatal(error) {
        log.fatal({ reason: error instanceof Error ? error.message : String(error) }, 'the follower has stopped');
        process.exit(error instanceof WrongLedger ? configurationExitCode : 1);
      },
    });
    log.info({ url: indexer.url, version, database: config.DB_DRIVER, ledger: new URL(config.CHAIN_GRAPHQL_URL).host }, 'listening');
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
    if (!(error instanceof PortInUse || error instanceof SchemaUnknown)) throw error;
    log.fatal(error.message);
    process.exit(1);
  }
}
