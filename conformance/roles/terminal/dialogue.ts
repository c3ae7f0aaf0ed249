/**
 * Commands that prove that a terminal relays bytes unchanged in both directions: a card in factory state authenticates
 * with the key that all such cards have. Any changed byte fails, and so does an answer of an earlier dialogue.
 */
import { randomBytes } from 'node:crypto';
import { aes, des } from '@clockproof/terminal-agent/simulator/block-cipher';
import { isEqual, join, rotateLeft } from '@clockproof/terminal-agent/simulator/bytes';
import { ntagApplication } from '../../peers/card.js';

/** Yields commands and takes the card's answer to each, in hexadecimal. @returns the card's own UID */
export type Dialogue<Result = { readonly uid: string }> = Generator<string, Result, string>;

/** The answer of the card, or of the reader that relays it, is not that of a card in factory state. */
export class UnexpectedResponse extends Error {}

function data(response: string, expectedStatus: string, length: number): Buffer {
  const bytes = Buffer.from(response, 'hex');
  const status = bytes.subarray(-2).toString('hex');
  if (status !== expectedStatus)
    throw new UnexpectedResponse(`an answer ends with ${status} instead of ${expectedStatus}`);
  if (bytes.length !== length + 2)
    throw new UnexpectedResponse(`an answer has ${bytes.length - 2} bytes instead of ${length}`);
  return bytes.subarray(0, -2);
}

export function* proveFactoryCard(): Dialogue {
  const hardware = data(yield '9060000000', '91af', 7);
  data(yield '90af000000', '91af', 7);
  const uid = data(yield '90af000000', '9100', 14)
    .subarray(0, 7)
    .toString('hex');
  if (hardware[1] === 0x04) yield* proveNtag();
  else yield* proveDesfire();
  return { uid };
}

function* proveNtag(): Dialogue<void> {
  data(yield `00a4040c07${ntagApplication}00`, '9000', 0);
  const cipher = aes(new Uint8Array(16));
  const rndB = cipher.decrypt(data(yield '9071000002000000', '91af', 16));
  const rndA = randomBytes(16);
  const token = Buffer.from(cipher.encrypt(join(rndA, rotateLeft(rndB))));
  const last = cipher.decrypt(data(yield `90af000020${token.toString('hex')}00`, '9100', 32));
  if (!isEqual(last.subarray(4, 20), rotateLeft(rndA)))
    throw new UnexpectedResponse('the card does not hold the factory key');
}

function* proveDesfire(): Dialogue<void> {
  data(yield '905a00000300000000', '9100', 0);
  const cipher = des(new Uint8Array(8));
  const firstBlock = data(yield '901a0000010000', '91af', 8);
  const rndB = cipher.decrypt(firstBlock);
  const rndA = randomBytes(8);
  const token = Buffer.from(cipher.encrypt(join(rndA, rotateLeft(rndB)), firstBlock));
  const last = data(yield `90af000010${token.toString('hex')}00`, '9100', 8);
  if (!isEqual(cipher.decrypt(last, token.subarray(-8)), rotateLeft(rndA)))
    throw new UnexpectedResponse('the card does not hold the factory key');
}
