/** Who asks costs the same work, whether the terminal is known or not: its time tells nothing. */

import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Reader } from '@clockproof/platform/database/database';
import { parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { verifySignature } from '../access/ed25519.js';
import { Refusal } from '../store/refusal.js';
import { authenticateTerminal, signedText } from './request-signature.js';
import type { TerminalRow } from './rows.js';

const at = parseInstant('2026-11-23T07:00:00Z')!;
const target = '/api/v1/terminal/status';
const time = String(at / 1_000);
const nonce = 'nonce-0123456789abcdef';
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${'5a'.repeat(32)}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
const rows = {
  trm_paired: { id: 'trm_paired', public_key: publicKey },
  trm_unpaired: { id: 'trm_unpaired', public_key: null },
} as unknown as Readonly<Record<string, TerminalRow>>;

async function ask(terminal: string, signature: Uint8Array) {
  const statements: string[] = [];
  const verifications: { readonly key: Uint8Array; readonly text: string; readonly signature: Uint8Array }[] = [];
  const reader = {
    async get(sql: string, { id }: { id: string }) {
      statements.push(sql);
      return rows[id];
    },
  } as unknown as Reader;
  const headers = {
    'Service-Terminal': terminal,
    'Service-Time': time,
    'Service-Nonce': nonce,
    'Service-Signature': Buffer.from(signature).toString('base64'),
  };
  const answer = await authenticateTerminal(
    reader,
    { method: 'GET', target, rawHeaders: Object.entries(headers).flat(), rawBody: Buffer.alloc(0), at },
    (key, message, receivedSignature) => {
      verifications.push({ key, text: Buffer.from(message).toString(), signature: receivedSignature });
      return verifySignature(key, message, receivedSignature);
    },
  ).catch((error: unknown) => (error instanceof Refusal ? error.code : Promise.reject(error)));
  return { answer, statements, verifications };
}

describe('a signed request', () => {
  const text = signedText('GET', target, time, nonce, Buffer.alloc(0));
  const validSignature = sign(null, Buffer.from(text), privateKey);

  it.each(['trm_paired', 'trm_unpaired', 'trm_0000000000000000'])(
    'a signed request costs one look-up and one verification of the whole text at %s',
    async (terminal) => {
      const wrongSignature = Buffer.alloc(64, 7);
      const { answer, statements, verifications } = await ask(terminal, wrongSignature);
      expect(answer).toBe('signature_invalid');
      expect(statements).toEqual([expect.stringContaining('FROM terminals')]);
      expect(verifications).toEqual([{ key: expect.anything(), text, signature: wrongSignature }]);
      // A real point: a key that OpenSSL refuses would cost less.
      expect(verifications[0]!.key).toHaveLength(32);
    },
  );

  it('a signed request is accepted with the key of its terminal only', async () => {
    expect((await ask('trm_paired', validSignature)).answer).toMatchObject({ terminal: { id: 'trm_paired' }, nonce });
    for (const terminal of ['trm_unpaired', 'trm_0000000000000000'])
      expect((await ask(terminal, validSignature)).answer).toBe('signature_invalid');
  });
});
