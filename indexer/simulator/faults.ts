/**
 * Faults of real nodes, drawn from a seed: transport faults around the answer and faults in the pages themselves.
 */
import type { SimulatedNode } from './node.js';
import type { Random } from './random.js';

export interface FaultRates {
  /** 429, some with Retry-After, 500 and 502. */
  readonly status?: number;
  readonly html?: number;
  /** Errors with status 200, without data. */
  readonly graphqlErrors?: number;
  /** Errors beside a page that lacks its second half. */
  readonly partial?: number;
  /** The connection breaks. */
  readonly network?: number;
  /** An empty page that says there is more. */
  readonly emptyPage?: number;
  /** A page that says there is more and gives no cursor, or the one it was asked with. */
  readonly brokenCursor?: number;
  /** An event whose checkpoint or payload is null this time. */
  readonly nulls?: number;
}

export interface Faults {
  readonly random: Random;
  readonly rates: FaultRates;
  /** The number of injections of each kind. */
  readonly injected: Record<string, number>;
}

export function createFaults(random: Random, rates: FaultRates): Faults {
  return { random, rates, injected: {} };
}

export function strikes(faults: Faults | undefined, kind: keyof FaultRates): boolean {
  const rate = faults?.rates[kind] ?? 0;
  if (rate === 0 || !faults!.random.chance(rate)) return false;
  faults!.injected[kind] = (faults!.injected[kind] ?? 0) + 1;
  return true;
}

/** An answer as it lies on the wire. */
export interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { code: string } }[];
}

/** Alters an answer in place, or returns another one instead. */
export type Spoil = (answer: Answer, query: string) => unknown;

/** A node with a fault of its own, for as long as a test wants it. */
export function spoilNode(node: SimulatedNode, spoil: Spoil): SimulatedNode {
  return {
    requests: node.requests,
    async fetch(url, init) {
      const answer = (await (await node.fetch(url, init)).json()) as Answer;
      return Response.json(
        (spoil(answer, (JSON.parse(String(init.body)) as { query: string }).query) as Answer | undefined) ?? answer,
      );
    },
  };
}

/** Every object in an answer, outer ones first. */
export function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}
