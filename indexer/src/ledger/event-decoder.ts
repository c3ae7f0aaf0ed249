/**
 * Turns a page into rows to store: looks layouts up, fills gaps in a node's answer by a second question, and counts
 * the events that stay unreadable.
 */
import type { Layout } from './bcs.js';
import { LedgerFailure } from './graphql.js';
import type { LedgerNode, Page } from './node.js';
import {
  type Decoded,
  decodeProofEvent,
  type Expectation,
  type LedgerEvent,
  type Proof,
  packageOfType,
  type RejectedEvent,
} from './proof-event.js';

export interface DecodedEvents {
  readonly proofs: readonly Proof[];
  readonly rejected: readonly RejectedEvent[];
  readonly jsonDiffers: number;
}

export interface EventDecoder {
  decodePage(page: Page, events: readonly LedgerEvent[]): Promise<DecodedEvents>;
  /**
   * Everything of the package in one transaction, asked for by its digest; `pending` if it is not in a checkpoint yet,
   * undefined if the node does not have it.
   */
  transaction(digest: string): Promise<DecodedTransaction | 'pending' | undefined>;
  /** Layouts that the node could not tell are asked for once more. */
  refresh(): void;
}

export interface DecodedTransaction extends DecodedEvents {
  /** Places of the events that the node delivered whole. */
  readonly sequences: readonly number[];
  /** The number of events that it delivered only in part. */
  readonly gaps: number;
}

/**
 * After so many tries an event that the node cannot tell whole no longer holds up the others; it is asked for again by
 * its transaction. The same for layouts.
 */
const tries = 5;
const maxRawLength = 4_096;
const maxRemembered = 10_000;

export function createEventDecoder(node: LedgerNode, expectation: () => Expectation): EventDecoder {
  const layouts = new Map<string, Layout | undefined>();
  const failures = new Map<string, number>();

  /** True as long as it is worth holding everything up for. */
  function shouldRetry(key: string): boolean {
    const count = (failures.get(key) ?? 0) + 1;
    if (failures.size >= maxRemembered) failures.clear();
    failures.set(key, count);
    return count < tries;
  }

  async function layoutFor(type: string): Promise<Layout | undefined> {
    if (layouts.has(type)) return layouts.get(type);
    let layout: Layout | undefined;
    try {
      layout = await node.layout(type);
    } catch (error) {
      // A node that cannot tell the layout leaves the JSON, which is enough for the usual struct. One that is only
      // busy, or stumbles without saying why, is asked again.
      if (!(error instanceof LedgerFailure) || error.kind === 'smaller') throw error;
      if (error.kind === 'retry' && (error.code !== 'UNKNOWN' || shouldRetry(type))) throw error;
    }
    if (layouts.size >= maxRemembered) layouts.clear();
    layouts.set(type, layout);
    return layout;
  }

  async function decode(event: LedgerEvent) {
    const currentExpectation = expectation();
    // Anyone who publishes a package can invent types: only those of the anchor package are looked up.
    const isKnown = currentExpectation.packages.has(packageOfType(event.type) ?? '');
    return decodeProofEvent(event, isKnown ? await layoutFor(event.type) : undefined, currentExpectation);
  }

  /** Asks for the transactions of events that came without checkpoint or payload. */
  async function complete(
    page: Page,
  ): Promise<{ readonly events: readonly LedgerEvent[]; readonly rejected: readonly RejectedEvent[] }> {
    const events: LedgerEvent[] = [];
    const rejections: RejectedEvent[] = [];
    let failure: LedgerFailure | undefined;
    for (const { tx, sequence, missing } of page.incomplete) {
      const answer = tx === undefined ? undefined : await node.transaction(tx);
      const transaction = typeof answer === 'object' ? answer : undefined;
      const wantedEvents = transaction?.events.filter((event) => sequence === undefined || event.sequence === sequence);
      if (
        wantedEvents !== undefined &&
        (wantedEvents.length > 0 || sequence === undefined) &&
        wantedEvents.every((event) => event.type !== '')
      ) {
        events.push(...wantedEvents);
        continue;
      }
      // Without its transaction there is nothing that could be asked for again: the stream waits.
      if (tx === undefined || shouldRetry(`${tx} ${sequence}`))
        failure = new LedgerFailure('retry', `the node gave an event without its ${missing}`, 'INCOMPLETE');
      else
        rejections.push({
          tx,
          sequence: sequence ?? -1,
          checkpoint: transaction?.checkpoint ?? null,
          type: '',
          sender: null,
          reason: 'incomplete',
          raw: JSON.stringify({ missing }),
        });
    }
    if (failure !== undefined) throw failure;
    return { events, rejected: rejections };
  }

  /** @param strangers true if events of other packages are nothing unusual */
  async function decodeAll(events: readonly LedgerEvent[], strangers: boolean): Promise<DecodedEvents> {
    const proofs: Proof[] = [];
    const rejections: RejectedEvent[] = [];
    let jsonDiffers = 0;
    for (const event of events) {
      const result: Decoded = event.type === '' ? { kind: 'rejected', reason: 'incomplete' } : await decode(event);
      if (result.kind === 'proof') {
        proofs.push(result.proof);
        if (result.jsonDiffers) jsonDiffers++;
      } else if (!(strangers && result.reason === 'foreign_package')) {
        rejections.push(rejectedEvent(event, result.reason));
      }
    }
    return { proofs, rejected: rejections, jsonDiffers };
  }

  return {
    async decodePage(page, events) {
      const completion = page.incomplete.length === 0 ? { events: [], rejected: [] } : await complete(page);
      const [listedProofs, completedProofs] = [
        await decodeAll(events, false),
        await decodeAll(completion.events, true),
      ];
      return {
        proofs: [...listedProofs.proofs, ...completedProofs.proofs],
        rejected: [...completion.rejected, ...listedProofs.rejected, ...completedProofs.rejected],
        jsonDiffers: listedProofs.jsonDiffers + completedProofs.jsonDiffers,
      };
    },
    async transaction(digest) {
      const transaction = await node.transaction(digest);
      if (typeof transaction !== 'object') return transaction;
      const { proofs, rejected, jsonDiffers } = await decodeAll(transaction.events, true);
      return {
        proofs,
        jsonDiffers,
        // A transaction has one signer: events of a foreign sender are not to be counted.
        rejected: rejected.filter((event) => event.reason !== 'foreign_sender'),
        sequences: transaction.events.filter((event) => event.type !== '').map((event) => event.sequence),
        gaps: transaction.events.filter((event) => event.type === '').length,
      };
    },
    refresh() {
      for (const [type, layout] of layouts) if (layout === undefined) layouts.delete(type);
    },
  };
}

function rejectedEvent(event: LedgerEvent, reason: RejectedEvent['reason']): RejectedEvent {
  const { tx, sequence, checkpoint, sender } = event;
  const bcs = event.bcs === null ? null : Buffer.from(event.bcs).toString('base64');
  const raw = JSON.stringify({ json: event.json, bcs }).slice(0, maxRawLength);
  return { tx, sequence, checkpoint, type: event.type.slice(0, 500), sender, reason, raw };
}
