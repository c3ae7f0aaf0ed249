/** Every operation of the pages is called by a page, so that nothing is possible that nobody can do. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { document as appDocument } from '../src/generated/app-document.js';

const { paths } = appDocument as { readonly paths: Record<string, Record<string, { readonly operationId?: string }>> };

/** Operations that no page calls by method and path, and why. */
const uncalled: Readonly<Record<string, string>> = {
  followChanges: 'a stream: api/live.ts opens it as an EventSource',
  approveRequest: 'the pages decide one request as they decide several, by decideRequests',
  rejectRequest: 'the same',
  deleteAbsenceType: 'the page switches a kind of absence off, which works also after it was used',
};

const sources = fileURLToPath(new URL('../web/src/', import.meta.url));

describe('the operations of the pages', () => {
  it('are called by the pages, or say why not', () => {
    const pages = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
      .map((file) => readFileSync(sources + file, 'utf8'))
      .join('\n');
    const calls = new Set(
      [...pages.matchAll(/client\.([A-Z]+)\(\s*'([^']+)'/g)].map(([, verb, path]) => `${verb} ${path}`),
    );
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([verb, { operationId }]) =>
        operationId === undefined ? [] : [{ operationId, call: `${verb.toUpperCase()} ${path}` }],
      ),
    );
    expect(operations.length).toBeGreaterThan(200);
    expect(
      operations
        .filter(({ call }) => !calls.has(call))
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(Object.keys(uncalled).sort());
  });
});
