/**
 * The two ceremonies of W3C Web Authentication: creating a key (§7.1) and signing with it (§7.2). This file knows no
 * people or rows. Attestation is not requested: only none or self-attestation is accepted. Certificates are refused
 * without evaluation: there is no list of trusted manufacturers, and some revocation lists would have to be fetched.
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

/** In order of preference: ES256, EdDSA, RS256. */
const algorithms = [cose.COSEALG.ES256, cose.COSEALG.EdDSA, cose.COSEALG.RS256];
const kind = 'public-key';

export interface KnownCredential {
  readonly id: string;
  readonly transports: readonly string[];
}

function describe({ id, transports }: KnownCredential): Schemas['PasskeyDescriptor'] {
  return { type: kind, id, ...(transports.length === 0 ? {} : { transports: [...transports] }) };
}

/** @param user `id` in base64url reveals nothing about the person (§14.6.1) */
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

/** The registered credential; undefined if anything differs from the request. */
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
 * The signed signature counter; undefined if the signature does not match the request. The caller checks whether the
 * counter went backwards.
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
      // 0: the library checks the counter before the signature, and a forged counter must not look like a cloned
      // device.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? { counter: authenticationInfo.newCounter } : undefined;
  });
}

/** §5.8.1: our pages are never framed, so a response from a frame comes from another site. */
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
 * The key type matches its algorithm and is not weak: no Ed25519 key of small order, for which anyone can sign, and no
 * RSA below 2048 bits.
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

/** The library refuses by throwing, and so does code that parses untrusted bytes. */
async function orUndefined<Result>(judging: () => Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await judging();
  } catch {
    return undefined;
  }
}
