#!/usr/bin/env node
// Breaks the code in small ways, one at a time, and expects tests to notice. Each list is a room's: */mutants/<room>.yaml.
// ROOM and NAME choose mutants (patterns of the list's path and of titles), MINUTES bounds the time, FRESH=1 forgets
// earlier results, CHECK=1 only looks whether every mutant still applies. Runs in a copy; nothing here is touched.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '..');
const packages = ['platform', 'service', 'indexer'];
const resultsFile = join(root, '.reports/mutants.json');
const baselineFile = join(root, '.reports/mutants-baseline.json');
const secondsForOne = 180;
const { ROOM = '', NAME = '', MINUTES = '240', JOBS = '1', FRESH, CHECK } = process.env;

const chosen = readMutants().filter(
  ({ list, title }) => new RegExp(ROOM).test(list) && new RegExp(NAME, 'i').test(title),
);
const faults = chosen.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0 || CHECK !== undefined) {
  console.log(`${chosen.length} mutants, ${faults.length} that do not apply`);
  process.exit(faults.length > 0 ? 1 : 0);
}

mkdirSync(join(root, '.reports'), { recursive: true });
const results = FRESH === undefined && existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {};
const deadline = Date.now() + Number(MINUTES) * 60_000;
/** Process groups of jest, which end with this process. */
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const group of running) process.kill(-group, 'SIGKILL');
    process.exit(130);
  });

for (const mutant of chosen) Object.assign(mutant, { key: keyOf(mutant), testsKey: testsKeyOf(mutant) });
const open = chosen.filter((mutant) => resultOf(mutant) === undefined);
if (open.length > 0) {
  const passing = await runBaseline(open);
  const queue = [...open];
  await Promise.all(Array.from({ length: Number(JOBS) }, (_, worker) => work(worker, queue, passing)));
}
report();

/** @returns every mutant of every list, with the list's name and the package */
function readMutants() {
  return packages.flatMap((name) => {
    const folder = join(root, name, 'mutants');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .sort()
      .flatMap((file) =>
        parse(readFileSync(join(folder, file), 'utf8')).map((mutant) => ({
          ...mutant,
          package: name,
          list: `${name}/${basename(file, '.yaml')}`,
          path: `${name}/${mutant.file}`,
          // A test of another package is named with it.
          tests: [mutant.tests]
            .flat()
            .map((test) => `${packages.includes(test.split('/')[0]) ? '' : `${name}/`}${test}.test.ts`),
        })),
      );
  });
}

function faultsOf(mutant) {
  const where = `${mutant.list}: ${mutant.title}`;
  const missing = ['title', 'file', 'find'].filter((member) => typeof mutant[member] !== 'string');
  if (missing.length > 0 || typeof mutant.replace !== 'string')
    return [`${where}: lacks ${[...missing, 'replace'][0]}`];
  if (!existsSync(join(root, mutant.path))) return [`${where}: there is no ${mutant.path}`];
  const lost = mutant.tests.filter((test) => !existsSync(join(root, test)));
  if (lost.length > 0 || mutant.tests.length === 0) return [`${where}: there is no ${lost.join(', ') || 'test'}`];
  const found =
    readFileSync(join(root, mutant.path), 'utf8').match(new RegExp(patternOf(mutant.find), 'g'))?.length ?? 0;
  return found === 1 ? [] : [`${where}: does not apply, its text occurs ${found} times in ${mutant.path}`];
}

/** The text to find, however the formatter breaks its lines. */
function patternOf(text) {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s+');
}

function mutated(text, { find, replace }) {
  return text.replace(new RegExp(patternOf(find)), () => replace);
}

/** What a result belongs to: the mutant and its file. */
function keyOf({ find, replace, path }) {
  return hashOf(JSON.stringify([find, replace, path]), readFileSync(join(root, path)));
}

/** A mutant that survived is asked again when its tests change. */
function testsKeyOf({ tests, only = '' }) {
  return hashOf(only, ...tests.map((test) => readFileSync(join(root, test))));
}

