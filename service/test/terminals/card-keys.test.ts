/** The card keys of a company: replaced while people go on stamping, and cards that nobody else can format. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { recordCompany } from '../../src/people/people.js';
import { companyCardKeys } from '../../src/terminals/badges/badges.js';
import { insertCardKey } from '../../src/terminals/badges/rows.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { type Door, type HeldCard, issueBadge, type newCard, openDoor } from '../door.js';
import { createWorld, minute, type World } from '../world.js';
import { berlin } from '../zones.js';

type Body = Record<string, unknown>;
const cardPath = '/api/v1/terminal/card';
const stepPath = '/api/v1/terminal/card/step';

describe.each(oneDialect)('card keys on %s', (dialect) => {
  let world: World;
  let rootId: number;
  let root: Browser;
  let door: Door;
  let count = 0;
  let keysPath: string;
  beforeAll(async () => {
    world = await createWorld(dialect);
    rootId = await addSuperAdmin(world);
    keysPath = `/app/admin/companies/${world.nord}/card-keys`;
    door = await openDoor(world, 'gate');
  });
  // A fresh second factor for each.
  beforeEach(async () => {
    world.advance(5 * minute);
    root = await world.as(rootId);
  });
  afterAll(() => world.close());

  const issue = (family?: Parameters<typeof newCard>[1]) => {
    // The latest badge is listed first; of two that were issued at one instant, either.
    world.advance(1_000);
    return issueBadge(world, door, world.people.ada, `04c0${String(++count).padStart(10, '0')}`, family);
  };
  const keys = async () => (await root.call('GET', keysPath)).body;
  const rotate = async () => {
    const answer = await root.call('POST', `${keysPath}/rotation`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const lock = (lockCards: boolean) => root.call('PATCH', keysPath, { body: { lock_cards: lockCards } });
  const badgeOf = async (person = world.people.ada): Promise<Body & { readonly id: string }> =>
    (
      (await root.call('GET', `/app/admin/badges?user_id=${person}&limit=1`)).body['data'] as [
        Body & { readonly id: string },
      ]
    )[0];
  const audit = (action: string, badge: string) =>
    world.db.all<{ details: string }>(
      'SELECT details FROM audit_entries WHERE action = :action AND subject = :subject',
      {
        action,
        subject: `badge ${badge}`,
      },
    );
  /** Relays until the service has decided, or so many commands. */
  const relay = async (card: HeldCard, commands = Infinity, urls = [world.url], action?: 'next') => {
    const body = { uid: card.uidHex, ...(action && { action }) };
    let answer = await door.send('POST', cardPath, body, { url: urls[0]! });
    for (let step = 0; answer.body['apdu'] !== undefined && step < commands; step++) {
      const response = Buffer.from(card.apdu(Buffer.from(answer.body['apdu'] as string, 'hex'))).toString('hex');
      const body = { session: answer.body['session'], response };
      answer = await door.send('POST', stepPath, body, { url: urls[(step + 1) % urls.length]! });
    }
    card.reset();
    return answer.body;
  };
  const masterKeyVersionOn = (card: HeldCard) => {
    card.reset();
    const version = card.apdu(Buffer.from('90640000010000', 'hex'))[0];
    card.reset();
    return version;
  };
  const versionsOn = (card: HeldCard) => {
    const read = (key: string) => card.apdu(Buffer.from(`9064000001${key}00`, 'hex'))[0];
    card.reset();
    card.apdu(Buffer.from('905a000003c10c4b00', 'hex'));
    const versions = [read('00'), read('01')];
    card.reset();
    return versions;
  };

  it('new card keys leave stamps as before, and badges change with the next stamp, once', async () => {
    const card = await issue();
    const { id } = await badgeOf();
    expect(await badgeOf()).toMatchObject({ key_outdated: false, locked: false });
    const { version } = await keys();
    const rotation = await rotate();
    expect(rotation).toMatchObject({ version: (version as number) + 1, lock_cards: false });
    expect(rotation['outdated']).toBe(rotation['badges']);
    expect(await badgeOf()).toMatchObject({ key_outdated: true });

    const replica = await world.replica();
    expect(await relay(card, Infinity, [world.url, replica.url])).toMatchObject({
      result: 'proved',
      first_name: 'Ada',
    });
    await world.stop(replica);
    expect(await badgeOf()).toMatchObject({ id, key_outdated: false });
    expect(versionsOn(card)).toEqual([rotation['version'], rotation['version']]);
    expect(await relay(card, 3)).toMatchObject({ result: 'proved' });
    expect((await audit('badge.key_renewed', id)).map(({ details }) => JSON.parse(details))).toEqual([
      { person: world.people.ada, version: rotation['version'] },
    ]);
    expect((await keys())['outdated']).toBe((rotation['outdated'] as number) - 1);
    // New badges get the new key at once.
    await issue();
    expect(await badgeOf()).toMatchObject({ key_outdated: false });
  });

  it.each(['desfire-ev2', 'ntag424'] as const)(
    'twice replaced card keys reach a badge that was taken away at every step (%s)',
    async (family) => {
      const card = await issue(family);
      await rotate();
      for (let commands = 1; (await relay(card, commands))['result'] === undefined; commands++) {
        expect(commands).toBeLessThan(30);
        if (commands === 6) await rotate();
      }
      expect(await relay(card, 3)).toMatchObject({ result: 'proved' });
      expect(await badgeOf()).toMatchObject({ key_outdated: false });
      expect(await audit('badge.key_renewed', (await badgeOf()).id)).toHaveLength(1);
    },
  );

  it('card keys change also with a stamp named beforehand, before and after an interruption', async () => {
    const card = await issue();
    await rotate();
    expect((await relay(card, 5, [world.url], 'next'))['result']).toBeUndefined();
    expect(await relay(card, Infinity, [world.url], 'next')).toMatchObject({
      result: 'proved',
      stamp: expect.anything(),
    });
    expect(await badgeOf()).toMatchObject({ key_outdated: false });
    expect(await relay(card, 3)).toMatchObject({ result: 'proved' });
  });

  it('card keys never lock a person out: a badge that cannot be renewed is proved too', async () => {
    const card = await issue();
    const { id } = await badgeOf();
    await rotate();
    const stubbornCard: HeldCard = {
      ...card,
      apdu: (command) => (command[1] === 0xc4 ? Buffer.from('919d', 'hex') : card.apdu(command)),
    };
    expect(await relay(stubbornCard)).toMatchObject({ result: 'proved' });
    expect((await audit('badge.key_renewal_failed', id)).map(({ details }) => JSON.parse(details))).toMatchObject([
      { reason: 'permission_denied' },
    ]);
    expect(await badgeOf()).toMatchObject({ key_outdated: true });
    expect(await relay(card)).toMatchObject({ result: 'proved' });
    expect(await badgeOf()).toMatchObject({ key_outdated: false });
  });

  it('card keys are written only at issuing terminals; elsewhere a badge proves its present key', async () => {
    const card = await issue();
    const issuedVersions = versionsOn(card);
    await rotate();
    const otherDoor = await openDoor(world, 'supply', { issuingAllowed: false });
    const commands: number[] = [];
    const recordingCard: HeldCard = {
      ...card,
      apdu: (command) => {
        commands.push(command[1]!);
        return card.apdu(command);
      },
    };
    expect((await otherDoor.hold(recordingCard)).body).toMatchObject({ result: 'proved', first_name: 'Ada' });
    expect(commands).toHaveLength(3);
    expect(versionsOn(card)).toEqual(issuedVersions);
    expect(await badgeOf()).toMatchObject({ key_outdated: true });
    // Interrupted where keys are written, between the two keys of the card: it proves the one that it has, and waits.
    for (let limit = 1; versionsOn(card)[1] === issuedVersions[1]; limit++)
      expect((await relay(card, limit))['result']).toBeUndefined();
    const tornVersions = versionsOn(card);
    expect(tornVersions[0]).toBe(issuedVersions[0]);
    expect((await otherDoor.hold(card)).body).toMatchObject({ result: 'proved', first_name: 'Ada' });
    expect(versionsOn(card)).toEqual(tornVersions);
    expect(await badgeOf()).toMatchObject({ key_outdated: true });
    expect(await relay(card)).toMatchObject({ result: 'proved' });
    expect(await badgeOf()).toMatchObject({ key_outdated: false });
  });

  describe('restored card keys', () => {
    const families = ['desfire-ev1', 'desfire-ev2', 'desfire-ev3', 'ntag424', 'desfire-ev3', 'ntag424'] as const;
    let cards: HeldCard[];
    let versionBefore: number;
    /** What a restore brings back: the rows of badges and keys, and not the cards. */
    const restore = async () => {
      const ids = (await world.db.all<{ id: string }>('SELECT id FROM badges')).map(({ id }) => id);
      await world.db.write(async (tx) => {
        await tx.run('DELETE FROM company_card_keys WHERE company_id = :nord AND version > :before', {
          nord: world.nord,
          before: versionBefore,
        });
        for (const id of ids)
          await tx.run(
            'UPDATE badges SET key_version = :before, renewing_to = NULL WHERE id = :id AND key_version > :before',
            { id, before: versionBefore },
          );
      });
    };
    beforeEach(async () => {
      cards = [];
      for (const [index, family] of families.entries()) {
        await lock(index === 4);
        cards.push(await issue(family));
      }
      await lock(false);
      versionBefore = (await keys())['version'] as number;
      await rotate();
      for (const card of cards) expect(await relay(card)).toMatchObject({ result: 'proved' });
    });

    it('restored card keys open every badge renewed since, and are the same when replaced again', async () => {
      await restore();
      const otherDoor = await openDoor(world, `restored ${count}`, { issuingAllowed: false });
      for (const card of cards) expect((await otherDoor.hold(card)).body).toMatchObject({ result: 'proved' });
      const { id } = await badgeOf();
      expect((await audit('badge.key_found', id)).map(({ details }) => JSON.parse(details))).toEqual([
        { person: world.people.ada, version: versionBefore + 1 },
      ]);
      // The record knows the version by now: three commands, as ever.
      for (const card of cards) expect(await relay(card, 3)).toMatchObject({ result: 'proved' });
      expect((await root.call('GET', `/app/admin/terminals/${otherDoor.terminalId}`)).body['proofs_stopped_at']).toBe(
        undefined,
      );
      expect((await rotate())['version']).toBe(versionBefore + 1);
      for (const card of cards) expect(await relay(card, 3)).toMatchObject({ result: 'proved' });
      await rotate();
      for (const card of cards) expect(await relay(card)).toMatchObject({ result: 'proved' });
      expect(versionsOn(cards[0]!)).toEqual([versionBefore + 2, versionBefore + 2]);
    });

    it('restored card keys issue returned cards, also locked ones', async () => {
      await restore();
      const badges = (await root.call('GET', `/app/admin/badges?user_id=${world.people.ada}&limit=6`)).body['data'] as {
        id: string;
      }[];
      for (const { id } of badges) await root.call('POST', `/app/admin/badges/${id}/return`);
      for (const card of cards) {
        expect(await issueAgain(card, world.people.ben)).toMatchObject({ result: 'issued' });
        expect(await relay(card, 3)).toMatchObject({ result: 'proved', first_name: 'Ben' });
      }
    });
  });

  it('compromised card keys are replaced by a random one: every badge ends, and its card is issued again', async () => {
    const [card, copy] = [await issue(), await issue('ntag424')];
    const { version, badges } = await keys();
    const keyOf = async (number: number) =>
      Buffer.from((await companyCardKeys(world.db, world.service.dataKey!, world.nord)).of(number)!).toString('hex');
    const nextKey = await keyOf((version as number) + 1);
    const rotation = await root.call('POST', `${keysPath}/rotation`, { body: { known: true } });
    expect(rotation.body).toMatchObject({ version: (version as number) + 1, badges: 0, outdated: 0 });
    expect(badges).toBeGreaterThan(1);
    for (const badge of [card, copy]) expect(await relay(badge)).toMatchObject({ code: 'card_refused' });
    const entries = await world.db.all<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'badge.returned' AND details LIKE '%card_key_known%'",
    );
    expect(entries).toHaveLength(badges as number);
    for (const badge of [card, copy]) {
      expect(await issueAgain(badge, world.people.ben)).toMatchObject({ result: 'issued' });
      expect(await relay(badge, 3)).toMatchObject({ result: 'proved', first_name: 'Ben' });
    }
    // It does not follow from the one that is known.
    expect(await keyOf((version as number) + 1)).not.toBe(nextKey);
  });

  it('card keys lock newly issued cards, which are issued again after they were returned', async () => {
    expect((await lock(true)).body).toMatchObject({ lock_cards: true });
    const card = await issue();
    expect(await badgeOf()).toMatchObject({ locked: true });
    expect((await keys())['locked']).toBeGreaterThan(0);
    expect((await lock(false)).body).toMatchObject({ lock_cards: false });
    await rotate();
    const { id } = await badgeOf();
    await root.call('POST', `/app/admin/badges/${id}/return`);
    // The master key is of an earlier version, and nobody wants cards to be locked any more: it is the factory's again.
    const lockedCount = (await keys())['locked'] as number;
    const answer = await issueAgain(card, world.people.ben);
    expect(answer).toMatchObject({ result: 'issued' });
    expect(await badgeOf(world.people.ben)).toMatchObject({ locked: false, key_outdated: false });
    expect((await keys())['locked']).toBe(lockedCount);
    expect(masterKeyVersionOn(card)).toBe(0);
    expect(await relay(card, 3)).toMatchObject({ result: 'proved', first_name: 'Ben' });
    await rotate();
    expect(await relay(card)).toMatchObject({ result: 'proved', first_name: 'Ben' });
    // Not NTAG 424 DNA, which cannot be formatted.
    await lock(true);
    const ntag = await issue('ntag424');
    expect(await badgeOf()).toMatchObject({ locked: false });
    await lock(false);
    await root.call('POST', `/app/admin/badges/${(await badgeOf()).id}/return`);
    expect(await issueAgain(ntag, world.people.ben)).toMatchObject({ result: 'issued' });
    expect(await badgeOf(world.people.ben)).toMatchObject({ locked: false });
    expect(await relay(ntag, 3)).toMatchObject({ result: 'proved', first_name: 'Ben' });
  });

  it('card keys end with version 255, the last that a card can store', async () => {
    const company = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      recordCompany(write, { name: `Many keys on ${dialect}`, timeZone: berlin, country: 'DE' }),
    );
    const sealedKey = world.service.dataKey!.seal(`company card key ${company} 254`, new Uint8Array(16));
    await world.db.write((tx) => insertCardKey(tx, company, 254, sealedKey, world.now()));
    const path = `/app/admin/companies/${company}/card-keys`;
    const rotation = await root.call('POST', `${path}/rotation`);
    expect(rotation).toMatchObject({ status: 200, body: { version: 255 } });
    expect(await root.call('POST', `${path}/rotation`)).toMatchObject({
      status: 409,
      body: { code: 'card_key_versions_used_up' },
    });
    expect((await root.call('GET', path)).body).toEqual(rotation.body);
    expect(
      await world.db.all('SELECT subject FROM audit_entries WHERE action = :action AND company_id = :company', {
        action: 'card.key_rotated',
        company,
      }),
    ).toHaveLength(1);
  });

  it('parallel replacements of card keys get one version and one log entry each', async () => {
    const company = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      recordCompany(write, { name: `Keys at once on ${dialect}`, timeZone: berlin, country: 'DE' }),
    );
    const rotation = `/app/admin/companies/${company}/card-keys/rotation`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => root.call('POST', rotation)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ body }) => body['version']).sort()).toEqual([1, 2, 3, 4]);
    const entries = await world.db.all<{ details: string }>(
      'SELECT details FROM audit_entries WHERE action = :action AND company_id = :company',
      { action: 'card.key_rotated', company },
    );
    expect(entries.map(({ details }) => JSON.parse(details).version).sort()).toEqual([1, 2, 3, 4]);
  });

  const issueAgain = async (card: HeldCard, person: number) => {
    const path = `/app/admin/terminals/${door.terminalId}/issuing`;
    expect((await root.call('POST', path, { body: { user_id: person } })).status).toBe(201);
    return (await door.hold(card)).body;
  };

  it('card keys belong to the admins of the company, with a fresh second factor', async () => {
    const { zoe } = world.people;
    await world.db.write((tx) => tx.run("UPDATE people SET role = 'company_admin' WHERE id = :zoe", { zoe }));
    const otherAdmin = await world.as(zoe);
    const before = await keys();
    for (const answer of [
      await otherAdmin.call('GET', keysPath),
      await otherAdmin.call('PATCH', keysPath, { body: { lock_cards: true } }),
      await otherAdmin.call('POST', `${keysPath}/rotation`),
    ])
      expect(answer.body['code']).toBe('not_found');
    world.advance(20 * minute);
    for (const answer of [await lock(true), await root.call('POST', `${keysPath}/rotation`)])
      expect(answer.body['code']).toBe('second_factor_required');
    expect(await keys()).toEqual(before);
    const suedPath = `/app/admin/companies/${world.sued}/card-keys`;
    expect((await otherAdmin.call('GET', suedPath)).body).toEqual({
      lock_cards: false,
      badges: 0,
      outdated: 0,
      locked: 0,
    });
  });
});
