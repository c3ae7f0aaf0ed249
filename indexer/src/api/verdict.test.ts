import { describe, expect, it } from '@jest/globals';
import type { ProofRecord } from '../store/proof-record.js';
import { type Evidence, type Knowledge, reasonForMiss, reasonForUnknown, verdictOn } from './verdict.js';

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
const completeKnowledge: Knowledge = {
  history: 'complete',
  synced: true,
  packageKnown: true,
  senders: [],
  watermark: 5,
  head: 5,
};
/** A transaction that the ledger has confirmed, with proofs of these roots. */
const evidenceOf = (roots: readonly string[], more: Partial<Evidence> = {}): Evidence => ({
  proofs: roots.map(proof),
  disputed: false,
  disputedBy: [],
  incomplete: false,
  passed: true,
  ledger: roots.length === 0 ? 'absent' : 'confirmed',
  ...more,
});
const expectationOf = (root: string | undefined) => (root === undefined ? {} : { merkle_root: root });
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
    (_, roots, root, verdict, isVerified) => {
      expect(verdictOn(evidenceOf(roots), expectationOf(root), completeKnowledge)).toMatchObject({
        verdict,
        verified: isVerified,
      });
    },
  );
  it('never is true without an equal root', () => {
    for (const roots of [[], [a], [a, b]])
      for (const root of [undefined, c])
        for (const incomplete of [false, true])
          for (const hasPassed of [false, true])
            for (const ledger of ['confirmed', 'absent', 'unanswered'] as const)
              expect(
                verdictOn(
                  evidenceOf(roots, { incomplete, passed: hasPassed, ledger }),
                  expectationOf(root),
                  completeKnowledge,
                ).verified,
              ).not.toBe(true);
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
      expect(verdictOn(evidenceOf(roots, { incomplete: true }), expectationOf(root), completeKnowledge)).toMatchObject(
        verdict,
      );
    },
  );
});

describe('a proof of somebody else', () => {
  const anchor = { merkle_root: a, company_token: 'c', period: 'p', sender: '0x1' };
  it.each([
    ['with all that is expected is a match', anchor, 'match', true],
    ['of another company is a mismatch', { ...anchor, company_token: 'C' }, 'mismatch', false],
    ['of another period is a mismatch', { ...anchor, period: 'q' }, 'mismatch', false],
    ['of another sender is a mismatch', { ...anchor, sender: '0x2' }, 'mismatch', false],
    ['of another sender is a mismatch without a root, too', { sender: '0x2' }, 'mismatch', false],
    ['of the expected sender is no match without a root', { sender: '0x1' }, 'indexed', null],
  ] as const)('a proof %s', (_, expectation, verdict, isVerified) => {
    expect(verdictOn(evidenceOf([a]), expectation, completeKnowledge)).toMatchObject({ verdict, verified: isVerified });
  });
  it('does not lend its root to another proof of the transaction', () => {
    const foreignProof = { ...proof(b), company_token: 'd' };
    const evidence = { ...evidenceOf([a]), proofs: [proof(a), foreignProof] };
    expect(verdictOn(evidence, { merkle_root: b, company_token: 'c' }, completeKnowledge)).toMatchObject({
      verdict: 'mismatch',
      differs: ['merkle_root'],
    });
    expect(verdictOn(evidence, { merkle_root: b, company_token: 'd', period: 'q' }, completeKnowledge)).toMatchObject({
      verdict: 'mismatch',
      differs: ['period'],
    });
    expect(verdictOn(evidence, { merkle_root: b, company_token: 'd' }, completeKnowledge).verdict).toBe('match');
  });
  it('is named with what was expected', () => {
    expect(verdictOn(evidenceOf([a]), { ...anchor, sender: '0x2' }, completeKnowledge)).toEqual({
      verdict: 'mismatch',
      verified: false,
      expected_root: a,
      expected_company_token: 'c',
      expected_period: 'p',
      expected_sender: '0x2',
      differs: ['sender'],
      proofs: [proof(a)],
    });
  });
});

