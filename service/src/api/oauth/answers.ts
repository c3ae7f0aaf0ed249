/** What the token address says. */
import { formatInstant, second } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/service-types.js';
import { OauthRefusal } from '../../oauth/refusal.js';
import { accessMilliseconds, type TokenOutcome } from '../../oauth/tokens.js';

/** RFC 6749 §5.1 */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Turns an outcome into the answer, once its transaction is committed. @throws OauthRefusal */
export function tokenAnswer(outcome: TokenOutcome, at: number): components['schemas']['TokenAnswer'] {
  if ('refused' in outcome) throw new OauthRefusal(outcome.refused);
  const { access, refresh, scopes, linkExpiresAt } = outcome.tokens;
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.max(1, Math.floor(Math.min(accessMilliseconds, linkExpiresAt - at) / second)),
    refresh_token: refresh,
    scope: scopes.join(' '),
    link_expires_at: formatInstant(linkExpiresAt),
  };
}

/** The client speaks for itself in one way only, and for nobody else. @throws OauthRefusal `invalid_request` */
export function refuseOtherClient(form: object, clientId: string): void {
  if ('client_secret' in form || ('client_id' in form && form.client_id !== clientId))
    throw new OauthRefusal('invalid_request');
}
