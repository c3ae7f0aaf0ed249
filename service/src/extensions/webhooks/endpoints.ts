/**
 * An endpoint is the webhook address of an extension with its position in the event feed. It exists from the first time
 * the extension uses mode `webhooks`.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { Scope } from '../../generated/contract.js';
import { type DisabledWhy, installationAdmins, notify } from '../../inbox/notices.js';
import { lastSequenceBefore } from '../../store/event-rows.js';
import type { ExtensionId } from '../../store/ids.js';
import { settledPosition } from '../../store/position.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import { scopeOfKey } from '../keys.js';
import { countReadableEvents, type EventReader, readableEvents } from '../readable-events.js';
import { type ExtensionRow, findExtension } from '../rows.js';
import { chosenEventTypes } from '../settings.js';
import {
  addEndpoint,
  countFailed,
  type EndpointRow,
  findDelivery,
  findEndpoint,
  giveUpPending,
  insertDeliveries,
  type ListedDelivery,
  lockEndpoint,
  retryFailed,
  updateDelivery,
  updateEndpoint,
} from './delivery-rows.js';
import { deleteSecrets } from './rows.js';
import { issueSecret } from './secrets.js';

/** Days for which deliveries and their attempts are kept; a recovery reaches back as far. */
export const keptDays = 30;
const pageSize = 500;
const maxPreviewed = 9_000_000;

/**
 * Keeps the endpoint in step with the extension's settings. Entering mode `webhooks` begins with the next event;
 * leaving it gives up pending deliveries; a new address enables one that was disabled.
 * @param before undefined for a new extension
 */
export async function keepEndpoint(
  write: Write,
  before: Pick<ExtensionRow, 'mode' | 'webhook_url'> | undefined,
  { id, mode, webhook_url: address }: Pick<ExtensionRow, 'id' | 'mode' | 'webhook_url'>,
): Promise<void> {
  if (mode !== 'webhooks') {
    if (before?.mode === 'webhooks') {
      // Waits for deliveries that another process is queueing or recording: they are given up too.
      await lockEndpoint(write, id);
      await giveUpPending(write, id);
    }
    return;
  }
  if (before?.mode !== 'webhooks') {
    const { place: position } = await settledPosition(write);
    await addEndpoint(write, id, position);
    await updateEndpoint(write, id, { position, ...enabledState });
  } else if (before.webhook_url !== address) {
    await updateEndpoint(write, id, enabledState);
  }
}

const enabledState = { disabled_at: null, disabled_why: null, failing_since: null } as const;

/** Stops deliveries, gives up pending ones, and notifies the super admins. The endpoint must be locked. */
export async function disableEndpoint(write: Write, extensionId: ExtensionId, reason: DisabledWhy): Promise<void> {
  await giveUpPending(write, extensionId);
  await updateEndpoint(write, extensionId, { disabled_at: write.at, disabled_why: reason });
  await notify(write, await installationAdmins(write), {
    kind: 'webhooks_disabled',
    extension: extensionId,
    because: reason,
  });
  await write.audit({
    companyId: (await findExtension(write, extensionId))?.company_id ?? undefined,
    action: 'extension.webhooks_disabled',
    subject: `extension ${extensionId}`,
    details: { why: reason },
  });
}

/**
 * The secret of an extension is lost with `DATA_KEY`: it gets another one, and its address is disabled until an admin
 * has given the receiver a secret and recovers the missed deliveries.
 */
export async function giveUpWebhookSecret(
  write: Write,
  extensionId: ExtensionId,
  keys: SealingKeys,
  randomBytes: RandomBytes,
): Promise<void> {
  await lockEndpoint(write, extensionId);
  await deleteSecrets(write, extensionId);
  await issueSecret(write, extensionId, keys, randomBytes, write.at);
  await disableEndpoint(write, extensionId, 'key_lost');
}

/**
 * Turns settled events after the endpoint's position into deliveries, as far as the key may read them now, and moves
 * the position behind them. The endpoint must be locked. @returns the number of deliveries
 */
export async function takeUpEvents(
  tx: Transaction,
  extension: ExtensionRow,
  { position: from }: Pick<EndpointRow, 'position'>,
  at: Instant,
): Promise<number> {
  const { place: head } = await settledPosition(tx);
  let position = from;
  let count = 0;
  while (position < head) {
    const events = await readableEvents(tx, deliveryReaderOf(extension, at), {
      after: position,
      upTo: head,
      since: 0,
      limit: pageSize,
    });
    await insertDeliveries(
      tx,
      extension.id,
      events.map((event) => ({ sequence: event.sequence, lane: event.person_id ?? 0, created_at: event.at })),
      at,
    );
    count += events.length;
    position = events.length < pageSize ? head : events.at(-1)!.sequence;
  }
  if (position > from) await updateEndpoint(tx, extension.id, { position });
  return count;
}

