#!/usr/bin/env node
/**
 * `clockproof-conformance --target target.json`: judges a deployment from outside, by what it publishes and answers.
 * Exits 0 if no requirement of the level failed, 1 if one did, 2 if it could not run.
 */
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { readAdapter } from './adapters/read.js';
import { type Level, type Suite, suites } from './kit/requirement.js';
import { allRequirements } from './kit/requirements.js';
import { exitCode, outcomes, type Report, type Result, run } from './kit/runner.js';
import { readTarget } from './kit/target.js';
import { notCertified, writeReport } from './report/write.js';
import { judgeReceiver, senderTo } from './roles/receiver.js';
import { roleReport } from './roles/role.js';
import { personDriver, programDriver } from './roles/terminal/driver.js';
import { terminalRequirements } from './roles/terminal/requirements.js';
import { judgeTerminal } from './roles/terminal.js';

const usage = `clockproof-conformance --target target.json [options]

  --target FILE    the deployment, as target.schema.json describes it
  --suite NAME     only this suite; may be repeated (${suites.join(', ')})
  --only ID        only this requirement; may be repeated
  --level LEVEL    must (default) or should: what makes the exit code 1
  --report DIR     writes conformance.json, .xml (JUnit) and .html there
  --seed N         of everything random, default 1
  --intrusive      also switches features of the whole deployment off and on: only where nobody works
  --role receiver  the kit plays the service and judges a receiver of webhooks, with --url and --secret whsec_…
  --role terminal  the kit plays the service and judges a terminal; a person does what is asked, or a program:
  --drive COMMAND  reads instructions, one JSON object a line, and answers each with one line
  --terminals N    how many terminals the command can drive at the same time, each with a folder of its own; 1 unless given
  --listen ADDRESS where the terminal finds the kit, default 127.0.0.1:4010, with --drive any free port
  --adapter FILE   a module that makes the fixtures, instead of the target's; kit/adapter.ts describes it
  --time-zone ZONE of the companies that the kit makes, default Europe/Berlin
  --indexer-command COMMAND  program and script that start the indexer, for IDX-019; its TERMS_URL may stand in front
  --list           names the requirements, with further sentences of the specification, and ends

Ctrl-C removes what the kit has made, and ends with 130; a second one ends at once.
Exit code: 0 no requirement of the level failed, 1 one failed, 2 the kit could not run.
Inconclusive requirements do not change it; nothing is certified for them.
Clockproof's adapter needs a super admin; the kit works in companies of its own.`;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: {
      target: { type: 'string' },
      suite: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      level: { type: 'string', default: 'must' },
      report: { type: 'string' },
      seed: { type: 'string', default: '1' },
      intrusive: { type: 'boolean', default: false },
      adapter: { type: 'string' },
      'time-zone': { type: 'string' },
      'indexer-command': { type: 'string' },
      role: { type: 'string' },
      url: { type: 'string' },
      secret: { type: 'string' },
      drive: { type: 'string' },
      listen: { type: 'string' },
      terminals: { type: 'string', default: '1' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const chosenSuites = options.suite ?? suites;
  const unknown = chosenSuites.find((name) => !suites.includes(name as Suite));
  if (unknown !== undefined) throw new Error(`--suite ${unknown}: one of ${suites.join(', ')}`);
  if (options.level !== 'must' && options.level !== 'should') throw new Error('--level is must or should');
  const level: Level = options.level;
  const seed = Number(options.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number');
  const startedAt = Date.now();
  if (options.role !== undefined) {
    if (options.role === 'receiver') {
      if (options.url === undefined || options.secret === undefined)
        throw new Error('--role receiver needs --url and --secret');
      const results = await judgeReceiver(senderTo(options.url, options.secret), tell);
      return conclude(options.url, startedAt, results, level, options.report);
    }
    if (options.role !== 'terminal') throw new Error('--role is receiver or terminal');
    if (options.list) {
      for (const { id, level, says } of terminalRequirements) console.log(`${id}  ${level.padEnd(6)}  ${says}`);
      return 0;
    }
    const [host = '', port = ''] = (options.listen ?? `127.0.0.1:${options.drive === undefined ? 4010 : 0}`).split(':');
    const person = options.drive === undefined ? createInterface(process.stdin, process.stdout) : undefined;
    const { drive } = options;
    const terminals = drive === undefined ? 1 : Number(options.terminals);
    if (!Number.isInteger(terminals) || terminals < 1 || terminals > 8) throw new Error('--terminals is 1 to 8');
    const drivers =
      drive === undefined
        ? [personDriver((sentence) => person!.question(`→ ${sentence} `))]
        : Array.from({ length: terminals }, () => programDriver(drive));
    const { only } = options;
    const results = await judgeTerminal({
      drivers,
      host,
      port: terminals > 1 ? 0 : Number(port),
      ...(only === undefined ? {} : { only }),
      onResult: tell,
    });
    person?.close();
    return conclude(options.drive ?? 'a terminal', startedAt, results, level, options.report);
  }
  const requirements = (await allRequirements()).filter(
    ({ id, suite }) => (options.only === undefined || options.only.includes(id)) && chosenSuites.includes(suite),
  );
  if (requirements.length === 0) throw new Error('no requirement has this id');
  if (options.list) {
    for (const { id, level, says, covers = [] } of requirements)
      for (const line of [`${id}  ${level.padEnd(6)}  ${says}`, ...covers.map((id) => `                 ${id}`)])
        console.log(line);
    return 0;
  }
  if (options.target === undefined) throw new Error(usage);
  const target = readTarget(options.target);
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    console.log('\nInterrupted: removing what was made …');
    interrupt.abort();
    process.once('SIGINT', () => process.exit(130));
  });
  const report = await run({
    target,
    signal: interrupt.signal,
    requirements,
    seed,
    intrusive: options.intrusive,
    adapter: await readAdapter(options.adapter, target, options.target),
    timeZone: options['time-zone'],
    indexerCommand: options['indexer-command'],
    onResult: (result, count, of) => {
      tell(result, `${String(count).padStart(String(of).length)}/${of} `);
    },
  });
  if (options.report !== undefined) writeReport(options.report, report);
  const { coverage, notRemoved } = report;
  tellCounts(report);
  if (coverage !== undefined)
    console.log(
      `${coverage.operationsCalled} of ${coverage.operations} operations, ${coverage.statusesProvoked} of ${coverage.statuses} documented statuses, ${coverage.codesProvoked} of ${coverage.codes} documented codes, ${coverage.answers} answers validated.`,
    );
  for (const failure of notRemoved) console.log(`clean-up failed twice: ${failure}`);
  // Checks may still be waiting.
  if (interrupt.signal.aborted) process.exit(130);
  return exitCode(report, level);
}

