/** The documented form of a terminal's requests: members, types, patterns. Unknown members are refused in requests. */
import { isRecord } from '../../kit/json.js';

type Check = (value: unknown) => boolean;
interface Form {
  readonly required: readonly string[];
  readonly members: Readonly<Record<string, Check>>;
  /** @returns the fault in the combination of members */
  readonly checkTogether?: (body: Readonly<Record<string, unknown>>) => string | undefined;
}

const text =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const integer =
  (min: number, max: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
const list =
  (check: Check, min: number, max: number): Check =>
  (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every(check);

const bytes = (min: number, max: number) => text(new RegExp(`^([0-9A-Fa-f]{2}){${min},${max}}$`));
const session = text(/^csn_[A-Za-z0-9]{16,60}$/);
const uid = text(/^([0-9A-Fa-f]{8}|[0-9A-Fa-f]{14}|[0-9A-Fa-f]{20})$/);
const action = text(/^(in|out|break_start|break_end)$/);
const pin = text(/^[0-9]{6}$/);
const base64 = text(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);

const offlineStamp: Form = {
  required: ['number'],
  members: {
    number: integer(1, Number.MAX_SAFE_INTEGER),
    sealed: base64,
    uid,
    action,
    at: text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/),
  },
  checkTogether: ({ sealed, uid, action, at }) =>
    (sealed === undefined) === (uid !== undefined && action !== undefined && at !== undefined)
      ? undefined
      : 'a stamp has either sealed or all of uid, action and at',
};

const forms: Readonly<Record<string, Form>> = {
  'POST /api/v1/terminal/pair': {
    required: ['code', 'public_key'],
    members: {
      code: text(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/),
      public_key: text(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
      device: text(/^(?!\s*$)[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u),
    },
  },
  'POST /api/v1/terminal/card': {
    required: ['uid'],
    members: {
      uid,
      run: text(/^[A-Za-z0-9_-]{16,64}$/),
      atqa: bytes(2, 2),
      sak: bytes(1, 1),
      ats: bytes(1, 64),
      action: text(/^(next|in|out|break_start|break_end)$/),
    },
  },
  'POST /api/v1/terminal/card/step': {
    required: ['session', 'response'],
    members: { session, response: bytes(2, 258) },
  },
  'POST /api/v1/terminal/stamp': { required: ['session', 'action'], members: { session, action, pin } },
  'POST /api/v1/terminal/info': { required: ['session'], members: { session, pin } },
  'POST /api/v1/terminal/pin': { required: ['session', 'pin'], members: { session, pin } },
  'POST /api/v1/terminal/session/end': { required: ['session'], members: { session } },
  'POST /api/v1/terminal/offline': {
    required: ['stamps'],
    members: { stamps: list((stamp) => fault(offlineStamp, stamp) === undefined, 1, 100) },
  },
};

function fault({ required, members, checkTogether }: Form, body: unknown): string | undefined {
  if (!isRecord(body)) return 'the body is no object';
  const missingName = required.find((name) => body[name] === undefined);
  if (missingName !== undefined) return `${missingName} is missing`;
  for (const [name, value] of Object.entries(body)) {
    const check = members[name];
    if (check === undefined) return `there is no member ${name}`;
    if (!check(value)) return `${name} is not of the documented form`;
  }
  return checkTogether?.(body);
}

const statusParameters = new Set([
  'agent_version',
  'reader',
  'reader_state',
  'clock_offset_ms',
  'offline_waiting',
  'run',
]);

/** Operations, by method and path without a query. */
export const operations: ReadonlySet<string> = new Set([...Object.keys(forms), 'GET /api/v1/terminal/status']);

/** @returns how a request differs from the documented form, or undefined */
export function formFault(operation: string, query: URLSearchParams, type: string | undefined, body: Buffer) {
  if (!operations.has(operation)) return 'there is no such operation';
  const form = forms[operation];
  const names = [...query.keys()];
  if (new Set(names).size < names.length) return 'a parameter is given twice';
  const unknownName = names.find((name) => form !== undefined || !statusParameters.has(name));
  if (unknownName !== undefined) return `there is no parameter ${unknownName}`;
  if (form === undefined) return body.length > 0 ? 'a GET has no body' : undefined;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? '')) return 'content-type is application/json';
  try {
    return fault(form, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch {
    return 'the body is no JSON in UTF-8';
  }
}