/** What is known of a mutant from this or an earlier run. */
function resultOf({ key, testsKey }) {
  const result = results[key];
  const holds = result?.outcome === 'killed' || result?.outcome === 'timeout' || result?.testsKey === testsKey;
  return holds ? result : undefined;
}

/** A copy of the sources beside the installed packages. @returns its folder */
function copyTree(worker) {
  const tree = join(
    tmpdir(),
    `clockproof-mutants-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-${worker}`,
  );
  rmSync(tree, { recursive: true, force: true });
  const left = new Set(['node_modules', 'dist', '.git', '.reports', 'coverage', 'data']);
  cpSync(root, tree, { recursive: true, filter: (source) => !left.has(basename(source)) });
  for (const folder of ['.', ...readdirSync(root)])
    if (existsSync(join(root, folder, 'node_modules')))
      symlinkSync(join(root, folder, 'node_modules'), join(tree, folder, 'node_modules'));
  return tree;
}

/** Runs jest in a tree. @returns the status of each test by its file and full title, undefined where it ran out of time */
async function runTests(tree, tests, { only, workers = 1 }) {
  const output = join(tree, `.result-${process.pid}.json`);
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      ...['--runTestsByPath', ...tests, '--json', '--outputFile', output, '--silent', '--forceExit'],
      ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
      ...(only === undefined ? [] : ['--testNamePattern', only]),
    ],
    {
      cwd: tree,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        DIALECTS: 'sqlite',
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      },
    },
  );
  running.add(child.pid);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  let late = false;
  const timer = setTimeout(
    () => {
      late = true;
      process.kill(-child.pid, 'SIGKILL');
    },
    secondsForOne * 1_000 * (workers === 1 ? 1 : 10),
  );
  await new Promise((done) => child.on('close', done));
  running.delete(child.pid);
  clearTimeout(timer);
  if (late) return undefined;
  if (!existsSync(output))
    return new Map([[tests[0], { status: 'broken', message: `jest: ${complaint.slice(-400)}` }]]);
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const statuses = new Map();
  for (const { name, assertionResults, message } of testResults) {
    const file = name.slice(tree.length + 1);
    if (assertionResults.length === 0) statuses.set(file, { status: 'broken', message });
    // Of tests with the same title, one that fails counts.
    for (const { fullName, status } of assertionResults)
      if (statuses.get(`${file} ${fullName}`)?.status !== 'failed') statuses.set(`${file} ${fullName}`, { status });
  }
  return statuses;
}

/** The tests that pass without any mutant: only they can kill one. Remembered for each file as long as nothing changes. */
async function runBaseline(mutants) {
  const sources = sourcesHash();
  const known = existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, 'utf8')) : {};
  const keyOfTest = (test) => `${test} ${hashOf(sources, readFileSync(join(root, test)))}`;
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  const unknown = tests.filter((test) => known[keyOfTest(test)] === undefined);
  console.log(`${mutants.length} mutants; first ${unknown.length} of ${tests.length} test files as they are`);
  if (unknown.length > 0) {
    const statuses = await runTests(copyTree(0), unknown, { workers: Math.max(2, Number(JOBS)) });
    if (statuses === undefined) throw new Error('the tests run out of time as they are');
    for (const test of unknown) known[keyOfTest(test)] = [];
    for (const [name, { status, message = '' }] of statuses) {
      if (status === 'failed' || status === 'broken') console.error(`fails as it is: ${name} ${message}`);
      if (status === 'passed') known[keyOfTest(name.slice(0, name.indexOf(' ')))].push(name);
    }
    writeFileSync(baselineFile, JSON.stringify(known, null, 1));
  }
  return new Set(tests.flatMap((test) => known[keyOfTest(test)]));
}

