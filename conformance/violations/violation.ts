import type { Delivery } from '../peers/receiver.js';

export type Json = Record<string, unknown>;

/** A breach of the specification that a proxy commits between the kit and a deployment that is right. */
export interface Exchange {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

export interface Violation {
  readonly id: string;
  /** What the deployment does wrong, as a sentence. */
  readonly does: string;
  /** The requirement that the report must name. */
  readonly breaks: string;
  readonly side: 'service' | 'indexer';
  /** What becomes of a delivery of a webhook. */
  readonly delivery?: (delivery: Delivery, memory: Map<string, Delivery>) => readonly Delivery[];
  /** What becomes of a message of the event connection. */
  readonly message?: (message: Json, memory: Map<string, Json>) => readonly Json[];
  /** What becomes of the code with which the event connection closes; undefined if it does not. */
  readonly closes?: (code: number) => number | undefined;
  /** Shows in the published documents alone: whatever the right ones name counts as provoked. */
  readonly published?: true;
  /** Shows only while a feature of the whole deployment is switched off for a moment. */
  readonly intrusive?: true;
  /** Shows only after half a minute or longer: runs beside the others. */
  readonly slow?: true;
  /** Changes the request on its way in. */
  readonly request?: (exchange: Exchange) => void;
  /** Changes the answer on its way out. */
  readonly reply?: (reply: Reply, exchange: Exchange, memory: Map<string, Reply>) => void;
}

const pathOf = ({ path }: Exchange) => path.split('?')[0] ?? '';
export type Where = RegExp;
const fits = (where: Where, exchange: Exchange) => where.test(`${exchange.method} ${pathOf(exchange)}`);

function changed(reply: Reply, change: (json: Json) => void): void {
  try {
    const json = JSON.parse(reply.body) as Json;
    change(json);
    reply.body = JSON.stringify(json);
  } catch {
    // No JSON: nothing to change.
  }
}

/** Changes the JSON of answers with a status. */
export const answer =
  (where: Where, status: number, change: (json: Json, reply: Reply) => void): NonNullable<Violation['reply']> =>
  (reply, exchange) => {
    if (reply.status === status && fits(where, exchange)) changed(reply, (json) => change(json, reply));
  };

/** Answers with another status, and another body if one is given. */
export const status =
  (where: Where, from: number, to: number, body?: Json): NonNullable<Violation['reply']> =>
  (reply, exchange) => {
    if (reply.status !== from || !fits(where, exchange)) return;
    reply.status = to;
    if (body !== undefined) reply.body = JSON.stringify(body);
  };

export const code =
  (where: Where, from: string, to: string): NonNullable<Violation['reply']> =>
  (reply, exchange) => {
    if (fits(where, exchange) && reply.status >= 400)
      changed(reply, (json) => {
        if (json['code'] === from) json['code'] = to;
      });
  };

/** Answers with a code as if nothing were wrong. */
export const accept =
  (where: Where, refused: string, body: Json = {}, to = 200): NonNullable<Violation['reply']> =>
  (reply, exchange) => {
    if (!fits(where, exchange) || !reply.body.includes(`"code":"${refused}"`)) return;
    reply.status = to;
    reply.body = JSON.stringify(body);
  };

export const header =
  (where: Where, name: string, value: string | undefined): NonNullable<Violation['reply']> =>
  (reply, exchange) => {
    if (!fits(where, exchange)) return;
    if (value === undefined) delete reply.headers[name];
    else reply.headers[name] = value;
  };

export const path =
  (where: Where, change: (path: string) => string): NonNullable<Violation['request']> =>
  (exchange) => {
    if (fits(where, exchange)) exchange.path = change(exchange.path);
  };

export const body =
  (where: Where, change: (json: Json) => void): NonNullable<Violation['request']> =>
  (exchange) => {
    if (!fits(where, exchange)) return;
    try {
      const json = JSON.parse(exchange.body) as Json;
      change(json);
      exchange.body = JSON.stringify(json);
    } catch {
      // No JSON.
    }
  };

export const sent =
  (where: Where, name: string): NonNullable<Violation['request']> =>
  (exchange) => {
    if (fits(where, exchange)) delete exchange.headers[name];
  };

/** Repeats the first good answer to a value in the request. */
export const replay =
  (where: Where, keyOf: (exchange: Exchange) => string): NonNullable<Violation['reply']> =>
  (reply, exchange, memory) => {
    if (!fits(where, exchange)) return;
    const key = keyOf(exchange);
    const known = memory.get(key);
    if (reply.status < 300) memory.set(key, { ...reply, headers: { ...reply.headers } });
    else if (known !== undefined) Object.assign(reply, known);
  };
