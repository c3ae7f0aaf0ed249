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
const { rootIn, transactionIn } = (await import(join(packageFolder, 'web/pasted.js'))) as Readonly<
  Record<'rootIn' | 'transactionIn', (text: string) => string>
>;
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
  it('the page says everything in both languages', () => {
    expect(Object.keys(words['de']!).sort()).toEqual(Object.keys(words['en']!).sort());
    for (const [name, value] of Object.entries(words['de']!))
      expect([name, Array.isArray(value)]).toEqual([name, Array.isArray(words['en']![name])]);
  });
  it('the page has words for every verdict and reason of the contract', () => {
    const verdict = schemas['Verdict']!.properties;
    for (const word of [
      ...verdict['verdict']!.enum!.filter((kind) => kind !== 'unknown'),
      ...schemas['UnknownReason']!['x-extensible-enum']!,
    ])
      expect(words['en']![word]).toEqual([expect.any(String), expect.any(String)]);
  });
  it('the page uses only words that exist', () => {
    for (const [, word] of html.matchAll(/data-word="([^"]+)"/g)) expect(words['en']).toHaveProperty(word!);
    for (const [, word] of script.matchAll(/word: '([a-z_]+)'/g)) expect(words['en']).toHaveProperty(word!);
  });
  const tx = '899zJishpM5C5yiwkPUSUWthRpQEc6M7k6eVeMtrkfAw';
  it.each([
    [tx, tx],
    [` ${tx.slice(0, 20)}\n${tx.slice(20)} `, tx],
    [`https://explorer.example/txblock/${tx}?network=testnet`, tx],
    [`https://explorer.example/mainnet/tx/${tx}/`, tx],
    [`https://explorer.example/#/tx?digest=${tx}&tab=events`, tx],
    ['https://explorer.example/object/0x2', 'https://explorer.example/object/0x2'],
    ['abc', 'abc'],
  ])('the page finds the transaction in %j', (text, result) => {
    expect(transactionIn(text)).toBe(result);
  });
  it.each([
    [`${'ab'.repeat(32)}\n`, 'ab'.repeat(32)],
    [Array(32).fill('ab').join(' '), 'ab'.repeat(32)],
    [`0x${'ab'.repeat(16)}\u00a0\u200b\u00ad${'ab'.repeat(16)}`, `0x${'ab'.repeat(32)}`],
    ['a b', 'ab'],
  ])('the page finds the fingerprint in %j', (text, result) => {
    expect(rootIn(text)).toBe(result);
  });
  it('the page leaves room for a link', () => {
    for (const [, length] of html.matchAll(/maxlength="(\d+)"/g)) expect(Number(length)).toBeGreaterThanOrEqual(500);
  });
  it('the page shows the answers of the API as text, never as markup', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });
});
