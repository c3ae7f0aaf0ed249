/** A terminal that breaks something: it has a key of its own, with which it pairs and signs in place of one that is right. */
import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { fingerprintOf, keyOf, textToSign } from '../peers/terminal.js';
import type { Driver } from '../roles/terminal/driver.js';
import { apply, editText, jsonOf } from './changes.js';
import type { Message } from './functions.js';
import { openProxy, type ProxyServer, type Signer } from './proxy.js';
import type { Row, Violation } from './rows.js';

export interface BrokenTerminal {
  /** Between the terminal and the service with this address. */
  through(url: string): Promise<string>;
  commit(violation: Violation | undefined): void;
  /** The driver, which tells what this terminal shows. */
  driver(of: Driver): Driver;
  close(): Promise<void>;
}

export function breakTerminal(): BrokenTerminal {
  const { privateKey, publicKey } = keyOf(randomBytes(32));
  const fingerprint = fingerprintOf(publicKey);
  let proxy: ProxyServer | undefined;
  let shows: string | undefined;
  /** Of the terminal behind. */
  let realFingerprint = '';
  const signer: Signer = {
    adopt(request) {
      const json = jsonOf(request.body);
      if (!request.path.endsWith('/pair') || typeof json?.['public_key'] !== 'string') return;
      realFingerprint = fingerprintOf(Buffer.from(json['public_key'], 'base64'));
      apply({ set: { public_key: publicKey.toString('base64') } }, request);
    },
    sign(request, violation) {
      if (request.headers['service-signature'] === undefined) return request;
      const signedRequest = { ...request, headers: { ...request.headers } };
      if (request.resign) signedRequest.headers['service-nonce'] = randomBytes(16).toString('base64url');
      signedRequest.headers['service-signature'] = signatureOf(privateKey, signedRequest, violation?.signs);
      if (violation?.signed !== undefined) apply(violation.signed, signedRequest);
      return signedRequest;
    },
    reveal(answer) {
      answer.body = answer.body.replaceAll(fingerprint, realFingerprint);
    },
  };
  return {
    async through(url) {
      proxy = await openProxy(url, signer);
      return proxy.url.replace('localhost', '127.0.0.1');
    },
    commit(violation) {
      shows = violation?.shows;
      proxy?.commit(violation === undefined ? [] : [violation]);
    },
    driver: (of) => ({
      ...of,
      async send(instruction) {
        const answer = await of.send(instruction);
        if (answer.fingerprint !== realFingerprint || realFingerprint === '') return answer;
        return { ...answer, fingerprint: shows ?? fingerprint };
      },
    }),
    close: async () => proxy?.close(),
  };
}

function signatureOf(key: KeyObject, { method, path, headers, body }: Message, signs: Row['signs']): string {
  const [time, nonce] = [headers['service-time'], headers['service-nonce']].map((value) => String(value ?? ''));
  const text = textToSign(method, path, time!, nonce!, Buffer.from(body, 'latin1'));
  return sign(null, Buffer.from(signs === undefined ? text : editText(text, signs)), key).toString('base64');
}
