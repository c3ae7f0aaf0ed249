// A handler that throws what its operation does not list is a finding, and so is a listed code that nothing throws. The
// way leads through functions, methods behind interfaces and codes that are values.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ts from 'typescript';
import { graphOf } from './call-graph.mjs';
import { differences, strayExceptions } from './refusals.mjs';

const source = `
class Refusal { constructor(readonly code: string) {} }
interface Feeders { fill(): void }
type Answer = { readonly refused: 'empty' | 'too_late' } | { readonly grams: number };

function refuseStrangers() { throw new Refusal('not_found'); }
const weigh = (grams: number): Answer => (grams === 0 ? { refused: 'empty' } : { grams });
function feed() {
  const answer = weigh(1);
  if ('refused' in answer) throw new Refusal(answer.refused);
}
function createFeeders(): Feeders { return { fill() { throw new Refusal('full'); } }; }
const fillLater = (feeders: Feeders) => [1].forEach(() => feeders.fill());
function anything(code: string) { throw new Refusal(code); }
class Flock { constructor() { refuseStrangers(); } scatter() { throw new Refusal('scattered'); } }

export const handlers = {
  feedBird: () => feed(),
  showBird: (find = refuseStrangers) => find(),
  fillFeeder: fillLater,
  countFlock: () => new Flock(),
  guess: () => anything('any'),
  listBirds: () => [],
};
`;

describe('the way to a refusal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-graph-'));
  const file = join(folder, 'birds.ts');
  let graph;
  const codes = (handler) => [...graph.reach(graph.find(file, handler)).codes.keys()].sort();

  before(() => {
    writeFileSync(file, source);
    graph = graphOf(ts.createProgram([file], { noLib: true, noEmit: true, strict: true }), (name) => name === file);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('leads through calls, and a union of codes is each of them', () =>
    assert.deepEqual(codes('feedBird'), ['empty', 'too_late']));
  it('leads through functions that are values', () => assert.deepEqual(codes('showBird'), ['not_found']));
  it('leads to what stands behind an interface', () => assert.deepEqual(codes('fillFeeder'), ['full']));
  it('leads through constructors, and not to methods that nothing calls', () =>
    assert.deepEqual(codes('countFlock'), ['not_found']));
  it('ends where nothing is refused', () => assert.deepEqual(codes('listBirds'), []));
  it('names codes without a narrow type', () =>
    assert.deepEqual(graph.reach(graph.find(file, 'guess')).untyped, ['anything: new Refusal(code)']));
  it('is reported by name', () =>
    assert.equal(graph.reach(graph.find(file, 'showBird')).codes.get('not_found'), 'showBird > refuseStrangers'));
});

describe('listed and thrown codes', () => {
  const listed = new Map([['showBird', new Set(['not_found', 'internal'])]]);
  const none = { impossible: [], unreached: [] };
  const excepted = (kind, code) => ({
    ...none,
    [kind]: [{ because: 'of the season', codes: { [code]: ['showBird'] } }],
  });
  const messages = (thrown, exceptions = none) =>
    [...differences(listed, new Map([['showBird', new Map(thrown)]]), new Set(['internal']), exceptions)].map(
      ({ message }) => message,
    );
  const found = ['not_found', 'showBird > find'];

  it('agree', () => assert.deepEqual(messages([found]), []));
  it('a code that is thrown and not listed', () =>
    assert.deepEqual(messages([found, ['empty', 'showBird > feed']]), [
      'throws empty, which its document does not list: showBird > feed',
    ]));
  it('a code that is listed and not thrown', () =>
    assert.deepEqual(messages([]), ['lists not_found, which nothing on its way throws']));
  it('an operation without a handler', () =>
    assert.deepEqual(
      [...differences(listed, new Map(), new Set(), none)].map(({ message }) => message),
      ['no handler of this name was found'],
    ));
  it('exceptions in either direction', () => {
    assert.deepEqual(messages([found, ['empty', '']], excepted('impossible', 'empty')), []);
    assert.deepEqual(messages([], excepted('unreached', 'not_found')), []);
  });
  it('exceptions that are not needed', () => {
    assert.deepEqual(messages([found], excepted('impossible', 'empty')), [
      'refusals.yaml excepts empty as impossible, which is not needed',
    ]);
    assert.deepEqual(messages([found], excepted('unreached', 'not_found')), [
      'refusals.yaml excepts not_found as unreached, which is not needed',
    ]);
  });
  it('exceptions of operations that do not exist', () =>
    assert.deepEqual(
      [...strayExceptions(excepted('impossible', 'empty'), new Set(['feedBird']))].map(({ at }) => at),
      ['showBird'],
    ));
});
