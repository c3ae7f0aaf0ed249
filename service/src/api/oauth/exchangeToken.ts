import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { RandomBytes } from '../../extensions/keys.js';
import type { components, operations } from '../../generated/service-types.js';
import type { ClientCaller } from '../../oauth/client.js';
import { OauthRefusal } from '../../oauth/refusal.js';
import { exchangeCode, renewTokens } from '../../oauth/tokens.js';
import { noStore, refuseOtherClient, tokenAnswer } from './answers.js';

export function exchangeToken({
  db,
  randomBytes,
}: {
  readonly db: Database;
  readonly randomBytes: RandomBytes;
}): Handler<operations['exchangeToken'], ClientCaller> {
  return async ({ caller, body, at }) => {
    refuseOtherClient(body, caller.clientId);
    const asked = readGrant(body);
    // If the process stops before the commit nothing was used up; after it the new tokens stand, although nobody may
    // have received them.
    const outcome = await db.write((tx) =>
      'code' in asked
        ? exchangeCode(tx, caller, asked, randomBytes, at)
        : renewTokens(tx, caller, asked, randomBytes, at),
    );
    return { status: 200, headers: noStore, body: tokenAnswer(outcome, at) };
  };
}

type Form = components['schemas']['TokenRequest'];

/** @throws OauthRefusal `invalid_request` a parameter of the grant is missing */
function readGrant(
  form: Form,
):
  | { readonly code: string; readonly redirectUri: string; readonly verifier: string }
  | { readonly refreshToken: string; readonly scopes: readonly string[] | undefined } {
  if (form.grant_type === 'refresh_token') {
    if (form.refresh_token === undefined) throw new OauthRefusal('invalid_request');
    return { refreshToken: form.refresh_token, scopes: form.scope?.split(' ') };
  }
  if (form.code === undefined || form.redirect_uri === undefined) throw new OauthRefusal('invalid_request');
  // Without a verifier the code does not fit its challenge (RFC 7636 §4.6): the grant is not valid, and the code is
  // used up by the try.
  return { code: form.code, redirectUri: form.redirect_uri, verifier: form.code_verifier ?? '' };
}
