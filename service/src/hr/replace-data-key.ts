/**
 * `data-key replace --lost`: the way out when DATA_KEY is gone. Secrets that only the lost key could open are given up,
 * each with an entry in the audit log and a notice to those it concerns. Records are not sealed and stay as they are.
 */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { listSealedProviders } from '../access/company-sign-in/rows.js';
import { giveUpClientSecret } from '../access/company-sign-in/settings.js';
import { listSealedCredentials } from '../access/rows.js';
import { giveUpSealedFactor } from '../access/second-factor/second-factor.js';
import { giveUpWebhookSecret } from '../extensions/webhooks/endpoints.js';
import { listSealedHolders } from '../extensions/webhooks/rows.js';
import { readHead } from '../store/audit/rows.js';
import { allCompanies } from '../store/every-company.js';
import { sealAll } from '../store/seal.js';
import { belongsTo, type NewKeys, takeKeys } from '../store/sealing/data-keys.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Store, Write } from '../store/write.js';
import { giveUpBadge } from '../terminals/badges/badges.js';
import { resetPin } from '../terminals/badges/pin.js';
import { deleteCardKeys, listCardKeyCompanies, listPins, listUsableBadges } from '../terminals/badges/rows.js';
import { forgetSealed } from '../terminals/rows.js';

export interface KeyReplacement {
  /** The new `DATA_KEY`, 32 bytes. */
  readonly key: Uint8Array;
  /** The store's signing keys, sealed with the new key. */
  readonly keys: NewKeys;
  /** Seals with the new keys. */
  readonly sealingKeys: SealingKeys;
  readonly randomBytes: RandomBytes;
  readonly at: Instant;
  /** Reports the secrets that would be given up, and changes nothing. */
  readonly preview: boolean;
}

/** @returns exit code 0 and the secrets that were, or would be, given up; 1 and the reason if there is nothing to do */
export async function replaceDataKey(
  db: Store,
  { key, keys, sealingKeys, randomBytes, at, preview }: KeyReplacement,
): Promise<{ readonly exitCode: 0 | 1; readonly text: string }> {
  const keyOwner = await belongsTo(db, key, randomBytes);
  if (keyOwner === 'this') return { exitCode: 1, text: 'DATA_KEY is the key of this database: nothing is lost' };
  if (keyOwner === 'none')
    return { exitCode: 1, text: 'this database was never sealed with a DATA_KEY: start the service with the new one' };
  if (preview) return { exitCode: 0, text: describe(await readSealed(db), true) };
  await sealAll(db, () => at);
  const { size, root } = await readHead(db);
  const sealedItems = await readSealed(db);
  const steps: ((write: Write) => Promise<void>)[] = [
    // The first entry with the new key: it vouches for the log up to this head.
    (write) =>
      write.audit({ action: 'audit.key_replaced', details: { ...countsOf(sealedItems), head: `${size}:${root}` } }),
    ...sealedItems.credentials.map((credential) => (write: Write) => giveUpSealedFactor(write, credential)),
    ...sealedItems.pins.map(
      ({ person_id: person, company_id: company }) =>
        (write: Write) =>
          resetPin(write, person, company, { because: 'data_key_lost' }),
    ),
    ...sealedItems.badges.map((badge) => (write: Write) => giveUpBadge(write, badge, 'data_key_lost')),
    ...sealedItems.extensions.map(
      (extension) => (write: Write) => giveUpWebhookSecret(write, extension, sealingKeys, randomBytes),
    ),
    ...sealedItems.identityProviders.map((company) => (write: Write) => giveUpClientSecret(write, company)),
  ];
  for (let stepCount = 0; stepCount < steps.length; stepCount += maxSteps)
    // If the process dies before the last commit, the database still belongs to the lost key: the next run goes on.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      write.unaudited('progress');
      for (const step of steps.slice(stepCount, stepCount + maxSteps)) await step(write);
      if (stepCount + maxSteps < steps.length) return;
      await deleteCardKeys(write);
      await forgetSealed(write);
      await takeKeys(write, keys, at);
    });
  return { exitCode: 0, text: describe(sealedItems, false) };
}

/** The most audit entries in one write. */
const maxSteps = 500;

type Sealed = Awaited<ReturnType<typeof readSealed>>;

async function readSealed(reader: Reader) {
  return {
    credentials: await listSealedCredentials(reader, allCompanies),
    pins: await listPins(reader, allCompanies),
    badges: await listUsableBadges(reader, allCompanies),
    cardKeys: await listCardKeyCompanies(reader, allCompanies),
    extensions: await listSealedHolders(reader),
    identityProviders: await listSealedProviders(reader),
  };
}

function countsOf({ credentials, pins, badges, cardKeys, extensions, identityProviders }: Sealed) {
  return {
    second_factors: credentials.filter((credential) => credential.has_app === 1).length,
    pins: pins.length,
    badges: badges.length,
    card_keys: cardKeys.length,
    webhook_secrets: extensions.length,
    identity_providers: identityProviders.length,
  };
}

function describe(sealedItems: Sealed, preview: boolean): string {
  const counts = countsOf(sealedItems);
  return [
    preview
      ? 'DATA_KEY would be replaced, and this given up; nothing has been changed:'
      : 'DATA_KEY is replaced, and this is given up:',
    `  second factors of ${counts.second_factors} people: who has no passkey gets a new link, the super admin by admin reset`,
    `  PINs of ${counts.pins} people: each sets a new one`,
    `  ${counts.badges} badges and the card keys of ${counts.card_keys} companies: each badge is issued again, on a new card`,
    `  webhook secrets of ${counts.webhook_secrets} extensions: deliveries wait; create a secret, give it to the receiver, recover`,
    `  client secrets of the identity providers of ${counts.identity_providers} companies: enter them again, and switch the sign-in on`,
    '  signatures of the audit log so far: they can no longer be checked; a new entry vouches for the log as it is',
    preview ? 'Run it without --preview to do so.' : 'Start the service with the new DATA_KEY.',
  ].join('\n');
}
