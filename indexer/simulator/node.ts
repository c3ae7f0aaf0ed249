/**
 * A node: the chain behind the real GraphQL schema of one dialect. Only the resolvers an indexer meets are written;
 * what a client asks is still validated against
 * the whole schema, and introspection is the real one.
 *
 * Modelled from the servers' sources: pages of at most 50 and an error beyond, cursors that pin the checkpoint they
 * were viewed at on the older servers (a poll
 * with such a cursor never sees a new event), cursors whose row is no longer in the result giving an empty page without
 * an error, silent pruning of filtered
 * lists, replicas that lag.
 */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { type Chain, type ChainEvent, type ChainPackage, type ChainTransaction, chainIdentifier } from './chain.js';
import { bcsOf, jsonOf, layoutOf } from './encode.js';
import { type Faults, strikes } from './faults.js';
import { type SimulatedDialect, schemaText } from './schemas.js';

export interface NodeOptions {
  readonly dialect: SimulatedDialect;
  /** How many checkpoints the replica that answers the next request is behind; asked once a request. */
  readonly lag?: () => number;
  /** Events below this checkpoint are gone from filtered lists; asked at every list. */
  readonly prunedBelow?: () => number;
  /** Lookups by digest and checkpoint answer from an archive in spite of pruning. */
  readonly archive?: boolean;
  readonly faults?: Faults;
  readonly maxPageSize?: number;
  readonly introspection?: boolean;
  /** Milliseconds each page takes. */
  readonly latency?: number;
}

export interface SimulatedNode {
  /** As `fetch`; the address does not matter. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  readonly requests: { count: number };
}

/** Where a row stands: transaction, event in it, and on the older servers the checkpoint it was viewed at. */
interface Place {
  readonly t?: number;
  readonly tx?: number;
  readonly e?: number;
  readonly c?: number;
  readonly n?: number;
}
interface Seen {
  readonly head: number;
  readonly floor: number;
}
/** A question to one node: the node's own resolvers come with it, because all nodes of a dialect share a server. */
interface Question extends Seen {
  readonly query: Readonly<Record<string, Resolver>>;
}
// biome-ignore lint/suspicious/noExplicitAny: the schema checks the arguments
type Resolver = (parent: unknown, args: any, seen: Seen) => unknown;
type Server = YogaServerInstance<Question, object>;
interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly filter?: Record<string, unknown> | null;
}

const refuse = (message: string, code: string) => new GraphQLError(message, { extensions: { code } });
const isoTime = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');

