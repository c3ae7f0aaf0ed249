import { describe, expect, it } from '@jest/globals';
import type { ProofRecord } from '../store/proof-record.js';
import { type Knowledge, reasonForUnknown, verdictOn } from './verdict.js';

const proof = (merkle_root: string): ProofRecord => ({
  tx: 't',
  event_sequence: 0,
  sender: '0x1',
  package: '0x2',
  company_token: 'c',
  period: 'p',
  merkle_root,
  checkpoint: 1,
});
const all: Knowledge = { history: 'complete', synced: true, packageKnown: true, senders: [], watermark: 5, head: 5 };
const [a, b, c] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)];

describe('the verdict', () => {
  it.each([
    ['match where the root is that of the only proof', [a], a, 'match', true],
    ['match where the root is that of any proof', [a, b], b, 'match', true],
    ['mismatch where no proof has the root', [a, b], c, 'mismatch', false],
    ['indexed where no root was given', [a], undefined, 'indexed', null],
    ['unknown where nothing is indexed', [], a, 'unknown', false],
    ['unknown where nothing is indexed and no root was given', [], undefined, 'unknown', false],
  ] as [string, string[], string | undefined, string, boolean | null][])(
    'is %s',
    (_, roots, root, verdict, verified) => {
      expect(verdictOn(roots.map(proof), root, all, false)).toMatchObject({ verdict, verified });
    },
  );
  it('never is true without an equal root', () => {
    for (const roots of [[], [a], [a, b]])
      for (const root of [undefined, c])
        for (const incomplete of [false, true])
          expect(verdictOn(roots.map(proof), root, all, incomplete).verified).not.toBe(true);
  });
  it.each([
    [
      'unknown where the root may stand in an event that is missing',
      [a],
      b,
      { verdict: 'unknown', verified: false, reason: 'incomplete', expected_root: b, proofs: [proof(a)] },
    ],
    [
      'unknown where nothing of the transaction could be read',
      [],
      undefined,
      { verdict: 'unknown', verified: false, reason: 'incomplete', proofs: [] },
    ],
    ['match all the same where the root is among those that were read', [a], a, { verdict: 'match', verified: true }],
    ['indexed where no root was given', [a], undefined, { verdict: 'indexed', verified: null }],
  ] as [string, string[], string | undefined, object][])(
    'about an incomplete transaction is %s',
    (_, roots, root, verdict) => {
      expect(verdictOn(roots.map(proof), root, all, true)).toMatchObject(verdict);
    },
  );
});

describe('the reason for not knowing', () => {
  it.each([
    ['not_found', all],
    ['not_synced', { ...all, synced: false }],
    ['history_partial', { ...all, history: 'partial' }],
    ['history_partial', { ...all, history: 'unknown' }],
    ['filtered', { ...all, senders: ['0x1'] }],
    ['filtered', { ...all, senders: ['0x1'], history: 'partial' }],
    ['not_synced', { ...all, synced: false, senders: ['0x1'], history: 'partial' }],
    ['package_unknown', { ...all, packageKnown: false, senders: ['0x1'], history: 'unknown' }],
    ['not_synced', { ...all, packageKnown: false, synced: false }],
  ] as [string, Knowledge][])('is %s', (reason, knowledge) => {
    expect(reasonForUnknown(knowledge, false)).toBe(reason);
    expect(reasonForUnknown(knowledge, true)).toBe('incomplete');
  });
});
