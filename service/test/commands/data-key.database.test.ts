/** What an operator can rely on when `DATA_KEY` is exchanged: everything that it protects stays as it is. */

import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRotate } from '../../src/commands/data-key.js';
import { createDataKey } from '../../src/store/sealing/data-key.js';
import { WrongDataKey } from '../../src/store/sealing/data-keys.js';
import { companyCardKey } from '../../src/terminals/badges/badges.js';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import { createBrowser, factorKeysOf, giveCredentials, signIn } from '../browser.js';
import { type Door, type HeldCard, issueBadge, openDoor } from '../door.js';
import { createWorld, dataKey, minute, seededBytes, type World } from '../world.js';

const keyOf = (name: string) => Buffer.from(seededBytes(name)(32));
const setting = (key: Buffer) => ({ DATA_KEY: key.toString('base64') });
const stampPath = '/api/v1/terminal/stamp';

describe.each(dialects)('another DATA_KEY on %s', (dialect) => {
  let world: World;
  let door: Door;
  let card: HeldCard;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const { ada } = world.people;
    await giveCredentials(world, [ada], await factorKeysOf(world, dataKey));
    door = await openDoor(world, 'gate', { badgeAndPin: true });
    card = await issueBadge(world, door, ada, '04a1a2a3a4a5a6');
    const pinHash = await hashPin(world.service.dataKey!, ada, '012345');
    await world.write((write) => setPin(write, ada, world.nord, pinHash));
  });
  afterAll(() => world.close());

  /** A stamp with badge and PIN at a process. */
  async function stampAt(service: string, action: string) {
    world.advance(2 * minute);
    const { session } = (await door.hold(card, card.uidHex, { url: service })).body;
    return door.send('POST', stampPath, { session, action, pin: '012345' }, { url: service });
  }
  const sealKeyAt = async (service: string) =>
    (await door.send('GET', '/api/v1/terminal/status', undefined, { url: service })).body['seal_key'];
  const rotate = (from: Uint8Array, to: Uint8Array) =>
    runRotate(world.db, { DATA_KEY: from, NEW_DATA_KEY: to }, world.now());

  it('another DATA_KEY is refused without any change unless the present one is given', async () => {
    const rows = () => world.db.all('SELECT * FROM data_keys ORDER BY name');
    const before = await rows();
    await expect(rotate(keyOf('stranger'), keyOf('next'))).rejects.toThrow(WrongDataKey);
    for (const [DATA_KEY, NEW_DATA_KEY] of [
      [undefined, keyOf('next')],
      [dataKey, undefined],
      [dataKey, dataKey],
    ])
      expect(await runRotate(world.db, { DATA_KEY, NEW_DATA_KEY }, world.now())).toMatchObject({ exitCode: 78 });
    expect(await rows()).toEqual(before);
  });

  it('another DATA_KEY keeps badges, PINs, second factors and running processes, and may be set twice', async () => {
    const nextKey = keyOf('next');
    const sealKey = await sealKeyAt(world.url);
    expect(await rotate(dataKey, nextKey)).toMatchObject({ exitCode: 0, text: expect.stringContaining('done') });
    // Of two operators, and of one who runs the command again, the second reads it.
    expect(await rotate(dataKey, nextKey)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('nothing to do'),
    });

    expect(await stampAt(world.url, 'in')).toMatchObject({ status: 200 });
    await expect(world.replica()).rejects.toThrow('DATA_KEY is not the key');
    const replica = await world.replica(setting(nextKey));
    expect(await sealKeyAt(replica.url)).toBe(sealKey);
    expect(await stampAt(replica.url, 'out')).toMatchObject({ status: 200 });
    await signIn(world, world.people.ada, createBrowser(replica.url));

    expect(
      await world.db.all("SELECT actor_kind, company_id FROM audit_entries WHERE action = 'data_key.rotated'"),
    ).toEqual([{ actor_kind: 'system', company_id: null }]);
    // Back again, for the tests beside this one.
    expect(await rotate(nextKey, dataKey)).toMatchObject({ exitCode: 0 });
  });

  it('another DATA_KEY does not open earlier values, and stored keys cannot change places', async () => {
    const rows = await world.db.all<{ name: string; sealed: Uint8Array }>('SELECT name, sealed FROM data_keys');
    expect(rows.map(({ name }) => name).sort()).toEqual(['hashes', 'secrets']);
    const rawKey = createDataKey(dataKey, seededBytes('raw'));
    await expect(companyCardKey(world.db, rawKey, world.nord, 1)).rejects.toThrow();
    const exchange = () =>
      world.db.write(async (tx) => {
        for (const { from, to } of [
          { from: 'secrets', to: 'x' },
          { from: 'hashes', to: 'secrets' },
          { from: 'x', to: 'hashes' },
        ])
          await tx.run('UPDATE data_keys SET name = :to WHERE name = :from', { from, to });
      });
    await exchange();
    await expect(world.replica()).rejects.toThrow('DATA_KEY is not the key');
    await exchange();
  });
});
