import { formatInstant } from '@clockproof/platform/time/instant';
import { eventId, type KnownEvent } from '../../store/events.js';
import type { ExtensionId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Write } from '../../store/write.js';
import { type ExtensionRow, findExtension } from '../rows.js';
import { signingSecrets } from './secrets.js';
import type { Delivery } from './send.js';
import { parseTarget } from './targets.js';

interface PingOptions {
  readonly keys: SealingKeys;
  readonly allowPrivateTargets: boolean;
}

/**
 * A test event, the way the extension gets its events: appended to those it reads from its connections, or prepared as
 * a delivery that the caller sends.
 * @throws Refusal `not_found`, `connection_mode_mismatch`, `target_refused`
 */
export async function ping(
  write: Write,
  id: ExtensionId,
  options: PingOptions,
): Promise<{ readonly event: string } | { readonly delivery: Delivery }> {
  const extension = await findExtension(write, id);
  if (extension === undefined) throw new Refusal('not_found');
  return extension.mode === 'websocket'
    ? { event: await appendPing(write, extension) }
    : { delivery: await preparePing(write, extension, options) };
}

/** Open connections get the ping as any other event. @returns the id of the event */
async function appendPing(write: Write, { id: extensionId, name, company_id }: ExtensionRow): Promise<string> {
  const companyId = company_id === null ? {} : { companyId: company_id };
  const id = await write.event({
    type: 'ping',
    ...companyId,
    extensionId,
    data: { extension: { id: extensionId, name } },
  });
  await write.audit({
    ...companyId,
    action: 'extension.pinged',
    subject: `extension ${extensionId}`,
    details: { event: id },
  });
  return id;
}

/**
 * Prepares the ping and writes the audit entry. Nothing is sent yet, because network calls do not belong in a
 * transaction. If the process stops after it, the log has a ping that was never sent; no ping is sent without an entry.
 * @throws Refusal `connection_mode_mismatch`, `target_refused`
 */
async function preparePing(
  write: Write,
  extension: ExtensionRow,
  { keys, allowPrivateTargets }: PingOptions,
): Promise<Delivery> {
  const { at } = write;
  const { id: extensionId, name, mode, webhook_url: url, company_id: companyId } = extension;
  if (mode !== 'webhooks' || url === null) throw new Refusal('connection_mode_mismatch');
  if (parseTarget(url, allowPrivateTargets) === undefined) throw new Refusal('target_refused');
  const secrets = await signingSecrets(write, extensionId, keys, at);
  // It is no event of the feed.
  const { epoch, place } = await write.position();
  const id = eventId({ epoch, place });
  await write.audit({
    companyId: companyId ?? undefined,
    action: 'extension.pinged',
    subject: `extension ${extensionId}`,
    details: { event: id },
  });
  const event: KnownEvent = {
    id,
    type: 'ping',
    timestamp: formatInstant(at),
    sequence: place,
    epoch,
    company_id: companyId ?? undefined,
    data: { extension: { id: extensionId, name } },
  };
  return { url, id, body: JSON.stringify(event), secrets };
}
