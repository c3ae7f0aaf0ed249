/**
 * A software authenticator with a browser around it (W3C Web Authentication): makes keys, counts, signs, and can be
 * told to do each of them wrongly.
 * Its own encoder of CBOR (RFC 8949) knows the needs of an attestation object and nothing else.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { baseUrl } from './browser.js';
import { rsaKeys } from './rsa-keys.js';

type Cbor = number | string | Uint8Array | readonly Uint8Array[] | ReadonlyMap<number | string, Cbor>;

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
}

export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...(value as Uint8Array[]).map(cbor)]);
  const map = value as ReadonlyMap<number | string, Cbor>;
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, member]) => [cbor(key), cbor(member)])]);
}

/** One element of DER (X.690). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 128
      ? Buffer.of(content.length)
      : content.length < 256
        ? Buffer.of(0x81, content.length)
        : Buffer.of(0x82, content.length >> 8, content.length & 255);
  return Buffer.concat([Buffer.of(tag), length, content]);
}

/** An unknown maker of devices: a certificate of its own in the form that devices have (§8.2.1), and its key. */
function makeMaker(): { readonly certificate: Buffer; sign(message: Uint8Array): Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
  const relativeName = (type: string, text: string) =>
    der(0x31, der(0x30, oid(type), der(text.length === 2 ? 0x13 : 0x0c, Buffer.from(text))));
  const name = der(
    0x30,
    relativeName('550406', 'DE'),
    relativeName('55040a', 'Nobody'),
    relativeName('55040b', 'Authenticator Attestation'),
    relativeName('550403', 'Nobody 1'),
  );
  const algorithm = der(0x30, oid('2a8648ce3d040302'));
  const time = (text: string) => der(0x18, Buffer.from(text));
  const noAuthority = der(0xa3, der(0x30, der(0x30, oid('551d13'), der(0x04, der(0x30)))));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    der(0x30, time('20200101000000Z'), time('21200101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    noAuthority,
  );
  return {
    certificate: der(0x30, body, algorithm, der(0x03, Buffer.of(0), sign('sha256', body, privateKey))),
    sign: (message) => sign('sha256', message, privateKey),
  };
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384';

interface Key {
  readonly cose: Map<number, Cbor>;
  sign(message: Uint8Array): Buffer;
}

function makeKey(algorithm: Algorithm, rsaBits: number): Key {
  const part = (key: KeyObject, name: 'x' | 'y' | 'n' | 'e') =>
    Buffer.from(key.export({ format: 'jwk' })[name]!, 'base64url');
  if (algorithm === 'EdDSA') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    return {
      cose: new Map<number, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, part(publicKey, 'x')],
      ]),
      sign: (message) => sign(null, message, privateKey),
    };
  }
  if (algorithm === 'RS256') {
    const { publicKey, privateKey } = rsaKeys('authenticator', rsaBits);
    return {
      cose: new Map<number, Cbor>([
        [1, 3],
        [3, -257],
        [-1, part(publicKey, 'n')],
        [-2, part(publicKey, 'e')],
      ]),
      sign: (message) => sign('sha256', message, privateKey),
    };
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: algorithm === 'ES256' ? 'P-256' : 'P-384',
  });
  return {
    cose: new Map<number, Cbor>([
      [1, 2],
      [3, algorithm === 'ES256' ? -7 : -35],
      [-1, algorithm === 'ES256' ? 1 : 2],
      [-2, part(publicKey, 'x')],
      [-3, part(publicKey, 'y')],
    ]),
    sign: (message) => sign(algorithm === 'ES256' ? 'sha256' : 'sha384', message, privateKey),
  };
}

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
  readonly excludeCredentials: readonly { readonly id: string }[];
}
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly id: string; readonly transports?: readonly string[] }[];
}

/** Differences from an honest browser and device. */
export interface Otherwise {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly counter?: number;
  /** Bits of §6.1: 1 user present, 4 user verified, 64 a key is attached. */
  readonly flags?: number;
  /**
   * `self`: the new key signs for itself (§6.5.3); `maker`: a key with a certificate does; otherwise the name of a
   * format, without a statement.
   */
  readonly attestation?: string;
  /** A key in place of the made one. */
  readonly cose?: Map<number, Cbor>;
  readonly tampered?: boolean;
}

export interface Authenticator {
  readonly credentialId: string;
  /** Answers `beginPasskey`. */
  create(
    options: CreationOptions,
    overrides?: Otherwise,
  ): { id: string; response: { clientDataJSON: string; attestationObject: string; transports: string[] } };
  /** Answers `requestPasskey`. */
  sign(
    options: RequestOptions,
    overrides?: Otherwise,
  ): { id: string; response: { clientDataJSON: string; authenticatorData: string; signature: string } };
}

/**
 * @param counts true if it counts its signatures, as security keys do; passkeys that are copied between devices show 0
 * for ever
 */
export function createAuthenticator(
  name: string,
  {
    algorithm = 'ES256',
    counts = true,
    rsaBits = 2048,
  }: { algorithm?: Algorithm; counts?: boolean; rsaBits?: number } = {},
): Authenticator {
  const key = makeKey(algorithm, rsaBits);
  const id = createHash('sha256').update(name).digest();
  const credentialId = id.toString('base64url');
  let counter = 0;
  const clientData = (
    type: string,
    challenge: string,
    { origin = baseUrl, crossOrigin = false, topOrigin, ...overrides }: Otherwise,
  ) =>
    Buffer.from(
      JSON.stringify({
        type: overrides.type ?? type,
        challenge: overrides.challenge ?? challenge,
        origin,
        crossOrigin,
        ...(topOrigin === undefined ? {} : { topOrigin }),
      }),
    );
  const authenticatorData = (rpId: string, flags: number, overrides: Otherwise) => {
    if (counts) counter++;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(overrides.counter ?? counter);
    return Buffer.concat([
      createHash('sha256')
        .update(overrides.rpId ?? rpId)
        .digest(),
      Buffer.of(overrides.flags ?? flags),
      count,
    ]);
  };
  return {
    credentialId,
    create({ challenge, rp }, overrides = {}) {
      const length = Buffer.of(id.length >> 8, id.length & 255);
      const authData = Buffer.concat([
        authenticatorData(rp.id, 0x45, overrides),
        Buffer.alloc(16),
        length,
        id,
        cbor(overrides.cose ?? key.cose),
      ]);
      const clientDataJSON = clientData('webauthn.create', challenge, overrides);
      const message = Buffer.concat([authData, createHash('sha256').update(clientDataJSON).digest()]);
      const { attestation = 'none' } = overrides;
      const maker = makeMaker();
      const statement = new Map<string, Cbor>(
        attestation === 'self'
          ? [
              ['alg', key.cose.get(3)!],
              ['sig', key.sign(message)],
            ]
          : attestation === 'maker'
            ? [
                ['alg', -7],
                ['sig', maker.sign(message)],
                ['x5c', [maker.certificate]],
              ]
            : [],
      );
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', attestation === 'self' || attestation === 'maker' ? 'packed' : attestation],
          ['attStmt', statement],
          ['authData', authData],
        ]),
      );
      return {
        id: credentialId,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      };
    },
    sign({ challenge, rpId }, overrides = {}) {
      const data = authenticatorData(rpId, 0x05, overrides);
      const clientDataJSON = clientData('webauthn.get', challenge, overrides);
      const signature = key.sign(Buffer.concat([data, createHash('sha256').update(clientDataJSON).digest()]));
      if (overrides.tampered === true) signature[signature.length - 1]! ^= 1;
      return {
        id: credentialId,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}
