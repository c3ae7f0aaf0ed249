// Judges the contract: Redocly with redocly.yaml and our plugin, what the last release promised, what nothing uses, the
// AsyncAPI parser, and Redocly alone on the documents in dist/openapi, as somebody without this repository would.
// Any finding, a warning too, is a failure.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { bundle, contractFolder, readRoots, readSources, readVocabulary, repository } from './contract.mjs';
import { derivedExamples } from './problems.mjs';
import { redocly } from './redocly.mjs';
import { readReleased, withdrawals } from './released.mjs';
import { readPageCalls, uncalledOperations, unusedCodes, unusedPieces } from './unused.mjs';

const vocabulary = readVocabulary();
const roots = readRoots();
const findings = [];

const lint = async (args, folder) => {
  const { ok, output } = await redocly(['lint', '--format=stylish', '--max-problems=1000', ...args], folder);
  if (!ok) findings.push(output);
};

const publishedFiles = ['service', 'indexer', 'app'].flatMap((name) => [`${name}.yaml`, `${name}-3.0.yaml`]);
const [documents] = await Promise.all([
  bundle(roots),
  lint(['--config=redocly.yaml', '--lint-config=error'], contractFolder),
  lint([...publishedFiles, '--extends=recommended-strict'], join(repository, 'dist/openapi')),
]);

for (const [path, content] of derivedExamples(vocabulary))
  if (readFileSync(join(contractFolder, path), 'utf8') !== content)
    findings.push(`${path} differs from errors.yaml; run make generate and commit it`);

// Version 1 grows by addition.
for (const [name, released] of readReleased())
  for (const { at, message, rule } of await withdrawals(released, documents.get(name)))
    findings.push(`${name}  ${at}  ${message}  (${rule})`);

const { root } = roots.find(({ name }) => name === 'events');
const { diagnostics } = await new Parser().parse(readFileSync(root, 'utf8'), { source: root });
// The documents are AsyncAPI 3.0 on purpose: the generators of the day read it.
for (const { code, message, path } of diagnostics)
  if (code !== 'asyncapi-latest-version') findings.push(`events  /${path.join('/')}  ${message}  (${code})`);

for (const code of unusedCodes([...documents.values()], vocabulary))
  findings.push(`errors.yaml  no operation answers with the code ${code}`);
for (const piece of unusedPieces(readSources())) findings.push(`${piece}  nothing refers to this`);
for (const operation of uncalledOperations(documents.get('app'), readPageCalls()))
  findings.push(`app.yaml  no page calls ${operation}, or a page calls it although unused.mjs excuses it`);

console.log(
  findings.length === 0
    ? `contract: ${[...documents.keys()].join(', ')} are in order`
    : `${findings.join('\n')}\n\ncontract: not in order`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
