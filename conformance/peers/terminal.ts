/** A terminal: signs requests and relays cards. Stores one key and nothing else. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type Answer, Busy, type Client, type RequestContent, whileBusy } from '../kit/client.js';
import { Inconclusive } from '../kit/outcome.js';
import type { Card } from './card.js';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The first ten bytes of SHA-256 over the public key, as four groups of base32. */
export function fingerprintOf(publicKey: Buffer): string {
  let bits = '';
  for (const byte of createHash('sha256').update(publicKey).digest().subarray(0, 10))
    bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? [])
    .map((bits5) => crockford[Number.parseInt(bits5, 2)])
    .join('')
    .match(/.{4}/g)!
    .join('-');
}

export function keyOf(seed: Buffer): { readonly privateKey: KeyObject; readonly publicKey: Buffer } {
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { privateKey, publicKey: Buffer.from(publicKey) };
}

export const textToSign = (method: string, path: string, time: string, nonce: string, body: string | Buffer): string =>
  ['service-terminal-v1', method, path, time, nonce, createHash('sha256').update(body).digest('hex')].join('\n');

export interface SigningOverrides {
  readonly terminal?: string;
  readonly time?: string;
  readonly nonce?: string;
  /** Signed instead of the sent values. */
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly signature?: (valid: Buffer) => string;
}

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: RequestContent;
}

export class Terminal {
  readonly client: Client;
  readonly id: string;
  readonly seed: Buffer;
  readonly #key: KeyObject;

  constructor(client: Client, id: string, seed: Buffer) {
    this.client = client;
    this.id = id;
    this.seed = seed;
    this.#key = keyOf(seed).privateKey;
  }

  /** A signed request, to send once or twice. */
  signRequest(method: string, path: string, json?: unknown, signing: SigningOverrides = {}): SignedRequest {
    const body = json === undefined ? '' : JSON.stringify(json);
    const time = signing.time ?? String(Math.floor(Date.now() / 1_000));
    const nonce = signing.nonce ?? randomBytes(16).toString('base64url');
    const text = textToSign(signing.method ?? method, signing.path ?? path, time, nonce, signing.body ?? body);
    const validSignature = sign(null, Buffer.from(text), this.#key);
    return {
      method,
      path,
      sent: {
        ...(json === undefined ? {} : { raw: body }),
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          'service-terminal': signing.terminal ?? this.id,
          'service-time': time,
          'service-nonce': nonce,
          'service-signature': signing.signature?.(validSignature) ?? validSignature.toString('base64'),
        },
      },
    };
  }

  /** @throws Busy 429 or 503: until it may be sent again, the time in its signature grows old */
  async transmit({ method, path, sent }: SignedRequest): Promise<Answer> {
    const answer = await this.client.call(method, path, { ...sent, patient: false });
    if (answer.status === 429) throw new Busy(answer);
    return answer;
  }

  /** Waits while the service is busy, and signs again. */
  send(method: string, path: string, json?: unknown, signing: SigningOverrides = {}): Promise<Answer> {
    return whileBusy(() => this.transmit(this.signRequest(method, path, json, signing)));
  }

  status = () => this.send('GET', '/api/v1/terminal/status');

  /** Holds a card to the reader and relays until the service has decided. */
  async hold(card: Card, uid = card.uid): Promise<Answer> {
    return this.relay(card, await this.send('POST', '/api/v1/terminal/card', { uid }));
  }

  /** @param transcript receives the card's responses, in order */
  async relay(card: Card, first: Answer, transcript: string[] = []): Promise<Answer> {
    card.reset();
    const from = Date.now();
    let answer = first;
    for (let steps = 0; answer.status === 200 && answer.get('result') === undefined && steps < 40; steps++) {
      const response = card.transmit(answer.string('apdu'));
      transcript.push(response);
      answer = await this.send('POST', '/api/v1/terminal/card/step', { session: answer.string('session'), response });
    }
    // A dialogue with a card is over after ten seconds, and a command after five.
    if (answer.status === 403 && Date.now() - from > 4_000)
      throw new Inconclusive(`the dialogue with the card took ${((Date.now() - from) / 1_000).toFixed(0)} s`);
    return answer;
  }

  async stamp(card: Card, action: string, pin?: string): Promise<Answer> {
    const proof = (await this.hold(card)).is(200);
    return this.send('POST', '/api/v1/terminal/stamp', {
      session: proof.string('session'),
      action,
      ...(pin === undefined ? {} : { pin }),
    });
  }
}
