/**
 * Webhooks while processes are killed: people clock in and out, an address fails three times in ten, and SIGKILL hits a
 * process while a request is under way. Nothing is lost, nothing overtakes, and only what was under way comes twice.
 * `make soak NAME=deliveries` runs it with 10,000 events and 100 kills.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { minute } from '@clockproof/platform/time/instant';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { addExtension } from '../../src/access/integrations/extensions.js';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { recordCompany } from '../../src/people/people.js';
import { installationSecret } from '../../src/store/installation.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { createSealingKeys } from '../../src/store/sealing/sealing-keys.js';
import { createStore } from '../../src/store/write.js';
import { hire } from '../builders.js';
import { type Receiver, startReceiver } from '../receivers.js';
import { seededBytes } from '../world.js';
import { berlin } from '../zones.js';

const events = Number(process.env['EVENTS'] ?? 300);
const kills = Number(process.env['KILLS'] ?? 6);
const seed = process.env['KILL_SEED'] ?? 'kills';
const failureRate = 0.3;
const people = 15;
/** More than so many events that wait: people pause, so that kills meet both stamps and deliveries. */
const backlog = 60;

// The built one. `make test` builds before it tests.
const main = fileURLToPath(new URL('../../dist/test/delivering-process.js', import.meta.url));
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

interface Arrival {
  readonly sequence: number;
  readonly person: number;
  readonly isAccepted: boolean;
  /** The number of kills before it. */
  readonly epoch: number;
}

/** How often the address refuses an event before it takes it: once in three times in ten, twice in nine of a hundred … */
function refusalsOf(address: number, id: string): number {
  const draw = createHash('sha256').update(`${seed} ${address} ${id}`).digest().readUInt32BE() / 2 ** 32;
  return Math.min(8, Math.floor(Math.log(1 - draw) / Math.log(failureRate)));
}

