// Generates clients with each generator from every document, compiles them strictly and lets each make a call against
// the demo. Then Bruno sends its collection. Prints the table of docs/guides/generated-clients.md; exit code 1 if one of
// them fails. Names of generators as arguments, or `bruno`, try only these.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDemo } from '../../.ci/demo.mjs';
import { brunoCollection } from '../../openapi/tools/bruno.mjs';
import { generators, modelEvents } from './generators.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, '../..');
process.chdir(repository);
const selection = process.argv.slice(2);
const documents = ['service', 'indexer', 'app'];
const out = join(here, 'out');
const fileOf = { 3.1: (name) => `dist/openapi/${name}.json`, '3.0': (name) => `dist/openapi/${name}-3.0.yaml` };

/** @returns what the program wrote, if it failed */
const execute = (command, args, { cwd = here, env = {} } = {}) =>
  new Promise((resolve) =>
    execFile(
      command,
      args,
      { cwd, maxBuffer: 64 << 20, timeout: 180_000, env: { ...process.env, NO_COLOR: '1', ...env } },
      (error, stdout, stderr) => resolve(error === null ? undefined : `${error.message}\n${stdout}${stderr}`),
    ),
  );
const tool = (name, args, cwd = here) => execute(join(here, 'node_modules/.bin', name), args, { cwd });
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const versions = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).dependencies;

async function compile(slug, files) {
  const config = join(out, `tsconfig-${slug}.json`);
  writeFileSync(
    config,
    JSON.stringify({ extends: '../tsconfig.json', include: files.map((file) => join(here, file)) }),
  );
  return tool('tsc', ['-p', config]);
}

/** Other languages than TypeScript read every file of the clients. */
async function compileWith({ needs, load }, slug) {
  if (load === undefined) return compile(slug, [`out/${slug}/**/*.ts`, `calls/${slug}.ts`]);
  for (const document of documents) {
    const failure = await execute(needs.at(-1), load(join(out, slug, document)));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

const rows = [];
const failures = [];
const note = (name, what, problem) => {
  if (problem !== undefined) failures.push(`${name}, ${what}:\n${problem.slice(0, 3_000)}`);
  console.error(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${name}: ${what}`);
  return problem === undefined ? 'yes' : 'no';
};

async function sendAll(target) {
  const folder = join(out, 'bruno');
  const readDocument = (name) => JSON.parse(readFileSync(`dist/openapi/${name}.json`, 'utf8'));
  for (const [path, text] of brunoCollection({ service: readDocument('service'), indexer: readDocument('indexer') })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { key } = target.extensions.find(({ scopes }) => scopes.includes('write:absences'));
  const variables = { baseUrl: target.service.url, indexerUrl: target.indexer.url, apiKey: key };
  const words = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  return tool('bru', ['run', '-r', '--env', 'Local', ...words, '--exclude-tags', 'link'], folder);
}

rmSync(out, { recursive: true, force: true });
const demo = await startDemo('data/generators');
try {
  const target = JSON.parse(readFileSync('data/generators/target.json', 'utf8'));
  const key = target.extensions.find(({ scopes }) => scopes.includes('read:users')).key;
  for (const generator of generators.filter(
    (generator) => selection.length === 0 || selection.includes(generator.name),
  )) {
    const { name, reads, generate, needs = [] } = generator;
    const missing = needs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
    if (missing.length > 0) {
      console.error(`SKIP  ${name}: ${missing.join(' and ')} not installed`);
      rows.push([name, versions[generator.package], reads, ...['–', '–', '–']]);
      continue;
    }
    const slug = name.replace(/^@/, '').replace(/[/ ]/, '-');
    let failure;
    for (const document of documents) {
      const folder = join(out, slug, document);
      mkdirSync(folder, { recursive: true });
      failure ??= await generate(join(repository, fileOf[reads](document)), folder, tool);
    }
    const isGenerated = note(name, 'generates', failure);
    const isCompiled = note(name, 'compiles', await compileWith(generator, slug));
    const [program, args] =
      generator.load === undefined
        ? [process.execPath, ['--import', 'tsx', join(here, `calls/${slug}.ts`)]]
        : [needs.at(-1), [join(here, 'calls', generator.call), join(out, slug, 'service')]];
    const isCalled = note(name, 'calls', await execute(program, args, { env: { URL: target.service.url, KEY: key } }));
    const version = versions[generator.package ?? name] ?? versions[`@${name}/cli`];
    rows.push([name, version, reads, isGenerated, isCompiled, isCalled]);
  }
  if (selection.length === 0) {
    const folder = join(out, 'modelina');
    mkdirSync(folder, { recursive: true });
    const failure = await modelEvents('dist/asyncapi/events.json', folder).then(
      () => undefined,
      (error) => String(error),
    );
    const isGenerated = note('Modelina', 'generates', failure);
    const isCompiled = note('Modelina', 'compiles', await compile('modelina', ['out/modelina/*.ts']));
    rows.push(['@asyncapi/modelina', versions['@asyncapi/modelina'], 'AsyncAPI 3.0', isGenerated, isCompiled, '–']);
  }
  // Not a generator: every request of the collection is sent, and its assertion holds.
  if (selection.length === 0 || selection.includes('bruno'))
    note('the collection for Bruno', 'runs', await sendAll(target));
} finally {
  await demo.stop();
  rmSync('data/generators', { recursive: true, force: true });
}

console.log(`Documents of version ${version}.\n`);
console.log('| Generator | Version | Reads | Generates | Compiles | Calls |\n|---|---|---|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
for (const failure of failures) console.error(`\n${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;