describe('a mismatch', () => {
  it.each([
    ['stands where the ledger has confirmed the transaction', { ledger: 'confirmed' }, undefined],
    ['stands where it is confirmed ahead of the watermark', { ledger: 'confirmed', passed: false }, undefined],
    ['stands where the node has pruned the transaction since', { ledger: 'absent' }, undefined],
    ['is not given before the watermark has passed', { ledger: 'absent', passed: false }, 'not_synced'],
    [
      'is not given before the watermark has passed and the node is silent',
      { ledger: 'unanswered', passed: false },
      'not_synced',
    ],
    ['is not given while the node is silent', { ledger: 'unanswered' }, 'not_yet'],
    ['is not given where an event is missing', { ledger: 'confirmed', incomplete: true }, 'incomplete'],
  ] as [string, Partial<Evidence>, string | undefined][])('a mismatch %s', (_, more, reason) => {
    expect(verdictOn(evidenceOf([a], more), expectationOf(c), completeKnowledge)).toEqual({
      verdict: reason === undefined ? 'mismatch' : 'unknown',
      verified: false,
      ...(reason === undefined ? { differs: ['merkle_root'] } : { reason }),
      expected_root: c,
      proofs: [proof(a)],
    });
    expect(verdictOn(evidenceOf([a], more), expectationOf(a), completeKnowledge).verdict).toBe('match');
  });
});

describe('a disputed transaction', () => {
  it.each([a, b, c, undefined])('is unknown and shows both versions, whatever root is expected (%s)', (root) => {
    expect(
      verdictOn(evidenceOf([a], { disputed: true, disputedBy: [proof(b)] }), expectationOf(root), completeKnowledge),
    ).toEqual({
      verdict: 'unknown',
      verified: false,
      reason: 'disputed',
      ...(root === undefined ? {} : { expected_root: root }),
      proofs: [proof(a)],
      disputed_by: [proof(b)],
    });
  });
  it('that the ledger does not have any more has no other version to show', () => {
    expect(verdictOn(evidenceOf([a], { disputed: true }), expectationOf(a), completeKnowledge)).toEqual({
      verdict: 'unknown',
      verified: false,
      reason: 'disputed',
      expected_root: a,
      proofs: [proof(a)],
    });
  });
});

describe('the reason for not knowing', () => {
  it.each([
    ['not_found', 'absent'],
    ['not_yet', 'unanswered'],
  ] as const)('is %s where the ledger was asked and is %s', (reason, ledger) => {
    expect(reasonForMiss(evidenceOf([], { ledger }), completeKnowledge)).toBe(reason);
    expect(reasonForMiss(evidenceOf([], { ledger }), { ...completeKnowledge, synced: false })).toBe('not_synced');
  });

  it.each([
    ['not_found', completeKnowledge],
    ['not_synced', { ...completeKnowledge, synced: false }],
    ['history_partial', { ...completeKnowledge, history: 'partial' }],
    ['history_partial', { ...completeKnowledge, history: 'unknown' }],
    ['filtered', { ...completeKnowledge, senders: ['0x1'] }],
    ['filtered', { ...completeKnowledge, senders: ['0x1'], history: 'partial' }],
    ['not_synced', { ...completeKnowledge, synced: false, senders: ['0x1'], history: 'partial' }],
    ['package_unknown', { ...completeKnowledge, packageKnown: false, senders: ['0x1'], history: 'unknown' }],
    ['not_synced', { ...completeKnowledge, packageKnown: false, synced: false }],
  ] as [string, Knowledge][])('is %s', (reason, knowledge) => {
    expect(reasonForUnknown(knowledge, false)).toBe(reason);
    expect(reasonForUnknown(knowledge, true)).toBe('incomplete');
  });
});
