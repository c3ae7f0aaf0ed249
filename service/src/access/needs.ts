/** What the handlers about signing in, links and integrations are made from beside what all are. */

import type { SendWebhook } from '../extensions/webhooks/send.js';
import type { AppNeeds } from '../http/needs.js';
import type { IdentityProviders } from './company-sign-in/provider.js';
import type { Cookies } from './cookies.js';
import type { Live } from './live.js';
import type { Passwords } from './password.js';
import type { RelyingParty } from './second-factor/webauthn.js';

export interface AccessNeeds extends AppNeeds {
  /** Tells open pages of changes. */
  readonly live: Live;
  readonly passwords: Passwords;
  /** Where passkeys are good. */
  readonly relyingParty: RelyingParty;
  readonly cookies: Cookies;
  readonly sendWebhook: SendWebhook;
  readonly providers: IdentityProviders;
}
