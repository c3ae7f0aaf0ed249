/** Pages of lists, as nodes give them, and what goes wrong with them. */
import { GraphQLError } from 'graphql';
import { type Faults, strikes } from './faults.js';

/** The place of a row: transaction, event in it, and on the older servers the checkpoint it was viewed at. */
export interface Place {
  readonly t?: number;
  readonly tx?: number;
  readonly e?: number;
  readonly c?: number;
  readonly n?: number;
}

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly filter?: Record<string, unknown> | null;
}

interface Rows<T> {
  /** Already filtered, and ascending by place. */
  readonly rows: readonly T[];
  readonly placeOf: (row: T) => Place;
  readonly present: (row: T) => object;
}

export interface PageRules {
  readonly faults: Faults | undefined;
  readonly maxPageSize: number;
}

export const refuse = (message: string, code: string) => new GraphQLError(message, { extensions: { code } });

/** The row of a cursor must be among the rows, else the page is empty, without an error. */
export function pageOf<T>({ rows, placeOf, present }: Rows<T>, args: PageArguments, rules: PageRules): object {
  const { after, before } = args;
  const { faults } = rules;
  const cursorOf = (row: T) => cursorAt(placeOf(row));
  const { from, to, known: isKnown } = rangeOf(rows, placeOf, args, sizeOf(args, rules.maxPageSize));
  const pageRows = rows.slice(from, to);
  const hasNextPage = isKnown && to < rows.length;
  const hasPreviousPage = isKnown && from > 0;
  if (hasNextPage && typeof args.last !== 'number' && strikes(faults, 'emptyPage')) {
    // The same place in another spelling: a server that scanned on and found nothing yet.
    const position: Place = after == null ? { ...placeOf(rows[0]!), t: -1, e: 0 } : placeOfCursor(after);
    const endCursor = cursorAt({ ...position, n: (position.n ?? 0) + 1 });
    return {
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: true, hasPreviousPage, startCursor: after ?? null, endCursor },
    };
  }
  const isBroken = (hasNextPage || hasPreviousPage) && strikes(faults, 'brokenCursor');
  return {
    edges: () => pageRows.map((row) => ({ cursor: cursorOf(row), node: present(row) })),
    nodes: () => pageRows.map(present),
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      startCursor: isBroken ? (before ?? null) : pageRows.length === 0 ? null : cursorOf(pageRows[0]!),
      endCursor: isBroken ? (after ?? null) : pageRows.length === 0 ? null : cursorOf(pageRows.at(-1)!),
    },
  };
}

function sizeOf({ first, last }: PageArguments, maxPageSize: number): number {
  if (typeof first === 'number' && typeof last === 'number')
    throw refuse('cannot use both first and last', 'BAD_USER_INPUT');
  const size = first ?? last ?? Math.min(20, maxPageSize);
  if (size > maxPageSize) throw refuse(`Page size of ${size} exceeds max of ${maxPageSize}`, 'BAD_USER_INPUT');
  return size;
}

/** @returns known: true if the rows of the cursors are there */
function rangeOf<T>(
  rows: readonly T[],
  placeOf: (row: T) => Place,
  { after, before, last }: PageArguments,
  size: number,
): { readonly from: number; readonly to: number; readonly known: boolean } {
  const beginning = after != null && placeOfCursor(after).t === -1;
  const afterAt = after == null || beginning ? -1 : indexOf(rows, after, placeOf);
  const beforeAt = before == null ? rows.length : indexOf(rows, before, placeOf);
  const isKnown = (after == null || beginning || afterAt >= 0) && (before == null || beforeAt >= 0);
  const [lowest, highest] = isKnown ? [afterAt + 1, Math.max(beforeAt, afterAt + 1)] : [0, 0];
  return typeof last === 'number'
    ? { from: Math.max(lowest, highest - size), to: highest, known: isKnown }
    : { from: lowest, to: Math.min(highest, lowest + size), known: isKnown };
}

const cursorAt = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

export function placeOfCursor(cursor: string): Place {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Place;
  } catch {
    throw refuse('Invalid cursor', 'BAD_USER_INPUT');
  }
}

function indexOf<T>(rows: readonly T[], cursor: string, placeOf: (row: T) => Place): number {
  const number = (place: Place) => (place.t ?? place.tx ?? 0) * 65_536 + (place.e ?? 0);
  const target = number(placeOfCursor(cursor));
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const middleNumber = number(placeOf(rows[middle]!));
    if (middleNumber === target) return middle;
    if (middleNumber < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The part of an ascending list between two checkpoints, both included. */
export function between<T>(
  rows: readonly T[],
  from: number,
  to: number,
  checkpointAt: (row: T) => number,
): readonly T[] {
  const lowest = (limit: number) => {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (checkpointAt(rows[middle]!) < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return rows.slice(lowest(from), lowest(to + 1));
}
