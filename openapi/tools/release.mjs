// Part of a release: keeps the bundled documents of this version. The lint holds every later version against them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, readRoots } from './contract.mjs';
import { releasedFolder } from './released.mjs';

// The documents that others build on. app.yaml is for our own pages, which the same release delivers.
const stableDocuments = ['service', 'indexer', 'events'];

mkdirSync(releasedFolder, { recursive: true });
for (const [name, document] of await bundle(readRoots().filter(({ name }) => stableDocuments.includes(name)))) {
  writeFileSync(join(releasedFolder, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  console.log(`openapi/released/${name}.json holds version ${document.info.version}`);
}