/** The events that an extension is sent at an instant: of those its key may read, the types it chose, and pings. */
export function eventReaderOf(extension: ExtensionRow, at: Instant): EventReader {
  const selection = chosenEventTypes(extension);
  return {
    extensionId: extension.id,
    scopes: JSON.parse(extension.scopes) as Scope[],
    scope: scopeOfKey(extension, extension.id, at),
    types: selection === undefined ? undefined : [...selection, 'ping'],
  };
}

/**
 * As {@link eventReaderOf}, and the events of deactivated companies: their deliveries wait until the company is active
 * again (`dueDeliveries`).
 */
export function deliveryReaderOf(extension: ExtensionRow, at: Instant): EventReader {
  const reader = eventReaderOf(extension, at);
  const { activeOnly: _, ...scope } = reader.scope;
  return { ...reader, scope };
}

/**
 * Delivers an event once more, with the same id. Enables a disabled address, because an admin is looking after it.
 * @throws Refusal `not_found`, `connection_mode_mismatch`
 */
export async function repeatDelivery(write: Write, id: string, eventId: string): Promise<ListedDelivery> {
  const { extension } = await lockedEndpoint(write, id);
  const delivery = await findDelivery(write, extension.id, eventId);
  if (delivery === undefined) throw new Refusal('not_found');
  await updateDelivery(write, delivery, { state: 'pending', tries: 0, next_attempt_at: write.at });
  await updateEndpoint(write, extension.id, enabledState);
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.delivery_resent',
    subject: `extension ${extension.id}`,
    details: { event: eventId },
  });
  return (await findDelivery(write, extension.id, eventId))!;
}

/**
 * Delivers failed deliveries since an instant again, in order, and the events since then while the address was
 * disabled. Enables the address. If the process stops before the commit, nothing changed.
 * @returns the number of deliveries
 * @throws Refusal `invalid_request` longer ago than deliveries are kept, or in the future; `not_found`,
 * `connection_mode_mismatch`
 */
export async function repeatDeliveriesSince(write: Write, id: string, since: Instant): Promise<number> {
  const { at } = write;
  checkSince(since, at);
  const { extension, endpoint } = await lockedEndpoint(write, id);
  const retryCount = await retryFailed(write, extension.id, since, at);
  const { place: head } = await settledPosition(write);
  const position = Math.max(endpoint.position, Math.min(head, await lastSequenceBefore(write, since)));
  await updateEndpoint(write, extension.id, { position, ...enabledState });
  const deliveries = retryCount + (await takeUpEvents(write, extension, { position }, at));
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.deliveries_recovered',
    subject: `extension ${extension.id}`,
    details: { since: formatInstant(since), deliveries },
  });
  return deliveries;
}

/**
 * The number of deliveries that {@link repeatDeliveriesSince} would start now.
 * @throws Refusal as it does
 */
export async function countRecoverable(reader: Reader, id: string, since: Instant, at: Instant): Promise<number> {
  checkSince(since, at);
  const extension = await requireExtension(reader, id);
  const endpoint = await findEndpoint(reader, extension.id);
  if (extension.mode !== 'webhooks' || endpoint === undefined) throw new Refusal('connection_mode_mismatch');
  const { place: head } = await settledPosition(reader);
  const [failureCount, lastSequence] = await Promise.all([
    countFailed(reader, extension.id, since),
    lastSequenceBefore(reader, since),
  ]);
  const walk = {
    after: Math.max(endpoint.position, Math.min(head, lastSequence)),
    upTo: head,
    since: 0,
    limit: maxPreviewed,
  };
  return failureCount + (await countReadableEvents(reader, deliveryReaderOf(extension, at), walk));
}

function checkSince(since: Instant, at: Instant): void {
  if (since > at || since < at - keptDays * day)
    throw invalidField('since', 'out_of_range', `Write an instant of the last ${keptDays} days.`);
}

async function lockedEndpoint(
  tx: Transaction,
  id: string,
): Promise<{ readonly extension: ExtensionRow; readonly endpoint: EndpointRow }> {
  const extension = await requireExtension(tx, id);
  const endpoint = await lockEndpoint(tx, extension.id);
  if (extension.mode !== 'webhooks' || endpoint === undefined) throw new Refusal('connection_mode_mismatch');
  return { extension, endpoint };
}

async function requireExtension(reader: Reader, id: string): Promise<ExtensionRow> {
  const extension = await findExtension(reader, id);
  if (extension === undefined) throw new Refusal('not_found');
  return extension;
}
