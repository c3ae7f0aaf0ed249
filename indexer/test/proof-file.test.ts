/** The verifier and the program of the guide against the published vectors. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';
import type { Fetch } from '../verifier/ask.js';
import { checkProof, type IndexAnswer, type ListedProof, type Step } from '../verifier/check.js';
import { verifyCommand } from '../verifier/command.js';
import { sentenceOf, words } from '../verifier/words.js';

const { pageWords } = (await import(join(packageFolder, 'verifier/page-words.js'))) as {
  readonly pageWords: Record<'de' | 'en', object>;
};

interface Case {
  readonly name: string;
  readonly input: { readonly kind: string; readonly file: string };
  readonly output: { readonly valid: boolean; readonly step?: number };
}
const vectors = join(packageFolder, '../conformance/vectors/month-proof.json');
const cases = (JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly Case[] }).cases.filter(
  ({ input }) => input.kind === 'file',
);
const fileOf = (name: string) => cases.find((candidate) => candidate.name === name)!.input.file;

function expectSentences(steps: readonly Step[]): void {
  for (const step of steps)
    for (const language of ['de', 'en'] as const) expect(sentenceOf(step, language)).toBeTruthy();
}

describe('the verifier', () => {
  it.each(cases.map((one) => [one.name, one] as const))(
    'the verifier reads %s as the page says',
    (_, { input, output }) => {
      const { steps } = checkProof(input.file);
      expect(steps.find(({ outcome }) => outcome === 'failed')?.number).toBe(output.step);
      expectSentences(steps);
      // Nothing but the file was at hand.
      expect(steps.slice(3).map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'open']);
    },
  );

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
    listedProofs: [listed(5, rootOf(whole))],
    complete: true,
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
    ['an index is partial', whole, { sender }, [answer({ complete: false })], `${ppp}open passed passed open`],
    ['a list has no end', whole, { sender }, [answer({ listedProofs: undefined })], `${ppp}open passed passed open`],
    [
      'a later root stands there',
      whole,
      { sender },
      [answer({ listedProofs: [listed(5, rootOf(whole)), listed(9, rootOf(reopened))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'a stranger wrote later',
      whole,
      { sender },
      [answer({ listedProofs: [listed(5, rootOf(whole)), listed(9, rootOf(reopened), stranger)] })],
      `${ppp}open passed passed passed`,
    ],
    [
      'a first revision is not the first',
      whole,
      { sender },
      [answer({ listedProofs: [listed(5, rootOf(whole)), listed(2, rootOf(reopened))] })],
      `${ppp}open passed passed failed`,
    ],
    [
      'the revision before is named',
      reopened,
      { sender },
      [answer({ listedProofs: [listed(5, rootOf(whole)), listed(9, rootOf(reopened))] })],
      `${ppp}open passed passed passed`,
    ],
  ] as const)('the verifier says which steps hold when %s', (_, file, known, answers, outcome) => {
    const { steps } = checkProof(file, known, answers);
    expectSentences(steps);
    expect(steps.map((step) => step.outcome).join(' ')).toBe(outcome);
  });

  it.each([
    ['half a character', (text: string) => text.replace('Jana', '\ud800')],
    ['half a character, escaped', (text: string) => text.replace('Jana', '\\ud800')],
    ['a fraction', (text: string) => text.replace('"balance":', '"balance":0.5,"b":')],
  ])('the verifier takes no text with %s for canonical', (_, change) => {
    const file = JSON.parse(whole) as { parts: { text: string }[] };
    file.parts = file.parts.map((part) => ({ ...part, text: change(part.text) }));
    expect(checkProof(JSON.stringify(file)).steps[0]!.outcome).toBe('failed');
  });

  it('the verifier does not break on any file', () => {
    for (const text of ['', 'null', '[]', '{"format":"clockproof proof 1"}', '['.repeat(100_000)])
      expect(checkProof(text).steps[0]!.outcome).toBe('failed');
  });

  it('agrees with the program of the guide, which needs Python alone', () => {
    const guide = readFileSync(join(packageFolder, '../docs/guides/check-a-proof-file.md'), 'utf8');
    const program = /^```py\n([\s\S]*?)^```$/m.exec(guide)![1]!;
    expect(program.split('\n').length).toBeLessThanOrEqual(61);
    const folder = mkdtempSync(join(tmpdir(), 'proof-file-'));
    try {
      writeFileSync(join(folder, 'check.py'), program);
      for (const { name, input, output } of cases) {
        writeFileSync(join(folder, 'file'), input.file);
        const { status, stderr } = spawnSync('python3', ['check.py', 'file'], { cwd: folder, encoding: 'utf8' });
        expect([name, status, stderr.trim()]).toEqual(
          output.valid ? [name, 0, ''] : [name, 1, `step ${output.step} does not hold`],
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('the verifier has the same sentences in both languages', () => {
    expect(Object.keys(words.de.sentences)).toEqual(Object.keys(words.en.sentences));
    expect(Object.keys(pageWords.de)).toEqual(Object.keys(pageWords.en));
  });

  describe('the command', () => {
    const listing = (...proofs: readonly ListedProof[]) => ({ data: proofs, next_cursor: null });
    const ready = { state: 'ready', history: 'complete', addresses: [] };
    /** An index that answers so; it is asked with all that is known. */
    const indexWith =
      (verify: object, list: object, status: object = ready): Fetch =>
      async (url) => {
        const { pathname, searchParams } = new URL(url);
        const isVerify = pathname.startsWith('/api/v1/verify/');
        if (isVerify)
          expect(Object.fromEntries(searchParams)).toEqual({
            root: rootOf(whole),
            company_token: company,
            period: '2026-10',
            sender,
          });
        const body = isVerify ? verify : pathname === '/api/v1/status' ? status : list;
        return new Response(JSON.stringify(body));
      };
    const own = listing(listed(5, rootOf(whole)));
    const asked = ['--sender', sender, '--index', 'https://a.example', '--index', 'https://b.example'];
    const silent: Fetch = () => Promise.reject(new Error('no network'));
    it.each([
      ['nothing was asked', whole, [], silent, 0],
      ['a minute was changed', fileOf('a changed minute'), [], silent, 1],
      ['another person was told', whole, ['--person', 'x'], silent, 1],
      ['nobody answers', whole, asked, silent, 2],
      ['all agree', whole, asked, indexWith({ verdict: 'match' }, own), 0],
      ['the ledger has another root', whole, asked, indexWith({ verdict: 'mismatch' }, own), 1],
      ['nothing was ever written', whole, asked, indexWith({}, listing()), 2],
      ['there is no such transaction', whole, asked, indexWith({ verdict: 'unknown', reason: 'not_found' }, own), 1],
      ['history is partial', whole, asked, indexWith({ verdict: 'match' }, own, { ...ready, history: 'partial' }), 2],
      [
        'a later version exists',
        whole,
        asked,
        indexWith({ verdict: 'match' }, listing(listed(9, rootOf(reopened)), listed(5, rootOf(whole)))),
        1,
      ],
      ['the list never ends', whole, asked, indexWith({ verdict: 'match' }, { ...own, next_cursor: 'x' }), 2],
      ['an option is not known', whole, ['--what'], silent, 64],
    ] as const)('the command ends as documented when %s', async (_, file, options, fetch, code) => {
      const folder = mkdtempSync(join(tmpdir(), 'proof-file-'));
      try {
        writeFileSync(join(folder, 'file'), file);
        const lines: string[] = [];
        const context = { print: (line: string) => lines.push(line), complain: () => undefined, fetch };
        expect(await verifyCommand([join(folder, 'file'), ...options], context)).toBe(code);
        expect(lines).toHaveLength(code === 64 ? 0 : 7);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
});
