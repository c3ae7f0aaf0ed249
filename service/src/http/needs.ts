/** What the handlers of the pages are made from. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import type { DataKey } from '../store/sealing/data-key.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Store } from '../store/write.js';
import type { Cursors } from './cursor.js';

export interface AppNeeds {
  readonly db: Store;
  readonly cursors: Cursors;
  readonly version: string;
  readonly extensionsEnabled: boolean;
  /** BASE_URL: links that are shown begin with it. */
  readonly baseUrl: string;
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
  /** Whether SMTP_URL is set. */
  readonly sendsMail: boolean;
  readonly limiter: RateLimiter;
  readonly randomBytes: RandomBytes;
}
