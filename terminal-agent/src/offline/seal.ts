import { createCipheriv, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import type { RandomBytes } from '../key.js';
import type { TerminalAction } from '../terminal-api.js';

/** Events at the door while the service was unreachable. */
export interface OfflineEvent {
  /** UID in lower-case hexadecimal. */
  readonly uid: string;
  readonly action: TerminalAction;
  /** RFC 3339 in UTC. */
  readonly at: string;
}

export interface Seal {
  /** `seal_key` of the status: 32 bytes in base64. */
  readonly sealKey: string;
  readonly terminalId: string;
  readonly number: number;
}

const label = Buffer.from('service-terminal-offline-v1');
const kemSuite = Buffer.from('4b454d0020', 'hex');
const suite = Buffer.from('48504b45002000010001', 'hex');

/**
 * Encrypts one offline stamp so that only the service can read it: HPKE (RFC 9180) in base mode, single shot, with
 * DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM. The number and the terminal are bound to it.
 *
 * @param random a fresh ephemeral key for each stamp comes from it.
 * @returns padded base64 of the encapsulated key and the ciphertext with its tag.
 * @throws if `sealKey` is no X25519 key to agree with.
 */
export function sealStamp(event: OfflineEvent, { sealKey, terminalId, number }: Seal, random: RandomBytes): string {
  const recipient = Buffer.from(sealKey, 'base64');
  const ephemeral = createPrivateKey({
    format: 'der',
    type: 'pkcs8',
    key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), random(32)]),
  });
  const enc = createPublicKey(ephemeral).export({ format: 'der', type: 'spki' }).subarray(-32);
  const dh = diffieHellman({
    privateKey: ephemeral,
    publicKey: createPublicKey({
      format: 'der',
      type: 'spki',
      key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), recipient]),
    }),
  });
  // RFC 9180, 4.1: ExtractAndExpand.
  const sharedSecret = expand(
    extract(empty, 'eae_prk', dh, kemSuite),
    'shared_secret',
    Buffer.concat([enc, recipient]),
    32,
    kemSuite,
  );
  // 5.1: KeySchedule, mode_base.
  const context = Buffer.concat([
    Buffer.of(0),
    extract(empty, 'psk_id_hash', empty, suite),
    extract(empty, 'info_hash', label, suite),
  ]);
  const secret = extract(sharedSecret, 'secret', empty, suite);
  const cipher = createCipheriv(
    'aes-128-gcm',
    expand(secret, 'key', context, 16, suite),
    expand(secret, 'base_nonce', context, 12, suite),
  );
  cipher.setAAD(Buffer.from(`${terminalId}\n${number}`));
  const plain = JSON.stringify({ uid: event.uid, action: event.action, at: event.at });
  const ciphertext = [cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([enc, ...ciphertext]).toString('base64');
}

const empty = Buffer.alloc(0);
const version = Buffer.from('HPKE-v1');

/** RFC 9180, 4: LabeledExtract. */
function extract(salt: Buffer, name: string, material: Buffer, suiteId: Buffer): Buffer {
  return hmac(salt, Buffer.concat([version, suiteId, Buffer.from(name), material]));
}

/** RFC 9180, 4: LabeledExpand, for at most one block of the hash. */
function expand(key: Buffer, name: string, info: Buffer, length: number, suiteId: Buffer): Buffer {
  const labeled = Buffer.concat([Buffer.of(0, length), version, suiteId, Buffer.from(name), info, Buffer.of(1)]);
  return hmac(key, labeled).subarray(0, length);
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
