/** Logs for tests of the memory: what was asked and answered at which second. */
import { Answer } from '../kit/client.js';
import { type Arrival, type Doing, History, type Step } from '../kit/memory/history.js';
import { judge } from '../kit/memory/memory.js';

export const start = Date.parse('2026-11-26T08:00:00.100Z');
export const instant = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
export const source = { kind: 'extension', id: 'ext_1', name: 'Kit' };
const contract = {
  operations: [{ id: 'listUsers', definition: { 'x-scope': 'read:users' } }] as never,
};

export interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly second: number;
  body?: unknown;
  headers: Record<string, string>;
  status: number;
  answer: Record<string, unknown>;
  /** Headers of the answer. */
  given?: Record<string, string>;
}
export interface Log {
  readonly calls: Call[];
  readonly doings: Doing[];
  readonly arrivals: Arrival[];
}

export const call = (
  second: number,
  operation: string,
  path: string,
  answer: object,
  more: Partial<Call> = {},
): Call => ({
  operation,
  method: /^(list|get|verify)/.test(operation) ? 'GET' : 'POST',
  path,
  second,
  headers: { authorization: 'Bearer cpk_1' },
  status: 200,
  answer: answer as Record<string, unknown>,
  ...more,
});
export const page = (data: readonly object[], more: object = {}) => ({
  data,
  next_cursor: null,
  has_more: false,
  ...more,
});
export const did = (second: number, operation: string, given: readonly unknown[], result: unknown): Doing => {
  const from = start + second * 1_000;
  return { operation, given, result, from, until: from + 200 };
};
export function lies({ calls, doings, arrivals }: Log): readonly string[] {
  const steps = calls.map(({ second, operation, method, path, body, headers, status, answer, given }) => ({
    operation,
    method,
    path,
    body,
    headers,
    answer: new Answer(path, status, given ?? {}, JSON.stringify(answer)),
    from: start + second * 1_000 - 50,
    until: start + second * 1_000 + 50,
  }));
  return judge(new History(steps as unknown as Step[], doings, arrivals), contract).map(
    ({ kind, what }) => `${kind}: ${what}`,
  );
}
