#!/usr/bin/env node
/**
 * `clockproof-conformance --target target.json`: judges a deployment from outside, by what it publishes and answers.
 * Exits 0 if no requirement of the level failed, 1 if one did, 2 if it could not run.
 */
import { parseArgs } from 'node:util';
import { type Level, type Suite, suites } from './kit/requirement.js';
import { allRequirements } from './kit/requirements.js';
import { exitCode, run } from './kit/runner.js';
import { readTarget } from './kit/target.js';
import { writeReport } from './report/write.js';
import { judgeReceiver, senderTo } from './roles/receiver.js';

const usage = `clockproof-conformance --target target.json [options]

  --target FILE    the deployment, as target.schema.json describes it
  --suite NAME     only this suite; may be repeated (${suites.join(', ')})
  --only ID        only this requirement; may be repeated
  --level LEVEL    must (default) or should: what makes the exit code 1
  --report DIR     writes conformance.json, .xml (JUnit) and .html there
  --seed N         of everything random, default 1
  --intrusive      also switches features of the whole deployment off and on: only where nobody works
  --role receiver  the kit plays the service and judges a receiver of webhooks, with --url and --secret whsec_…
  --list           names the requirements and ends`;

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
      role: { type: 'string' },
      url: { type: 'string' },
      secret: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const chosen = options.suite ?? suites;
  const unknown = chosen.find((name) => !suites.includes(name as Suite));
  if (unknown !== undefined) throw new Error(`--suite ${unknown}: one of ${suites.join(', ')}`);
  if (options.level !== 'must' && options.level !== 'should') throw new Error('--level is must or should');
  const level: Level = options.level;
  const seed = Number(options.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number');
  if (options.role !== undefined) {
    if (options.role !== 'receiver' || options.url === undefined || options.secret === undefined)
      throw new Error('--role receiver needs --url and --secret');
    const results = await judgeReceiver(senderTo(options.url, options.secret));
    for (const { id, says, breach } of results)
      console.log(breach === undefined ? `ok     ${id} ${says}` : `FAILED ${id} ${says}\n        ${breach}`);
    const failed = results.filter((result) => result.breach !== undefined);
    return failed.some((result) => level === 'should' || result.level === 'must') ? 1 : 0;
  }
  const requirements = (await allRequirements(chosen as Suite[])).filter(
    ({ id }) => options.only === undefined || options.only.includes(id),
  );
  if (requirements.length === 0) throw new Error('no requirement has this id');
  if (options.list) {
    for (const { id, level, says } of requirements) console.log(`${id}  ${level.padEnd(6)}  ${says}`);
    return 0;
  }
  if (options.target === undefined) throw new Error(usage);
  const report = await run({
    target: readTarget(options.target),
    requirements,
    seed,
    intrusive: options.intrusive,
    onResult: ({ id, outcome, says, message, milliseconds }, done, of) => {
      const progress = `${String(done).padStart(String(of).length)}/${of}`;
      const sign = { passed: 'ok    ', failed: 'FAILED', skipped: 'skip  ' }[outcome];
      console.log(
        `${progress} ${sign} ${id} ${says} (${milliseconds} ms)${message === undefined ? '' : `\n        ${message}`}`,
      );
    },
  });
  if (options.report !== undefined) writeReport(options.report, report);
  const { results, coverage, notRemoved } = report;
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  console.log(
    `\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped of ${results.length} requirements in ${(report.milliseconds / 1_000).toFixed(1)} s (seed ${seed}).`,
  );
  console.log(
    `${coverage.operationsCalled} of ${coverage.operations} operations, ${coverage.statusesProvoked} of ${coverage.statuses} documented statuses, ${coverage.answers} answers validated.`,
  );
  for (const failure of notRemoved) console.log(`not removed: ${failure}`);
  return exitCode(report, level);
}
