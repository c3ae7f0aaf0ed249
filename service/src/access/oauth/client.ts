/**
 * The app at the token endpoint: client ID and key by HTTP Basic, or in the form (RFC 6749 §2.3.1). Client libraries
 * that send both, or an empty secret beside Basic, are accepted if both name the same client.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { authenticateKey } from '../../extensions/keys.js';
import { findExtensionByClientId } from '../../extensions/rows.js';
import { Refusal } from '../../store/refusal.js';
import { OauthRefusal } from './refusal.js';
import type { Client } from './tokens.js';

export interface ClientCaller extends Client {
  readonly kind: 'client';
  readonly clientId: string;
  readonly keyId: string;
}

/** The credentials in a request to the token endpoint. */
export interface ClientCredentials {
  readonly authorization: string | undefined;
  /** The form, as received. */
  readonly form: Uint8Array;
}

/**
 * @throws Refusal `unauthorized`, `token_expired`, `token_revoked`: all shown as `invalid_client`; OauthRefusal
 * `invalid_request` a member is repeated, or Basic and form differ
 */
export async function authenticateClient(
  reader: Reader,
  { authorization, form }: ClientCredentials,
  at: Instant,
): Promise<ClientCaller> {
  const formCredentials = readForm(form);
  const credentials = authorization === undefined ? formCredentials : readBasic(authorization);
  if (credentials?.name === undefined || credentials.password === undefined) throw new Refusal('unauthorized');
  // RFC 6749 §2.3: one method a request. The same secret twice is one.
  if (formCredentials.password !== undefined && formCredentials.password !== credentials.password)
    throw new OauthRefusal('invalid_request');
  const key = await authenticateKey(reader, credentials.password, at);
  const extension = await findExtensionByClientId(reader, credentials.name);
  if (extension === undefined || extension.id !== key.extensionId) throw new Refusal('unauthorized');
  return {
    kind: 'client',
    clientId: extension.client_id,
    keyId: key.keyId,
    extensionId: extension.id,
    name: extension.name,
    linkable: extension.linkable === 1,
  };
}

/** RFC 7617, with both parts form-encoded as RFC 6749 §2.3.1 requires. */
function readBasic(
  authorization: string | undefined,
): { readonly name: string; readonly password: string } | undefined {
  const base64 = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  const match = /^([^:]*):(.*)$/s.exec(Buffer.from(base64 ?? '', 'base64').toString('utf8'));
  if (base64 === undefined || match === null) return undefined;
  try {
    const [name, password] = [match[1]!, match[2]!].map((text) => decodeURIComponent(text.replaceAll('+', ' ')));
    return { name: name!, password: password! };
  } catch {
    return undefined;
  }
}

/** Client ID and secret of the form; an empty secret is none. @throws OauthRefusal `invalid_request` repeated */
function readForm(form: Uint8Array): { readonly name: string | undefined; readonly password: string | undefined } {
  const members = new URLSearchParams(Buffer.from(form).toString('utf8'));
  const [names, secrets] = [members.getAll('client_id'), members.getAll('client_secret')];
  if (names.length > 1 || secrets.length > 1) throw new OauthRefusal('invalid_request');
  return { name: names[0], password: secrets[0] === '' ? undefined : secrets[0] };
}
