/** HPKE (RFC 9180), base mode, single shot: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM. Seals one stamp. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
} from 'node:crypto';

const privateKeyOf = (bytes: Buffer) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), bytes]),
    format: 'der',
    type: 'pkcs8',
  });
const publicKeyOf = (bytes: Buffer) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), bytes]),
    format: 'der',
    type: 'spki',
  });
export const publicBytes = (privateBytes: Buffer): Buffer =>
  Buffer.from(createPublicKey(privateKeyOf(privateBytes)).export({ format: 'der', type: 'spki' }).subarray(-32));

const hmac = (key: Buffer, data: Buffer) => createHmac('sha256', key).update(data).digest();
const version = Buffer.from('HPKE-v1');
const extract = (suite: Buffer, salt: Buffer, label: string, ikm: Buffer) =>
  hmac(salt.length === 0 ? Buffer.alloc(32) : salt, Buffer.concat([version, suite, Buffer.from(label), ikm]));
function expand(suite: Buffer, prk: Buffer, label: string, info: Buffer, length: number): Buffer {
  const size = Buffer.from([length >> 8, length & 0xff]);
  return hmac(prk, Buffer.concat([size, version, suite, Buffer.from(label), info, Buffer.from([1])])).subarray(
    0,
    length,
  );
}
const kemSuite = Buffer.from('4b454d0020', 'hex');
const suite = Buffer.concat([Buffer.from('HPKE'), Buffer.from('002000010001', 'hex')]);
export const info = 'service-terminal-offline-v1';

function scheduleOf(dh: Buffer, enc: Buffer, recipient: Buffer): { readonly key: Buffer; readonly nonce: Buffer } {
  const eae = extract(kemSuite, Buffer.alloc(0), 'eae_prk', dh);
  const sharedSecret = expand(kemSuite, eae, 'shared_secret', Buffer.concat([enc, recipient]), 32);
  const empty = Buffer.alloc(0);
  const context = Buffer.concat([
    Buffer.from([0]),
    extract(suite, empty, 'psk_id_hash', empty),
    extract(suite, empty, 'info_hash', Buffer.from(info)),
  ]);
  const secret = extract(suite, sharedSecret, 'secret', empty);
  return {
    key: expand(suite, secret, 'key', context, 16),
    nonce: expand(suite, secret, 'base_nonce', context, 12),
  };
}

/** @returns padded base64 of `enc || ciphertext || tag` */
export function seal(recipient: Buffer, aad: string, plaintext: string, ephemeral = randomBytes(32)): string {
  const enc = publicBytes(ephemeral);
  const dh = diffieHellman({ privateKey: privateKeyOf(ephemeral), publicKey: publicKeyOf(recipient) });
  const { key, nonce } = scheduleOf(dh, enc, recipient);
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(Buffer.from(aad));
  return Buffer.concat([enc, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** The inverse of {@link seal}. @returns the plaintext, or undefined if decryption fails */
export function open(privateBytes: Buffer, aad: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < 48) return undefined;
  const [enc, ciphertext, tag] = [bytes.subarray(0, 32), bytes.subarray(32, -16), bytes.subarray(-16)];
  try {
    const dh = diffieHellman({ privateKey: privateKeyOf(privateBytes), publicKey: publicKeyOf(enc) });
    const { key, nonce } = scheduleOf(dh, enc, publicBytes(privateBytes));
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAAD(Buffer.from(aad)).setAuthTag(tag);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
