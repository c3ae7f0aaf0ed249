import { describe, expect, it } from '@jest/globals';
import { suites } from '../kit/requirement.js';
import { refuseWebhook, signWebhook } from '../peers/receiver.js';
import { Commission } from '../violations/changes.js';
import type { Message } from '../violations/functions.js';
import { onTheWay } from '../violations/on-the-way.js';
import { type StatefulViolation, statefulViolations } from '../violations/rows.js';

const doing = (rows: readonly StatefulViolation[]) => rows.map(({ does }) => does);

describe('stateful violations', () => {
  it('number at least 120, and no two are alike', () => {
    const changes = statefulViolations.map(({ does: _, ...rest }) => JSON.stringify(rest));
    expect(statefulViolations.length).toBeGreaterThanOrEqual(120);
    expect(new Set(doing(statefulViolations)).size).toBe(statefulViolations.length);
    expect(new Set(changes).size).toBe(statefulViolations.length);
  });

  it('have an area and an effect each', () => {
    const withoutArea = ({ areas }: StatefulViolation) =>
      areas.length === 0 || areas.some((area) => !suites.includes(area));
    const withoutEffect = ({ request, answer, lie, delivery, message, closes }: StatefulViolation) =>
      (closes ?? lie) === undefined &&
      [request, answer, delivery, message].every((change) => Object.keys(change ?? {}).length === 0);
    expect(doing(statefulViolations.filter(withoutArea))).toEqual([]);
    expect(doing(statefulViolations.filter(withoutEffect))).toEqual([]);
  });

  it('change the second row of a list, and count that', () => {
    const commission = new Commission({
      does: 'loses the second row',
      at: 'GET /users',
      of: 200,
      answer: { items: { of: 'data', nth: 1, drop: true } },
    });
    expect(told(commission, [{ id: 1 }, { id: 2 }, { id: 3 }])).toEqual([{ id: 1 }, { id: 3 }]);
    expect(told(commission, [{ id: 1 }])).toEqual([{ id: 1 }]);
    expect(commission.hits).toBe(1);
  });

  it('show a record as it was before its last change', () => {
    const commission = new Commission({
      does: 'lists clock states of before',
      at: 'GET /users',
      lie: 'older',
      with: { kind: 'state' },
    });
    const state = (name: string, second: number) => ({
      user_id: 7,
      state: name,
      updated_at: `2026-11-26T08:00:0${second}.000Z`,
    });
    expect(told(commission, [state('out', 1)])).toEqual([state('out', 1)]);
    expect(told(commission, [state('in', 2)])).toEqual([state('out', 1)]);
    expect(told(commission, [state('on_break', 3)])).toEqual([state('in', 2)]);
    expect(commission.hits).toBe(2);
  });

  it('answer once more where a credential has ended', () => {
    const commission = new Commission({ does: 'serves a deleted key once more', of: 401, lie: 'lingering' });
    expect(answered(commission, 200, 'people').body).toBe('people');
    expect(answered(commission, 401, 'refused')).toMatchObject({ status: 200, body: 'people' });
    expect(answered(commission, 401, 'refused')).toMatchObject({ status: 401, body: 'refused' });
  });

  it('sign a changed delivery again, with the secret that signed it', () => {
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const body = Buffer.from('{"sequence":7}');
    const signature = signWebhook(secret, 'evt_1', '1700000000', body);
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1700000000', 'webhook-signature': signature };
    const commission = new Commission({ does: 'delivers another sequence', delivery: { add: { sequence: 1 } } });
    const arrive = onTheWay(commission, new Set([secret, 'whsec_b3RoZXI='])).delivery!;
    const [changed] = arrive({ at: 0, method: 'POST', path: '/', headers, body });
    expect(String(changed!.body)).toBe('{"sequence":8}');
    expect(refuseWebhook(changed!.headers, changed!.body, secret, 1_700_000_000_000)).toBeUndefined();
  });
});

/** An answer of this status, through a violation. */
function answered(commission: Commission, status: number, body: string): Message {
  const request: Message = { method: 'GET', path: '/api/v1/users', headers: {}, status: 0, body: '' };
  const answer: Message = { ...request, status, body };
  const end = commission.begin(request);
  commission.see(request, answer);
  if (commission.concerns(answer)) end?.(answer);
  return answer;
}

/** What a list of people tells through a violation. */
function told(commission: Commission, data: readonly unknown[]): unknown {
  return (JSON.parse(answered(commission, 200, JSON.stringify({ data })).body) as { data: unknown }).data;
}
