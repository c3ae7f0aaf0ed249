/**
 * The door with the service 30 ms away and a card that answers at once: from a badge in the field to the person's name
 * on the screen, and to a stamp that was named beforehand. The agent is the real one; its page is read as its kiosk
 * reads it, and in a real Chromium if there is one.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '@clockproof/platform/testing/bench';
import type { CardFamily } from '@clockproof/terminal-agent/simulator/card-file';
import { followScript } from '@clockproof/terminal-agent/src/choose-action';
import { readRunConfig } from '@clockproof/terminal-agent/src/config';
import { deviceFacts } from '@clockproof/terminal-agent/src/device-facts';
import { loadOrCreateKey } from '@clockproof/terminal-agent/src/key';
import { simulatedReader } from '@clockproof/terminal-agent/src/reader/simulated';
import { storeRegistration } from '@clockproof/terminal-agent/src/registration';
import { startRelay } from '@clockproof/terminal-agent/src/relay';
import { createServiceClient, type Fetch } from '@clockproof/terminal-agent/src/request';
import { runWithScreen } from '@clockproof/terminal-agent/src/screen/terminal';
import { sleep } from '@clockproof/terminal-agent/src/sleep';
import { terminalApi } from '@clockproof/terminal-agent/src/terminal-api';
import { chromium } from 'playwright-core';
import { confirmTerminal } from '../src/terminals/pairing.js';
import { addDoor, type HeldCard, issueBadge, openDoor, pair, system } from '../test/door.js';
import { createWorld, minute, type World } from '../test/world.js';
import { openSlowLink } from './slow-link.js';

const samples = 60;
const oneWayMs = 15;
const executablePath = '/usr/bin/chromium';
const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));

function figures(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`;
}

/** A terminal in service whose key lies in `folder`, and the link that leads to it. */
async function pairAgent(world: World, folder: string, serviceUrl: URL) {
  const key = await loadOrCreateKey(folder, random);
  const { terminalId, code } = await addDoor(world);
  const pairing = await pair(world, code, Buffer.from(key.publicKey).toString('base64'));
  await world.service.store.write({ actor: system, at: world.now() }, (write) =>
    confirmTerminal(write, terminalId, world.nord, pairing.body['fingerprint'] as string),
  );
  await storeRegistration(folder, { terminalId, serviceUrl: serviceUrl.href });
  return { terminalId, key };
}