export function createSimulatedNode(chain: Chain, options: NodeOptions): SimulatedNode {
  const { dialect, faults, maxPageSize = 50 } = options;
  const newest = dialect === 'ga';
  const address = (value: string) => ({ address: value });

  const checkpointOf = (sequence: number) => ({
    sequenceNumber: sequence,
    timestamp: isoTime(chain.timeOf(sequence)),
    digest: `checkpoint${sequence}`,
    validatorSignatures: '',
  });
  const typeName = (event: ChainEvent) => `${event.definedBy}::${event.module}::${event.struct}`;
  const typeOf = (name: string) => {
    const fields = chain.layoutFields(name);
    return { repr: name, layout: fields === undefined ? null : layoutOf(name, fields), signature: {}, abilities: [] };
  };
  const transactionOf = (transaction: ChainTransaction, seen: Seen): object => ({
    digest: transaction.digest,
    sender: address(transaction.sender),
    effects: () => ({
      digest: transaction.digest,
      checkpoint: strikes(faults, 'nulls') ? null : checkpointOf(transaction.checkpoint),
      timestamp: isoTime(chain.timeOf(transaction.checkpoint)),
      events: (args: PageArguments) =>
        page(
          transaction.events,
          args,
          (event) => ({ e: event.index }),
          (event) => eventOf(event, seen),
        ),
    }),
  });
  const eventOf = (event: ChainEvent, seen: Seen): object => {
    const type = typeOf(typeName(event));
    const payload = { type, json: jsonOf(event.fields, newest), bcs: bcsOf(event.fields).toString('base64'), data: {} };
    const module = { name: event.module, package: address(event.transaction.called) };
    return {
      ...payload,
      contents: newest && strikes(faults, 'nulls') ? null : payload,
      sequenceNumber: event.index,
      timestamp: isoTime(chain.timeOf(event.transaction.checkpoint)),
      sender: address(event.transaction.sender),
      sendingModule: module,
      transactionModule: module,
      transaction: transactionOf(event.transaction, seen),
      transactionBlock: transactionOf(event.transaction, seen),
    };
  };

  /**
   * One page of rows that are already filtered and ascend by place. The row of a cursor must be among them, else the
   * page is empty, without an error.
   */
  function page<T>(
    rows: readonly T[],
    { first, after, last, before }: PageArguments,
    placeOf: (row: T) => Place,
    present: (row: T) => object,
  ): object {
    if (typeof first === 'number' && typeof last === 'number')
      throw refuse('cannot use both first and last', 'BAD_USER_INPUT');
    const size = first ?? last ?? Math.min(20, maxPageSize);
    if (size > maxPageSize) throw refuse(`Page size of ${size} exceeds max of ${maxPageSize}`, 'BAD_USER_INPUT');
    const cursorOf = (row: T) => Buffer.from(JSON.stringify(placeOf(row))).toString('base64url');
    const beginning = after != null && placeOfCursor(after).t === -1;
    const afterAt = after == null || beginning ? -1 : indexOf(rows, after, placeOf);
    const beforeAt = before == null ? rows.length : indexOf(rows, before, placeOf);
    const known = (after == null || beginning || afterAt >= 0) && (before == null || beforeAt >= 0);
    const [lowest, highest] = known ? [afterAt + 1, Math.max(beforeAt, afterAt + 1)] : [0, 0];
    const [from, to] =
      typeof last === 'number'
        ? [Math.max(lowest, highest - size), highest]
        : [lowest, Math.min(highest, lowest + size)];
    const chosen = rows.slice(from, to);
    const hasNextPage = known && to < rows.length;
    const hasPreviousPage = known && from > 0;
    if (hasNextPage && typeof last !== 'number' && strikes(faults, 'emptyPage')) {
      // The same place in another spelling: a server that scanned on and found nothing yet.
      const here: Place = after == null ? { ...placeOf(rows[0]!), t: -1, e: 0 } : placeOfCursor(after);
      const endCursor = Buffer.from(JSON.stringify({ ...here, n: (here.n ?? 0) + 1 })).toString('base64url');
      return {
        edges: [],
        nodes: [],
        pageInfo: { hasNextPage: true, hasPreviousPage, startCursor: after ?? null, endCursor },
      };
    }
    const broken = (hasNextPage || hasPreviousPage) && strikes(faults, 'brokenCursor');
    return {
      edges: () => chosen.map((row) => ({ cursor: cursorOf(row), node: present(row) })),
      nodes: () => chosen.map(present),
      pageInfo: {
        hasNextPage,
        hasPreviousPage,
        startCursor: broken ? (before ?? null) : chosen.length === 0 ? null : cursorOf(chosen[0]!),
        endCursor: broken ? (after ?? null) : chosen.length === 0 ? null : cursorOf(chosen.at(-1)!),
      },
    };
  }

  const placeOfCursor = (cursor: string): Place => {
    try {
      return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Place;
    } catch {
      throw refuse('Invalid cursor', 'BAD_USER_INPUT');
    }
  };
  function indexOf<T>(rows: readonly T[], cursor: string, placeOf: (row: T) => Place): number {
    const number = (place: Place) => (place.t ?? place.tx ?? 0) * 65_536 + (place.e ?? 0);
    const wanted = number(placeOfCursor(cursor));
    let low = 0;
    let high = rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const here = number(placeOf(rows[middle]!));
      if (here === wanted) return middle;
      if (here < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /**
   * What lies within the view of the answer. The older servers take the view out of the cursor, whatever has happened
   * since.
   */
  function viewOf(seen: Seen, { after, before }: PageArguments): number {
    if (newest) return seen.head;
    const pinned = [after, before]
      .filter((cursor) => cursor != null)
      .map((cursor) => placeOfCursor(cursor!).c ?? seen.head);
    if (pinned.length === 0) return seen.head;
    if (pinned.some((checkpoint) => checkpoint > seen.head))
      throw refuse('checkpoint of the cursor is not available yet', 'INTERNAL_SERVER_ERROR');
    return Math.min(...pinned);
  }

  /** The part of an ascending list between two checkpoints, both included. */
  function between<T>(rows: readonly T[], from: number, to: number, checkpointAt: (row: T) => number): readonly T[] {
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

  function events(_: unknown, args: PageArguments, seen: Seen): object {
    const filter = args.filter ?? {};
    const type = (filter['type'] ?? filter['eventType']) as string | undefined;
    const module = (filter['module'] ?? filter['emittingModule']) as string | undefined;
    if (type != null && module != null)
      throw refuse('Filtering by both emitting module and event type is not supported', 'BAD_USER_INPUT');
    const view = viewOf(seen, args);
    const after = typeof filter['afterCheckpoint'] === 'number' ? filter['afterCheckpoint'] + 1 : 0;
    const rows = between(
      chain.events(type?.split('::')[0], filter['sender'] as string | undefined),
      Math.max(after, seen.floor),
      view,
      (event) => event.transaction.checkpoint,
    );
    const placeOf = (event: ChainEvent): Place =>
      newest
        ? { t: event.transaction.number, e: event.index }
        : { tx: event.transaction.number, e: event.index, c: view };
    return page(rows, args, placeOf, (event) => eventOf(event, seen));
  }

  const packageOf = (version: ChainPackage, seen: Seen) => ({
    address: version.address,
    version: version.version,
    typeOrigins: version.definingIds.map((definingId, index) => ({
      module: 'anchor',
      struct: `ProofAnchored${index}`,
      definingId,
    })),
    previousTransaction: transactionOf(version.publishedBy, seen),
    previousTransactionBlock: transactionOf(version.publishedBy, seen),
  });
  const byDigest = (_: unknown, { digest }: { digest: string }, seen: Seen) => {
    const found = chain.transaction(digest);
    if (found === undefined || found.checkpoint > seen.head) return null;
    if (found.checkpoint < seen.floor && options.archive !== true) {
      if (newest) return null;
      throw refuse('the transaction has been pruned', 'DATA_PRUNED');
    }
    return transactionOf(found, seen);
  };

  const query: Record<string, Resolver> = {
    chainIdentifier: () => chainIdentifier(chain, newest),
    checkpoint: (
      _: unknown,
      args: { sequenceNumber?: number | null; id?: { sequenceNumber?: number | null } | null },
      seen: Seen,
    ) => {
      const wanted = args.sequenceNumber ?? args.id?.sequenceNumber ?? null;
      if (wanted === null) return checkpointOf(seen.head);
      return wanted > seen.head || (wanted < seen.floor && options.archive !== true) ? null : checkpointOf(wanted);
    },
    events,
    ...(newest
      ? { transaction: byDigest }
      : {
          transactionBlock: byDigest,
          availableRange: (_: unknown, __: unknown, seen: Seen) => ({
            first: checkpointOf(Math.max(0, seen.head - 3600)),
            last: checkpointOf(seen.head),
          }),
        }),
    package: (_: unknown, args: { address: string }, seen: Seen) => {
      const found = chain.packages(args.address).find((version) => version.address === args.address);
      return found === undefined || found.publishedBy.checkpoint > seen.head ? null : packageOf(found, seen);
    },
    packageVersions: (_: unknown, args: PageArguments & { address: string }, seen: Seen) =>
      page(
        chain.packages(args.address).filter((version) => version.publishedBy.checkpoint <= seen.head),
        args,
        (version) => ({ t: version.version }),
        (version) => packageOf(version, seen),
      ),
    type: (_: unknown, args: { type: string }) =>
      newest && chain.layoutFields(args.type) === undefined ? null : typeOf(args.type),
    serviceConfig: () => ({
      maxPageSize: () => maxPageSize,
      availableRange: (_: unknown, seen: Seen) => ({ first: checkpointOf(seen.floor), last: checkpointOf(seen.head) }),
    }),
  };

  const server = serverOf(dialect, options.introspection !== false, Object.keys(query));
  const requests = { count: 0 };

  return {
    requests,
    async fetch(_url, init) {
      requests.count++;
      if (options.latency !== undefined) await new Promise((resolve) => setTimeout(resolve, options.latency));
      if (strikes(faults, 'network')) throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
      if (strikes(faults, 'status')) {
        const status = [429, 429, 500, 502][faults!.random.between(0, 3)]!;
        return new Response('over capacity', {
          status,
          headers: status === 429 && faults!.random.chance(0.5) ? { 'retry-after': '1' } : {},
        });
      }
      if (strikes(faults, 'html'))
        return new Response('<!doctype html><title>Bad gateway</title>', {
          status: 200,
          headers: { 'content-type': 'text/html' },
        });
      if (strikes(faults, 'graphqlErrors')) {
        const code = ['INTERNAL_SERVER_ERROR', 'REQUEST_TIMEOUT', 'RESOURCE_EXHAUSTED'][faults!.random.between(0, 2)]!;
        return Response.json({ data: null, errors: [{ message: 'try again', extensions: { code } }] });
      }
      const question: Question = {
        query,
        head: Math.max(0, chain.head - (options.lag?.() ?? 0)),
        floor: options.prunedBelow?.() ?? 0,
      };
      const answer = (await server.fetch(
        'http://node.example/graphql',
        init as never,
        question as never,
      )) as unknown as Response;
      if (!strikes(faults, 'partial')) return answer;
      const body = (await answer.json()) as {
        data?: Record<string, { edges?: unknown[]; pageInfo?: Record<string, unknown> } | null>;
      };
      for (const list of Object.values(body.data ?? {})) {
        if (list?.edges === undefined) continue;
        list.edges = list.edges.slice(0, Math.floor(list.edges.length / 2));
        list.pageInfo = { ...list.pageInfo, hasNextPage: false };
      }
      return Response.json({
        ...body,
        errors: [{ message: 'a part is missing', path: ['events'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      });
    },
  };
}

const servers = new Map<string, Server>();

/** Building a schema takes longer than most tests: there is one a process for every dialect. */
function serverOf(dialect: SimulatedDialect, introspection: boolean, fields: readonly string[]): Server {
  const name = `${dialect} ${introspection} ${fields}`;
  let server = servers.get(name);
  if (server === undefined) {
    server = createServer(dialect, introspection, fields);
    servers.set(name, server);
  }
  return server;
}

function createServer(dialect: SimulatedDialect, introspection: boolean, fields: readonly string[]): Server {
  const delegate =
    (field: string) =>
    (parent: unknown, args: unknown, question: Question): unknown =>
      question.query[field]!(parent, args, question);
  const schema = makeExecutableSchema({
    typeDefs: schemaText(dialect),
    resolvers: { Query: Object.fromEntries(fields.map((field) => [field, delegate(field)])) },
    resolverValidationOptions: { requireResolversForResolveType: 'ignore' },
  });
  return createYoga<Question>({
    schema,
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    plugins: !introspection
      ? [
          {
            onValidate({ addValidationRule }: { addValidationRule: (rule: unknown) => void }) {
              addValidationRule((context: { reportError(error: GraphQLError): void }) => ({
                Field(node: { name: { value: string } }) {
                  if (node.name.value.startsWith('__') && node.name.value !== '__typename')
                    context.reportError(refuse('introspection is disabled', 'BAD_USER_INPUT'));
                },
              }));
            },
          } as never,
        ]
      : [],
  });
}