/** Of everything that tests may import. */
function sourcesHash() {
  const files = packages.flatMap((name) =>
    readdirSync(join(root, name), { recursive: true })
      .map((file) => `${name}/${file}`)
      .filter((file) => /\/(?:src|test|simulator)\/.*\.[jt]s$/.test(file) && !file.endsWith('.test.ts'))
      .filter((file) => !/node_modules|\/dist\//.test(file)),
  );
  return hashOf(...files.sort().map((file) => readFileSync(join(root, file))));
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 24);
}

async function work(worker, queue, passing) {
  const tree = copyTree(worker);
  for (let mutant = queue.shift(); mutant !== undefined && Date.now() < deadline; mutant = queue.shift()) {
    const file = join(tree, mutant.path);
    const began = Date.now();
    const original = readFileSync(file, 'utf8');
    writeFileSync(file, mutated(original, mutant));
    let outcome = { outcome: 'no test', message: `${mutant.tests.join(' ')} ${mutant.only ?? ''}` };
    for (const test of mutant.tests) {
      const next = outcomeOf(await runTests(tree, [test], { only: mutant.only }), passing);
      if (next !== undefined) outcome = next;
      if (outcome.outcome !== 'survived' && outcome.outcome !== 'no test') break;
    }
    writeFileSync(file, original);
    const seconds = Math.round((Date.now() - began) / 1_000);
    results[mutant.key] = { list: mutant.list, title: mutant.title, testsKey: mutant.testsKey, ...outcome };
    // A jest that died is asked again in the next run.
    const kept = Object.fromEntries(Object.entries(results).filter(([, result]) => result.outcome !== 'broken'));
    writeFileSync(resultsFile, JSON.stringify(kept, null, 1));
    console.log(`${outcome.outcome.padEnd(9)} ${mutant.list}: ${mutant.title} (${seconds} s)`);
  }
  rmSync(tree, { recursive: true, force: true });
}

/** @returns undefined where no test ran */
function outcomeOf(statuses, passing) {
  if (statuses === undefined) return { outcome: 'timeout' };
  const killers = [...statuses].filter(([name, { status }]) => status === 'failed' && passing.has(name));
  if (killers.length > 0) return { outcome: 'killed', by: killers[0][0] };
  const broken = [...statuses.values()].find(({ status }) => status === 'broken');
  if (broken !== undefined) return { outcome: 'broken', message: broken.message.slice(0, 500) };
  const ran = [...statuses].some(([name, { status }]) => status === 'passed' && passing.has(name));
  return ran ? { outcome: 'survived' } : undefined;
}

/** A timeout counts as noticed; a mutant that does not load, or whose pattern meets no test, as a mistake in the list. */
function report() {
  const lists = new Map();
  const attention = [];
  for (const mutant of chosen) {
    const { outcome = 'not run', message = '' } = resultOf(mutant) ?? {};
    const counted =
      mutant.equivalent === undefined ? outcome : outcome === 'survived' ? 'equivalent' : 'not equivalent';
    const noticed = counted === 'killed' || counted === 'timeout';
    const counts = lists.get(mutant.list) ?? { mutants: 0, noticed: 0, equivalent: 0 };
    counts.mutants += 1;
    if (noticed) counts.noticed += 1;
    if (counted === 'equivalent') counts.equivalent += 1;
    lists.set(mutant.list, counts);
    if (!noticed && counted !== 'equivalent') attention.push(`${counted}: ${mutant.list}: ${mutant.title} ${message}`);
  }
  const all = [...lists.values()];
  const sum = (member) => all.reduce((total, counts) => total + counts[member], 0);
  console.log('\n| Room | Mutants | Noticed | Equivalent |\n|---|---|---|---|');
  for (const [list, { mutants, noticed, equivalent }] of lists)
    console.log(`| ${list} | ${mutants} | ${noticed} | ${equivalent} |`);
  console.log(`| all | ${sum('mutants')} | ${sum('noticed')} | ${sum('equivalent')} |\n`);
  for (const line of attention) console.log(line);
  process.exitCode = attention.length === 0 ? 0 : 1;
}
