/**
 * The answers to the two ceremonies of W3C Web Authentication. This file knows no people or rows. Only none or
 * self-attestation is accepted. Certificates are refused without evaluation: there is no list of trusted manufacturers,
 * and some revocation lists would have to be fetched.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import {
  cose,
  decodeAttestationObject,
  decodeClientDataJSON,
  decodeCredentialPublicKey,
  isoBase64URL,
} from '@simplewebauthn/server/helpers';
import type { components } from '../../generated/app-types.js';
import { isAcceptablePublicKey } from '../ed25519.js';
import { algorithms, kind, type NewCredential, type RelyingParty } from './webauthn.js';

type Schemas = components['schemas'];

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
      supportedAlgorithmIDs: [...algorithms],
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
async function orUndefined<Result>(verify: () => Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
