/** What the handlers of the pages are made from. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import type { IdentityProviders } from '../../company-sign-in/provider.js';
import type { DataKey } from '../../sealing/data-key.js';
import type { SealingKeys } from '../../sealing/sealing-keys.js';
import type { Passwords } from '../../sign-in/password.js';
import type { RelyingParty } from '../../sign-in/webauthn.js';
import type { Store } from '../../store/write.js';
import type { HashCode } from '../../terminals/pairing.js';
import type { SendWebhook } from '../../webhooks/send.js';
import type { Cursors } from '../shared/cursor.js';
import type { Cookies } from './cookies.js';
import type { Live } from './live.js';

export interface AppNeeds {
  readonly db: Store;
  readonly cursors: Cursors;
  /** Tells open pages of changes. */
  readonly live: Live;
  readonly version: string;
  readonly extensionsEnabled: boolean;
  /** BASE_URL: links that are shown begin with it. */
  readonly baseUrl: string;
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  readonly passwords: Passwords;
  /** Where passkeys are good. */
  readonly relyingParty: RelyingParty;
  readonly cookies: Cookies;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
  /** Whether SMTP_URL is set. */
  readonly sendsMail: boolean;
  readonly sendWebhook: SendWebhook;
  readonly providers: IdentityProviders;
  readonly limiter: RateLimiter;
  readonly randomBytes: RandomBytes;
  readonly hashPairingCode: HashCode;
}
