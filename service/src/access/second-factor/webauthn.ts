/**
 * The requests to a browser in the two ceremonies of W3C Web Authentication: creating a key (§7.1) and signing with it
 * (§7.2). Attestation is not requested. The password comes first, so a device that only checks for touch is enough, and
 * it need not store the account. The answers are verified in `webauthn-answers.ts`, whose library is loaded when the
 * first one arrives: that takes longer than the rest of the start.
 */

import { minute } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';

type Schemas = components['schemas'];

/** The site a passkey belongs to. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** @param baseUrl BASE_URL */
export function relyingPartyOf(baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: hostname, origin };
}

export const challengeMilliseconds = 5 * minute;
export const challengeBytes = 32;

/** In order of preference: ES256, EdDSA, RS256 (RFC 9053 and 8812). */
export const algorithms = [-7, -8, -257] as const;
export const kind = 'public-key';

export interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

function describe({ id, transports }: KnownCredential): Schemas['PasskeyDescriptor'] {
  return { type: kind, id, transports: transports.length === 0 ? undefined : [...transports] };
}

/** @param user `id` in base64url reveals nothing about the person (§14.6.1) */
export function creationOptions({
  challenge,
  relyingParty,
  user,
  knownCredentials,
}: {
  challenge: string;
  relyingParty: RelyingParty;
  user: Schemas['PasskeyUser'];
  knownCredentials: readonly KnownCredential[];
}): Schemas['PublicKeyCredentialCreationOptions'] {
  return {
    challenge,
    rp: { id: relyingParty.id, name: 'Clockproof' },
    user,
    pubKeyCredParams: algorithms.map((alg) => ({ type: kind, alg })),
    timeout: challengeMilliseconds,
    excludeCredentials: knownCredentials.map(describe),
    authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
  };
}

export function requestOptions({
  challenge,
  relyingParty,
  knownCredentials,
}: {
  challenge: string;
  relyingParty: RelyingParty;
  knownCredentials: readonly KnownCredential[];
}): Schemas['PublicKeyCredentialRequestOptions'] {
  return {
    challenge,
    rpId: relyingParty.id,
    timeout: challengeMilliseconds,
    userVerification: 'preferred',
    allowCredentials: knownCredentials.map(describe),
  };
}

export interface NewCredential {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
}
