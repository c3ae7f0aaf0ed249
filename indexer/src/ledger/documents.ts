/**
 * Every question put to a node, per dialect. Tests validate each against the schemas that the ledgers' own SDKs ship.
 *
 * Every question but the detection also asks which chain answers: a node may be replaced behind its address at any
 * time.
 *
 * Filters travel as a whole in a variable, because the input type `EventFilter` carries the same name everywhere while
 * the address scalar does not (`SuiAddress`, `IotaAddress`). Addresses elsewhere are written into the document; {@link
 * inlineAddress} lets nothing else through.
 */
import { normaliseAddress } from './identifiers.js';

/** `ga`: Sui since 2025. `flat`: IOTA, whose lists do not filter by checkpoint and number no events. */
export type Dialect = 'ga' | 'flat';

export const detectDocument = `query Detect {
  event: __type(name: "Event") { fields { name } }
  filter: __type(name: "EventFilter") { inputFields { name } }
  query: __type(name: "Query") { fields { name } }
}`;

const checkpointOfEffects = 'effects { checkpoint { sequenceNumber timestamp } }';
const head = 'chainIdentifier checkpoint { sequenceNumber timestamp }';

const eventOf: Readonly<Record<Dialect, string>> = {
  ga: `sequenceNumber timestamp sender { address } transactionModule { name package { address } } contents { type { repr } json bcs } transaction { digest ${checkpointOfEffects} }`,
  flat: `timestamp sender { address } sendingModule { name package { address } } type { repr } json bcs transactionBlock { digest ${checkpointOfEffects} }`,
};

const pageOf = (
  event: string,
) => `query Page($filter: EventFilter, $first: Int, $after: String, $last: Int, $before: String) {
  ${head}
  events(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
    edges { cursor node { ${event} } }
  }
}`;

/** A page of events. */
export const pageDocuments: Readonly<Record<Dialect, string>> = { ga: pageOf(eventOf.ga), flat: pageOf(eventOf.flat) };

/**
 * One transaction with its events, by digest. Answered even where a node has pruned the filtered lists but keeps an
 * archive.
 */
export const transactionDocuments: Readonly<Record<Dialect, string>> = {
  ga: `query Transaction($digest: String!, $eventsAfter: String) {
  ${head}
  transaction(digest: $digest) {
    digest sender { address } effects { timestamp checkpoint { sequenceNumber timestamp } events(after: $eventsAfter) { pageInfo { hasNextPage endCursor }
      nodes { sequenceNumber timestamp sender { address } transactionModule { name package { address } } contents { type { repr } json bcs } } } }
  }
}`,
  flat: `query Transaction($digest: String!, $eventsAfter: String) {
  ${head}
  transaction: transactionBlock(digest: $digest) {
    digest sender { address } effects { timestamp checkpoint { sequenceNumber timestamp } events(after: $eventsAfter) { pageInfo { hasNextPage endCursor }
      nodes { timestamp sender { address } sendingModule { name package { address } } type { repr } json bcs } } }
  }
}`,
};

export const chainDocument = `query Chain { ${head} }`;

/** The layout of the values of a Move type, in both families' common JSON form. */
export const layoutDocument = 'query Layout($type: String!) { chainIdentifier type(type: $type) { layout } }';

export const maxPageSizeDocuments: Readonly<Record<Dialect, string>> = {
  ga: 'query MaxPageSize { chainIdentifier serviceConfig { maxPageSize(type: "Query", field: "events") } }',
  flat: 'query MaxPageSize { chainIdentifier serviceConfig { maxPageSize } }',
};

/** All versions of a package with the ids that define its structs and the checkpoint of each publication. */
export function packageDocument(dialect: Dialect, address: string): string {
  const id = inlineAddress(address);
  const publication = dialect === 'ga' ? 'previousTransaction' : 'previousTransactionBlock';
  const fields = `address version typeOrigins { definingId } ${publication} { digest effects { checkpoint { sequenceNumber } } }`;
  return `query Package($after: String) {
  chainIdentifier
  package(address: "${id}") { ${fields} }
  packageVersions(address: "${id}", after: $after) { pageInfo { hasNextPage endCursor } nodes { ${fields} } }
}`;
}

/** The first checkpoint whose events a node still finds by type: only newer Sui nodes say so. */
export const retentionDocument = `query Retention {
  chainIdentifier
  serviceConfig { availableRange(type: "Query", field: "events", filters: ["type"]) { first { sequenceNumber } } }
}`;

/**
 * The oldest thing of any package that the node still lists. Every chain has some in its first epoch, so this is where
 * the node's memory begins.
 */
export const oldestDocuments: Readonly<Record<Dialect, string>> = {
  ga: `query Oldest { chainIdentifier events(first: 1) { nodes { transaction { ${checkpointOfEffects} } } } }`,
  flat: `query Oldest { chainIdentifier events(first: 1) { nodes { transaction: transactionBlock { ${checkpointOfEffects} } } } }`,
};

/** Questions for the presence of a transaction and of a checkpoint. */
export const whereaboutsDocuments: Readonly<Record<Dialect, string>> = {
  ga: 'query Whereabouts($digest: String!, $checkpoint: UInt53) { chainIdentifier transaction(digest: $digest) { digest } checkpoint(sequenceNumber: $checkpoint) { sequenceNumber } }',
  flat: 'query Whereabouts($digest: String!, $checkpoint: UInt53) { chainIdentifier transaction: transactionBlock(digest: $digest) { digest } checkpoint(id: { sequenceNumber: $checkpoint }) { sequenceNumber } }',
};

/** Small questions that only one dialect understands, for nodes that refuse introspection; tried in this order. */
export const probeDocuments: readonly (readonly [Dialect, string])[] = [
  ['ga', 'query Probe { events(first: 1) { nodes { sequenceNumber transaction { digest } } } }'],
  ['flat', 'query Probe { events(first: 1) { nodes { json transactionBlock { digest } } } }'],
];

/** @throws TypeError for anything that is not an address: nothing else is ever written into a document. */
function inlineAddress(address: string): string {
  const normal = normaliseAddress(address);
  if (normal === undefined) throw new TypeError('not an address');
  return normal;
}