describe.each(dialects)('webhooks of processes that are killed, on %s', (dialect) => {
  it(
    'webhooks of killed processes all arrive, in order for a person, and twice only if under way',
    async () => {
      const bytes = seededBytes(seed);
      const random = () => Buffer.from(bytes(4)).readUInt32BE() / 2 ** 32;
      const home = await createTestDatabase(dialect);
      cleanups.push(() => home.drop());
      const db = await openDatabase(home.settings);
      cleanups.push(() => db.close());
      await db.migrate(migrations);

      // ---- two addresses
      const arrivals: Arrival[][] = [[], []];
      const acceptedIds = [new Set<string>(), new Set<string>()];
      const refusalCounts = [new Map<string, number>(), new Map<string, number>()];
      let onArrival = () => {};
      const receivers: Receiver[] = [];
      const secrets: string[] = [];
      for (const address of [0, 1]) {
        const receiver = await startReceiver((response, { headers, body }) => {
          new Webhook(secrets[address]!).verify(body, headers as Record<string, string>);
          const { id, sequence, data } = JSON.parse(body) as {
            id: string;
            sequence: number;
            data: { clock_state: { user_id: number } };
          };
          const refusals = refusalCounts[address]!.get(id) ?? 0;
          const isAccepted = acceptedIds[address]!.has(id) || refusals >= refusalsOf(address, id);
          arrivals[address]!.push({ sequence, person: data.clock_state.user_id, isAccepted, epoch: killCount });
          if (isAccepted) acceptedIds[address]!.add(id);
          else refusalCounts[address]!.set(id, refusals + 1);
          const moment = random();
          if (moment < 0.3) killIfDue();
          if (isAccepted) response.writeHead(204).end();
          else if (refusals % 2 === 0) response.writeHead(503).end();
          else response.destroy();
          if (moment < 0.6) killIfDue();
          else setImmediate(killIfDue);
          onArrival();
        });
        receivers.push(receiver);
        cleanups.push(() => receiver.close());
      }

      // ---- a company, its people, an extension that clocks them, two that listen
      const store = createStore(db);
      const secret = await installationSecret(store, bytes);
      const { ids, key } = await store.write({ actor: { kind: 'system' }, at: Date.now() }, async (write) => {
        const companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
        const ids: number[] = [];
        for (let index = 0; index < people; index++)
          ids.push(
            await hire(write, {
              companyId,
              firstName: 'P',
              lastName: String(index),
            }),
          );
        await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
        const needs = {
          sealingKeys: createSealingKeys(undefined, secret, bytes),
          randomBytes: bytes,
          allowPrivateTargets: true,
        };
        const sharedSettings = { companyId, acting: 'everyone' } as const;
        const { key } = await addExtension(write, needs, {
          ...sharedSettings,
          name: 'Clock',
          mode: 'api',
          scopes: ['write:clock'],
        });
        for (const address of [0, 1]) {
          const hook = await addExtension(write, needs, {
            ...sharedSettings,
            name: `Hook ${address}`,
            mode: 'webhooks',
            scopes: ['read:clock_states', 'read:time_entries'],
            webhookUrl: `http://127.0.0.1:${receivers[address]!.port}/`,
          });
          secrets.push(hook.webhookSecret!);
        }
        return { ids, key };
      });

      // ---- processes, and who kills them
      const instances: { url: string | undefined; child: ChildProcess; exit: Promise<void> }[] = [];
      const runningInstances = () => instances.filter(({ url }) => url !== undefined);
      let killCount = 0;
      let isDying = false;
      let isEnding = false;
      let fail = (_: Error): void => undefined;
      const failure = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const requestsPerKill = (events * 2) / (1 - failureRate) / (kills + 1);
      let nextKill = requestsPerKill * random();
      function start(slot: number): void {
        const holder = `${slot} ${killCount}`;
        const child = spawn(process.execPath, [main], {
          env: {
            PATH: process.env['PATH'] ?? '',
            HOLDER: holder,
            LISTEN_ADDR: '127.0.0.1:0',
            DB_DRIVER: home.settings.driver,
            DB_DSN: home.settings.dsn,
            WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
            RATE_API_PER_MINUTE: '1000000',
            RATE_IP_PER_MINUTE: '1000000',
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const instance = { url: undefined as string | undefined, child, exit: restartAfterExit() };
        instances[slot] = instance;
        const lines = createInterface({ input: child.stdout });
        lines.on('line', (line) => {
          const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
          if (msg === 'listening') instance.url = url;
          // Failing attempts are expected. Nothing else is.
          else if (!['request', 'webhook not delivered'].includes(msg)) console.error(line);
        });
        async function restartAfterExit(): Promise<void> {
          const [code] = (await once(child, 'exit')) as [number | null];
          instance.url = undefined;
          if (isEnding) return;
          if (code !== null) return fail(new Error(`a process ended by itself, with ${code}`));
          // What it had sent before it died arrives before it counts as dead.
          for (let round = 0; round < 50; round++) await turn();
          killCount++;
          // A minute passes for its leases, and for them alone.
          if (dialect === 'postgres')
            await db.write((tx) =>
              tx.run(
                'UPDATE webhook_endpoints SET leased_until = leased_until - :minute WHERE lease_holder = :holder',
                {
                  minute,
                  holder,
                },
              ),
            );
          isDying = false;
          start(slot);
        }
      }
      function killIfDue(): void {
        const candidates = runningInstances();
        const count = arrivals[0]!.length + arrivals[1]!.length;
        if (isDying || isEnding || killCount === kills || count < nextKill || candidates.length === 0) return;
        isDying = true;
        nextKill = count + 2 * requestsPerKill * random();
        const victim = candidates[Math.floor(candidates.length * random())]!;
        victim.url = undefined;
        victim.child.kill('SIGKILL');
      }
      for (let slot = 0; slot < (dialect === 'postgres' ? 2 : 1); slot++) start(slot);
      cleanups.push(async () => {
        isEnding = true;
        for (const { child, exit } of instances) {
          if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
          await exit;
        }
      });

      // ---- people
      let stampCount = 0;
      const pause = async () => {
        await db.get('SELECT 1 AS one');
        await turn();
      };
      const stampAll = async (person: number) => {
        for (let count = 0; !isEnding && (stampCount < events || killCount < kills); ) {
          const [url] = runningInstances()
            .map((instance) => instance.url!)
            .sort(() => random() - 0.5);
          if (url === undefined || stampCount - acceptedIds[0]!.size > backlog) {
            await pause();
            continue;
          }
          const response = await fetch(`${url}/api/v1/clock/${count % 2 === 0 ? 'in' : 'out'}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ user_id: person }),
          }).catch(() => undefined);
          const responseBody = await response?.arrayBuffer().catch(() => undefined);
          // The process died. Whether it stored the stamp, the next try says.
          if (response === undefined || responseBody === undefined) continue;
          // So many wait for the database that this one was not taken: nothing is stored, the next try is the same.
          if (response.status === 503) {
            await pause();
            continue;
          }
          if (response.status !== 409) expect(response.status).toBe(200);
          if (response.status === 200) stampCount++;
          count++;
        }
      };
      await Promise.race([Promise.all(ids.map(stampAll)), failure]);

      // ---- what came of it
      const storedEvents = await db.all<{ sequence: number; person_id: number }>(
        "SELECT sequence, person_id FROM events WHERE type LIKE 'clock.%' ORDER BY sequence",
      );
      expect(storedEvents.length).toBeGreaterThanOrEqual(events);
      const completion = new Promise<void>((resolve) => {
        onArrival = () => {
          if (acceptedIds.every((ids) => ids.size === storedEvents.length)) resolve();
        };
        onArrival();
      });
      await Promise.race([completion, failure]);
      const pendingDeliveries = () => db.all("SELECT sequence FROM webhook_deliveries WHERE state <> 'delivered'");
      while ((await pendingDeliveries()).length > 0) await pause();

      const duplicates: number[] = [];
      for (const addressArrivals of arrivals) {
        const doubts = new Set<string>();
        let duplicateCount = 0;
        for (const person of ids) {
          const personArrivals = addressArrivals.filter((arrival) => arrival.person === person);
          const sequences = personArrivals.map(({ sequence }) => sequence);
          expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
          const acceptedArrivals = personArrivals.filter((arrival) => arrival.isAccepted);
          expect([...new Set(acceptedArrivals.map(({ sequence }) => sequence))]).toEqual(
            storedEvents.filter((event) => event.person_id === person).map(({ sequence }) => sequence),
          );
          acceptedArrivals.forEach((arrival, index) => {
            const previousArrival = acceptedArrivals[index - 1];
            if (previousArrival?.sequence !== arrival.sequence) return;
            duplicateCount++;
            // A process died in between, and it is the only one of this lane that was in doubt then.
            expect(arrival.epoch).toBeGreaterThan(previousArrival.epoch);
            const doubt = `${person} ${previousArrival.epoch}`;
            expect(doubts).not.toContain(doubt);
            doubts.add(doubt);
          });
        }
        duplicates.push(duplicateCount);
      }
      expect(killCount).toBe(kills);
      if (process.env['KILLS'] !== undefined)
        console.log(
          `${dialect}: ${storedEvents.length} events, ${arrivals.map((addressArrivals) => addressArrivals.length).join(' + ')} requests, ${killCount} kills, ${duplicates.join(' + ')} arrived twice`,
        );
    },
    600_000 + kills * 20_000 + events * 200,
  );
});
