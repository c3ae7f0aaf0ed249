/** The secrets that webhooks are signed with: sealed, shown once, replaced with a day in which both count. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { ExtensionId } from '../../store/ids.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Transaction } from '../../store/tables.js';
import type { Write } from '../../store/write.js';
import type { ExtensionRow } from '../rows.js';
import { deleteSecrets, endPresentSecret, insertSecret, listSecrets, type WebhookSecretRow } from './rows.js';
import { createSecret } from './signature.js';

/** Time for which a replaced secret is still valid. */
export const overlapMilliseconds = day;

const associatedData = (extensionId: ExtensionId, number: number) =>
  `webhook secret ${number} of extension ${extensionId}`;

/** The first secret of an extension. @returns `whsec_…`, available only here */
export async function issueSecret(
  tx: Transaction,
  extensionId: ExtensionId,
  keys: SealingKeys,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<string> {
  const secret = createSecret(randomBytes);
  await addSecret(tx, extensionId, secret, keys, at);
  return secret;
}

/** Ensures that an extension has a secret in mode `webhooks` and none in any other. */
export async function ensureSecret(
  tx: Transaction,
  { id, mode }: Pick<ExtensionRow, 'id' | 'mode'>,
  keys: SealingKeys,
  randomBytes: RandomBytes,
  at: Instant,
): Promise<void> {
  if (mode !== 'webhooks') await deleteSecrets(tx, id);
  else if ((await listSecrets(tx, id)).length === 0) await issueSecret(tx, id, keys, randomBytes, at);
}

export interface RotatedSecret {
  readonly secret: string;
  readonly previousEndsAt: Instant;
}

/**
 * Adds a new secret; the current one is valid for another day, and one left by an earlier rotation is no longer valid.
 * The extension must be locked.
 */
export async function rotateSecret(
  write: Write,
  extension: ExtensionRow,
  keys: SealingKeys,
  randomBytes: RandomBytes,
): Promise<RotatedSecret> {
  const { at } = write;
  const previousEndsAt = at + overlapMilliseconds;
  await endPresentSecret(write, extension.id, previousEndsAt);
  const secret = await issueSecret(write, extension.id, keys, randomBytes, at);
  await write.audit({
    companyId: extension.company_id ?? undefined,
    action: 'extension.webhook_secret_rotated',
    subject: `extension ${extension.id}`,
    details: { previous_ends_at: formatInstant(previousEndsAt) },
  });
  return { secret, previousEndsAt };
}

/**
 * The currently valid secrets, newest first; at least one. @throws Error sealed with `DATA_KEY`, which is not set; or
 * there is none, because nothing is sent unsigned
 */
export async function signingSecrets(
  reader: Reader,
  extensionId: ExtensionId,
  keys: SealingKeys,
  at: Instant,
): Promise<string[]> {
  return openSecrets(await listSecrets(reader, extensionId), extensionId, keys, at);
}

/** As {@link signingSecrets}, of rows that were read already. */
export function openSecrets(
  rows: readonly WebhookSecretRow[],
  extensionId: ExtensionId,
  keys: SealingKeys,
  at: Instant,
): string[] {
  const validRows = rows.filter(({ ends_at }) => ends_at === null || ends_at > at);
  if (validRows.length === 0) throw new Error(`extension ${extensionId} has no secret to sign with`);
  return validRows.map(({ number, sealed, sealed_by }) =>
    Buffer.from(keys.get(sealed_by).open(associatedData(extensionId, number), sealed)).toString(),
  );
}

async function addSecret(
  tx: Transaction,
  extensionId: ExtensionId,
  secret: string,
  keys: SealingKeys,
  at: Instant,
): Promise<void> {
  const number = ((await listSecrets(tx, extensionId))[0]?.number ?? 0) + 1;
  await insertSecret(tx, {
    extension_id: extensionId,
    number,
    sealed: keys.get(keys.current).seal(associatedData(extensionId, number), Buffer.from(secret)),
    sealed_by: keys.current,
    created_at: at,
    ends_at: null,
  });
}
