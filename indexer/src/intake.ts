/** From a page to what is stored of it: layouts are looked up, gaps in a node's answer are filled by a second question, and whatever stays unreadable is counted. */
import { isLayout, type Layout } from './ledger/bcs.js';
import { LedgerFailure } from './ledger/graphql.js';
import type { LedgerNode, Page } from './ledger/node.js';
import { decodeProofEvent, packageOfType, type Decoded, type Expected, type LedgerEvent, type Proof } from './ledger/proof-event.js';
import type { RejectedEvent } from './proofs/rows.js';

export interface Intake { readonly proofs: readonly Proof[]; readonly rejected: readonly RejectedEvent[]; readonly jsonDiffers: number }

export interface IntakeDesk {
  /** @param callsOnly the page came from a list of calls, where events of other packages are nothing unusual */
  take(page: Page, events: readonly LedgerEvent[], callsOnly: boolean): Promise<Intake>;
  decode(event: LedgerEvent): Promise<Decoded>;
}

/** After so many tries an event that the node cannot tell whole is counted as rejected; a later reading may still turn it into a proof. */
const triesForIncomplete = 5;
const longestRaw = 4_096;
const mostRemembered = 10_000;

export function createIntakeDesk(node: LedgerNode, expected: () => Expected): IntakeDesk {
  const layouts = new Map<string, Layout | undefined>();
  const tries = new Map<string, number>();

  async function layoutFor(type: string): Promise<Layout | undefined> {
    if (layouts.has(type)) return layouts.get(type);
    let layout: Layout | undefined;
    try {
      layout = await node.layout(type);
    } catch (error) {
      // A node that cannot tell the layout leaves the JSON, which is enough for the usual struct. One that is only busy is asked again.
      if (!(error instanceof LedgerFailure) || (error.kind === 'retry' && error.code !== 'UNKNOWN') || error.kind === 'smaller') throw error;
    }
    if (layouts.size >= mostRemembered) layouts.clear();
    layouts.set(type, isLayout(layout) ? layout : undefined);
    return layout;
  }

  async function decode(event: LedgerEvent) {
    const asked = expected();
    // Whoever can publish a package can invent types: only those of the anchor package are looked up.
    const known = asked.packages.has(packageOfType(event.type) ?? '');
    return decodeProofEvent(event, known ? await layoutFor(event.type) : undefined, asked);
  }

  /** Asks for the transactions of events that came without checkpoint or payload. */
  async function complete(page: Page): Promise<{ readonly events: readonly LedgerEvent[]; readonly rejected: readonly RejectedEvent[] }> {
    const events: LedgerEvent[] = [];
    const rejected: RejectedEvent[] = [];
    for (const { tx, sequence, cursor, missing } of page.incomplete) {
      const found = tx === undefined ? undefined : await node.transaction(tx);
      const whole = found?.events.filter((event) => (sequence === undefined || event.sequence === sequence) && event.type !== '') ?? [];
      if (whole.length > 0) {
        events.push(...whole);
        continue;
      }
      const count = (tries.get(cursor) ?? 0) + 1;
      if (tries.size >= mostRemembered) tries.clear();
      tries.set(cursor, count);
      if (count < triesForIncomplete) throw new LedgerFailure('retry', `the node gave an event without its ${missing}`, 'INCOMPLETE');
      rejected.push({ tx: tx ?? `unknown:${cursor.slice(0, 200)}`, sequence: sequence ?? 0, checkpoint: found?.checkpoint ?? null, type: '', sender: null, reason: 'incomplete', raw: JSON.stringify({ missing, cursor: cursor.slice(0, 200) }) });
    }
    return { events, rejected };
  }

  return {
    decode,
    async take(page, events, callsOnly) {
      const completed = page.incomplete.length === 0 ? { events: [], rejected: [] } : await complete(page);
      const proofs: Proof[] = [];
      const rejected: RejectedEvent[] = [...completed.rejected];
      let jsonDiffers = 0;
      for (const event of [...events, ...completed.events]) {
        const decoded = await decode(event);
        if (decoded.kind === 'proof') {
          proofs.push(decoded.proof);
          if (decoded.jsonDiffers) jsonDiffers++;
        } else if (!(callsOnly && decoded.reason === 'foreign_package')) {
          rejected.push({
            tx: event.tx, sequence: event.sequence, checkpoint: event.checkpoint, type: event.type.slice(0, 500), sender: event.sender, reason: decoded.reason,
            raw: JSON.stringify({ json: event.json, bcs: event.bcs === null ? null : Buffer.from(event.bcs).toString('base64') }).slice(0, longestRaw),
          });
        }
      }
      return { proofs, rejected, jsonDiffers };
    },
  };
}
