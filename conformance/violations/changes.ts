/** Which requests a violation is about, and how it changes them and their answers. */
import { isRecord } from '../kit/json.js';
import { functions, type Message } from './functions.js';
import type { Change, Edit, Edits, Row } from './rows.js';

/** A violation while it is committed. */
export class Commission {
  /** Nothing is sent any more. */
  stopped = false;
  readonly violation: Row;
  readonly #keys = new Set<string>();
  readonly #memory = new Map<string, number>();
  #count = 0;
  /** By receiver. */
  readonly #held = new Map<string, Message>();

  constructor(violation: Row) {
    this.violation = violation;
  }

  /** @returns the groups of `if`, or undefined if the violation leaves this request alone */
  match(request: Message): readonly string[] | undefined {
    const { at, again, first, after = 0 } = this.violation;
    if (at !== undefined) {
      const [method = '', end = ''] = at.split(' ');
      if (!new RegExp(`^${method} .*(?:${end})$`).test(`${request.method} ${request.path.split('?')[0]}`)) return;
    }
    const text = textOf(request);
    const groups = this.violation.if === undefined ? [] : new RegExp(this.violation.if, 'm').exec(text);
    if (groups === null) return;
    const countKey = again ?? first;
    if (countKey !== undefined) {
      const key = new RegExp(countKey, 'm').exec(text)?.[0];
      if (key === undefined) return;
      const isRepeat = this.#keys.has(key);
      this.#keys.add(key);
      if (isRepeat !== (again !== undefined)) return;
    }
    this.#count += 1;
    return this.#count > after ? groups : undefined;
  }

  /** Changes a request. @returns what becomes of its answer; undefined if the violation leaves it alone */
  begin(request: Message): ((answer: Message) => void) | undefined {
    const { by, answer: change, delivery, message } = this.violation;
    if ((delivery ?? message) !== undefined) return;
    const groups = this.match(request);
    if (groups === undefined) return;
    if (this.violation.request !== undefined) apply(this.violation.request, request, groups);
    const more = by === undefined ? undefined : functions[by]!(request, this.#memory);
    return (answer) => {
      if (change !== undefined) apply(change, answer, groups);
      more?.(answer);
    };
  }

  /** Whether it is about this answer. */
  concerns(answer: Message): boolean {
    const { of, has } = this.violation;
    const code = /"code":"(\w+)"/.exec(answer.body)?.[1] ?? '';
    const outcome = answer.status === 0 ? 'lost' : `${answer.status} ${code}`;
    return new RegExp(String(of ?? '')).test(outcome) && new RegExp(has ?? '').test(answer.body);
  }

  /** @returns what arrives in place of a delivery or message */
  arrivals(message: Message, change: Change | undefined): readonly Message[] {
    const receiver = String(message.headers['host']);
    const heldDeliveries = [this.#held.get(receiver) ?? []].flat();
    this.#held.delete(receiver);
    const groups = change === undefined ? undefined : this.match(message);
    if (change === undefined || groups === undefined) return [message, ...heldDeliveries];
    if (change.drop || change.hold) {
      if (change.hold) this.#held.set(receiver, message);
      return heldDeliveries;
    }
    const copy = { ...message, headers: { ...message.headers } };
    apply(change.twice ?? change, copy, groups);
    if (change.twice === undefined) return [copy, ...heldDeliveries];
    return [message, copy, ...heldDeliveries];
  }
}

/** As it is sent. */
function textOf({ method, path, headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [`${method} ${path}`, ...lines, '', body].join('\n');
}

export const editText = (text: string, edit: Edit): string =>
  typeof edit === 'string' ? edit : text.replace(new RegExp(edit[0], 'g'), edit[1]);

/** @param groups of `if` */
export function apply(change: Change, message: Message, groups: readonly string[] = []): void {
  const fill = (value: unknown) =>
    typeof value !== 'string'
      ? value
      : value
          .replace('%now', String(Math.floor(Date.now() / 1_000)))
          .replace(/%(\d)/, (_, group: string) => groups[Number(group)] ?? '');
  const { shift, duplicate, reverse } = change;
  message.status = change.status ?? message.status;
  message.method = change.method ?? message.method;
  if (change.resign) message.resign = true;
  if (change.path !== undefined) message.path = editText(message.path, change.path);
  for (const [name, edit] of Object.entries(change.header ?? {})) {
    const value = message.headers[name];
    if (edit === null) delete message.headers[name];
    else if (typeof edit === 'string') message.headers[name] = String(fill(edit));
    else if (value !== undefined)
      message.headers[name] = Array.isArray(value)
        ? value.map((item) => editText(item, edit))
        : String(fill(editText(value, edit)));
  }
  if (change.body !== undefined) message.body = JSON.stringify(change.body);
  if (change.cut) message.body = message.body.slice(0, message.firstPiece);
  message.body = inJson(message.body, (json) => {
    for (const path of [shift, duplicate, reverse])
      for (const [holder, name] of path === undefined ? [] : members(json, path)) {
        const list = holder[name] as unknown[];
        if (path === reverse) list.reverse();
        else if (path === shift) list.shift();
        else if (list.length > 0) list.unshift(structuredClone(list[0]));
      }
    edit(json, change, fill);
  });
  if (change.replace !== undefined) message.body = editText(message.body, change.replace);
}

type Json = Record<string, unknown>;
type Fill = (value: unknown) => unknown;

function edit(json: Json, { set = {}, add = {}, remove }: Edits, fill: Fill): void {
  for (const [path, value] of Object.entries(set))
    for (const [holder, name] of members(json, path)) holder[name] = fill(value);
  for (const [path, value] of Object.entries(add))
    for (const [holder, name] of members(json, path)) holder[name] = Number(holder[name]) + value;
  for (const [holder, name] of remove === undefined ? [] : members(json, remove)) delete holder[name];
}

/** @returns the text with its JSON changed; as it was, byte by byte, if nothing is, or if it is no JSON */
function inJson(text: string, change: (json: Record<string, unknown>) => void): string {
  const json = jsonOf(text);
  const textBefore = JSON.stringify(json);
  if (json === undefined) return text;
  change(json);
  const textAfter = JSON.stringify(json);
  return textAfter === textBefore ? text : textAfter;
}

export function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the objects that hold the last name of a path, which need not be there itself, with that name */
function members(json: Record<string, unknown>, path: string): readonly (readonly [Record<string, unknown>, string])[] {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holders: unknown[] = [json];
  for (const name of names)
    holders = holders.flatMap((holder) => {
      const of = holder as Record<string, unknown>;
      return (name === '*' ? Object.values(of) : [of[name]]).filter(
        (item) => typeof item === 'object' && item !== null,
      );
    });
  return holders.map((holder) => [holder as Record<string, unknown>, last] as const);
}
