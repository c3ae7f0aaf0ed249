/** The page speaks two languages and knows a sentence for every answer that the API can give. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { document } from '../src/generated/indexer-document.js';
import { packageFolder } from '../src/package-folder.js';

interface Words {
  readonly words: Record<string, Record<string, unknown>>;
}
const { words } = (await import(join(packageFolder, 'web/words.js'))) as Words;
const html = readFileSync(join(packageFolder, 'web/index.html'), 'utf8');
const script = readFileSync(join(packageFolder, 'web/page.js'), 'utf8');

const schemas = (
  document as {
    components: {
      schemas: Record<string, { 'x-extensible-enum'?: string[]; properties: Record<string, { enum?: string[] }> }>;
    };
  }
).components.schemas;

describe('the page', () => {
  it('says everything in both languages', () => {
    expect(Object.keys(words['de']!).sort()).toEqual(Object.keys(words['en']!).sort());
    for (const [name, value] of Object.entries(words['de']!))
      expect([name, Array.isArray(value)]).toEqual([name, Array.isArray(words['en']![name])]);
  });
  it('has words for every verdict and reason of the contract', () => {
    const verdict = schemas['Verdict']!.properties;
    for (const word of [
      ...verdict['verdict']!.enum!.filter((kind) => kind !== 'unknown'),
      ...schemas['UnknownReason']!['x-extensible-enum']!,
    ])
      expect(words['en']![word]).toEqual([expect.any(String), expect.any(String)]);
  });
  it('uses only words that exist', () => {
    for (const [, word] of html.matchAll(/data-word="([^"]+)"/g)) expect(words['en']).toHaveProperty(word!);
    for (const [, word] of script.matchAll(/word: '([a-z_]+)'/g)) expect(words['en']).toHaveProperty(word!);
  });
  it('puts what the API answers into the page as text, never as markup', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });
});