function tell({ id, outcome, says, message, milliseconds }: Result, progress = ''): void {
  const sign = { passed: 'ok    ', failed: 'FAILED', inconclusive: '?     ', skipped: 'skip  ' }[outcome];
  console.log(
    `${progress}${sign} ${id} ${says} (${milliseconds} ms)${message === undefined ? '' : `\n        ${message}`}`,
  );
}

function tellCounts({ results, milliseconds, seed, kit, adapter }: Report): void {
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const counts = outcomes.map((outcome) => `${count(outcome)} ${outcome}`).join(', ');
  const fixtures = adapter === undefined ? '' : `, adapter ${adapter}`;
  const seconds = (milliseconds / 1_000).toFixed(1);
  console.log(`\n${counts} of ${results.length} requirements in ${seconds} s (kit ${kit}${fixtures}, seed ${seed}).`);
  if (count('inconclusive') > 0) console.log(notCertified(count('inconclusive')));
}

/** @returns the exit code of a role */
function conclude(
  subject: string,
  startedAt: number,
  results: readonly Result[],
  level: Level,
  folder?: string,
): 0 | 1 {
  const report = roleReport(subject, startedAt, results);
  if (folder !== undefined) writeReport(folder, report);
  tellCounts(report);
  return exitCode(report, level);
}
