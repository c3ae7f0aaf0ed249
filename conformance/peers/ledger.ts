/**
 * Reads one anchored proof from the ledger's GraphQL, to compare it with an indexer's answer. Introspection, not
 * the address, tells the dialect of the node.
 */
import { request } from 'undici';
import { at, isRecord } from '../kit/json.js';

export type Dialect = 'ga' | 'legacy' | 'flat' | 'flat-blocks';
export interface Fact {
  readonly sender: string;
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
  readonly checkpoint: number;
}

const detect =
  '{ event: __type(name: "Event") { fields { name } } filter: __type(name: "EventFilter") { inputFields { name } } }';
const names = (value: unknown): string[] => (Array.isArray(value) ? value.map((item) => String(at(item, 'name'))) : []);

/** By the fields of `Event`: GA has `transaction`, the older ones `transactionBlock`, the oldest neither. */
export function dialectOf(introspection: unknown): Dialect {
  const fields = names(at(introspection, 'event.fields'));
  if (fields.includes('transaction')) return 'ga';
  if (fields.includes('contents')) return 'legacy';
  return fields.includes('transactionBlock') ? 'flat' : 'flat-blocks';
}

const flatEvent = 'sender { address } type { repr } json';
const contentsEvent = 'sender { address } contents { type { repr } json }';

/** A document that asks for one page of events of a package. */
export function pageQuery(dialect: Dialect): string {
  const body = {
    ga: `events(filter: $filter, last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { ${contentsEvent} transaction { digest effects { checkpoint { sequenceNumber } } } } }`,
    legacy: `events(filter: $filter, last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { ${contentsEvent} transactionBlock { digest effects { checkpoint { sequenceNumber } } } } }`,
    flat: `events(filter: $filter, last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { ${flatEvent} transactionBlock { digest effects { checkpoint { sequenceNumber } } } } }`,
    'flat-blocks': `transactionBlocks(filter: $filter, last: 20, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { digest effects { checkpoint { sequenceNumber } events { nodes { ${flatEvent} } } } } }`,
  }[dialect];
  const filter = dialect === 'flat-blocks' ? 'TransactionBlockFilter' : 'EventFilter';
  return `query Page($filter: ${filter}, $before: String) { ${body} }`;
}

export const filterOf = (dialect: Dialect, address: string): Record<string, string> =>
  dialect === 'ga' ? { type: address } : dialect === 'flat-blocks' ? { function: address } : { eventType: address };

/** 32 bytes from Base64, a list of numbers or hexadecimal digits. */
export function rootOf(value: unknown): string {
  if (Array.isArray(value)) return Buffer.from(value as number[]).toString('hex');
  const text = String(value);
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return text.replace(/^0x/, '').toLowerCase();
  return Buffer.from(text, 'base64').toString('hex');
}

/** The events of a page, in the same form for all dialects. */
export function factsOf(dialect: Dialect, data: unknown): { readonly tx: string; readonly fact: Fact }[] {
  const nodes = at(data, dialect === 'flat-blocks' ? 'transactionBlocks.nodes' : 'events.nodes');
  if (!Array.isArray(nodes)) return [];
  const events =
    dialect === 'flat-blocks'
      ? nodes.flatMap((block) => {
          const eventNodes = at(block, 'effects.events.nodes');
          return (Array.isArray(eventNodes) ? eventNodes : []).map((event: unknown) => ({ event, block }));
        })
      : nodes.map((event: unknown) => ({
          event,
          block: at(event, dialect === 'ga' ? 'transaction' : 'transactionBlock'),
        }));
  return events.flatMap(({ event, block }) => {
    const json = at(event, dialect === 'ga' || dialect === 'legacy' ? 'contents.json' : 'json');
    if (!isRecord(json)) return [];
    return [
      {
        tx: String(at(block, 'digest')),
        fact: {
          sender: String(at(event, 'sender.address')),
          company_token: String(json['company_token']),
          period: String(json['period']),
          merkle_root: rootOf(json['merkle_root']),
          checkpoint: Number(at(block, 'effects.checkpoint.sequenceNumber')),
        },
      },
    ];
  });
}

/** @returns undefined if the node does not answer or does not know the transaction */
export async function readLedger(url: string, tx: string, address: string): Promise<Fact | undefined> {
  const ask = async (query: string, variables: Record<string, unknown> = {}): Promise<unknown> => {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await answer.body.json()) as unknown;
    return at(body, 'errors') === undefined ? at(body, 'data') : undefined;
  };
  try {
    const dialect = dialectOf(await ask(detect));
    let previous: string | null = null;
    for (let page = 0; page < 100; page++) {
      const data: unknown = await ask(pageQuery(dialect), { filter: filterOf(dialect, address), before: previous });
      const match = factsOf(dialect, data).find((candidate) => candidate.tx === tx);
      if (match !== undefined) return match.fact;
      const info = at(data, dialect === 'flat-blocks' ? 'transactionBlocks.pageInfo' : 'events.pageInfo');
      const cursor = at(info, 'startCursor');
      if (at(info, 'hasPreviousPage') !== true || typeof cursor !== 'string' || cursor === previous) return undefined;
      previous = cursor;
    }
  } catch {
    return undefined;
  }
  return undefined;
}
