/**
 * The whole agent with its real libraries, a real pcscd and the virtual reader of vsmartcard, whose card is the
 * simulated one. Runs where `CLOCKPROOF_PCSC=1` says that everything for it is installed, and then fails if it is not;
 * elsewhere it is reported as skipped.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFaults, withFaults } from '../simulator/faults.js';
import { type InsertedCard, insertCard } from '../simulator/vpcd.js';
import { loadBinding } from '../src/reader/load-binding.js';
import { type AgentProcess, startAgent } from './agent-process.js';
import { badge, badgeKeys, newCard } from './door.js';
import { type FakeService, startFakeService } from './fake-service.js';
import { missingForPcscd, type Pcscd, preparePcscd } from './pcscd.js';

const isRequired = process.env['CLOCKPROOF_PCSC'] === '1';
/** The frames of the page, and a finger on it. */
async function watchScreen(address: string) {
  const closing = new AbortController();
  const frames = await fetch(`${address}frames`, { signal: closing.signal });
  let last = { visit: 0 };
  /** Screens that nobody has waited for yet: some are there for three seconds only. */
  let lines: string[] = [];
  let look = (): void => undefined;
  void (async () => {
    let text = '';
    for await (const part of frames.body!) {
      text += Buffer.from(part).toString('utf8');
      for (const [line, json] of text.matchAll(/data: (.*)\n\n/g)) {
        const { visit, screen } = JSON.parse(json!) as { visit: number; screen: { name: string } };
        last = { visit };
        lines.push(screen.name);
        text = text.slice(text.indexOf(line) + line.length);
        look();
      }
    }
  })().catch(() => undefined);
  return {
    shows: (name: string) =>
      new Promise<void>((resolve) => {
        look = () => {
          const index = lines.indexOf(name);
          if (index < 0) return;
          lines = lines.slice(index + 1);
          look = () => undefined;
          resolve();
        };
        look();
      }),
    async act(act: object) {
      const answer = await fetch(`${address}act`, {
        method: 'POST',
        headers: { origin: address.slice(0, -1), 'content-type': 'application/json' },
        body: JSON.stringify({ ...act, visit: last.visit }),
      });
      expect(answer.status).toBe(204);
    },
    close: () => closing.abort(),
  };
}

const inPcscd = isRequired ? describe : describe.skip;

inPcscd('what the tests with pcscd need', () => {
  it('is installed', async () => {
    expect(missingForPcscd()).toEqual([]);
    expect(await loadBinding('smartcard')).toBeDefined();
    expect(await loadBinding('nfc-pcsc')).toBeDefined();
  });
});

