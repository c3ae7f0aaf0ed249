import { describe, expect, it } from '@jest/globals';
import { de } from './de.js';
import { en } from './en.js';

/** These take numbers, which end in a digit. */
const takesNumbers = ['field_faults.at_least', 'field_faults.at_most', 'webhook_status'];

/** Every text of a dictionary that takes values, with values that end in an abbreviation. */
function textsOf(words: object, path = ''): [string, string][] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    const name = `${path}${key}`;
    if (typeof value === 'object' && value !== null) return textsOf(value, `${name}.`);
    if (typeof value !== 'function') return [];
    try {
      const text: unknown = value('25. Okt.', '25. Okt.', '25. Okt.', '25. Okt.');
      return typeof text === 'string' && !takesNumbers.includes(name) ? [[name, text]] : [];
    } catch {
      // It takes other values than texts.
      return [];
    }
  });
}

describe.each([
  ['German', de],
  ['English', en],
])('a sentence in %s', (_language, words) => {
  it('a sentence ends with one full stop', () => {
    const texts = textsOf(words);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(([, text]) => /\.\.(\s|$)/.test(text))).toEqual([]);
  });
});
