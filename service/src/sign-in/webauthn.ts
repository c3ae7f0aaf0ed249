/**
 * The two ceremonies of W3C Web Authentication: making a key (§7.1) and signing with it (§7.2). Nothing here knows
 * people or rows.
 * Attestation is not asked for: of what a device may say about itself only nothing, or a signature by the new key
 * itself, is looked at. Certificates that come all the same are
 * not read: nobody here would know whom to trust, and for some makers their lists of revoked certificates would have to
 * be fetched.
 */

import { minute } from '@clockproof/platform/time/instant';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import {
  cose,
  decodeAttestationObject,
  decodeClientDataJSON,
  decodeCredentialPublicKey,
  isoBase64URL,
} from '@simplewebauthn/server/helpers';
import type { components } from '../generated/app-types.js';
import { isAcceptablePublicKey } from '../terminals/ed25519.js';

type Schemas = components['schemas'];

/** Where a passkey is good. */
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

/** The favourite first: ES256, EdDSA, RS256. */
const algorithms = [cose.COSEALG.ES256, cose.COSEALG.EdDSA, cose.COSEALG.RS256];
const kind = 'public-key';

export interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

function describe({ id, transports }: KnownCredential): Schemas['PasskeyDescriptor'] {
  return { type: kind, id, ...(transports.length === 0 ? {} : { transports: [...transports] }) };
}

/** @param user `id` in base64url says nothing about the person (§14.6.1) */
export function creationOptions({
  challenge,
  relyingParty,
  user,
  known,
}: {
  challenge: string;
  relyingParty: RelyingParty;
  user: Schemas['PasskeyUser'];
  known: readonly KnownCredential[];
}): Schemas['PublicKeyCredentialCreationOptions'] {
  return {
    challenge,
    rp: { id: relyingParty.id, name: 'Clockproof' },
    user,
    pubKeyCredParams: algorithms.map((alg) => ({ type: kind, alg })),
    timeout: challengeMilliseconds,
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
  };
}

export function requestOptions({
  challenge,
  relyingParty,
  known,
}: {
  challenge: string;
  relyingParty: RelyingParty;
  known: readonly KnownCredential[];
}): Schemas['PublicKeyCredentialRequestOptions'] {
  return {
    challenge,
    rpId: relyingParty.id,
    timeout: challengeMilliseconds,
    userVerification: 'preferred',
    allowCredentials: known.map(describe),
  };
}

export interface NewCredential {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
}

/** What was registered; undefined where anything about it is not as it was asked for. */
export async function verifyRegistration({
  credential: { id, response },
  challenge,
  relyingParty,
}: {
  credential: Schemas['PasskeyRegistration'];
  challenge: string;
  relyingParty: RelyingParty;
}): Promise<NewCredential | undefined> {
  return orUndefined(async () => {
    if (isFramed(response.clientDataJSON) || !saysNothing(response.attestationObject)) return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: kind,
        clientExtensionResults: {},
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return undefined;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return credentialId === id && isAcceptable(publicKey) ? { credentialId, publicKey, counter } : undefined;
  });
}

/**
 * The signature counter that was signed; undefined where the signature does not fit what was asked for. Whether the
 * counter went back is for the caller to see.
 */
export async function verifyAssertion({
  assertion: { id, response },
  challenge,
  relyingParty,
  publicKey,
}: {
  assertion: Schemas['PasskeyAssertion'];
  challenge: string;
  relyingParty: RelyingParty;
  publicKey: Uint8Array;
}): Promise<{ readonly counter: number } | undefined> {
  return orUndefined(async () => {
    if (isFramed(response.clientDataJSON)) return undefined;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: kind, clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      // 0: the library judges the counter before the signature, and a forged one must not look like a copied device.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? { counter: authenticationInfo.newCounter } : undefined;
  });
}

/** §5.8.1: our pages are never framed, so a browser that says they were speaks of somebody else's. */
function isFramed(clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON);
  return crossOrigin === true || topOrigin !== undefined;
}

function saysNothing(attestationObject: string): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/**
 * The kind of key fits its algorithm and is not a weak one: no Ed25519 key of small order, which anybody can sign for,
 * and no RSA below 2048 bits.
 */
function isAcceptable(publicKey: Uint8Array): boolean {
  const key = decodeCredentialPublicKey(new Uint8Array(publicKey));
  if (cose.isCOSEPublicKeyEC2(key))
    return key.get(cose.COSEKEYS.alg) === cose.COSEALG.ES256 && key.get(cose.COSEKEYS.crv) === cose.COSECRV.P256;
  if (cose.isCOSEPublicKeyOKP(key))
    return (
      key.get(cose.COSEKEYS.alg) === cose.COSEALG.EdDSA &&
      key.get(cose.COSEKEYS.crv) === cose.COSECRV.ED25519 &&
      isAcceptablePublicKey(key.get(cose.COSEKEYS.x) ?? new Uint8Array())
    );
  return (
    cose.isCOSEPublicKeyRSA(key) &&
    key.get(cose.COSEKEYS.alg) === cose.COSEALG.RS256 &&
    (key.get(cose.COSEKEYS.n)?.length ?? 0) >= 256
  );
}

/** The library says no by throwing, and so does whatever reads bytes that a stranger made up. */
async function orUndefined<Result>(judging: () => Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await judging();
  } catch {
    return undefined;
  }
}
