/** The app at the token endpoint: only HTTP Basic with client ID and key (RFC 6749 §2.3.1). */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { authenticateKey } from '../extensions/keys.js';
import { findExtensionByClientId } from '../extensions/rows.js';
import { Refusal } from '../refusal.js';
import type { Client } from './tokens.js';

export interface ClientCaller extends Client {
  readonly kind: 'client';
  readonly clientId: string;
  readonly keyId: string;
}

/** @throws Refusal `unauthorized`, `token_expired`, `token_revoked`: all shown as `invalid_client` */
export async function authenticateClient(
  reader: Reader,
  authorization: string | undefined,
  at: Instant,
): Promise<ClientCaller> {
  const basic = readBasic(authorization);
  if (basic === undefined) throw new Refusal('unauthorized');
  const key = await authenticateKey(reader, basic.password, at);
  const extension = await findExtensionByClientId(reader, basic.name);
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
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  const match = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8'));
  if (encoded === undefined || match === null) return undefined;
  try {
    const [name, password] = [match[1]!, match[2]!].map((text) => decodeURIComponent(text.replaceAll('+', ' ')));
    return { name: name!, password: password! };
  } catch {
    return undefined;
  }
}
