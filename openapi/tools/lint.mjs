// Judges the contract: Redocly's strictest set, our own rules, what the last release promised, the AsyncAPI parser, and
// the documents in dist/openapi by Redocly's score.
// Any finding, a warning too, is a failure.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { bundle, contractFolder, readRoots, readSources, readVocabulary } from './contract.mjs';
import { judgeEvents, judgeOpenApi, judgePages } from './judge.mjs';
import { derivedExamples } from './problems.mjs';
import { redocly } from './redocly.mjs';
import { readReleased, withdrawals } from './released.mjs';
import { everyCodeIsUsed } from './rules/errors.mjs';
import { everyPieceIsUsed } from './rules/pieces.mjs';
import { judgePublished } from './score.mjs';

const vocabulary = readVocabulary();
const roots = readRoots();
let findings = 0;

const report = (name, { at, message, rule }) => {
  findings += 1;
  console.log(`${name}  ${at}\n    ${message}${rule ? `  (${rule})` : ''}`);
};

for (const [path, content] of derivedExamples(vocabulary))
  if (readFileSync(join(contractFolder, path), 'utf8') !== content)
    report('errors', { at: path, message: 'differs from errors.yaml; run make generate and commit it' });

await Promise.all(
  [...roots.map(({ name }) => name), 'workflows.arazzo.yaml'].map(async (name) => {
    const { answer, output, ok } = await redocly([
      'lint',
      name,
      '--config',
      'redocly.yaml',
      '--format',
      'json',
      '--max-problems',
      '1000',
    ]);
    const start = answer.indexOf('{');
    if (start < 0) throw new Error(`Redocly gave no report on ${name}:\n${output}`);
    const { problems } = JSON.parse(answer.slice(start));
    for (const { message, ruleId, location } of problems)
      report(name, { at: `${location[0]?.source?.ref ?? ''}${location[0]?.pointer ?? ''}`, message, rule: ruleId });
    if (!ok && problems.length === 0) throw new Error(`Redocly failed on ${name}:\n${output}`);
  }),
);

const scores = [];
for (const { name, score, findings: found } of await judgePublished()) {
  for (const finding of found) report(`published ${name}`, finding);
  if (score !== undefined) scores.push(`${name} ${score}`);
}

const judges = { events: judgeEvents, app: judgePages };
const documents = await bundle(roots);
for (const [name, document] of documents)
  for (const finding of (judges[name] ?? judgeOpenApi)(document, vocabulary)) report(name, finding);
for (const finding of everyCodeIsUsed(
  [...documents].filter(([name]) => name !== 'events').map(([, document]) => document),
  vocabulary,
))
  report('errors', finding);

// Version 1 grows by addition.
await Promise.all(
  [...readReleased()].map(async ([name, released]) => {
    for (const finding of await withdrawals(released, documents.get(name))) report(name, finding);
  }),
);

// The derived examples of refusals hold every code; whether each is used, the rule before has said. The generator
// refers to the headers of every answer.
const isShared = (path) =>
  /^openapi\/(?:schemas|parameters|headers|responses|examples)\//.test(path) &&
  !/^openapi\/(?:examples\/(?:oauth-)?problems|headers\/edge)\.yaml$/.test(path);
for (const finding of everyPieceIsUsed(readSources(), isShared))
  report('pieces', { ...finding, rule: 'everyPieceIsUsed' });

const { root } = roots.find(({ name }) => name === 'events');
const { diagnostics } = await new Parser().parse(readFileSync(root, 'utf8'), { source: root });
// The documents are AsyncAPI 3.0 on purpose: the generators of the day read it.
for (const { code, message, path } of diagnostics)
  if (code !== 'asyncapi-latest-version') report('events', { at: `/${path.join('/')}`, message, rule: code });

console.log(
  findings === 0
    ? `contract: ${[...documents.keys()].join(', ')} are in order; scores: ${scores.join(', ')}`
    : `\ncontract: ${findings} findings`,
);
process.exitCode = findings === 0 ? 0 : 1;
