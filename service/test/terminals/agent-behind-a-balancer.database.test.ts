/**
 * The whole program of an entrance PC, with its HTTP client, journal and screen, before two processes of the service. A
 * balancer between them sends every request to the other one.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialects } from '@clockproof/platform/testing/databases';
import { readRunConfig } from '@clockproof/terminal-agent/src/config';
import { deviceFacts } from '@clockproof/terminal-agent/src/device-facts';
import { simulatedReader } from '@clockproof/terminal-agent/src/reader/simulated';
import type { Outcome } from '@clockproof/terminal-agent/src/relay';
import type { Fetch } from '@clockproof/terminal-agent/src/request';
import { runWithScreen } from '@clockproof/terminal-agent/src/screen/terminal';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startIssuing } from '../../src/terminals/issuing.js';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addDoor, type HeldCard, newCard } from '../door.js';
import { createWorld, minute, seededBytes, type World } from '../world.js';

interface Balancer {
  readonly url: string;
  /** Requests that each process got. */
  readonly counts: [number, number];
  /** Whether it drops every request. */
  isDown: boolean;
  close(): Promise<void>;
}

async function openBalancer(upstreams: readonly [string, string]): Promise<Balancer> {
  const counts: Balancer['counts'] = [0, 0];
  const server: Server = createServer((clientRequest, clientResponse) => {
    if (balancer.isDown) return void clientRequest.socket.destroy();
    const target = counts[0] === counts[1] ? 0 : 1;
    counts[target] += 1;
    const { hostname, port } = new URL(upstreams[target]);
    const { method, url: path, headers } = clientRequest;
    const upstreamRequest = request({ hostname, port, method: method!, path: path!, headers }, (answer) => {
      clientResponse.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(clientResponse);
    });
    upstreamRequest.on('error', () => clientRequest.socket.destroy());
    clientRequest.pipe(upstreamRequest);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    isDown: false,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return balancer;
}

describe.each(dialects)('an entrance PC behind a balancer, on %s', (dialect) => {
  let world: World;
  let balancer: Balancer;
  let folder: string;
  let program: Promise<void> | undefined;
  const stop = new AbortController();
  beforeAll(async () => {
    world = await createWorld(dialect);
    balancer = await openBalancer([world.url, (await world.replica()).url]);
    folder = await mkdtemp(join(tmpdir(), 'balanced-door-'));
  });
  afterAll(async () => {
    stop.abort();
    await program;
    await balancer.close();
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('an entrance PC behind a balancer is paired, issues a badge, stamps, and uploads offline stamps', async () => {
    const { terminalId, code } = await addDoor(world, { repeatLockSeconds: 0 });
    const lines: string[] = [];
    const outcomes: Outcome[] = [];
    let action: 'in' | 'out' = 'in';
    // Sleepers wake when the test says so; requests take the time they take.
    const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
    const sleep = (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = {
          at: world.now() + milliseconds,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      });
    const pass = (milliseconds: number) => {
      world.advance(milliseconds);
      for (const { at, wake } of [...sleepers]) if (at <= world.now()) wake();
    };
    /** Waits for what the program does; meanwhile so much of its time passes with each look. */
    const waitUntil = async (event: string, hasHappened: () => boolean, stepMs = 0) => {
      for (let look = 0; !hasHappened(); look += 1) {
        if (look > 20_000) throw new Error(`not seen: ${event}\n${lines.join('\n')}\n${JSON.stringify(outcomes)}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (stepMs > 0) pass(stepMs);
      }
    };

    const reader = simulatedReader(sleep);
    const config = readRunConfig({
      SERVICE_URL: balancer.url,
      STATE_DIR: folder,
      SCREEN_PORT: '0',
      COUNTDOWN: 'off',
      TIME_ZONE: 'Europe/Berlin',
    });
    program = runWithScreen(
      { ...config, screen: config.screen! },
      {
        fetch: fetch as Fetch,
        now: world.now,
        elapsed: world.now,
        uptime: world.now,
        sleep,
        random: seededBytes(`balanced ${dialect}`),
        device: 'a test',
        print: (line) => void lines.push(line),
      },
      {
        reader,
        facts: deviceFacts(reader),
        // The finger at the screen.
        control: {
          port: 0,
          choice: () => ({ action }),
          report: (outcome) => void outcomes.push(outcome),
          close: () => Promise.resolve(),
        },
      },
      stop.signal,
    );
    const waitForLine = (form: RegExp) => waitUntil(String(form), () => lines.some((line) => form.test(line)), 50);
    const hold = async (card: HeldCard): Promise<Outcome> => {
      const outcomesBefore = outcomes.length;
      reader.place({ card, uid: card.memory.uid, store: () => Promise.resolve() });
      await waitUntil('an outcome', () => outcomes.length > outcomesBefore);
      reader.take();
      // The screen is idle again, and another stamp is another minute.
      pass(2 * minute);
      return outcomes.at(-1)!;
    };
    const entries = () =>
      world.db.all<{ status: string }>('SELECT status FROM time_entries WHERE person_id = :ada ORDER BY id', {
        ada: world.people.ada,
      });

    await waitForLine(/^Screen: /);
    const screen = lines.find((line) => line.startsWith('Screen: '))!.slice('Screen: '.length);
    await fetch(`${screen}act`, {
      method: 'POST',
      headers: { origin: screen.slice(0, -1), 'content-type': 'application/json' },
      body: JSON.stringify({ visit: 0, kind: 'code', code }),
    });
    await waitForLine(/: waiting for an administrator to confirm the fingerprint$/);
    const fingerprint = lines.find((line) => line.startsWith('Fingerprint: '))!.slice('Fingerprint: '.length);
    await world.write(async (write) => {
      await confirmTerminal(write, terminalId, world.nord, fingerprint);
      await startIssuing(write, terminalId, { id: world.people.ada, company_id: world.nord });
    });
    await waitForLine(/: hold the new badge here$/);

    const card = newCard('04a1b1c1d1e1f1', 'desfire-ev3');
    expect(await hold(card)).toEqual({ kind: 'issued' });
    expect(await hold(card)).toMatchObject({ kind: 'stamped', firstName: 'Ada', action: 'in' });
    action = 'out';
    expect(await hold(card)).toMatchObject({ kind: 'stamped', firstName: 'Ada', action: 'out' });
    expect((await entries()).map(({ status }) => status)).toEqual(['recorded']);

    balancer.isDown = true;
    await waitForLine(/^The service cannot be reached/);
    action = 'in';
    expect(await hold(card)).toEqual({ kind: 'recorded_offline', action: 'in' });
    expect(await entries()).toHaveLength(1);
    balancer.isDown = false;
    await waitForLine(/^Offline stamps uploaded: 1 accepted$/);
    expect(await entries()).toMatchObject([{ status: 'recorded' }, { status: 'pending' }]);

    // Both had their part of everything, in turn.
    const [firstCount, secondCount] = balancer.counts;
    expect(firstCount).toBeGreaterThan(10);
    expect(firstCount - secondCount).toBeLessThanOrEqual(1);
  });
});
