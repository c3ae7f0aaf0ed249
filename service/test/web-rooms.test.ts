/** The folders of the web application and who may import whom. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Folders and root files in the order in which they build on each other: each imports only what stands before it. */
const order = [
  'words',
  'api',
  'parts',
  'sign-in',
  'consent',
  'profile',
  'admin',
  'entrances',
  'team',
  'company',
  'time',
  'absences',
  'shell',
  'styles.ts',
  'main.tsx',
];
/** What the application shares with the service: the contract, the addresses of pages, the kinds of audit entries. */
const shared = [
  'generated/app-types.ts',
  'generated/contract.ts',
  'generated/scope-labels.de.ts',
  'generated/scope-labels.en.ts',
  'http/app/page-paths.ts',
  'audit/actions.ts',
];
const source = new URL('../web/src/', import.meta.url).pathname;
const service = new URL('../src/', import.meta.url).pathname;

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : /\.tsx?$/.test(path) ? [relative(source, path)] : [];
  });
}

const files = filesBelow(source);
/** An import names the compiled file; the source is TypeScript, with or without JSX. */
const importsOf = (file: string) =>
  [
    ...readFileSync(join(source, file), 'utf8').matchAll(
      /^\s*(?:import|export)\b[^;]*?from '(\.[^']+)\.js';|^import '(\.[^']+)\.js';/gm,
    ),
  ].map((match) => {
    const path = relative(source, join(source, file, '..', (match[1] ?? match[2])!));
    return files.find((file) => file === `${path}.ts` || file === `${path}.tsx`) ?? `${path}.ts`;
  });
const placeOf = (file: string) => order.indexOf(order.includes(file) ? file : file.split('/')[0]!);

/** The first import cycle that starts at a file, as the list of files along it. */
function cycleFrom(file: string, path: readonly string[], finished: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (finished.has(file)) return undefined;
  for (const other of importsOf(file).filter((name) => files.includes(name))) {
    const cycle = cycleFrom(other, [...path, file], finished);
    if (cycle !== undefined) return cycle;
  }
  finished.add(file);
  return undefined;
}

describe('the folders of the web application', () => {
  it('all have a place in the order', () => {
    expect(files.filter((file) => placeOf(file) < 0)).toEqual([]);
    expect(files.length).toBeGreaterThan(40);
  });

  it('import only from folders before them', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((other) => files.includes(other) && placeOf(other) > placeOf(file))
        .map((other) => `${file} imports ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('have no import cycle', () => {
    const finished = new Set<string>();
    const cycles = files.map((file) => cycleFrom(file, [], finished)).filter((cycle) => cycle !== undefined);
    expect(cycles[0]).toBeUndefined();
  });

  it('share with the service the contract and two lists', () => {
    const outside = files.flatMap((file) =>
      importsOf(file)
        .filter((other) => other.startsWith('..'))
        .map((other) => relative(service, join(source, other))),
    );
    expect([...new Set(outside)].sort()).toEqual([...shared].sort());
  });
});
