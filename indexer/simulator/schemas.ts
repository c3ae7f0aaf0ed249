/**
 * The ledgers' own schemas, read as text from the SDKs that ship them. package.json pins the versions of these
 * packages.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type SimulatedDialect = 'ga' | 'flat';
export const simulatedDialects: readonly SimulatedDialect[] = ['ga', 'flat'];

const places: Readonly<Record<SimulatedDialect, readonly [packageName: string, path: string]>> = {
  ga: ['@mysten/sui', 'src/graphql/generated/schema.graphql'],
  flat: ['@iota/iota-sdk', 'src/graphql/generated/2025.2/schema.graphql'],
};

export function schemaText(dialect: SimulatedDialect): string {
  const [name, path] = places[dialect];
  return readFileSync(join(packageFolder(name), path), 'utf8');
}

/** Found by walking the module paths, because an `exports` map may hide package.json. */
function packageFolder(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const candidate = join(folder, name);
    try {
      readFileSync(join(candidate, 'package.json'));
      return candidate;
    } catch {
      /* not in this folder */
    }
  }
  throw new Error(`the package ${name} is not installed (looked from ${dirname(import.meta.url)})`);
}
