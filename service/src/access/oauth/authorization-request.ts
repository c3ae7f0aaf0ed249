/**
 * The authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3), read from the raw query, because there are three
 * outcomes: an error page if client or redirect address cannot be trusted, a redirect to the app for other errors, or
 * the consent page.
 */
import { linkScopes, type OauthErrorCode } from '../../generated/contract.js';
import { intersect, type LinkScope } from './links.js';

/** The facts about an extension before its app is trusted. */
export interface AskingExtension {
  readonly id: string;
  readonly linkable: boolean;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

export type AuthorizationRequest =
  | { readonly answer: 'page' }
  | {
      readonly answer: 'redirect';
      readonly redirectUri: string;
      readonly state: string | null;
      readonly error: OauthErrorCode;
      readonly description: string;
    }
  | {
      readonly answer: 'ask';
      readonly redirectUri: string;
      readonly state: string | null;
      readonly codeChallenge: string;
      readonly scopes: readonly LinkScope[];
    };

type Parameters = ReadonlyMap<string, readonly string[]>;

/** @returns every value of every name; undefined if the encoding is invalid */
export function readParameters(rawQuery: string): Parameters | undefined {
  const parameters = new Map<string, string[]>();
  try {
    for (const pair of rawQuery.split('&').filter((part) => part !== '')) {
      const equals = pair.indexOf('=');
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
      parameters.set(decode(name), [...(parameters.get(decode(name)) ?? []), decode(value)]);
    }
  } catch {
    return undefined;
  }
  return parameters;
}

/** The client ID, if there is exactly one. */
export function clientIdOf(parameters: Parameters): string | undefined {
  const values = parameters.get('client_id') ?? [];
  return values.length === 1 ? values[0] : undefined;
}

const singleParameters = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'state',
  'scope',
];

/** @param linksOpen whether personal links are currently switched on */
export function validateRequest(
  parameters: Parameters,
  extension: AskingExtension,
  linksOpen: boolean,
): AuthorizationRequest {
  const redirects = parameters.get('redirect_uri') ?? [];
  const redirectUri = redirects[0];
  // Compared byte for byte; never redirects to an unregistered address (RFC 9700 §4.1.3).
  if (redirects.length !== 1 || redirectUri === undefined || !extension.redirectUris.includes(redirectUri))
    return { answer: 'page' };
  const states = parameters.get('state') ?? [];
  const state = states.length === 1 && /^[\x20-\x7e]{1,4096}$/.test(states[0]!) ? states[0]! : null;
  const redirectWith = (error: OauthErrorCode, description: string): AuthorizationRequest => ({
    answer: 'redirect',
    redirectUri,
    state,
    error,
    description,
  });

  const repeatedName = singleParameters.find((name) => (parameters.get(name) ?? []).length > 1);
  if (repeatedName !== undefined) return redirectWith('invalid_request', `${repeatedName} stands more than once`);
  if (states.length === 1 && state === null)
    return redirectWith('invalid_request', 'state has at most 4096 visible ASCII characters');
  // The specification lists it as required: it ties the answer to the browser that asked.
  if (states.length === 0) return redirectWith('invalid_request', 'state is missing');
  const value = (name: string) => parameters.get(name)?.[0];
  if (value('response_type') === undefined) return redirectWith('invalid_request', 'response_type is missing');
  if (value('response_type') !== 'code') return redirectWith('unsupported_response_type', 'response_type is code');
  const codeChallenge = value('code_challenge');
  if (codeChallenge === undefined) return redirectWith('invalid_request', 'code_challenge is missing');
  if (value('code_challenge_method') !== 'S256')
    return redirectWith('invalid_request', 'code_challenge_method is S256');
  // 43 base64url digits hold two more bits than SHA-256; they are zero in the canonical encoding.
  if (
    !/^[A-Za-z0-9_-]{43}$/.test(codeChallenge) ||
    Buffer.from(codeChallenge, 'base64url').toString('base64url') !== codeChallenge
  )
    return redirectWith('invalid_request', 'code_challenge is no SHA-256 in base64url');
  if (!linksOpen) return redirectWith('temporarily_unavailable', 'personal links are switched off');
  if (!extension.linkable) return redirectWith('unauthorized_client', 'this extension may not be linked');
  const requestedScopes = value('scope')?.split(' ') ?? [...linkScopes];
  if (requestedScopes.some((scope) => !(linkScopes as readonly string[]).includes(scope)))
    return redirectWith('invalid_scope', 'scope names a permission that personal links cannot have');
  const scopes = intersect(requestedScopes, extension.scopes);
  if (scopes.length === 0) return redirectWith('invalid_scope', 'the extension holds none of these permissions');
  return { answer: 'ask', redirectUri, state, codeChallenge, scopes };
}
