import { formatInstant, second } from '@clockproof/platform/time/instant';
import { findExtensionByClientId, readPeopleAccess } from '../../extensions/rows.js';
import { linkScopes } from '../../generated/contract.js';
import type { components } from '../../generated/service-types.js';
import type { ApiHandler } from '../../http/handler.js';
import { languageFor, plainPage, plainPageStyle } from '../../http/plain-page.js';
import { Refusal } from '../../store/refusal.js';
import type { Store } from '../../store/write.js';
import { authenticateSession } from '../sessions.js';
import { clientIdOf, readParameters, validateRequest } from './authorization-request.js';
import { openConsent } from './consent.js';
import { withParameters } from './redirect.js';
import { OauthRefusal } from './refusal.js';
import { accessMilliseconds, appOf, exchangeCode, renewTokens, revoke, type TokenOutcome } from './tokens.js';

const headersOfRedirect = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

export const authorize: ApiHandler<'authorize'> = async ({
  db,
  baseUrl,
  cookies,
  randomBytes,
  rawQuery,
  headers,
  at,
}) => {
  const parameters = readParameters(rawQuery);
  const clientId = parameters && clientIdOf(parameters);
  const extension = clientId === undefined ? undefined : await findExtensionByClientId(db, clientId);
  if (parameters === undefined || extension === undefined) return refusalPage(headers['accept-language']);
  const client = {
    id: extension.id,
    linkable: extension.linkable === 1,
    redirectUris: JSON.parse(extension.redirect_uris) as string[],
    scopes: JSON.parse(extension.scopes) as string[],
  };
  const validation = validateRequest(parameters, client, (await readPeopleAccess(db)).personal_links === 1);
  if (validation.answer === 'page') return refusalPage(headers['accept-language']);
  if (validation.answer === 'redirect') {
    const { redirectUri, error, description, state } = validation;
    return {
      status: 303,
      headers: {
        ...headersOfRedirect,
        location: withParameters(redirectUri, { error, error_description: description, state, iss: baseUrl }),
      },
    };
  }
  const signedIn = await sessionOf(db, cookies.session(headers), at);
  const question = {
    extensionId: extension.id,
    redirectUri: validation.redirectUri,
    codeChallenge: validation.codeChallenge,
    state: validation.state,
    scopes: validation.scopes,
  };
  const { id, mark } = await db.write(
    { actor: { kind: 'extension', id: extension.id, name: extension.name }, at },
    (write) => {
      write.unaudited('credential');
      return openConsent(write, question, { mark: cookies.browser(headers), signedIn }, randomBytes, at);
    },
  );
  return {
    status: 303,
    headers: {
      ...headersOfRedirect,
      location: `${baseUrl}/link?request=${id}`,
      'set-cookie': cookies.setBrowser(mark),
    },
  };
};

/** The complete session of this browser, if it has one: the request then belongs to that person from the start. */
async function sessionOf(
  db: Store,
  token: string | undefined,
  at: number,
): Promise<{ readonly sessionId: string; readonly personId: number } | undefined> {
  try {
    const session = await authenticateSession(db, token, at);
    return session.stage === 'complete' ? { sessionId: session.id, personId: session.person_id } : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

export const exchangeToken: ApiHandler<'exchangeToken'> = async ({ db, randomBytes, caller, body, at }) => {
  refuseOtherClient(body, caller.clientId);
  const grantRequest = readGrant(body);
  // If the process stops before the commit, nothing is used up. After it, the new tokens are valid, although the
  // client may not have received them.
  const outcome = await db.write({ actor: appOf(caller), at }, (write) =>
    'code' in grantRequest
      ? exchangeCode(write, caller, grantRequest, randomBytes)
      : renewTokens(write, caller, grantRequest, randomBytes),
  );
  return { status: 200, headers: noStore, body: tokenAnswer(outcome, at) };
};

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

export const revokeToken: ApiHandler<'revokeToken'> = async ({ db, caller, body, at }) => {
  refuseOtherClient(body, caller.clientId);
  await db.write({ actor: appOf(caller), at }, (write) => revoke(write, caller, body.token));
  // Libraries parse the answer as JSON.
  return { status: 200, headers: noStore, body: {} };
};

/** RFC 8414. @param baseUrl BASE_URL, which is the issuer */
export const getAuthorizationServerMetadata: ApiHandler<'getAuthorizationServerMetadata'> = ({ baseUrl }) => ({
  status: 200,
  headers: { 'cache-control': 'public, max-age=3600' },
  body: {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    scopes_supported: [...linkScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  },
});

/** RFC 6749 §5.1 */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Turns an outcome into the answer, once its transaction is committed. @throws OauthRefusal */
function tokenAnswer(outcome: TokenOutcome, at: number): components['schemas']['TokenAnswer'] {
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

/** A client authenticates only for itself. @throws OauthRefusal `invalid_request` */
function refuseOtherClient(form: object, clientId: string): void {
  if ('client_id' in form && form.client_id !== clientId) throw new OauthRefusal('invalid_request');
}

/**
 * The page for a client or redirect address that is not to be trusted. Nothing of the request stands in it, and it
 * leads nowhere.
 */
const texts = {
  de: {
    title: 'Diese App kann nicht verknüpft werden',
    text: 'Die Anfrage nennt keine App dieser Installation oder eine Adresse, die nicht zu ihr gehört. Zu deiner Sicherheit geht es hier nicht weiter. Schließe diese Seite und wende dich an den Anbieter der App.',
  },
  en: {
    title: 'This app cannot be linked',
    text: 'The request names no app of this installation, or an address that does not belong to it. For your safety this is the end of the road. Close this page and ask the provider of the app.',
  },
} as const;

function refusalPage(acceptLanguage: string | undefined): {
  readonly status: 400;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const language = languageFor(acceptLanguage);
  const { title, text } = texts[language];
  return {
    status: 400,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': `default-src 'none'; style-src ${plainPageStyle}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    body: plainPage({ language, title, content: `<p>${text}</p>`, leadsHome: false }),
  };
}
