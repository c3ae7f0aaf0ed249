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
const failing = 0.3;
const people = 15;
/** More than so many events that wait: people pause, so that kills meet both stamps and deliveries. */
const backlog = 60;

// The built one. `make test` builds before it tests.
const main = fileURLToPath(new URL('../../dist/test/delivering-process.js', import.meta.url));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Arrival {
  readonly sequence: number;
  readonly person: number;
  readonly accepted: boolean;
  /** The number of kills before it. */
  readonly epoch: number;
}

/** How often the address refuses an event before it takes it: once in three times in ten, twice in nine of a hundred … */
function refusalsOf(address: number, id: string): number {
  const drawn = createHash('sha256').update(`${seed} ${address} ${id}`).digest().readUInt32BE() / 2 ** 32;
  return Math.min(8, Math.floor(Math.log(1 - drawn) / Math.log(failing)));
}

describe.each(dialects)('webhooks of processes that are killed, on %s', (dialect) => {
  it(
    'webhooks of killed processes all arrive, in order for a person, and twice only if under way',
    async () => {
      const bytes = seededBytes(seed);
      const random = () => Buffer.from(bytes(4)).readUInt32BE() / 2 ** 32;
      const home = await createTestDatabase(dialect);
      closing.push(() => home.drop());
      const db = await openDatabase(home.settings);
      closing.push(() => db.close());
      await db.migrate(migrations);

      // ---- two addresses
      const arrivals: Arrival[][] = [[], []];
      const accepted = [new Set<string>(), new Set<string>()];
      const refused = [new Map<string, number>(), new Map<string, number>()];
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
          const refusals = refused[address]!.get(id) ?? 0;
          const takes = accepted[address]!.has(id) || refusals >= refusalsOf(address, id);
          arrivals[address]!.push({ sequence, person: data.clock_state.user_id, accepted: takes, epoch: killed });
          if (takes) accepted[address]!.add(id);
          else refused[address]!.set(id, refusals + 1);
          const moment = random();
          if (moment < 0.3) killIfDue();
          if (takes) response.writeHead(204).end();
          else if (refusals % 2 === 0) response.writeHead(503).end();
          else response.destroy();
          if (moment < 0.6) killIfDue();
          else setImmediate(killIfDue);
          onArrival();
        });
        receivers.push(receiver);
        closing.push(() => receiver.close());
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
        const shared = { companyId, acting: 'everyone' } as const;
        const { key } = await addExtension(write, needs, {
          ...shared,
          name: 'Clock',
          mode: 'api',
          scopes: ['write:clock'],
        });
        for (const address of [0, 1]) {
          const hook = await addExtension(write, needs, {
            ...shared,
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
      const crew: { url: string | undefined; child: ChildProcess; ended: Promise<void> }[] = [];
      const up = () => crew.filter(({ url }) => url !== undefined);
      let killed = 0;
      let dying = false;
      let ending = false;
      let fail = (_: Error): void => undefined;
      const failed = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const mean = (events * 2) / (1 - failing) / (kills + 1);
      let nextKill = mean * random();
      function start(slot: number): void {
        const holder = `${slot} ${killed}`;
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
        const one = { url: undefined as string | undefined, child, ended: restartAfter() };
        crew[slot] = one;
        const lines = createInterface({ input: child.stdout });
        lines.on('line', (line) => {
          const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
          if (msg === 'listening') one.url = url;
          // Failing attempts are expected. Nothing else is.
          else if (!['request', 'webhook not delivered'].includes(msg)) console.error(line);
        });
        async function restartAfter(): Promise<void> {
          const [code] = (await once(child, 'exit')) as [number | null];
          one.url = undefined;
          if (ending) return;
          if (code !== null) return fail(new Error(`a process ended by itself, with ${code}`));
          // What it had sent before it died arrives before it counts as dead.
          for (let round = 0; round < 50; round++) await turn();
          killed++;
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
          dying = false;
          start(slot);
        }
      }
      function killIfDue(): void {
        const candidates = up();
        const count = arrivals[0]!.length + arrivals[1]!.length;
        if (dying || ending || killed === kills || count < nextKill || candidates.length === 0) return;
        dying = true;
        nextKill = count + 2 * mean * random();
        const victim = candidates[Math.floor(candidates.length * random())]!;
        victim.url = undefined;
        victim.child.kill('SIGKILL');
      }
      for (let slot = 0; slot < (dialect === 'postgres' ? 2 : 1); slot++) start(slot);
      closing.push(async () => {
        ending = true;
        for (const { child, ended } of crew) {
          if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
          await ended;
        }
      });

      // ---- people
      let acknowledged = 0;
      const paused = async () => {
        await db.get('SELECT 1 AS one');
        await turn();
      };
      const stampAll = async (person: number) => {
        for (let count = 0; !ending && (acknowledged < events || killed < kills); ) {
          const [url] = up()
            .map((one) => one.url!)
            .sort(() => random() - 0.5);
          if (url === undefined || acknowledged - accepted[0]!.size > backlog) {
            await paused();
            continue;
          }
          const response = await fetch(`${url}/api/v1/clock/${count % 2 === 0 ? 'in' : 'out'}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ user_id: person }),
          }).catch(() => undefined);
          const read = await response?.arrayBuffer().catch(() => undefined);
          // The process died. Whether it stored the stamp, the next try says.
          if (response === undefined || read === undefined) continue;
          // So many wait for the database that this one was not taken: nothing is stored, the next try is the same.
          if (response.status === 503) {
            await paused();
            continue;
          }
          if (response.status !== 409) expect(response.status).toBe(200);
          if (response.status === 200) acknowledged++;
          count++;
        }
      };
      await Promise.race([Promise.all(ids.map(stampAll)), failed]);

      // ---- what came of it
      const stored = await db.all<{ sequence: number; person_id: number }>(
        "SELECT sequence, person_id FROM events WHERE type LIKE 'clock.%' ORDER BY sequence",
      );
      expect(stored.length).toBeGreaterThanOrEqual(events);
      const complete = new Promise<void>((resolve) => {
        onArrival = () => {
          if (accepted.every((ids) => ids.size === stored.length)) resolve();
        };
        onArrival();
      });
      await Promise.race([complete, failed]);
      const pending = () => db.all("SELECT sequence FROM webhook_deliveries WHERE state <> 'delivered'");
      while ((await pending()).length > 0) await paused();

      const duplicates: number[] = [];
      for (const some of arrivals) {
        const inDoubt = new Set<string>();
        let twice = 0;
        for (const person of ids) {
          const ofPerson = some.filter((arrival) => arrival.person === person);
          const sequences = ofPerson.map(({ sequence }) => sequence);
          expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
          const taken = ofPerson.filter((arrival) => arrival.accepted);
          expect([...new Set(taken.map(({ sequence }) => sequence))]).toEqual(
            stored.filter((event) => event.person_id === person).map(({ sequence }) => sequence),
          );
          taken.forEach((arrival, index) => {
            const before = taken[index - 1];
            if (before?.sequence !== arrival.sequence) return;
            twice++;
            // A process died in between, and it is the only one of this lane that was in doubt then.
            expect(arrival.epoch).toBeGreaterThan(before.epoch);
            const doubt = `${person} ${before.epoch}`;
            expect(inDoubt).not.toContain(doubt);
            inDoubt.add(doubt);
          });
        }
        duplicates.push(twice);
      }
      expect(killed).toBe(kills);
      if (process.env['KILLS'] !== undefined)
        console.log(
          `${dialect}: ${stored.length} events, ${arrivals.map((some) => some.length).join(' + ')} requests, ${killed} kills, ${duplicates.join(' + ')} arrived twice`,
        );
    },
    600_000 + kills * 20_000 + events * 200,
  );
});
