/** The verifier and the program of the guide against the published vectors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';
import { checkProof, type IndexAnswer } from '../verifier/check.js';
import { outcomes, sentenceOf, words } from '../verifier/words.js';

interface Case {
  readonly name: string;
  readonly input: { readonly kind: string; readonly file: string };
  readonly output: { readonly valid: boolean; readonly step?: number };
}
const vectors = join(packageFolder, '../conformance/vectors/month-proof.json');
const cases = (JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly Case[] }).cases.filter(
  ({ input }) => input.kind === 'file',
);
const fileOf = (name: string) => cases.find((one) => one.name === name)!.input.file;

describe('the verifier', () => {
  it.each(cases.map((one) => [one.name, one] as const))('reads %s as the page says', (_, { input, output }) => {
    const { steps } = checkProof(input.file);
    expect(steps.find(({ outcome }) => outcome === 'failed')?.number).toBe(output.step);
    expectSentences(steps);
    // Nothing but the file was at hand.
    expect(steps.slice(3).map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'open']);
  });

  const sender = `0x${'ab'.repeat(32)}`;
  const stranger = `0x${'cd'.repeat(32)}`;
  const whole = fileOf('a whole month');
  const reopened = fileOf('a month that was re-opened');
  const rootOf = (file: string) => (JSON.parse(file) as { root: string }).root;
  const listed = (checkpoint: number, merkle_root: string, by = sender) => ({
    tx: `tx${checkpoint}`,
    sender: by,
    merkle_root,
    checkpoint,
  });
  const answer = (more: Partial<IndexAnswer>): IndexAnswer => ({
    index: 'https://a.example',
    verdict: 'match',
    listed: [listed(5, rootOf(whole))],
    whole: true,
    ...more,
  });
  const company = 'ks3q7c5m2nfyd4hz6a8x0rgtwe';
  const person = 'jana0000000000000000000000';
  const ppp = 'passed passed passed ';
  it.each([
    ['nothing else is known', whole, {}, [], `${ppp}open open open open`],
    ['both tokens are known', whole, { company, person }, [], `${ppp}passed open open open`],
    ['one token is known', whole, { company }, [], `${ppp}open open open open`],
    ['another person was told', whole, { company, person: 'x' }, [], `${ppp}failed open open open`],
    ['another company was told', whole, { company: 'x', person }, [], `${ppp}failed open open open`],
    ['a sender is known and nobody is asked', whole, { sender }, [], `${ppp}open open open open`],
    ['an index agrees', whole, { sender }, [answer({})], `${ppp}open passed passed passed`],
    ['an index agrees and no sender is known', whole, {}, [answer({})], `${ppp}open passed open open`],
    [
      'one of two contradicts',
      whole,
      { sender },
      [answer({}), answer({ verdict: 'mismatch' })],
      `${ppp}open failed failed open`,
    ],
    [
      'one of two cannot know',
      whole,
      { sender },
      [answer({}), answer({ verdict: 'unknown' })],
      `${ppp}open open open open`,
    ],
    ['an index is partial', whole, { sender }, [answer({ whole: false })], `${ppp}open passed passed open`],
    ['a list has no end', whole, { sender }, [answer({ listed: undefined })], `${ppp}open passed passed open`],
    [
      'a later root stands there',
      whole,
      { sender },
      [answer({ listed: [listed(5, rootOf(whole)), listed(9, rootOf(reopened))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'a stranger wrote later',
      whole,
      { sender },
      [answer({ listed: [listed(5, rootOf(whole)), listed(9, rootOf(reopened), stranger)] })],
      `${ppp}open passed passed passed`,
    ],
    [
      'a first revision is not the first',
      whole,
      { sender },
      [answer({ listed: [listed(5, rootOf(whole)), listed(2, rootOf(reopened))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'the revision before is named',
      reopened,
      { sender },
      [answer({ listed: [listed(5, rootOf(whole)), listed(9, rootOf(reopened))] })],
      `${ppp}open passed passed passed`,
    ],
  ] as const)('says which steps hold when %s', (_, file, known, answers, outcome) => {
    expect(
      checkProof(file, known, answers)
        .steps.map((step) => step.outcome)
        .join(' '),
    ).toBe(outcome);
  });

  it.each([
    ['half a character', (text: string) => text.replace('Jana', '\ud800')],
    ['half a character, escaped', (text: string) => text.replace('Jana', '\\ud800')],
    ['a fraction', (text: string) => text.replace('"balance":', '"balance":0.5,"b":')],
  ])('takes no text with %s for canonical', (_, change) => {
    const file = JSON.parse(whole) as { parts: { text: string }[] };
    file.parts = file.parts.map((part) => ({ ...part, text: change(part.text) }));
    expect(checkProof(JSON.stringify(file)).steps[0]!.outcome).toBe('failed');
  });

  it('does not break on any file', () => {
    for (const text of ['', 'null', '[]', '{"format":"clockproof proof 1"}', '['.repeat(100_000)])
      expect(checkProof(text).steps[0]!.outcome).toBe('failed');
  });

  it('has a sentence in both languages for whatever it says', () => {
    const source = readFileSync(join(packageFolder, 'verifier/check.ts'), 'utf8');
    for (const [, number, outcome, word] of source.matchAll(/step\((\d), '(passed|failed|open)', '(\w+)'/g))
      for (const language of ['de', 'en'] as const)
        expect(
          sentenceOf({ number: Number(number), outcome: outcome as 'open', word: word!, names: ['a', 'b'] }, language),
        ).toBeTruthy();
    expect(Object.keys(words.de.sentences)).toEqual(Object.keys(words.en.sentences));
    expect(Object.keys(outcomes.de)).toEqual(Object.keys(outcomes.en));
  });
});
