/** A node's answers to the questions of the schema, from the chain. */
import { type Chain, type ChainEvent, type ChainPackage, type ChainTransaction, chainIdentifier } from './chain.js';
import { bcsOf, jsonOf, layoutOf } from './encode.js';
import { strikes } from './faults.js';
import { between, type PageArguments, type PageRules, type Place, pageOf, placeOfCursor, refuse } from './pages.js';

/** The part of the chain that the answering replica sees. */
export interface ReplicaView {
  readonly head: number;
  /** Checkpoints below are pruned. */
  readonly floor: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the schema checks the arguments
export type Resolver = (parent: unknown, args: any, replica: ReplicaView) => unknown;

interface Rules extends PageRules {
  /** The dialect is the newest one. */
  readonly newest: boolean;
  /** Lookups by digest and checkpoint answer in spite of pruning. */
  readonly archive: boolean;
}

const isoTime = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
const address = (value: string) => ({ address: value });

export function resolversOf(chain: Chain, rules: Rules): Record<string, Resolver> {
  const { newest, archive, maxPageSize } = rules;
  const objects = createObjects(chain, rules);
  const byDigest = (_: unknown, { digest }: { digest: string }, replica: ReplicaView) => {
    const transaction = chain.transaction(digest);
    if (transaction === undefined || transaction.checkpoint > replica.head) return null;
    if (transaction.checkpoint < replica.floor && !archive) {
      if (newest) return null;
      throw refuse('the transaction has been pruned', 'DATA_PRUNED');
    }
    return objects.transaction(transaction, replica);
  };

  return {
    chainIdentifier: () => chainIdentifier(chain, newest),
    checkpoint: (
      _: unknown,
      args: { sequenceNumber?: number | null; id?: { sequenceNumber?: number | null } | null },
      replica: ReplicaView,
    ) => {
      const sequenceNumber = args.sequenceNumber ?? args.id?.sequenceNumber ?? null;
      if (sequenceNumber === null) return objects.checkpoint(replica.head);
      return sequenceNumber > replica.head || (sequenceNumber < replica.floor && !archive)
        ? null
        : objects.checkpoint(sequenceNumber);
    },
    events: (_: unknown, args: PageArguments, replica: ReplicaView) =>
      pageOf(eventRows(chain, objects, newest, args, replica), args, rules),
    ...(newest
      ? { transaction: byDigest }
      : {
          transactionBlock: byDigest,
          availableRange: (_: unknown, __: unknown, replica: ReplicaView) => ({
            first: objects.checkpoint(Math.max(0, replica.head - 3600)),
            last: objects.checkpoint(replica.head),
          }),
        }),
    package: (_: unknown, args: { address: string }, replica: ReplicaView) => {
      const version = chain.packages(args.address).find((version) => version.address === args.address);
      return version === undefined || version.publishedBy.checkpoint > replica.head
        ? null
        : objects.package(version, replica);
    },
    packageVersions: (_: unknown, args: PageArguments & { address: string }, replica: ReplicaView) =>
      pageOf(
        {
          rows: chain.packages(args.address).filter((version) => version.publishedBy.checkpoint <= replica.head),
          placeOf: (version) => ({ t: version.version }),
          present: (version) => objects.package(version, replica),
        },
        args,
        rules,
      ),
    type: (_: unknown, args: { type: string }) =>
      newest && chain.layoutFields(args.type) === undefined ? null : objects.type(args.type),
    serviceConfig: () => ({
      maxPageSize: () => maxPageSize,
      availableRange: (_: unknown, replica: ReplicaView) => ({
        first: objects.checkpoint(replica.floor),
        last: objects.checkpoint(replica.head),
      }),
    }),
  };
}

type Objects = ReturnType<typeof createObjects>;

/** The objects of the schema. */
function createObjects(chain: Chain, rules: Rules) {
  const { newest, faults } = rules;
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
  const transactionOf = (transaction: ChainTransaction, replica: ReplicaView): object => ({
    digest: transaction.digest,
    sender: address(transaction.sender),
    effects: () => ({
      digest: transaction.digest,
      checkpoint: strikes(faults, 'nulls') ? null : checkpointOf(transaction.checkpoint),
      timestamp: isoTime(chain.timeOf(transaction.checkpoint)),
      events: (args: PageArguments) =>
        pageOf(
          {
            rows: transaction.events,
            placeOf: (event) => ({ e: event.index }),
            present: (event) => eventOf(event, replica),
          },
          args,
          rules,
        ),
    }),
  });
  const eventOf = (event: ChainEvent, replica: ReplicaView): object => {
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
      transaction: transactionOf(event.transaction, replica),
      transactionBlock: transactionOf(event.transaction, replica),
    };
  };

  const packageOf = (version: ChainPackage, replica: ReplicaView) => ({
    address: version.address,
    version: version.version,
    typeOrigins: version.definingIds.map((definingId, index) => ({
      module: 'anchor',
      struct: `ProofAnchored${index}`,
      definingId,
    })),
    previousTransaction: transactionOf(version.publishedBy, replica),
    previousTransactionBlock: transactionOf(version.publishedBy, replica),
  });
  return { checkpoint: checkpointOf, type: typeOf, transaction: transactionOf, event: eventOf, package: packageOf };
}

function eventRows(chain: Chain, objects: Objects, newest: boolean, args: PageArguments, replica: ReplicaView) {
  const filter = args.filter ?? {};
  const type = (filter['type'] ?? filter['eventType']) as string | undefined;
  const module = (filter['module'] ?? filter['emittingModule']) as string | undefined;
  if (type != null && module != null)
    throw refuse('Filtering by both emitting module and event type is not supported', 'BAD_USER_INPUT');
  const view = newest ? replica.head : pinnedView(replica, args);
  const firstCheckpoint = typeof filter['afterCheckpoint'] === 'number' ? filter['afterCheckpoint'] + 1 : 0;
  const rows = between(
    chain.events(type?.split('::')[0], filter['sender'] as string | undefined),
    Math.max(firstCheckpoint, replica.floor),
    view,
    (event) => event.transaction.checkpoint,
  );
  const placeOf = (event: ChainEvent): Place =>
    newest
      ? { t: event.transaction.number, e: event.index }
      : { tx: event.transaction.number, e: event.index, c: view };
  return { rows, placeOf, present: (event: ChainEvent) => objects.event(event, replica) };
}

/** The older servers take the view of an answer out of the cursor, even if the head has moved since. */
function pinnedView(replica: ReplicaView, { after, before }: PageArguments): number {
  const pinnedViews = [after, before]
    .filter((cursor) => cursor != null)
    .map((cursor) => placeOfCursor(cursor!).c ?? replica.head);
  if (pinnedViews.length === 0) return replica.head;
  if (pinnedViews.some((checkpoint) => checkpoint > replica.head))
    throw refuse('checkpoint of the cursor is not available yet', 'INTERNAL_SERVER_ERROR');
  return Math.min(...pinnedViews);
}
