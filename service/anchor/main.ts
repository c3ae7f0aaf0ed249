/**
 * The anchor service: writes the roots of closed months to a ledger with the operator's own command, and has every
 * index confirm them. It speaks the public API alone and keeps nothing. Exit codes: 0 done, 1 failed, 64 usage, 78
 * configuration.
 */
import { setTimeout } from 'node:timers/promises';
import { parseCommandLine, runProgram } from '@clockproof/platform/cli/command-line';
import { orExit } from '@clockproof/platform/config/config';
import { endOnSignal } from '@clockproof/platform/end-on-signal';
import { createLog, endLogs } from '@clockproof/platform/log';
import { operationalError } from '@clockproof/platform/operational-error';
import { fetch } from 'undici';
import { version } from '../src/version.js';
import type { AnchorNeeds } from './anchor-needs.js';
import { createAnchoring, type PassOutcome } from './anchoring.js';
import { type AnchorConfig, readConfig } from './config.js';
import { doctor } from './doctor.js';
import { createLedgerCommand } from './ledger-command.js';
import { createLedgerIndex } from './ledger-index.js';
import { Unreachable } from './read-json.js';
import { createCommitments } from './service-api.js';
import { startWatching } from './watching.js';

const program = {
  name: 'clockproof-anchor',
  serves: 'write roots to the ledger and have the indexes confirm them, until it is stopped',
  settings: 'docs/guides/anchor-months.md',
  commands: {
    '--once': {
      form: '--once',
      meaning: 'one pass, for cron; 0 if every root is anchored, 1 if one waits or something is wrong',
      words: [0, 0],
    },
    doctor: { form: 'doctor', meaning: 'check settings, service, indexes and command; writes nothing', words: [0, 0] },
  },
} as const;

await runProgram(parseCommandLine(program, process.argv.slice(2), version), {
  serve: () => start(serve),
  run: ({ name }) =>
    name === 'doctor'
      ? doctor(process.env, { fetch, print: (line) => process.stdout.write(`${line}\n`), clock: Date.now }).then(exit)
      : start(runOnce),
});

async function start(work: (config: AnchorConfig) => Promise<void>): Promise<void> {
  const config = orExit(() => readConfig(process.env));
  try {
    await work(config);
  } catch (error) {
    const fault = error instanceof Unreachable ? error.message : operationalError(error);
    if (fault === undefined) throw error;
    console.error(fault);
    process.exitCode = 1;
  }
}

function exit(code: number): void {
  process.exitCode = code;
}

function needsOf(config: AnchorConfig, log: ReturnType<typeof createLog>): AnchorNeeds {
  return {
    service: createCommitments(config.SERVICE_URL, config.SERVICE_KEY, fetch),
    indexes: config.LEDGER_URLS.map((url) => createLedgerIndex(url, fetch)),
    command: createLedgerCommand(config.ANCHOR_COMMAND, config.ANCHOR_TIMEOUT, process.env),
    timeoutMs: config.ANCHOR_TIMEOUT,
    sender: config.ANCHOR_SENDER,
    log,
    clock: Date.now,
  };
}

async function runOnce(config: AnchorConfig): Promise<void> {
  const log = createLog(config.LOG_LEVEL, 'anchor');
  const outcome = await createAnchoring(needsOf(config, log)).pass();
  log.info(describe(outcome), 'pass finished');
  const isDone = outcome.waiting + outcome.unconfirmed + outcome.faults.length === 0;
  await endLogs();
  exit(isDone ? 0 : 1);
}

async function serve(config: AnchorConfig): Promise<void> {
  const log = createLog(config.LOG_LEVEL, 'anchor');
  const watch = await startWatching(config, Date.now);
  const stop = new AbortController();
  const unfinished = new Set<string>();
  const { pass } = createAnchoring({
    ...needsOf(config, log),
    onCommand: watch.onCommand,
    onFault: watch.onFault,
    stopped: () => stop.signal.aborted,
  });
  const loop = (async () => {
    while (!stop.signal.aborted) {
      unfinished.add('pass');
      const outcome = await pass().catch((error: unknown): PassOutcome | undefined => {
        if (error instanceof Unreachable) log.error(error.message);
        else log.error({ err: error }, 'the pass failed');
        return undefined;
      });
      watch.onPass(outcome);
      if (outcome !== undefined) log.debug(describe(outcome), 'pass finished');
      unfinished.delete('pass');
      await setTimeout(config.POLL_INTERVAL, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  endOnSignal(
    {
      unfinished,
      async close() {
        stop.abort();
        await Promise.all([loop, watch.close()]);
      },
    },
    log,
  );
  log.info({ version, service: config.SERVICE_URL, indexes: config.LEDGER_URLS }, 'anchoring');
}

function describe({ waiting, unconfirmed, contradicted }: PassOutcome): object {
  return { waiting, unconfirmed, contradicted };
}
