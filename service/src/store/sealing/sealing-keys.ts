/**
 * The keys that secrets of every installation are sealed with (second factors, secrets of webhooks): `DATA_KEY` if the
 * installation has one, its own secret otherwise. Each sealed value says which, so that adding `DATA_KEY` later
 * locks no one out.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { createDataKey, type DataKey } from './data-key.js';

export type KeyName = 'data_key' | 'installation';

export interface SealingKeys {
  /** The key for new values. */
  readonly current: KeyName;
  /** @throws Error the value was sealed with `DATA_KEY`, which is not set */
  get(name: KeyName): DataKey;
}

export function createSealingKeys(
  dataKey: DataKey | undefined,
  installationSecret: Uint8Array,
  randomBytes: RandomBytes,
): SealingKeys {
  const keys: Readonly<Record<KeyName, DataKey | undefined>> = {
    data_key: dataKey,
    installation: createDataKey(installationSecret, randomBytes),
  };
  return {
    current: dataKey === undefined ? 'installation' : 'data_key',
    get(name) {
      const key = keys[name];
      if (key === undefined) throw new Error('a secret is sealed with DATA_KEY, which is not set');
      return key;
    },
  };
}
