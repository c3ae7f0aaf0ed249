/** A door whose requests reach another process each time, and a door whose network loses what it likes. */

import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '../../src/service.js';
import { type Door, deviceKey, doorOf, type HeldCard, issueBadge, newCode, openDoor, pair } from '../door.js';
import { createWorld, minute, type World } from '../world.js';

const stampPath = '/api/v1/terminal/stamp';

describe.each(dialects)('two processes at the door on %s', (dialect) => {
  let world: World;
  let replica: Service;
  let door: Door;
  beforeAll(async () => {
    world = await createWorld(dialect);
    replica = await world.replica();
    door = await openDoor(world, 'gate', { repeatLockSeconds: 0 });
  });
  afterAll(() => world.close());

  const stateOf = async (person: number) =>
    (
      await world.db.all<{ status: string }>('SELECT status FROM time_entries WHERE person_id = :person ORDER BY id', {
        person,
      })
    ).map(({ status }) => status);

  it.each(['desfire-ev3', 'ntag424'] as const)(
    'a %s is issued and stamps in and out behind a balancer that changes with every request',
    async (family) => {
      let requests = 0;
      const balancedWorld: World = {
        ...world,
        get url() {
          return requests++ % 2 === 0 ? world.url : replica.url;
        },
      };
      const { terminalId } = await openDoor(world, family, { repeatLockSeconds: 0, name: family });
      const balancedDoor = doorOf(balancedWorld, terminalId, family);
      const ben = await issueBadge(
        balancedWorld,
        balancedDoor,
        world.people.ben,
        family === 'ntag424' ? '04b1b2b3b4b5b6' : '04a1a2a3a4a5a6',
        family,
      );
      const entriesBefore = (await stateOf(world.people.ben)).length;
      for (const action of ['in', 'out']) {
        const { body } = await balancedDoor.hold(ben);
        expect(await balancedDoor.send('POST', stampPath, { session: body['session'], action })).toMatchObject({
          status: 200,
          body: { state: action },
        });
        world.advance(minute);
      }
      expect((await stateOf(world.people.ben)).slice(entriesBefore)).toEqual(['recorded']);
      expect(requests).toBeGreaterThan(20);
    },
  );

  it('two processes drop the key of a device at once when its terminal gets a new code, from either', async () => {
    const oldDevice = await openDoor(world, 'old device', { name: 'Re-paired' });
    const urls = [world.url, replica.url];
    const status = async (device: Door) => {
      const answers = await Promise.all(
        urls.map((url) => device.send('GET', '/api/v1/terminal/status', undefined, { url })),
      );
      return answers.map(({ status, body }) => [status, body['code'] ?? body['confirmed']]);
    };
    const refusal = [401, 'signature_invalid'];
    // Whatever a process might keep of the key, each has it now.
    expect(await status(oldDevice)).toEqual([
      [200, true],
      [200, true],
    ]);
    const code = await newCode(world, oldDevice.terminalId);
    expect(await status(oldDevice)).toEqual([refusal, refusal]);
    const pairing = await pair({ ...world, call: callAt(replica.url) }, code, deviceKey('new device').publicKey);
    expect(pairing.status).toBe(201);
    expect(await status(oldDevice)).toEqual([refusal, refusal]);
    expect(await status(doorOf(world, oldDevice.terminalId, 'new device'))).toEqual([
      [200, false],
      [200, false],
    ]);
  });

  const callAt =
    (url: string): World['call'] =>
    async (method, path, { body } = {}) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      };
    };

  /** Loses one request of a stamp, or its answer, and does what the protocol says. @returns how many it took */
  async function stampWithLoss(card: HeldCard, action: string, loss: { at: number; message: 'request' | 'answer' }) {
    let number = 0;
    const send = async (path: string, body: object) => {
      const bytes = door.signed('POST', path, body);
      const isLost = number++ === loss.at;
      const fetchOnce = async () => {
        const response = await fetch(bytes.url, bytes.init);
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      };
      if (!isLost) return fetchOnce();
      if (loss.message === 'answer') await fetchOnce();
      // Only a stamp may be sent again as it is.
      return path === stampPath ? fetchOnce() : undefined;
    };
    const prove = async (): Promise<string> => {
      let answer = await send('/api/v1/terminal/card', { uid: card.uidHex });
      while (answer?.body['apdu'] !== undefined) {
        const response = Buffer.from(card.apdu(Buffer.from(answer.body['apdu'] as string, 'hex'))).toString('hex');
        answer = await send('/api/v1/terminal/card/step', { session: answer.body['session'], response });
      }
      card.reset();
      return answer === undefined ? prove() : (answer.body['session'] as string);
    };
    const session = await prove();
    const answer = (await send(stampPath, { session, action }))!;
    const stamp = answer.status === 200 ? answer.body : (answer.body as { outcome: { stamp: object } }).outcome.stamp;
    expect(stamp).toMatchObject({ action, state: action });
    return number;
  }

  it('two processes count a stamp once, for any lost request or answer', async () => {
    const { ada } = world.people;
    const card = await issueBadge(world, door, ada, '04c1c2c3c4c5c6');
    let turn = 0;
    for (const message of ['request', 'answer'] as const)
      for (let at = 0; at < 5; at++) {
        world.advance(minute);
        const action = turn++ % 2 === 0 ? 'in' : 'out';
        expect(await stampWithLoss(card, action, { at, message })).toBe(at === 4 ? 5 : 6 + at);
        const entries = await stateOf(ada);
        expect([at, message, entries.length, entries.at(-1)]).toEqual([
          at,
          message,
          Math.ceil(turn / 2),
          action === 'in' ? 'open' : 'recorded',
        ]);
      }
  });
});
