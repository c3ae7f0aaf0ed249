// Builds the documentation site into dist/docs: every page of docs/ as HTML and as Markdown, the references generated
// from the contract, and the documents themselves. The service serves the same files under /docs; `make docs` makes them
// for any web server. A link that leads nowhere fails the build.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { brunoCollection } from '../../openapi/tools/bruno.mjs';
import { documentFiles, downloads } from './downloads.mjs';
import { layout } from './layout.mjs';
import { checkLinks, readPages, renderPage } from './markdown.mjs';
import { apiReference, errorCatalogue, eventReference, permissionTable } from './reference.mjs';
import { sections } from './sections.mjs';
import { zip } from './zip.mjs';

const site = dirname(fileURLToPath(import.meta.url));
const repository = join(site, '../..');
const target = join(repository, 'dist/docs');
const contract = (name) => JSON.parse(readFileSync(join(repository, 'dist', name), 'utf8'));

function write(path, content) {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

rmSync(target, { recursive: true, force: true });

const documents = {
  'openapi.json': contract('openapi/service.json'),
  'openapi-3.0.json': parse(readFileSync(join(repository, 'dist/openapi/service-3.0.yaml'), 'utf8')),
  'indexer-openapi.json': contract('openapi/indexer.json'),
  'indexer-openapi-3.0.json': parse(readFileSync(join(repository, 'dist/openapi/indexer-3.0.yaml'), 'utf8')),
  'asyncapi.json': contract('asyncapi/events.json'),
};
for (const [name, document] of Object.entries(documents)) write(name, `${JSON.stringify(document)}\n`);

for (const name of documentFiles)
  write(
    `downloads/${name}`,
    readFileSync(join(repository, 'dist', name === 'events.yaml' ? 'asyncapi' : 'openapi', name), 'utf8'),
  );
const collection = brunoCollection({ service: documents['openapi.json'], indexer: documents['indexer-openapi.json'] });
write('downloads/clockproof-bruno.zip', zip([...collection].map(([path, text]) => [`clockproof/${path}`, text])));
const workflows = parse(readFileSync(join(repository, 'openapi/workflows.arazzo.yaml'), 'utf8'));

const vocabulary = parse(readFileSync(join(repository, 'openapi/errors.yaml'), 'utf8'));
const scopes = parse(readFileSync(join(repository, 'openapi/scopes.yaml'), 'utf8'));
const pages = [
  ...readPages(repository),
  errorCatalogue(vocabulary, documents['openapi.json']),
  permissionTable(scopes, documents['openapi.json']),
  eventReference(documents['asyncapi.json']),
  downloads(workflows),
];
const contents = sections(pages);
const index = {
  path: 'index.md',
  title: 'Clockproof documentation',
  text: [
    '# Clockproof documentation',
    '',
    'Working-time tracking that can prove what it recorded.',
    '',
    ...contents.flatMap(({ title, entries }) => [
      `## ${title}`,
      '',
      ...entries.map(({ title: name, href, lead }) => `- [${name}](${href})${lead === '' ? '' : ` – ${lead}`}`),
      '',
    ]),
  ].join('\n'),
};
for (const page of [index, ...pages]) {
  write(page.path, page.text);
  write(page.path.replace(/\.md$/, '.html'), layout({ ...page, sections: contents, content: renderPage(page) }));
}
for (const reference of apiReference) write(reference.path, layout({ ...reference, sections: contents }));

// ---- for programs: what there is, in one file (https://llmstxt.org)
write(
  'llms.txt',
  [
    '# Clockproof',
    '',
    '> Working-time tracking that can prove what it recorded: REST API, OAuth personal links, webhooks, WebSocket, terminals, verification service.',
    '',
    'Every page exists as Markdown at the address given here.',
    '',
    ...contents.flatMap(({ title, entries }) => [
      `## ${title}`,
      '',
      ...entries.map(({ title: name, href, lead }) => `- [${name}](/docs/${href})${lead === '' ? '' : `: ${lead}`}`),
      '',
    ]),
    '## Documents',
    '',
    '- [OpenAPI 3.1](/api/v1/openapi.json)',
    '- [OpenAPI 3.0](/api/v1/openapi-3.0.json)',
    '- [AsyncAPI](/api/v1/asyncapi.json)',
    '- [Workflows (Arazzo)](/docs/downloads/workflows.arazzo.yaml)',
    '- [Collection for Bruno](/docs/downloads/clockproof-bruno.zip)',
    '',
  ].join('\n'),
);

for (const name of ['site.css', 'site.js', 'reference.js', 'reference.css'])
  cpSync(join(site, name), join(target, 'assets', name));
cpSync(join(repository, 'service/web/public/icon.svg'), join(target, 'assets/icon.svg'));
const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  cpSync(join(swagger, name), join(target, 'assets', name));

checkLinks([index, ...pages], target);
console.log(`docs: ${pages.length + 1} pages, ${apiReference.length} references in dist/docs`);
