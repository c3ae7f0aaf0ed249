/**
 * Seals the audit log: a loop appends the entries that are settled as leaves of an RFC 6962 tree and stores its signed
 * head. A head lists the entries since the one before, so that a removed or late one is named.
 *
 * Two sealers cannot follow the same head, because `previous` is unique: the second one finds nothing to do. If the
 * process stops, the next one goes on from the newest head.
 */
import {
  append,
  decodeFrontier,
  encodeFrontier,
  type Frontier,
  leafHash,
  rootOf,
} from '@clockproof/platform/bytes/merkle-tree';
import type { Log } from '@clockproof/platform/log';
import { singleFlight } from '@clockproof/platform/single-flight';
import type { Instant } from '@clockproof/platform/time/instant';
import { canonicalOf, type Sign } from './audit/audit.js';
import { type EntryRow, entriesAfter, findSigningStart, type HeadRow, readHead } from './audit/rows.js';
import { settledPosition } from './position.js';
import { insertIfAbsent, updateWhere } from './tables.js';
import type { Store } from './write.js';

/** Entries of one head. */
const maxEntries = 1_000;
const sealEveryMs = 250;

/** Content and code: without the key of a lost DATA_KEY, the content is held by the root alone. */
export const leafOf = (entry: EntryRow): Buffer => leafHash(Buffer.from(`${canonicalOf(entry)} ${entry.mac}`));

export const frontierOf = ({ size, frontier }: Pick<HeadRow, 'size' | 'frontier'>): Frontier =>
  decodeFrontier(size, Buffer.from(frontier, 'hex'));

/** The text that the signature of a head covers. */
export function headText({ size, previous, last, latest_at, entries, frontier, root, at }: Omit<HeadRow, 'signature'>) {
  return JSON.stringify(['clockproof audit head 1', size, previous, last, latest_at, entries, frontier, root, at]);
}

/** Appends at most {@link maxEntries} settled entries. @returns whether there were any */
export async function seal(db: Store, at: Instant): Promise<boolean> {
  const head = await readHead(db);
  const { place } = await settledPosition(db);
  const entries = await entriesAfter(db, { after: head.last, upTo: place, limit: maxEntries });
  if (entries.length === 0) return false;
  const next = headAfter(head, entries, at, db.sign);
  await db.runMaintenance('sealing', async (tx) => {
    if (!(await insertIfAbsent(tx, 'audit_heads', next))) return;
    // A server whose numbers went back gives smaller places than this one.
    await updateWhere(tx, 'epochs', { floor: next.last }, 'last IS NULL AND floor < :last_entry', {
      last_entry: next.last,
    });
  });
  return true;
}

function headAfter(head: HeadRow, entries: readonly EntryRow[], at: Instant, sign: Sign | undefined): HeadRow {
  const tree = entries.reduce((frontier, entry) => append(frontier, leafOf(entry)), frontierOf(head));
  const next = {
    size: tree.size,
    previous: head.size,
    last: entries.at(-1)!.sequence,
    latest_at: Math.max(head.latest_at, ...entries.map((entry) => entry.at)),
    entries: JSON.stringify(entries.map(({ sequence }) => sequence)),
    frontier: encodeFrontier(tree).toString('hex'),
    root: rootOf(tree).toString('hex'),
    at,
  };
  return { ...next, signature: sign?.(headText(next)) ?? null };
}

/** Seals everything that is settled. */
export async function sealAll(db: Store, clock: () => Instant): Promise<void> {
  while (await seal(db, clock()));
}

/** Seals four times a second. @param onSeal called after each round @returns stops it */
export function startSealing(
  db: Store,
  clock: () => Instant,
  log: Log,
  onSeal: () => Promise<void> = async () => undefined,
): () => Promise<void> {
  let round = Promise.resolve();
  const next = singleFlight(() => sealAll(db, clock).then(onSeal), log, 'sealing the audit log failed');
  const timer = setInterval(() => {
    round = next();
  }, sealEveryMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await round;
    await next();
  };
}

/** Notes the beginning of its signatures in the log: once, as soon as there is a DATA_KEY. */
export async function noteSigning(db: Store, at: Instant): Promise<void> {
  if (db.sign === undefined || (await findSigningStart(db)) !== undefined) return;
  await db.write({ actor: { kind: 'system' }, at }, async (write) => {
    await write.lock({ installation: true });
    if ((await findSigningStart(write)) === undefined) await write.audit({ action: 'audit.signed' });
  });
}
