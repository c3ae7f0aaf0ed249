/**
 * Commands that prove that a terminal carries bytes unchanged, both ways: it lets a card in factory state authenticate
 * with the key that all of them have. Any change of a byte fails, and no answer of an earlier dialogue fits.
 */
import { randomBytes } from 'node:crypto';
import { aes, des } from '@clockproof/terminal-agent/simulator/block-cipher';
import { join, rotateLeft, same } from '@clockproof/terminal-agent/simulator/bytes';
import { ntagApplication } from '../../peers/card.js';

export interface Command {
  readonly apdu: string;
  readonly follow?: readonly { readonly after: string; readonly apdu: string }[];
}
/** Takes the answers to a command, in order: one, or also those of what followed it. @returns the card's own UID */
export type Dialogue = Generator<Command, { readonly uid: string }, readonly string[]>;

/** The card, or the reader that carries its bytes, said something else than a card in factory state says. */
export class Unbelievable extends Error {}

/** GetVersion in three frames, one command after the other or with what may follow. */
export const versionCommands: Command = {
  apdu: '9060000000',
  follow: [
    { after: '91af', apdu: '90af000000' },
    { after: '91af', apdu: '90af000000' },
    // No card answers the second frame with this: a terminal that sends it does not look at `after`.
    { after: '6a81', apdu: '90af000000' },
  ],
};

function data(response: string, wanted: string, length: number): Buffer {
  const bytes = Buffer.from(response, 'hex');
  const end = bytes.subarray(-2).toString('hex');
  if (end !== wanted) throw new Unbelievable(`an answer ends with ${end} instead of ${wanted}`);
  if (bytes.length !== length + 2)
    throw new Unbelievable(`an answer has ${bytes.length - 2} bytes instead of ${length}`);
  return bytes.subarray(0, -2);
}

function* one(apdu: string): Generator<Command, string, readonly string[]> {
  const [response, ...more] = yield { apdu };
  if (response === undefined || more.length > 0) throw new Unbelievable('one command has one answer');
  return response;
}

/** @param offered whether `follow` is offered */
export function* proveFactoryCard(offered: boolean): Dialogue {
  const frames: string[] = [];
  if (offered) frames.push(...(yield versionCommands));
  else frames.push(...(yield { apdu: versionCommands.apdu }));
  if (frames.length > 3)
    throw new Unbelievable('a command of follow was sent although the answer before it did not fit');
  while (frames.length < 3) frames.push(yield* one('90af000000'));
  const hardware = data(frames[0]!, '91af', 7);
  data(frames[1]!, '91af', 7);
  const uid = data(frames[2]!, '9100', 14).subarray(0, 7).toString('hex');
  if (hardware[1] === 0x04) yield* proveNtag();
  else yield* proveDesfire();
  return { uid };
}

function* proveNtag(): Generator<Command, void, readonly string[]> {
  data(yield* one(`00a4040c07${ntagApplication}00`), '9000', 0);
  const cipher = aes(new Uint8Array(16));
  const rndB = cipher.decrypt(data(yield* one('9071000002000000'), '91af', 16));
  const rndA = randomBytes(16);
  const token = Buffer.from(cipher.encrypt(join(rndA, rotateLeft(rndB))));
  const last = cipher.decrypt(data(yield* one(`90af000020${token.toString('hex')}00`), '9100', 32));
  if (!same(last.subarray(4, 20), rotateLeft(rndA))) throw new Unbelievable('the card does not hold the factory key');
}

function* proveDesfire(): Generator<Command, void, readonly string[]> {
  data(yield* one('905a00000300000000'), '9100', 0);
  const cipher = des(new Uint8Array(8));
  const first = data(yield* one('901a0000010000'), '91af', 8);
  const rndB = cipher.decrypt(first);
  const rndA = randomBytes(8);
  const token = Buffer.from(cipher.encrypt(join(rndA, rotateLeft(rndB)), first));
  const last = data(yield* one(`90af000010${token.toString('hex')}00`), '9100', 8);
  if (!same(cipher.decrypt(last, token.subarray(-8)), rotateLeft(rndA)))
    throw new Unbelievable('the card does not hold the factory key');
}
