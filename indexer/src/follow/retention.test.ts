import { describe, expect, it } from '@jest/globals';
import type { Stream } from '../store/streams.js';
import { claimedHistory, evaluateRetention, type RetentionFacts, worstHistory } from './retention.js';

const firstCheck: Pick<Stream, 'history' | 'historyFloor' | 'fromCheckpoint' | 'retentionCheckedFrom'> = {
  history: 'unknown',
  historyFloor: null,
  fromCheckpoint: 100,
  retentionCheckedFrom: 99,
};
const laterCheck = { ...firstCheck, history: 'complete' as const, retentionCheckedFrom: 500 };
const facts = (more: Partial<RetentionFacts> = {}): RetentionFacts => ({
  floor: 0,
  publishedAt: 100,
  knowsPublication: true,
  ...more,
});

describe('the history is', () => {
  it.each([
    ['complete where the node remembers the publication', firstCheck, facts(), 'complete', null],
    ['complete where its memory begins with the publication', firstCheck, facts({ floor: 100 }), 'complete', null],
    ['partial where its memory begins after the publication', firstCheck, facts({ floor: 101 }), 'partial', 101],
    [
      'partial where the publication itself is gone',
      firstCheck,
      facts({ knowsPublication: false, floor: 0 }),
      'partial',
      0,
    ],
    ['unknown where the node does not tell', firstCheck, facts({ floor: undefined }), 'unknown', null],
    [
      'unknown where the publication date is not known',
      { ...firstCheck, fromCheckpoint: 0, retentionCheckedFrom: -1 },
      facts({ publishedAt: undefined, floor: 7 }),
      'unknown',
      null,
    ],
    [
      'complete where the node remembers everything there ever was',
      { ...firstCheck, fromCheckpoint: 0, retentionCheckedFrom: -1 },
      facts({ publishedAt: undefined, floor: 0 }),
      'complete',
      null,
    ],
    ['still complete where only what was read is gone', laterCheck, facts({ floor: 501 }), 'complete', null],
    ['partial where something may have gone unread', laterCheck, facts({ floor: 502 }), 'partial', 502],
    ['partial for good', { ...laterCheck, history: 'partial' as const, historyFloor: 300 }, facts(), 'partial', 300],
  ] as [string, typeof firstCheck, RetentionFacts, string, number | null][])(
    'the history is %s',
    (_, stream, facts, history, historyFloor) => {
      expect(evaluateRetention(stream, facts)).toEqual({ history, historyFloor });
    },
  );

  it('that of the weakest stream', () => {
    const of = (...histories: Stream['history'][]) => worstHistory(histories.map((history) => ({ history })));
    expect([of(), of('complete'), of('complete', 'unknown'), of('unknown', 'partial', 'complete')]).toEqual([
      'unknown',
      'complete',
      'unknown',
      'partial',
    ]);
  });

  it.each([
    ['complete where events of a known package were read', '0x1', 'complete', 'complete'],
    ['unknown where no node knows the package', null, 'complete', 'unknown'],
    ['partial where a node has pruned', '0x1', 'partial', 'partial'],
  ] as const)('claimed to be %s', (_, originalPackage, history, claim) => {
    expect(claimedHistory([{ history }], { originalPackage })).toBe(claim);
  });
});
