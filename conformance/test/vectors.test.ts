import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aes } from '@clockproof/terminal-agent/simulator/block-cipher';
import { cmac } from '@clockproof/terminal-agent/simulator/checksums';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { challengeOf } from '../peers/app.js';
import { Desfire, Ntag424, ntagApplication } from '../peers/card.js';
import { publicBytes, seal } from '../peers/hpke.js';
import { refuseWebhook } from '../peers/receiver.js';
import { fingerprintOf, keyOf, textToSign } from '../peers/terminal.js';
import { cases, files, folder } from './vectors.js';

const hex = (text: string | undefined) => Buffer.from(text ?? '', 'hex');
const order = (1n << 252n) + 27742317777372353535851937790883648493n;

describe('vectors', () => {
  it('all vectors have the documented form, and each case has a reason', () => {
    const ajv = new Ajv2020();
    const validate = ajv.compile(JSON.parse(readFileSync(join(folder, 'vectors.schema.json'), 'utf8')));
    for (const file of files) {
      const content = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { kind: string };
      expect([file, validate(content), validate.errors]).toEqual([file, true, null]);
      expect(file).toBe(`${content.kind}.json`);
    }
    expect(files).toHaveLength(11);
  });

  it.each(cases('request-signature'))('the request signature matches its vector: $name', ({ input, output }) => {
    const { public_key: key, seed, method, path, time, nonce, body, signature } = input as Record<string, string>;
    const signatureBytes = Buffer.from(signature!, 'base64');
    const s = BigInt(`0x${Buffer.from(signatureBytes.subarray(32)).reverse().toString('hex')}`);
    const der = Buffer.concat([hex('302a300506032b6570032100'), hex(key)]);
    const text = Buffer.from(textToSign(method!, path!, time!, nonce!, body!));
    const isWeak = key!.startsWith('01000000');
    const isValid =
      s < order &&
      !isWeak &&
      verify(null, text, createPublicKey({ key: der, format: 'der', type: 'spki' }), signatureBytes);
    expect(isValid).toBe(output['valid']);
    if (output['valid'] === true) expect(keyOf(hex(seed)).publicKey.toString('hex')).toBe(key);
  });

  it.each(cases('record'))('the hash of a record matches its vector: $name', ({ input, output }) => {
    const { table, format, salt, row } = input as unknown as {
      readonly [member in 'table' | 'salt']: string;
    } & { readonly format: number; readonly row: Readonly<Record<string, unknown>> };
    const text = JSON.stringify([`clockproof record ${format}`, salt, table, ...Object.values(row)]);
    expect(`${format}:${createHash('sha256').update(text).digest('hex')}`).toBe(output['hash']);
  });

  it.each(cases('webhook-signature'))('the webhook signature matches its vector: $name', ({ input, output }) => {
    const headers = {
      'webhook-id': input['id'],
      'webhook-timestamp': input['timestamp'],
      'webhook-signature': input['signature'],
    };
    const now = Number(input['timestamp']) * 1_000;
    expect(refuseWebhook(headers, Buffer.from(input['body']!), input['secret']!, now) === undefined).toBe(
      output['valid'],
    );
  });

  it.each(cases('pkce'))('PKCE matches its vector: $name', ({ input, output }) => {
    expect(challengeOf(input['verifier']!) === input['challenge']).toBe(output['valid']);
  });

  it.each(cases('aes-cmac'))('AES-CMAC matches its vector: $name', ({ input, output }) => {
    const mac = cmac(aes(hex(input['key'])), hex(input['message']));
    expect(Buffer.from(mac).toString('hex')).toBe(output['mac']);
  });

  it.each(cases('card-authentication'))('card authentication matches its vector: $name', ({ input, output }) => {
    const random = (length: number) => hex(length === 4 ? input['ti'] : input['card_random']);
    const number = String(input['key_number']).padStart(2, '0');
    const desfire = input['family'] === 'desfire';
    const card = desfire ? new Desfire({ random }) : new Ntag424({ random });
    if (card instanceof Desfire) {
      const key = { type: 'aes', key: hex(input['key']), version: 0 } as const;
      card.memory.applications.push({ aid: hex('314254'), settings: 0x0b, type: 'aes', keys: [key, key] });
      expect(card.transmit('905a00000331425400')).toBe('9100');
    } else expect(card.transmit(`00a4040007${ntagApplication}00`)).toBe('9000');
    expect(card.transmit(desfire ? `90aa000001${number}00` : `9071000002${number}0000`)).toBe(
      `${String(output['challenge'])}91af`,
    );
    expect(card.transmit(`90af000020${String(output['token'])}00`)).toBe(`${String(output['reply'])}9100`);
  });

  it.each(cases('fingerprint'))('the fingerprint matches its vector: $name', ({ input, output }) => {
    expect(fingerprintOf(hex(input['public_key']))).toBe(output['fingerprint']);
  });

  it.each(cases('sealed-offline-stamp'))('a sealed stamp matches its vector: $name', ({ input, output }) => {
    const recipient = publicBytes(hex(input['recipient_private_key']));
    expect(recipient.toString('base64')).toBe(output['seal_key']);
    const text = String(output['plaintext'] ?? '{"uid":"04782e21801d80","action":"in","at":"2026-11-23T04:31:07Z"}');
    const sealedText = seal(recipient, input['aad']!, text, hex(input['ephemeral_private_key']));
    expect(sealedText === input['sealed']).toBe(output['plaintext'] !== null);
  });
});
