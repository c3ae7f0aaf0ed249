// Reads the contract's source files once for the generator and the lint.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { withDiscriminators } from './discriminators.mjs';
import { withEdgeHeaders } from './edge-headers.mjs';
import { redocly } from './redocly.mjs';

export const contractFolder = join(dirname(fileURLToPath(import.meta.url)), '..');
export const repository = join(contractFolder, '..');

const readYaml = (path) => parse(readFileSync(join(contractFolder, path), 'utf8'));

/**
 * The vocabularies: `errors` and `oauth` map a code to `{ status, error, when, extra? }`, `scopes` a permission to its
 * titles.
 */
export function readVocabulary() {
  const { errors, oauth } = readYaml('errors.yaml');
  return { errors, oauth, scopes: readYaml('scopes.yaml') };
}

/** Names of the documents and their roots, from the Redocly configuration; the workflows are one file as they are. */
export function readRoots() {
  const { apis } = readYaml('redocly.yaml');
  return Object.entries(apis)
    .filter(([name]) => name !== 'workflows')
    .map(([name, { root }]) => ({ name, root: join(contractFolder, root) }));
}

/** Every YAML file of openapi/ and asyncapi/, parsed, by its path from the root of the repository. */
export function readSources() {
  return new Map(
    ['openapi', 'asyncapi'].flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true })
        .filter((path) => path.endsWith('.yaml'))
        .map((path) => [
          `${folder}/${path.split(sep).join('/')}`,
          parse(readFileSync(join(repository, folder, path), 'utf8')),
        ]),
    ),
  );
}

/**
 * Bundles the documents, each into one self-contained object.
 * @returns {Promise<Map<string, object>>} by name
 * @throws {Error} with Redocly's words if a reference leads nowhere or two components fight over a name
 */
export async function bundle(roots) {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-contract-'));
  try {
    const { ok, output } = await redocly([
      'bundle',
      ...roots.map(({ name }) => name),
      '--config=redocly.yaml',
      `--output=${folder}`,
      '--ext=json',
      '--component-renaming-conflicts-severity=error',
      // What withEdgeHeaders does, for the lint of the sources.
      '--skip-preprocessor=clockproof/headers-of-every-answer',
    ]);
    if (!ok) throw new Error(`The contract cannot be bundled:\n${output}`);
    return new Map(
      roots.map(({ name }) => {
        const document = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
        return [name, document.openapi === undefined ? document : withDiscriminators(withEdgeHeaders(document))];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
