// Derives from the contract what nobody should write twice: example bodies of refusals, bundled documents (3.1 and 3.0), TypeScript types and tables.
// A file is only written if its content changes, so that builds behind it stay fresh.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Converter } from '@apiture/openapi-down-convert';
import openapiTS, { astToString } from 'openapi-typescript';
import { stringify } from 'yaml';
import { bundle, contractFolder, readRoots, readVocabulary, repository } from './contract.mjs';
import { eventTypesDocument, eventTypesOf } from './events.mjs';
import { derivedExamples, withErrorTables } from './problems.mjs';
import { contractModule, documentModule } from './typescript.mjs';

const started = performance.now();
let written = 0;

function write(path, content) {
  const file = join(repository, path);
  try {
    if (readFileSync(file, 'utf8') === content) return;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  written += 1;
}

const yaml = (value) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
const typesOf = async (document) => `// Made by make generate from the contract.\n${astToString(await openapiTS(document, { silent: true }))}`;

const vocabulary = readVocabulary();
for (const [path, content] of derivedExamples(vocabulary)) write(relative(repository, join(contractFolder, path)), content);

const documents = await bundle(readRoots());
const events = documents.get('events');
documents.delete('events');
if (events) {
  write('dist/asyncapi/events.json', `${JSON.stringify(events, null, 2)}\n`);
  write('dist/asyncapi/events.yaml', yaml(events));
}
for (const [name, bundled] of documents) {
  const document = withErrorTables(bundled, vocabulary);
  documents.set(name, document);
  write(`dist/openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`);
  write(`dist/openapi/${name}.yaml`, yaml(document));
  write(`dist/openapi/${name}-3.0.yaml`, yaml(new Converter(structuredClone(document), {}).convert()));
}

const service = documents.get('service');
const app = documents.get('app');
const indexer = documents.get('indexer');
const types = new Map(await Promise.all([...documents].map(async ([name, document]) => [name, await typesOf(document)])));

const eventTypes = events ? eventTypesOf(events) : [];
if (events) write('service/src/generated/event-types.ts', await typesOf(eventTypesDocument(events)));
if (service) {
  const contract = contractModule({ ...vocabulary, eventTypes, document: service, app });
  for (const room of ['service', 'terminal-agent']) {
    write(`${room}/src/generated/service-types.ts`, types.get('service'));
    write(`${room}/src/generated/contract.ts`, contract);
  }
  write('service/src/generated/service-document.ts', documentModule('service', service));
}
if (app) {
  write('service/src/generated/app-types.ts', types.get('app'));
  write('service/src/generated/app-document.ts', documentModule('app', app));
}
if (indexer) {
  write('indexer/src/generated/indexer-types.ts', types.get('indexer'));
  write('indexer/src/generated/indexer-document.ts', documentModule('indexer', indexer));
  write('indexer/src/generated/contract.ts', contractModule({ ...vocabulary, eventTypes: [], document: indexer }));
}

console.log(`contract: ${[...documents.keys(), ...(events ? ['events'] : [])].join(', ')} generated, ${written} files changed, ${((performance.now() - started) / 1000).toFixed(1)} s`);