export async function measureDoor(): Promise<readonly Figure[]> {
  const rows: Figure[] = [];
  const world = await createWorld('sqlite', { unchecked: true });
  const folder = await mkdtemp(join(tmpdir(), 'door-bench-'));
  const link = await openSlowLink('127.0.0.1', Number(new URL(world.url).port), oneWayMs);
  const serviceUrl = new URL(`http://127.0.0.1:${link.port}/`);
  const { terminalId, key } = await pairAgent(world, folder, serviceUrl);
  const issuingDoor = await openDoor(world, 'issuing');
  const badges: readonly HeldCard[] = await Promise.all(
    (['desfire-ev2', 'ntag424'] satisfies CardFamily[]).map((family, index) =>
      // One after the other: a terminal issues one badge at a time.
      index === 0
        ? issueBadge(world, issuingDoor, world.people.ada, '04112233445566', family)
        : openDoor(world, 'issuing too').then((secondDoor) =>
            issueBadge(world, secondDoor, world.people.ben, '04112233445577', family),
          ),
    ),
  );

  // ---- a stamp named beforehand, and one chosen after the proof
  const client = createServiceClient({
    serviceUrl,
    fetch,
    now: world.now,
    elapsed: world.now,
    uptime: world.now,
    sleep,
    random,
    timeout: 10_000,
    signer: { terminalId, key },
  });
  const api = terminalApi(client);
  for (const [name, action, goal] of [
    ['stamp named beforehand', 'next', 'p95 ≤ 200 ms'],
    ['stamp chosen after the proof', undefined, ''],
  ] as const) {
    const times: number[] = [];
    const reader = simulatedReader(sleep);
    let resolveShown = (): void => undefined;
    const relay = startRelay({
      reader,
      api,
      preselectedAction: () => action,
      choose: followScript([]),
      show: (outcome) => {
        if (outcome.kind !== 'stamped') throw new Error(`the door says ${JSON.stringify(outcome)}`);
        resolveShown();
      },
      sleep,
      elapsed: world.now,
      serviceNow: client.now,
    });
    for (let sample = 0; sample < samples; sample += 1) {
      world.advance(2 * minute);
      // The agent learns the service's clock from the answers; here it is the same.
      const card = badges[sample % 2]!;
      const stampShown = new Promise<void>((resolve) => {
        resolveShown = resolve;
      });
      const from = performance.now();
      reader.place({ card, uid: card.memory.uid, store: () => Promise.resolve() });
      await stampShown;
      times.push(performance.now() - from);
      reader.take();
      // The session ends beside it.
      await sleep(3 * oneWayMs);
    }
    await relay.stop();
    rows.push([`hold to stamp, service ${2 * oneWayMs} ms away, ${name}`, figures(times.slice(4)), goal]);
  }

  // ---- the screen
  const stop = new AbortController();
  const reader = simulatedReader(sleep);
  const config = readRunConfig({
    SERVICE_URL: serviceUrl.href,
    STATE_DIR: folder,
    SCREEN_PORT: '0',
    COUNTDOWN: 'off',
    TIME_ZONE: 'Europe/Berlin',
  });
  let address = '';
  const terminalRun = runWithScreen(
    { ...config, screen: config.screen! },
    {
      fetch: fetch as Fetch,
      now: world.now,
      elapsed: world.now,
      uptime: world.now,
      sleep,
      random,
      device: 'bench',
      print: (line) => {
        if (line.startsWith('Screen: ')) address = line.slice('Screen: '.length);
      },
    },
    { reader, facts: deviceFacts(reader) },
    stop.signal,
  );
  while (address === '') await sleep(20);

  let visit = 0;
  let onScreen: (name: string) => void = () => undefined;
  const frames = await fetch(`${address}frames`, { signal: stop.signal });
  const frameLoop = (async () => {
    let text = '';
    for await (const part of frames.body!) {
      text += Buffer.from(part).toString('utf8');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const line = text
          .slice(0, end)
          .split('\n')
          .find((line) => line.startsWith('data: '));
        text = text.slice(end + 2);
        if (line === undefined) continue;
        const frame = JSON.parse(line.slice('data: '.length)) as { visit: number; screen: { name: string } };
        visit = frame.visit;
        onScreen(frame.screen.name);
      }
    }
  })().catch(() => undefined);
  const waitForScreen = (name: string) =>
    new Promise<void>((resolve) => {
      onScreen = (screenName) => {
        if (screenName === name) resolve();
      };
    });
  const cancel = async () => {
    const idleScreen = waitForScreen('idle');
    await fetch(`${address}act`, {
      method: 'POST',
      headers: { origin: address.slice(0, -1), 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'cancel', visit }),
    });
    await idleScreen;
    reader.take();
    await sleep(3 * oneWayMs);
  };
  // Until the agent knows that it is confirmed.
  await sleep(500);

  const choiceTimes: number[] = [];
  const holdCard = (card: HeldCard) => {
    world.advance(2 * minute);
    reader.place({ card, uid: card.memory.uid, store: () => Promise.resolve() });
  };
  for (let sample = 0; sample < samples; sample += 1) {
    const choiceScreen = waitForScreen('choice');
    const from = performance.now();
    holdCard(badges[sample % 2]!);
    await choiceScreen;
    choiceTimes.push(performance.now() - from);
    await cancel();
  }
  rows.push([
    `card seen to the page told, service ${2 * oneWayMs} ms away`,
    figures(choiceTimes.slice(4)),
    'p95 ≤ 300 ms',
  ]);

  if (existsSync(executablePath)) {
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    });
    const page = await (await browser.newContext({ viewport: { width: 1024, height: 600 } })).newPage();
    await page.goto(address);
    await page.locator('.screen.idle').waitFor();
    const paintTimes: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      // Painted: two frames after the screen is in the document.
      const paintTime = page.evaluate<number>(`new Promise((resolve) => {
        const look = () => document.querySelector('.screen.choice') === null
          ? requestAnimationFrame(look)
          : requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())));
        look();
      })`);
      await sleep(50);
      const from = Date.now();
      holdCard(badges[sample % 2]!);
      paintTimes.push((await paintTime) - from);
      await cancel();
    }
    rows.push([
      `card seen to the screen painted in Chromium, service ${2 * oneWayMs} ms away`,
      figures(paintTimes.slice(4)),
      'p95 ≤ 300 ms',
    ]);
    await browser.close();
  }

  stop.abort();
  await terminalRun;
  await frameLoop;
  link.close();
  await world.close();
  await rm(folder, { recursive: true });
  return rows;
}
