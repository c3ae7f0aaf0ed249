/**
 * ChangeKey (C4) in both secure channels. The cryptogram contains the new key, readable only by the card, and a
 * checksum, so that the card accepts no other key.
 */

import type { Ev1Session, Ev2Session } from './authenticate.js';
import { aes128 } from './block-cipher.js';
import { cmac } from './cmac.js';
import { crc32 } from './crc32.js';
import { CardRefused, type Dialogue, exchange } from './dialogue.js';
import { instruction, statusWord, wrapNative } from './framing.js';
import { octets, padWithBit, padWithZeros, sameOctets, xor, zeros } from './octets.js';

export interface NewKey {
  readonly keyNumber: number;
  /** 16 bytes, AES. */
  readonly key: Uint8Array;
  readonly version: number;
}

/** A DES key carries its version in its parity bits, and none is sent with it. */
export interface NewDesKey {
  readonly keyNumber: number;
  /** 16 bytes: two equal halves. */
  readonly key: Uint8Array;
}

/** A secure channel of EV1: a session key and one running IV, which every command and response updates. */
export interface Ev1Channel extends Ev1Session {
  iv: Uint8Array;
}

export function openChannel(session: Ev1Session): Ev1Channel {
  return { ...session, iv: zeros(session.cipher.blockSize) };
}

/**
 * A plain command: it updates the running IV without sending it, and the MAC of the response shows that the card
 * received the same command. @throws {CardRefused}
 */
export function* plainCommandEv1(channel: Ev1Channel, ins: number, parameters: readonly number[]): Dialogue<void> {
  channel.iv = cmac(channel.cipher, channel.key, octets([ins], parameters), channel.iv);
  const mac = yield* exchange(wrapNative(ins, parameters), statusWord.ok, 8);
  channel.iv = cmac(channel.cipher, channel.key, Uint8Array.of(0x00), channel.iv);
  if (!sameOctets(mac, channel.iv.subarray(0, 8))) throw new CardRefused('forged_reply');
}

/** Changing the authentication key ends the session, so the response has no MAC. */
export function* changeSameKeyEv1(channel: Ev1Channel, change: NewKey | NewDesKey): Dialogue<void> {
  yield* exchange(changeKeyCommand(change.keyNumber, sameKeyCryptogram(channel, change)), statusWord.ok, 0);
}

export function sameKeyCryptogram({ cipher, key, iv }: Ev1Channel, change: NewKey | NewDesKey): Uint8Array {
  const plaintext = octets(change.key, 'version' in change ? [change.version] : []);
  const sum = crc32(octets([instruction.changeKey, change.keyNumber], plaintext));
  return cipher.encrypt(key, iv, padWithZeros(octets(plaintext, sum), cipher.blockSize));
}

/**
 * Changing another key: the card needs the difference to the old key and a second checksum, and responds with a MAC.
 */
export function* changeOtherKeyEv1(channel: Ev1Channel, change: NewKey, oldKey: Uint8Array): Dialogue<void> {
  const cryptogram = otherKeyCryptogram(channel, change, oldKey);
  const mac = yield* exchange(changeKeyCommand(change.keyNumber, cryptogram), statusWord.ok, 8);
  // After a cryptogram, the running IV is its last block. The MAC of a response without data covers only its status,
  // and becomes the running IV.
  channel.iv = cmac(
    channel.cipher,
    channel.key,
    Uint8Array.of(0x00),
    cryptogram.subarray(cryptogram.length - channel.cipher.blockSize),
  );
  if (!sameOctets(mac, channel.iv.subarray(0, 8))) throw new CardRefused('forged_reply');
}

export function otherKeyCryptogram({ cipher, key, iv }: Ev1Channel, change: NewKey, oldKey: Uint8Array): Uint8Array {
  const plaintext = octets(xor(change.key, oldKey), [change.version]);
  const sum = crc32(octets([instruction.changeKey, change.keyNumber], plaintext));
  return cipher.encrypt(key, iv, padWithZeros(octets(plaintext, sum, crc32(change.key)), cipher.blockSize));
}

function changeKeyCommand(keyNumber: number, cryptogram: Uint8Array): Uint8Array {
  return wrapNative(instruction.changeKey, octets([keyNumber], cryptogram));
}

/** EV2 full mode: `counter` is the number of commands already sent in this session. @throws {CardRefused} */
export function* changeKeyEv2(
  session: Ev2Session,
  counter: number,
  change: NewKey,
  oldKey: Uint8Array | 'same',
): Dialogue<void> {
  const plaintext =
    oldKey === 'same'
      ? octets(change.key, [change.version])
      : octets(xor(change.key, oldKey), [change.version], crc32(change.key));
  const cryptogram = aes128.encrypt(session.encryptionKey, ev2CommandIv(session, counter), padWithBit(plaintext, 16));
  const mac = ev2Mac(
    session,
    octets([instruction.changeKey], little(counter), session.ti, [change.keyNumber], cryptogram),
  );
  const answer = yield* exchange(
    wrapNative(instruction.changeKey, octets([change.keyNumber], cryptogram, mac)),
    statusWord.ok,
    oldKey === 'same' ? 0 : 8,
  );
  if (oldKey === 'same') return;
  if (!sameOctets(answer, ev2Mac(session, octets([0x00], little(counter + 1), session.ti))))
    throw new CardRefused('forged_reply');
}

/** NT4H2421Gx §9.1.4: the IV of a command is derived from its position in the session. */
export function ev2CommandIv({ encryptionKey, ti }: Ev2Session, counter: number): Uint8Array {
  return aes128.encrypt(encryptionKey, zeros(16), octets([0xa5, 0x5a], ti, little(counter), zeros(8)));
}

/** NT4H2421Gx §9.1.3: every second byte of the CMAC. */
export function ev2Mac({ macKey }: Ev2Session, message: Uint8Array): Uint8Array {
  return cmac(aes128, macKey, message).filter((_, index) => index % 2 === 1);
}

function little(counter: number): Uint8Array {
  return Uint8Array.of(counter & 0xff, counter >> 8);
}
