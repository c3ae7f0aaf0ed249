/**
 * A terminal in miniature for tests: simulated reader, relay and a fake service, with time that passes only in waits.
 */
import { randomBytes } from 'node:crypto';
import { fetch } from 'undici';
import { type CardFamily, type FiledCard, factoryCard } from '../simulator/card-file.js';
import { type ChooseAction, followScript } from '../src/choose-action.js';
import type { PreselectedAction } from '../src/dialogue.js';
import { keyFromSeed } from '../src/key.js';
import { type SimulatedReader, simulatedReader } from '../src/reader/simulated.js';
import { type Outcome, type Relay, startRelay } from '../src/relay.js';
import { createServiceClient, type Fetch } from '../src/request.js';
import { terminalApi } from '../src/terminal-api.js';
import { type FakeService, type Holder, startFakeService, terminalId } from './fake-service.js';
import { type BadgeKeys, issueDesfire, issueNtag, run } from './verifier.js';

export const badgeKeys: BadgeKeys = {
  aid: Buffer.from('314254', 'hex'),
  admin: Buffer.from('a8dd63a3b89d54b37ca802473fda9175', 'hex'),
  stamp: Buffer.from('351f4565fb8e49c7add45b721e3f5380', 'hex'),
  version: 1,
};

export interface Door {
  readonly service: FakeService;
  readonly reader: SimulatedReader;
  readonly relay: Relay;
  /** The waits of the relay in milliseconds, in order. */
  readonly waits: number[];
  /** Commands that reached the card. */
  readonly commands: string[];
  /** Resets the card saw while in the field. */
  resets: number;
  /** The next outcome that has not been asked for yet. */
  next(): Promise<Outcome>;
  /** Holds a card to the reader. */
  hold(card: FiledCard): void;
  /** Called with every command before the card answers it. */
  beforeReply: (command: string, count: number) => void;
  /** The stamp that the relay wants before anybody is known. */
  preselectedAction: PreselectedAction | undefined;
  /** Moves the relay's clock. */
  pass(milliseconds: number): void;
  close(): Promise<void>;
}

/** A card in factory state. */
export function newCard(family: CardFamily = 'desfire-ev3', uid = '04958caa5c5e80'): FiledCard {
  return factoryCard(family, Uint8Array.from(Buffer.from(uid, 'hex')), (length) =>
    Uint8Array.from(randomBytes(length)),
  );
}

/** A badge of `holder`, known to the service. */
export function badge(service: FakeService, holder: Partial<Holder> = {}, uid = '04958caa5c5e80'): FiledCard {
  const family = holder.family ?? 'desfire';
  const card = newCard(family === 'desfire' ? 'desfire-ev3' : 'ntag424', uid);
  const random = (length: number): Buffer => randomBytes(length);
  run(family === 'desfire' ? issueDesfire(badgeKeys, random) : issueNtag(badgeKeys, random), card.apdu);
  service.badges.set(uid, { firstName: 'Ada', family, keys: badgeKeys, state: 'out', ...holder });
  return card;
}

export async function openDoor(
  options: { readonly choose?: ChooseAction; readonly timeout?: number } = {},
): Promise<Door> {
  const service = await startFakeService();
  const key = keyFromSeed(new Uint8Array(32).fill(7));
  service.terminal.publicKey = Buffer.from(key.publicKey);
  const reader = simulatedReader(async (milliseconds) => door.pass(milliseconds));
  const outcomes: Outcome[] = [];
  const reports: ((outcome: Outcome) => void)[] = [];
  let time = 0;
  const client = createServiceClient({
    serviceUrl: service.address,
    fetch: fetch as Fetch,
    now: Date.now,
    elapsed: () => time,
    uptime: () => performance.now(),
    sleep: () => Promise.resolve(),
    random: (length) => Uint8Array.from(randomBytes(length)),
    timeout: options.timeout ?? 5_000,
    signer: { terminalId, key },
  });
  const api = terminalApi(client);

  const door: Door = {
    service,
    reader,
    waits: [],
    commands: [],
    resets: 0,
    beforeReply: () => undefined,
    preselectedAction: undefined,
    relay: startRelay({
      reader,
      elapsed: () => time,
      api,
      serviceNow: client.now,
      preselectedAction: () => door.preselectedAction,
      choose: options.choose ?? followScript([]),
      show(outcome) {
        const waiter = reports.shift();
        if (waiter === undefined) outcomes.push(outcome);
        else waiter(outcome);
      },
      sleep(milliseconds) {
        door.waits.push(milliseconds);
        time += milliseconds;
        return Promise.resolve();
      },
    }),
    next: () =>
      new Promise((resolve) => {
        const outcome = outcomes.shift();
        if (outcome === undefined) reports.push(resolve);
        else resolve(outcome);
      }),
    hold(card) {
      const { apdu, reset } = card;
      let inField = false;
      reader.place({
        uid: card.memory.uid,
        store: () => Promise.resolve(),
        card: {
          apdu(command) {
            const text = Buffer.from(command).toString('hex');
            door.commands.push(text);
            const reply = apdu(command);
            door.beforeReply(text, door.commands.length);
            return reply;
          },
          reset() {
            if (inField) door.resets += 1;
            inField = true;
            reset();
          },
        },
      });
    },
    pass(milliseconds) {
      time += milliseconds;
    },
    async close() {
      reader.take();
      await door.relay.stop();
      await service.close();
    },
  };
  return door;
}