inPcscd.each(['smartcard', 'nfc-pcsc'])('the agent with %s, pcscd and a virtual reader', (library) => {
  let pcscd: Pcscd;
  let service: FakeService;
  let folder: string;
  let agent: AgentProcess;
  const cards: InsertedCard[] = [];

  beforeAll(async () => {
    pcscd = await preparePcscd();
  });
  afterAll(() => pcscd.close());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terminal-pcsc-'));
    service = await startFakeService();
    const env = { SERVICE_URL: service.address.href, STATE_DIR: folder };
    service.terminal.confirmed = true;
    const pairing = startAgent(['pair', '7K3M-Q9XT'], env);
    await pairing.line(/^Fingerprint/);
    service.terminal.confirmed = true;
    expect(await pairing.exit).toBe(0);
    await pcscd.start();
    agent = startAgent(['run'], { ...env, READER: library, PCSCLITE_CSOCK_NAME: pcscd.socket });
    await agent.nextLine(/^Reader: Virtual door reader/);
  });
  afterEach(async () => {
    for (const card of cards.splice(0)) await card.remove();
    agent.signal('SIGTERM');
    await agent.exit;
    await pcscd.stop();
    await service.close();
    await rm(folder, { recursive: true });
  });

  /** pcscd looks for the card every 400 ms; a card that is back before the next look was never away. */
  const severalLooks = () => new Promise((resolve) => setTimeout(resolve, 1_500));

  const hold = async (
    ...[card, beforeReply]: [Parameters<typeof insertCard>[1], Parameters<typeof insertCard>[2]?]
  ): Promise<InsertedCard> => {
    const insertedCard = await insertCard(pcscd.port, card, beforeReply);
    cards.push(insertedCard);
    return insertedCard;
  };

  it('issues a badge, stamps with it, and knows it again after it was taken away', async () => {
    const card = newCard('desfire-ev2');
    service.issuing = { holder: { firstName: 'Jana', family: 'desfire', keys: badgeKeys, state: 'out' } };
    const outcome = await hold(card);
    await agent.nextLine(/^The badge is ready/);
    expect(outcome.commands[0]).toBe('ffca000000');
    await outcome.remove();
    await severalLooks();
    for (const line of [/^Jana: clocked in at/, /^Jana: clocked in just now/]) {
      const outcome = await hold(card);
      await agent.nextLine(line);
      expect(outcome.commands).toHaveLength(1 + 3);
      await outcome.remove();
      await severalLooks();
    }
  });

  it('stamps with an NTAG 424 DNA, resets it afterwards, and does not take the reset for another visit', async () => {
    const outcome = await hold(badge(service, { family: 'ntag424' }));
    await agent.nextLine(/^Ada: clocked in/);
    expect(outcome.resets()).toBeGreaterThanOrEqual(1);
    await severalLooks();
    expect(service.seen.filter((operation) => operation === 'card')).toHaveLength(1);
    await outcome.remove();
  });

  it('notices a badge that is taken away in the middle of a command, and serves it the next time', async () => {
    const card = badge(service);
    const outcome = await hold(card, (count) => (count === 3 ? 'leave' : 'answer'));
    await outcome.removal;
    await agent.nextLine(/taken away too early/);
    expect(service.badges.get('04958caa5c5e80')!.state).toBe('out');
    await severalLooks();
    await hold(card);
    await agent.nextLine(/^Ada: clocked in/);
  });

  // Faults of a card do not depend on the library.
  if (library === 'smartcard')
    it('says of cards with faults what it says of them without a reader', async () => {
      const card = badge(service);
      let replies: readonly Uint8Array[] = [];
      for (const [words, line] of [
        ['copy', /^This badge is not accepted/],
        ['factory', /^This badge is not accepted/],
        ['91ca:2', /^This badge is not accepted/],
        ['torn:3', /taken away too early/],
        ['random-uid', /^This is a phone/],
        ['slow:2:90', /^Ada: clocked in at/],
        ['replay', /^This badge is not accepted/],
        ['relayed:80', /^Ada: clocked in just now/],
      ] as const) {
        const faultyCard = withFaults(card, readFaults(words), (length) => randomBytes(length), replies);
        const outcome = await hold(faultyCard);
        await agent.nextLine(line);
        replies = faultyCard.conversation;
        await outcome.remove();
        await severalLooks();
      }
    });

  it('offers stamps without the service on the screen, and uploads them', async () => {
    agent.signal('SIGTERM');
    await agent.exit;
    service.offers.offline = true;
    service.sealKey = 'NYBy1jZYgNGu6jKa35EhODhR7SGijjt16WXQ0s0WYlQ=';
    agent = startAgent(['run'], {
      SERVICE_URL: service.address.href,
      STATE_DIR: folder,
      READER: library,
      PCSCLITE_CSOCK_NAME: pcscd.socket,
      SCREEN_PORT: '0',
      COUNTDOWN: 'off',
    });
    const address = (await agent.line(/^Screen: /)).slice('Screen: '.length);
    const screen = await watchScreen(address);
    await agent.nextLine(/^Main entrance: hold your badge here/);
    await screen.shows('idle');
    const card = badge(service, { family: 'ntag424' });
    const outcome = await hold(card);
    await screen.shows('choice');
    await screen.act({ kind: 'act', action: 'in' });
    await screen.shows('done');
    await outcome.remove();
    await severalLooks();

    const dropAll = () => Array.from({ length: 1_000 }, () => 'drop' as const);
    for (const operation of ['status', 'card', 'offline']) service.failures.set(operation, dropAll());
    await hold(card);
    await screen.shows('offline_choice');
    await screen.act({ kind: 'act', action: 'out' });
    await screen.shows('offline_saved');
    expect(service.offline.size).toBe(0);
    service.failures.clear();
    await agent.nextLine(/^Offline stamps uploaded: 1 accepted/);
    expect([...service.offline.keys()]).toEqual([1]);
    screen.close();
  });

  it('passes over a badge that lay there before', async () => {
    const outcome = await hold(badge(service));
    await agent.nextLine(/^Ada: clocked in/);
    agent.signal('SIGTERM');
    expect(await agent.exit).toBe(0);
    agent = startAgent(['run'], {
      SERVICE_URL: service.address.href,
      STATE_DIR: folder,
      READER: library,
      PCSCLITE_CSOCK_NAME: pcscd.socket,
    });
    await agent.nextLine(/^Reader: Virtual door reader/);
    await severalLooks();
    expect(service.badges.get('04958caa5c5e80')!.state).toBe('in');
    await outcome.remove();
    expect(agent.lines.filter((line) => line.startsWith('Ada'))).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('comes back after pcscd has ended by %s', async (signal) => {
    await pcscd.stop(signal);
    await agent.nextLine(/^Reader: (the card reader has failed|pcscd is not running)/);
    await pcscd.start();
    await agent.nextLine(/^Reader: Virtual door reader/);
    await hold(badge(service));
    await agent.nextLine(/^Ada: clocked in/);
  });

  it('ends for its supervisor when the reader does not answer any more', async () => {
    await hold(badge(service), (count) => (count === 3 ? 'hang' : 'answer'));
    await agent.nextLine(/^Reader: the card reader no longer answers/);
    expect(await agent.exit).toBe('SIGKILL');
    await pcscd.stop('SIGKILL');
  });

  it('says so while pcscd is not running, without freezing', async () => {
    agent.signal('SIGTERM');
    expect(await agent.exit).toBe(0);
    await pcscd.stop();
    agent = startAgent(['run'], {
      SERVICE_URL: service.address.href,
      STATE_DIR: folder,
      READER: library,
      PCSCLITE_CSOCK_NAME: pcscd.socket,
    });
    await agent.nextLine(/^Reader: pcscd is not running/);
    await agent.nextLine(/^Main entrance: hold your badge here/);
    agent.signal('SIGTERM');
    expect(await agent.exit).toBe(0);
  });
});
