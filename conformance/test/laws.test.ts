import { describe, expect, it } from '@jest/globals';
import { Answer, type Exchange } from '../kit/client.js';
import { backwardTimes, changedReads, returnedRecords, unequalRepeats, unequalVersions } from '../kit/laws.js';

type Given = Partial<Omit<Exchange, 'answer'>> & {
  readonly json?: unknown;
  readonly status?: number;
  readonly of?: Record<string, string>;
};

/**
 * Exchanges one after the other, ten milliseconds each, unless a row says otherwise. @param of headers of the answer
 */
const exchanges = (...answers: readonly Given[]): readonly Exchange[] =>
  answers.map(({ json, status = 200, of = {}, ...more }, index) => ({
    document: 'service',
    operation: 'getAbsence',
    method: 'GET',
    path: '/api/v1/absences/1',
    headers: { authorization: 'Bearer key' },
    body: undefined,
    answer: new Answer('GET', status, of, JSON.stringify(json)),
    from: index * 20,
    until: index * 20 + 10,
    ...more,
  }));
const instant = (second: number) => new Date(second * 1_000).toISOString();
const absence = (second: number, more: object = {}) => ({ id: 1, comment: 'x', updated_at: instant(second), ...more });
const lostAnswer: Given & { readonly answer: undefined } = { answer: undefined };
const page = (...data: readonly object[]) => ({ data });
const list: Given = { operation: 'listLeaves', path: '/api/v1/time/leaves' };
const events: Given = { operation: 'listEvents', path: '/api/v1/events' };
const repeat: Given = { operation: 'createAbsence', method: 'POST', headers: { 'idempotency-key': 'one' } };
const status: Given = { operation: 'getStatus' };
const removalPage: Given = { operation: 'listRemovedLeaves', json: page({ id: 1 }) };

describe('the laws of a run', () => {
  it.each<[string, (run: readonly Exchange[]) => readonly string[], readonly Given[], readonly Given[]]>([
    [
      'an ETag stands for one content',
      changedReads,
      [
        { json: absence(1), of: { etag: '"1"' } },
        { json: absence(1, { comment: 'y' }), of: { etag: '"1"' } },
      ],
      [
        { json: absence(1), of: { etag: '"1"' } },
        { json: absence(2), of: { etag: '"2"' } },
        { json: absence(2, { external_id: 'a' }), of: { etag: '"2"' }, headers: { authorization: 'Bearer other' } },
        { ...lostAnswer },
      ],
    ],
    [
      'a list shows what a read shows',
      unequalVersions,
      [{ json: absence(1) }, { ...list, json: page(absence(1, { comment: 'y' })) }],
      [{ json: absence(1) }, { ...list, json: page(absence(2, { comment: 'y' }), absence(1, { external_id: 'a' })) }],
    ],
    [
      'an event shows what a read shows',
      unequalVersions,
      [{ json: absence(1) }, { ...events, json: page({ type: 'leave.changed', data: absence(1, { comment: 'y' }) }) }],
      [{ json: absence(1) }, { ...events, json: page({ type: 'leave.removed', data: { id: 1 } }) }],
    ],
    [
      'a repeated request has its first answer',
      unequalRepeats,
      [
        { ...repeat, json: absence(1), status: 201 },
        { ...repeat, json: absence(2), status: 201 },
      ],
      [
        { ...repeat, json: absence(1), status: 201 },
        { ...repeat, ...lostAnswer },
        { ...repeat, json: {}, status: 503 },
        { ...repeat, json: absence(2), status: 201, body: { another: 'request' } },
      ],
    ],
    [
      'the clock goes forward',
      backwardTimes,
      [
        { ...status, json: { server_time: instant(10) } },
        { ...status, json: { server_time: instant(7) } },
      ],
      [
        { ...status, json: { server_time: instant(10) } },
        { ...status, json: { server_time: instant(9) } },
        { ...status, document: 'indexer', json: { server_time: instant(1) } },
        { ...repeat, json: { server_time: instant(1) } },
      ],
    ],
    [
      'the Date of answers goes forward',
      backwardTimes,
      [
        { ...status, of: { date: 'Thu, 01 Jan 2026 00:00:10 GMT' } },
        { ...status, of: { date: 'Thu, 01 Jan 2026 00:00:07 GMT' } },
      ],
      [
        { ...status, of: { date: 'Thu, 01 Jan 2026 00:00:10 GMT' } },
        { ...status, of: { date: 'Thu, 01 Jan 2026 00:00:00 GMT', age: '10' } },
      ],
    ],
    [
      'a version follows an older one',
      backwardTimes,
      [{ json: absence(2) }, { json: absence(1) }],
      // The second began before the first had ended, and an event shows the record as it was.
      [
        { json: absence(2) },
        { json: absence(1), from: 5 },
        { ...events, json: page({ type: 'leave.x', data: absence(1) }) },
      ],
    ],
    [
      'a record is created before it changes',
      backwardTimes,
      [{ json: absence(1, { created_at: instant(2) }) }],
      [{ json: absence(1, { created_at: instant(1) }) }],
    ],
    [
      'sequences grow',
      backwardTimes,
      [{ ...events, json: page({ sequence: 2 }, { sequence: 2 }) }],
      [{ ...events, json: page({ sequence: 2 }, { sequence: 3 }) }],
    ],
    [
      'what was removed stays away',
      returnedRecords,
      [removalPage, { json: absence(1) }],
      [{ json: absence(1) }, removalPage, { json: absence(1), from: 25 }, { ...repeat, json: absence(1) }],
    ],
  ])('%s: a breach is reported, and an excuse is not', (_, law, breach, excuse) => {
    expect(law(exchanges(...breach))).toHaveLength(1);
    expect(law(exchanges(...excuse))).toEqual([]);
  });
});
