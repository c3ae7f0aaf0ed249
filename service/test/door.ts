/** The far side of the door for tests: a device with a key of its own that signs requests, and cards held to it. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type CardFamily, type FiledCard, factoryCard } from '@clockproof/terminal-agent/simulator/card-file';
import { startIssuing } from '../src/terminals/issuing.js';
import { addTerminal, confirmTerminal, issuePairingCode, type NewTerminal } from '../src/terminals/pairing.js';
import { type Answer, seededBytes, type World } from './world.js';

export const system = { kind: 'system' } as const;

export interface SignOptions {
  readonly nonce?: string;
  /** Unix seconds as text. */
  readonly time?: string;
  readonly signature?: (signature: Buffer) => string;
  readonly path?: string;
  readonly method?: string;
  readonly bodySent?: string;
  readonly url?: string;
  readonly terminal?: string;
}

export interface Door {
  readonly terminalId: string;
  send(method: string, path: string, body?: unknown, options?: SignOptions): Promise<Answer>;
  /** The bytes of a request, to send them again. */
  signed(
    method: string,
    path: string,
    body?: unknown,
    options?: SignOptions,
  ): { readonly url: string; readonly init: RequestInit };
  /** Holds a card to the terminal and relays until the service has decided. */
  hold(card: HeldCard, uid?: string, options?: SignOptions): Promise<Answer>;
}

export function deviceKey(seed: string): { readonly privateKey: KeyObject; readonly publicKey: string } {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    createHash('sha256').update(seed).digest(),
  ]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    privateKey,
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
  };
}

export async function newCode(world: World, terminalId: string, companyId: number = world.nord): Promise<string> {
  return world.write((write) =>
    issuePairingCode(write, terminalId, companyId, world.randomBytes, world.service.hashPairingCode),
  );
}

/** A terminal of Nord with a code, not yet paired. */
export async function addDoor(
  world: World,
  settings: Partial<NewTerminal> = {},
): Promise<{ readonly terminalId: string; readonly code: string }> {
  const terminalId = await world.write((write) =>
    addTerminal(
      write,
      { companyId: world.nord, name: 'Gate', location: 'Hamburg', issuingAllowed: true, ...settings },
      world.randomBytes,
    ),
  );
  return { terminalId, code: await newCode(world, terminalId, settings.companyId) };
}

export const pair = (world: World, code: string, publicKey: string) =>
  world.call('POST', '/api/v1/terminal/pair', { body: { code, public_key: publicKey } });

export function doorOf(world: Pick<World, 'url' | 'now'>, terminalId: string, seed: string): Door {
  const { privateKey } = deviceKey(seed);
  let count = 0;
  const signedRequest: Door['signed'] = (method, path, body, options = {}) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const time = options.time ?? String(Math.floor(world.now() / 1_000));
    const nonce =
      options.nonce ?? `nonce-${seed}-${String(++count).padStart(10, '0')}`.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 64);
    const toSign = [
      'service-terminal-v1',
      options.method ?? method,
      options.path ?? path,
      time,
      nonce,
      createHash('sha256').update(text).digest('hex'),
    ].join('\n');
    const signature = sign(null, Buffer.from(toSign), privateKey);
    const sentBody = options.bodySent ?? text;
    return {
      url: (options.url ?? world.url) + path,
      init: {
        method,
        headers: {
          'service-terminal': options.terminal ?? terminalId,
          'service-time': time,
          'service-nonce': nonce,
          'service-signature': options.signature?.(signature) ?? signature.toString('base64'),
          ...(sentBody === '' ? {} : { 'content-type': 'application/json' }),
        },
        ...(sentBody === '' ? {} : { body: sentBody }),
      },
    };
  };
  const send: Door['send'] = async (method, path, body, options) => {
    const { url, init } = signedRequest(method, path, body, options);
    const response = await fetch(url, init);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
  return {
    terminalId,
    signed: signedRequest,
    send,
    async hold(card, uid = card.uidHex, options = {}) {
      let answer = await send('POST', '/api/v1/terminal/card', { uid }, options);
      while (answer.status === 200 && answer.body['apdu'] !== undefined) {
        const response = Buffer.from(card.apdu(Buffer.from(answer.body['apdu'] as string, 'hex'))).toString('hex');
        answer = await send(
          'POST',
          '/api/v1/terminal/card/step',
          { session: answer.body['session'], response },
          options,
        );
      }
      card.reset();
      return answer;
    },
  };
}

/** Makes a terminal that is paired and confirmed. */
export async function openDoor(world: World, seed: string, settings: Partial<NewTerminal> = {}): Promise<Door> {
  const { terminalId, code } = await addDoor(world, settings);
  const answer = await pair(world, code, deviceKey(seed).publicKey);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  await world.write((write) => confirmTerminal(write, terminalId, world.nord, answer.body['fingerprint'] as string));
  return doorOf(world, terminalId, seed);
}

export type HeldCard = FiledCard & { readonly uidHex: string };

export function newCard(uidHex: string, family: CardFamily = 'desfire-ev2'): HeldCard {
  return Object.assign(factoryCard(family, Buffer.from(uidHex, 'hex'), seededBytes(`card ${uidHex}`)), { uidHex });
}

/** The next card held to this door becomes the badge of a person of Nord. */
export const openIssuing = (world: World, terminalId: string, personId: number) =>
  world.write((write) => startIssuing(write, terminalId, { id: personId, company_id: world.nord }));

/** A card issued to a person at this door. */
export async function issueBadge(
  world: World,
  door: Door,
  personId: number,
  uidHex: string,
  family?: CardFamily,
): Promise<HeldCard> {
  const card = newCard(uidHex, family);
  await openIssuing(world, door.terminalId, personId);
  const answer = await door.hold(card);
  if (answer.body['result'] !== 'issued') throw new Error(JSON.stringify(answer.body));
  return card;
}
