// Derives from the contract what nobody should write twice: example bodies of refusals, bundled documents (3.1 and
// 3.0), TypeScript types and tables.
// A file is only written if its content changes, so that builds behind it stay fresh.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Converter } from '@apiture/openapi-down-convert';
import openapiTS, { astToString } from 'openapi-typescript';
import { stringify } from 'yaml';
import { withWholeObjects } from './all-of.mjs';
import { bundle, contractFolder, readRoots, readVocabulary, repository } from './contract.mjs';
import { eventTypesDocument, eventTypesOf } from './events.mjs';
import { withKnownValues } from './known-values.mjs';
import { derivedExamples, withErrorTables, withPermissions } from './problems.mjs';
import { asPublished } from './published.mjs';
import { samplesOf } from './samples.mjs';
import { contractModule, documentModule, scopeLabelsModule, scopeTextsModule, withUndefined } from './typescript.mjs';

const startedAt = performance.now();
let writtenCount = 0;

function write(path, content) {
  const file = join(repository, path);
  try {
    if (readFileSync(file, 'utf8') === content) return;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  writtenCount += 1;
}

const yaml = (value) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
// openapi-typescript changes what it is given.
const typesOf = (document) => openapiTS(structuredClone(document), { silent: true });
const typesModule = (types) => `// Made by make generate from the contract.\n${astToString(types)}`;

const vocabulary = readVocabulary();
for (const [path, content] of derivedExamples(vocabulary))
  write(relative(repository, join(contractFolder, path)), content);

const documents = await bundle(readRoots());
const events = documents.get('events');
documents.delete('events');
write('dist/asyncapi/events.json', `${JSON.stringify(events, null, 2)}\n`);
write('dist/asyncapi/events.yaml', yaml(events));
// It names the documents beside it.
write('dist/openapi/workflows.arazzo.yaml', readFileSync(join(contractFolder, 'workflows.arazzo.yaml'), 'utf8'));
const payloads = withKnownValues(eventTypesDocument(events));
write('service/src/generated/event-types.ts', typesModule(withUndefined(await typesOf(payloads), payloads)));

const types = new Map();
for (const [name, bundledDocument] of documents) {
  const document = withPermissions(withErrorTables(withWholeObjects(bundledDocument), vocabulary));
  documents.set(name, document);
  types.set(name, await typesOf(withKnownValues(document)));
  const publishedDocument = asPublished(document);
  write(`dist/openapi/${name}.json`, `${JSON.stringify(publishedDocument, null, 2)}\n`);
  write(`dist/openapi/${name}.yaml`, yaml(publishedDocument));
  write(`dist/openapi/${name}-3.0.yaml`, yaml(new Converter(structuredClone(publishedDocument), {}).convert()));
}

for (const [name, base] of [
  ['service', 'BASE_URL'],
  ['indexer', 'INDEXER_URL'],
])
  write(`dist/openapi/${name}-samples.json`, `${JSON.stringify(samplesOf(asPublished(documents.get(name)), base))}\n`);

const service = documents.get('service');
const contract = contractModule({
  ...vocabulary,
  eventTypes: eventTypesOf(events),
  document: service,
  app: documents.get('app'),
});
for (const room of ['service', 'terminal-agent']) write(`${room}/src/generated/contract.ts`, contract);
// The agent and the pages are clients: what they get from the service has no undefined members.
write('terminal-agent/src/generated/service-types.ts', typesModule(types.get('service')));
write('service/src/generated/page-types.ts', typesModule(types.get('app')));
for (const [name, room] of [
  ['service', 'service'],
  ['app', 'service'],
  ['indexer', 'indexer'],
]) {
  write(`${room}/src/generated/${name}-types.ts`, typesModule(withUndefined(types.get(name), documents.get(name))));
  write(`${room}/src/generated/${name}-document.ts`, documentModule(name, documents.get(name)));
}
write('service/src/generated/scope-texts.ts', scopeTextsModule(vocabulary.scopes));
for (const language of ['de', 'en'])
  write(`service/src/generated/scope-labels.${language}.ts`, scopeLabelsModule(vocabulary.scopes, language));
// Types as a client of another version generates them; tests compare them with pages of a later version.
write('service/src/generated/service-client-types.ts', typesModule(await typesOf(service)));
write(
  'indexer/src/generated/contract.ts',
  contractModule({ ...vocabulary, eventTypes: [], document: documents.get('indexer') }),
);

console.log(
  `contract: ${[...documents.keys(), 'events'].join(', ')} generated, ${writtenCount} files changed, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
);

// The rows of a schema need its migrations, which are TypeScript: a process of their own.
for (const name of ['service', 'indexer'])
  execFileSync(process.execPath, ['--import', 'tsx', `${name}/tools/generate-tables.ts`], {
    cwd: repository,
    env: { ...process.env, TSX_TSCONFIG_PATH: `${name}/tools/tsconfig.json` },
    stdio: 'inherit',
  });
