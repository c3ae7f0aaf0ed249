// Writes what VitePress builds from: every page at its place, those made from the contract too, and in `public` what is
// served as it is. That are the documents, a Markdown file beside each page, and llms.txt.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { parse } from 'yaml';
import { brunoCollection } from '../../openapi/tools/bruno.mjs';
import { documentFiles, downloads } from './downloads.mjs';
import { readPages } from './pages.mjs';
import { apiReference, errorCatalogue, eventReference, permissionTable, slim } from './reference.mjs';
import { samplePage } from './sample-page.mjs';
import { sectionsOf } from './sections.mjs';

/** @returns the table of contents */
export function stage({ repository, folder, base }) {
  rmSync(folder, { recursive: true, force: true });
  const write = (path, content) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const read = (path) => readFileSync(join(repository, path), 'utf8');
  const documents = {
    'openapi.json': JSON.parse(read('dist/openapi/service.json')),
    'openapi-3.0.json': parse(read('dist/openapi/service-3.0.yaml')),
    'indexer-openapi.json': JSON.parse(read('dist/openapi/indexer.json')),
    'indexer-openapi-3.0.json': parse(read('dist/openapi/indexer-3.0.yaml')),
    'asyncapi.json': JSON.parse(read('dist/asyncapi/events.json')),
  };
  const { 'openapi.json': service, 'indexer-openapi.json': indexer } = documents;
  const slimDocuments = { 'reference/api.json': slim(service), 'reference/indexer.json': slim(indexer) };
  const samples = {
    'reference/api-samples.json': JSON.parse(read('dist/openapi/service-samples.json')),
    'reference/indexer-samples.json': JSON.parse(read('dist/openapi/indexer-samples.json')),
  };
  for (const [name, document] of Object.entries({ ...documents, ...slimDocuments, ...samples }))
    write(`public/${name}`, `${JSON.stringify(document)}\n`);
  for (const name of documentFiles)
    write(`public/downloads/${name}`, read(`dist/${name === 'events.yaml' ? 'asyncapi' : 'openapi'}/${name}`));
  write('public/downloads/clockproof-bruno.zip', archive(brunoCollection({ service, indexer })));
  cpSync(join(repository, 'service/web/public/icon.svg'), join(folder, 'public/icon.svg'));
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    cpSync(join(swagger, name), join(folder, 'public/reference', name));

  const pages = [
    ...readPages(repository),
    ...apiReference,
    errorCatalogue(parse(read('openapi/errors.yaml')), service),
    permissionTable(parse(read('openapi/scopes.yaml')), service),
    eventReference(documents['asyncapi.json']),
    samplePage([
      [service, samples['reference/api-samples.json']],
      [indexer, samples['reference/indexer-samples.json']],
    ]),
    downloads(parse(read('openapi/workflows.arazzo.yaml'))),
  ];
  const sections = sectionsOf(pages);
  for (const { path, text } of [startPage(sections), ...pages]) {
    write(path, text);
    write(`public/${path}`, text.replace(/^---\n[\s\S]*?\n---\n\n/, ''));
  }
  write('public/llms.txt', indexForPrograms(sections, base));
  return sections;
}

/** Equal files make equal bytes: the date is the first one that ZIP knows. */
function archive(files) {
  const entries = [...files].map(([path, text]) => [`clockproof/${path}`, strToU8(text)]);
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: new Date(1980, 0, 1) });
}

const entryOf = ({ title, href, lead }, separator, base = '') =>
  `- [${title}](${base}${href})${lead === '' ? '' : `${separator}${lead}`}`;

const startPage = (sections) => ({
  path: 'index.md',
  text: [
    '# Clockproof documentation',
    '',
    'Working-time tracking that can prove what it recorded.',
    '',
    ...sections.flatMap(({ title, entries }) => [
      `## ${title}`,
      '',
      ...entries.map((entry) => entryOf(entry, ' – ')),
      '',
    ]),
  ].join('\n'),
});

/** What there is, in one file (https://llmstxt.org). */
const indexForPrograms = (sections, base) =>
  [
    '# Clockproof',
    '',
    '> Working-time tracking that can prove what it recorded: REST API, OAuth personal links, webhooks, WebSocket, terminals, verification service.',
    '',
    'Every page exists as Markdown at the address given here.',
    '',
    ...sections.flatMap(({ title, entries }) => [
      `## ${title}`,
      '',
      ...entries.map((entry) => entryOf(entry, ': ', base)),
      '',
    ]),
    '## Documents',
    '',
    `- [OpenAPI 3.1](${base}openapi.json)`,
    `- [OpenAPI 3.0](${base}openapi-3.0.json)`,
    `- [AsyncAPI](${base}asyncapi.json)`,
    `- [Workflows (Arazzo)](${base}downloads/workflows.arazzo.yaml)`,
    `- [Collection for Bruno](${base}downloads/clockproof-bruno.zip)`,
    '',
  ].join('\n');
