/**
 * A node: the chain behind the real GraphQL schema of one dialect. Only the resolvers an indexer meets are written;
 * queries are still validated against the whole schema, and introspection is the real one.
 *
 * Modelled from the servers' sources: pages of at most 50 and an error beyond, cursors that pin the checkpoint they
 * were viewed at on the older servers (a poll with such a cursor never sees a new event), cursors whose row is no
 * longer in the result giving an empty page without an error, silent pruning of filtered lists, replicas that lag.
 */
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLError } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Chain } from './chain.js';
import { type Faults, strikes } from './faults.js';
import { refuse } from './pages.js';
import { type ReplicaView, type Resolver, resolversOf } from './resolvers.js';
import { type SimulatedDialect, schemaText } from './schemas.js';

export interface NodeOptions {
  readonly dialect: SimulatedDialect;
  /** The lag, in checkpoints, of the replica that answers the next request; asked once a request. */
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

/** A question to one node: the node's own resolvers come with it, because all nodes of a dialect share a server. */
interface Question extends ReplicaView {
  readonly query: Readonly<Record<string, Resolver>>;
}
type Server = YogaServerInstance<Question, object>;

export function createSimulatedNode(chain: Chain, options: NodeOptions): SimulatedNode {
  const { dialect, faults, maxPageSize = 50, archive = false } = options;
  const query = resolversOf(chain, { newest: dialect === 'ga', faults, maxPageSize, archive });
  const server = serverOf(dialect, options.introspection !== false, Object.keys(query));
  const requests = { count: 0 };

  return {
    requests,
    async fetch(_url, init) {
      requests.count++;
      if (options.latency !== undefined) await new Promise((resolve) => setTimeout(resolve, options.latency));
      const failure = failureOf(faults);
      if (failure !== undefined) return failure;
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
      return strikes(faults, 'partial') ? partOf(answer) : answer;
    },
  };
}

/** A failure before the question is answered. @throws TypeError the network */
function failureOf(faults: Faults | undefined): Response | undefined {
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
  return undefined;
}

/** Half of each list, with an error. */
async function partOf(answer: Response): Promise<Response> {
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
