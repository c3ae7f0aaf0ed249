/** A node as the follower sees it: the same few questions and one form of answer in every dialect. */
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { isLayout, type Layout } from './bcs.js';
import {
  chainDocument,
  type Dialect,
  layoutDocument,
  maxPageSizeDocuments,
  oldestDocuments,
  packageDocument,
  pageDocuments,
  retentionDocument,
  transactionDocuments,
  whereaboutsDocuments,
} from './documents.js';
import { type Ask, LedgerFailure } from './graphql.js';
import { isTransactionDigest, normaliseAddress } from './identifiers.js';
import type { LedgerEvent } from './proof-event.js';

/**
 * The newest checkpoint that the answering replica knew when it answered. Replicas behind one address need not agree.
 */
export interface View {
  readonly sequence: number;
  readonly at: Instant | null;
}

/** An event whose place on the ledger the node did not tell (yet). */
export interface IncompleteEvent {
  readonly missing: 'transaction' | 'checkpoint' | 'contents';
  readonly cursor: string;
  readonly tx: string | undefined;
  readonly sequence: number | undefined;
}

export interface Page {
  readonly view: View;
  /** In ledger order. */
  readonly events: readonly LedgerEvent[];
  readonly incomplete: readonly IncompleteEvent[];
  /** The number of edges, including those that were left out. */
  readonly edges: number;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface PageRequest {
  /** The id of the package whose types are looked for. */
  readonly package: string;
  readonly sender?: string;
  /** Strictly after this checkpoint; only `ga` can. */
  readonly afterCheckpoint?: number;
  readonly direction: 'forward' | 'backward';
  readonly cursor?: string;
  readonly size: number;
}

export interface PackageVersion {
  readonly address: string;
  readonly version: number;
  readonly definingIds: readonly string[];
  readonly publishedBy: string | null;
  readonly publishedAt: number | null;
}

export interface LedgerTransaction {
  readonly events: readonly LedgerEvent[];
  readonly checkpoint: number;
}

export interface LedgerNode {
  readonly dialect: Dialect;
  page(request: PageRequest): Promise<Page>;
  /** The newest checkpoint that the node knows. */
  view(): Promise<View>;
  /** All versions of the package, oldest first; empty if the node does not know the package. */
  packageVersions(address: string): Promise<readonly PackageVersion[]>;
  layout(type: string): Promise<Layout | undefined>;
  maxPageSize(): Promise<number | undefined>;
  /**
   * A transaction with its events; `pending` if it is not in a checkpoint yet or lacks its events; undefined if the
   * node does not have it. An event that the node delivers only in part has an empty type.
   */
  transaction(digest: string): Promise<LedgerTransaction | 'pending' | undefined>;
  /** The first checkpoint from which on the node still lists events; undefined if it cannot be found out. */
  retentionFloor(): Promise<number | undefined>;
  /** Tells whether the node has a transaction and a checkpoint; undefined if it says that it has pruned them. */
  whereabouts(
    digest: string,
    checkpoint: number,
  ): Promise<{ readonly transaction: boolean; readonly checkpoint: boolean } | undefined>;
}

/** True if pages can be asked for strictly after a checkpoint, so that no cursor has to outlive a pass. */
export function filtersByCheckpoint(dialect: Dialect): boolean {
  return dialect === 'ga';
}

export function createLedgerNode(ask: Ask, dialect: Dialect): LedgerNode {
  const node: LedgerNode = {
    dialect,
    page: (request) => pageOfEvents(ask, dialect, request, node),
    async view() {
      return viewOf((await ask<{ checkpoint: RawCheckpoint | null }>(chainDocument)).checkpoint);
    },
    packageVersions: (address) => packageVersions(ask, dialect, address),
    async layout(type) {
      const data = await ask<{ type: { layout: unknown } | null }>(layoutDocument, { type });
      return isLayout(data.type?.layout) ? data.type.layout : undefined;
    },
    async maxPageSize() {
      const size = (await ask<{ serviceConfig: { maxPageSize: unknown } | null }>(maxPageSizeDocuments[dialect]))
        .serviceConfig?.maxPageSize;
      return typeof size === 'number' && Number.isInteger(size) && size > 0 ? size : undefined;
    },
    transaction: (digest) => transaction(ask, dialect, digest),
    async retentionFloor() {
      if (dialect === 'ga') {
        try {
          const range = (
            await ask<{ serviceConfig: { availableRange: { first: RawCheckpoint | null } | null } | null }>(
              retentionDocument,
            )
          ).serviceConfig?.availableRange;
          const floor = numberOf(range?.first?.sequenceNumber);
          if (floor !== undefined) return floor;
        } catch (error) {
          if (!(error instanceof LedgerFailure) || error.kind === 'retry' || error.kind === 'smaller') throw error;
        }
      }
      return oldestCheckpoint(ask, dialect);
    },
    async whereabouts(digest, checkpoint) {
      try {
        const data = await ask<{ transaction: { digest: unknown } | null; checkpoint: RawCheckpoint | null }>(
          whereaboutsDocuments[dialect],
          { digest, checkpoint },
        );
        if (data.transaction !== null) refuseOtherDigest(data.transaction, digest);
        if (data.checkpoint !== null && numberOf(data.checkpoint.sequenceNumber) !== checkpoint)
          throw new LedgerFailure(
            'retry',
            `the node answered another checkpoint than ${checkpoint}`,
            'OTHER_CHECKPOINT',
          );
        return { transaction: data.transaction !== null, checkpoint: data.checkpoint !== null };
      } catch (error) {
        if (error instanceof LedgerFailure && error.kind === 'pruned') return undefined;
        throw error;
      }
    },
  };
  return node;
}

// ---- the form of the answers. Everything may be null, even against the schema: errors null out parents.

interface RawCheckpoint {
  readonly sequenceNumber?: unknown;
  readonly timestamp?: unknown;
}
interface RawPageInfo {
  readonly hasNextPage?: unknown;
  readonly hasPreviousPage?: unknown;
  readonly endCursor?: unknown;
  readonly startCursor?: unknown;
}
interface RawEffects {
  readonly checkpoint?: RawCheckpoint | null;
  readonly timestamp?: unknown;
  readonly events?: { readonly pageInfo: RawPageInfo; readonly nodes: readonly RawEvent[] } | null;
}
interface RawTransaction {
  readonly digest?: unknown;
  readonly sender?: { readonly address?: unknown } | null;
  readonly effects?: RawEffects | null;
}
interface RawContents {
  readonly type?: { readonly repr?: unknown } | null;
  readonly json?: unknown;
  readonly bcs?: unknown;
}
interface RawEvent extends RawContents {
  readonly sequenceNumber?: unknown;
  readonly timestamp?: unknown;
  readonly sender?: { readonly address?: unknown } | null;
  readonly contents?: RawContents | null;
  readonly transaction?: RawTransaction | null;
  readonly transactionBlock?: RawTransaction | null;
}
interface RawConnection<Node> {
  readonly pageInfo: RawPageInfo;
  readonly edges: readonly { readonly cursor?: unknown; readonly node: Node }[];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : typeof value === 'string' && /^[0-9]{1,15}$/.test(value)
      ? Number(value)
      : undefined;
}
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
function timeOf(value: unknown): Instant | null {
  return typeof value === 'string' ? (parseInstant(value) ?? null) : null;
}

function viewOf(checkpoint: RawCheckpoint | null | undefined): View {
  const sequence = numberOf(checkpoint?.sequenceNumber);
  if (sequence === undefined)
    throw new LedgerFailure('retry', 'the node did not say which checkpoint it is at', 'NO_CHECKPOINT');
  return { sequence, at: timeOf(checkpoint?.timestamp) };
}

/**
 * Nothing can be in a checkpoint that the answering node does not have yet. Stored, such a number would lift the
 * watermark over everything that is still to come.
 */
function refuseBeyond(view: View, events: readonly LedgerEvent[]): void {
  const futureEvent = events.find((event) => event.checkpoint > view.sequence);
  if (futureEvent === undefined) return;
  throw new LedgerFailure(
    'retry',
    `the node is at checkpoint ${view.sequence} and gives an event of checkpoint ${futureEvent.checkpoint}`,
    'BEYOND_HEAD',
  );
}

function variablesOf(filter: object, { direction, cursor, size }: PageRequest): Record<string, unknown> {
  return direction === 'forward'
    ? { filter, first: size, after: cursor ?? null }
    : { filter, last: size, before: cursor ?? null };
}

async function pageOfEvents(ask: Ask, dialect: Dialect, request: PageRequest, node: LedgerNode): Promise<Page> {
  const filter = {
    [dialect === 'ga' ? 'type' : 'eventType']: request.package,
    sender: request.sender,
    ...(request.afterCheckpoint === undefined || request.afterCheckpoint < 0
      ? {}
      : { afterCheckpoint: request.afterCheckpoint }),
  };
  const data = await ask<{ checkpoint: RawCheckpoint | null; events: RawConnection<RawEvent> | null }>(
    pageDocuments[dialect],
    variablesOf(filter, request),
  );
  const view = viewOf(data.checkpoint);
  // `events` may be null in the newest schema; that is no empty list.
  if (data.events === null || data.events === undefined)
    throw new LedgerFailure('retry', 'the node answered no list of events', 'NO_EVENTS');
  const events: LedgerEvent[] = [];
  const incomplete: IncompleteEvent[] = [];
  const numbering = new Map<string, Promise<readonly LedgerEvent[]>>();
  for (const edge of data.events.edges) {
    const cursor = textOf(edge.cursor) ?? '';
    const raw = edge.node;
    const tx = raw.transaction ?? raw.transactionBlock ?? undefined;
    const digest = textOf(tx?.digest);
    const sequence = numberOf(raw.sequenceNumber) ?? sequenceInCursor(cursor);
    const checkpoint = numberOf(tx?.effects?.checkpoint?.sequenceNumber);
    const contents = dialect === 'flat' ? raw : raw.contents;
    const type = textOf(contents?.type?.repr);
    const missingPart =
      digest === undefined || !isTransactionDigest(digest)
        ? 'transaction'
        : checkpoint === undefined
          ? 'checkpoint'
          : type === undefined
            ? 'contents'
            : undefined;
    if (missingPart !== undefined) {
      incomplete.push({ missing: missingPart, cursor, tx: digest, sequence });
      continue;
    }
    const event = eventOf(raw, contents!, {
      tx: digest!,
      sequence: sequence ?? -1,
      checkpoint: checkpoint!,
      effects: tx!.effects!,
    });
    events.push(sequence === undefined ? await numberEvent(event, events, node, numbering) : event);
  }
  refuseBeyond(view, events);
  return { view, events, incomplete, edges: data.events.edges.length, ...pageInfoOf(data.events.pageInfo) };
}

function pageInfoOf(info: RawPageInfo): Pick<Page, 'startCursor' | 'endCursor' | 'hasNext' | 'hasPrevious'> {
  return {
    startCursor: textOf(info.startCursor) ?? null,
    endCursor: textOf(info.endCursor) ?? null,
    hasNext: info.hasNextPage === true,
    hasPrevious: info.hasPreviousPage === true,
  };
}

function eventOf(
  raw: RawEvent,
  contents: RawContents,
  {
    tx,
    sequence,
    checkpoint,
    effects,
    signer,
  }: Pick<LedgerEvent, 'tx' | 'sequence' | 'checkpoint'> & {
    readonly effects: RawEffects;
    readonly signer?: unknown;
  },
): LedgerEvent {
  const bcs = textOf(contents.bcs);
  return {
    tx,
    sequence,
    checkpoint,
    // One source for all dialects: the time of the checkpoint. The event's own time is the same instant where a node
    // gives it.
    ledgerTime: timeOf(effects.checkpoint?.timestamp) ?? timeOf(raw.timestamp) ?? timeOf(effects.timestamp),
    sender: textOf(raw.sender?.address) ?? textOf(signer) ?? null,
    type: textOf(contents.type?.repr) ?? '',
    json: contents.json,
    bcs: bcs === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(bcs) ? null : Buffer.from(bcs, 'base64'),
  };
}

/**
 * Cursors of IOTA's servers are URL-safe Base64 of `{"tx":…,"e":<index in the transaction>,"c":<checkpoint viewed
 * at>}`. Only `e` is read, and never written.
 */
function sequenceInCursor(cursor: string): number | undefined {
  try {
    return numberOf((JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as { e?: unknown }).e);
  } catch {
    return undefined;
  }
}

/**
 * The cursor did not tell the index: count in the transaction itself. Equal events of one transaction take the free
 * places in order.
 */
async function numberEvent(
  event: LedgerEvent,
  earlier: readonly LedgerEvent[],
  node: LedgerNode,
  eventsByDigest: Map<string, Promise<readonly LedgerEvent[]>>,
): Promise<LedgerEvent> {
  let transactionEvents = eventsByDigest.get(event.tx);
  if (transactionEvents === undefined) {
    transactionEvents = node
      .transaction(event.tx)
      .then((transaction) => (typeof transaction === 'object' ? transaction.events : []));
    eventsByDigest.set(event.tx, transactionEvents);
  }
  const fingerprint = (ledgerEvent: LedgerEvent) =>
    `${ledgerEvent.type} ${ledgerEvent.bcs === null ? JSON.stringify(ledgerEvent.json) : Buffer.from(ledgerEvent.bcs).toString('hex')}`;
  const takenSequences = new Set(
    earlier.filter((earlierEvent) => earlierEvent.tx === event.tx).map((earlierEvent) => earlierEvent.sequence),
  );
  const place = (await transactionEvents).find(
    (candidate) => fingerprint(candidate) === fingerprint(event) && !takenSequences.has(candidate.sequence),
  );
  if (place === undefined)
    throw new LedgerFailure('retry', `the place of an event in transaction ${event.tx} cannot be found`, 'NO_SEQUENCE');
  return { ...event, sequence: place.sequence };
}

/** @returns undefined if the node did not tell the events; of one that it could not tell whole the type is empty */
function eventsOf(raw: RawTransaction, digest: string, checkpoint: number, from: number): LedgerEvent[] | undefined {
  return raw.effects?.events?.nodes.map((event, index) =>
    eventOf(event, event.contents ?? event, {
      tx: digest,
      sequence: numberOf(event.sequenceNumber) ?? from + index,
      checkpoint,
      effects: raw.effects!,
      signer: raw.sender?.address,
    }),
  );
}

/** A cache before the node that mixes answers up would make a true proof disputed. */
function refuseOtherDigest({ digest: answeredDigest }: { readonly digest?: unknown }, digest: string): void {
  if (answeredDigest === digest) return;
  throw new LedgerFailure('retry', `the node answered another transaction than ${digest}`, 'OTHER_TRANSACTION');
}

async function transaction(
  ask: Ask,
  dialect: Dialect,
  digest: string,
): Promise<LedgerTransaction | 'pending' | undefined> {
  const events: LedgerEvent[] = [];
  for (let cursor: string | null = null; ; ) {
    let data: { checkpoint: RawCheckpoint | null; transaction: RawTransaction | null };
    try {
      data = await ask(transactionDocuments[dialect], { digest, eventsAfter: cursor });
    } catch (error) {
      if (error instanceof LedgerFailure && error.kind === 'pruned') return undefined;
      throw error;
    }
    const raw = data.transaction;
    if (raw === null) return undefined;
    refuseOtherDigest(raw, digest);
    const checkpoint = numberOf(raw.effects?.checkpoint?.sequenceNumber);
    const page = checkpoint === undefined ? undefined : eventsOf(raw, digest, checkpoint, events.length);
    if (checkpoint === undefined || page === undefined) return 'pending';
    refuseBeyond(viewOf(data.checkpoint), page);
    events.push(...page);
    const info: RawPageInfo | undefined = raw.effects?.events?.pageInfo;
    const next = textOf(info?.endCursor);
    if (info?.hasNextPage !== true) return { events, checkpoint };
    if (next === undefined || next === cursor)
      throw new LedgerFailure('retry', `the events of transaction ${digest} do not end`, 'CURSOR_LOOP');
    cursor = next;
  }
}

interface RawPackage {
  readonly address?: unknown;
  readonly version?: unknown;
  readonly typeOrigins?: readonly { readonly definingId?: unknown }[] | null;
  readonly previousTransaction?: RawTransaction | null;
  readonly previousTransactionBlock?: RawTransaction | null;
}

const maxVersionPages = 20;

async function packageVersions(ask: Ask, dialect: Dialect, address: string): Promise<readonly PackageVersion[]> {
  const document = packageDocument(dialect, address);
  const versions = new Map<string, PackageVersion>();
  let cursor: string | null = null;
  for (let page = 0; page < maxVersionPages; page++) {
    const data: {
      package: RawPackage | null;
      packageVersions: { pageInfo: RawPageInfo; nodes: readonly RawPackage[] } | null;
    } = await ask(document, { after: cursor });
    for (const raw of [data.package, ...(data.packageVersions?.nodes ?? [])]) {
      const version = raw === null ? undefined : versionOf(raw);
      if (version !== undefined) versions.set(version.address, version);
    }
    const next = textOf(data.packageVersions?.pageInfo.endCursor);
    if (data.packageVersions?.pageInfo.hasNextPage !== true || next === undefined || next === cursor) break;
    cursor = next;
  }
  return [...versions.values()].sort((a, b) => a.version - b.version);
}

function versionOf(raw: RawPackage): PackageVersion | undefined {
  const address = normaliseAddress(textOf(raw.address) ?? '');
  if (address === undefined) return undefined;
  const publication = raw.previousTransaction ?? raw.previousTransactionBlock;
  const definingIds = (raw.typeOrigins ?? [])
    .map((origin) => normaliseAddress(textOf(origin.definingId) ?? ''))
    .filter((id) => id !== undefined);
  return {
    address,
    version: numberOf(raw.version) ?? 1,
    definingIds: [...new Set(definingIds)],
    publishedBy: textOf(publication?.digest) ?? null,
    publishedAt: numberOf(publication?.effects?.checkpoint?.sequenceNumber) ?? null,
  };
}

async function oldestCheckpoint(ask: Ask, dialect: Dialect): Promise<number | undefined> {
  const data = await ask<{ events: { nodes: readonly { transaction: RawTransaction | null }[] } | null }>(
    oldestDocuments[dialect],
  );
  return numberOf(data.events?.nodes[0]?.transaction?.effects?.checkpoint?.sequenceNumber);
}
