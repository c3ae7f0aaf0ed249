/** The ends of a check that does not pass. */
import { isRecord } from './json.js';

/** The deployment does something else than the requirement says. */
export class Breach extends Error {}

/** The requirement cannot be checked against this deployment. */
export class Skipped extends Error {}

/** Skipped without a gap: there is nothing of the kind here, or what it would provoke has a reason of its own. */
export class NotApplicable extends Skipped {}

/** The kit could not tell: no answer, a fixture that failed, a deployment too slow to judge. */
export class Inconclusive extends Error {}

/** The service refuses an operation of the adapter. Inconclusive unless the requirement is about the refusal. */
export class Refused extends Inconclusive {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Something did not arrive within its time. A breach only of a deployment that answers quickly meanwhile. */
export class NotArrived extends Error {}

const connectionFaults = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'UND_ERR_SOCKET'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);

/** True if the network is at fault: there was no answer at all. */
export function lostConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return (typeof code === 'string' && connectionFaults.has(code)) || lostConnection(cause);
}

/** @throws Breach */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Breach(message);
}

const sortMembers = (_: string, value: unknown) =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

const textOf = (value: unknown): string => JSON.stringify(value, sortMembers) ?? 'nothing';

/** Compares as JSON, where members have no order. */
export const isEqual = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

/** @throws Breach they are not equal as JSON */
export function equal(actual: unknown, expected: unknown, subject: string): void {
  if (!isEqual(actual, expected)) throw new Breach(`${subject}: expected ${textOf(expected)}, got ${textOf(actual)}`);
}
