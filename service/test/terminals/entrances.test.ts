/** What admins do to terminals and badges, and people to their own badge and PIN, over HTTP. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, second } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { type Door, deviceKey, doorOf, type HeldCard, newCard, pair } from '../door.js';
import { type Answer, createWorld, type World } from '../world.js';

type Body = Record<string, unknown>;
const statusPath = '/api/v1/terminal/status';

describe.each(oneDialect)('entrances on %s', (dialect) => {
  let world: World;
  let rootId: number;
  let root: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    rootId = await addSuperAdmin(world);
  });
  // A fresh second factor for each.
  beforeEach(async () => {
    world.advance(minute);
    root = await world.as(rootId);
  });
  afterAll(() => world.close());

  let count = 0;
  const add = async (overrides: Body = {}): Promise<{ id: string; code: string; path: string }> => {
    const body = { company_id: world.nord, name: `Gate ${++count}`, location: 'Hamburg', ...overrides };
    const answer = await root.call('POST', '/app/admin/terminals', { body });
    expect(answer.status).toBe(201);
    const { id } = answer.body['terminal'] as { id: string };
    return { id, code: answer.body['code'] as string, path: `/app/admin/terminals/${id}` };
  };
  const show = async (path: string): Promise<Body> => (await root.call('GET', path)).body;
  /** Added, paired and confirmed as people do it. */
  const openEntrance = async (overrides: Body = {}): Promise<Door & { readonly path: string }> => {
    const { id, code, path } = await add({ issuing_allowed: true, ...overrides });
    const { body } = await pair(world, code, deviceKey(id).publicKey);
    const confirmation = { body: { fingerprint: body['fingerprint'] } };
    expect((await root.call('POST', `${path}/confirmation`, confirmation)).status).toBe(200);
    return Object.assign(doorOf(world, id, id), { path });
  };
  const start = (door: { readonly path: string }, person: number): Promise<Answer> =>
    root.call('POST', `${door.path}/issuing`, { body: { user_id: person } });
  const createCard = (family?: Parameters<typeof newCard>[1]): HeldCard =>
    newCard(`04${String(++count).padStart(12, '0')}`, family);
  const issue = async (
    door: Door & { readonly path: string },
    person: number,
    card = createCard(),
  ): Promise<HeldCard> => {
    expect((await start(door, person)).status).toBe(201);
    expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
    return card;
  };
  const badgeOf = async (person: number): Promise<{ id: string; state: string } & Body> =>
    (
      (await root.call('GET', `/app/admin/badges?user_id=${person}&limit=1`)).body['data'] as [
        { id: string; state: string },
      ]
    )[0];
  const change = (id: string, verb: string, body?: Body): Promise<Answer> =>
    root.call('POST', `/app/admin/badges/${id}/${verb}`, { body });
  const lastAudit = async () =>
    await world.db.get<Body>('SELECT action, actor_id, details FROM audit_entries ORDER BY sequence DESC LIMIT 1');

  describe('a terminal', () => {
    it('a terminal is added, paired and confirmed by its fingerprint', async () => {
      const { id, code, path } = await add();
      expect(await show(path)).toMatchObject({ state: 'awaiting_pairing', issuing_allowed: false });
      const terminal = await show(path);
      expect(Date.parse(terminal['pairing_code_expires_at'] as string)).toBe(world.now() + 10 * minute);
      const wrongBody = { body: { fingerprint: 'AAAA-AAAA-AAAA-AAAA' } };
      expect((await root.call('POST', `${path}/confirmation`, wrongBody)).body['code']).toBe('fingerprint_mismatch');
      const { body } = await pair(world, code, deviceKey(id).publicKey);
      expect(await show(path)).toMatchObject({ state: 'awaiting_confirmation', fingerprint: body['fingerprint'] });
      expect((await root.call('POST', `${path}/confirmation`, wrongBody)).body['code']).toBe('fingerprint_mismatch');
      const rightBody = { body: { fingerprint: body['fingerprint'] } };
      const confirmation = await root.call('POST', `${path}/confirmation`, rightBody);
      expect(confirmation.body).toMatchObject({ state: 'confirmed', confirmed_by: { name: expect.any(String) } });
      expect((await doorOf(world, id, id).send('GET', '/api/v1/terminal/status')).body['confirmed']).toBe(true);
    });

    it('a terminal keeps its device after a wrong code, and loses it with a new code', async () => {
      const door = await openEntrance();
      const status = async () => (await door.send('GET', '/api/v1/terminal/status')).status;
      expect((await pair(world, '0000-0000', deviceKey('stranger').publicKey)).status).toBe(404);
      expect(await status()).toBe(200);
      expect((await root.call('POST', `${door.path}/pairing-code`)).status).toBe(201);
      expect(await status()).toBe(401);
      expect(await show(door.path)).toMatchObject({ state: 'awaiting_pairing' });
    });

    it('a terminal has a unique name in the company, also in a race', async () => {
      const { path } = await add({ name: 'Hall' });
      const body = { company_id: world.nord, name: 'HALL', location: 'x' };
      const conflict = { status: 409, body: { code: 'value_taken' } };
      expect(await root.call('POST', '/app/admin/terminals', { body })).toMatchObject(conflict);
      const otherTerminal = await add();
      expect(await root.call('PATCH', otherTerminal.path, { body: { name: 'hall' } })).toMatchObject(conflict);
      expect((await root.call('PATCH', path, { body: { name: 'Hall' } })).status).toBe(200);
      const suedAnswer = await root.call('POST', '/app/admin/terminals', { body: { ...body, company_id: world.sued } });
      expect(suedAnswer.status).toBe(201);
    });

    it('a terminal has settings, and takes departments of its company only', async () => {
      const { path } = await add();
      const options = { show_info: true, info_without_pin: true, badge_and_pin: true, issuing_allowed: true };
      const body = { ...options, department_ids: [world.office], location: 'Kiel' };
      const answer = await root.call('PATCH', path, { body });
      expect(answer.body).toMatchObject({ ...options, departments: [{ id: world.office }], location: 'Kiel' });
      expect((await lastAudit())!['action']).toBe('terminal.changed');
      const foreignAnswer = await root.call('PATCH', path, { body: { department_ids: [9_999] } });
      expect([foreignAnswer.status, await show(path)]).toEqual([400, answer.body]);
    });

    it('a removed terminal is gone with its sessions', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ada);
      const answer = await door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex });
      expect((await root.call('DELETE', door.path)).status).toBe(204);
      const step = { session: answer.body['session'], response: '9100' };
      expect((await door.send('POST', '/api/v1/terminal/card/step', step)).status).toBe(401);
      expect((await root.call('GET', door.path)).status).toBe(404);
      const query = "SELECT count(*) AS n FROM card_sessions WHERE state <> 'ended' AND terminal_id = :id";
      expect(await world.db.get(query, { id: door.terminalId })).toEqual({ n: 0 });
      // Where a badge was issued is still known.
      expect(await badgeOf(world.people.ada)).toMatchObject({ issued_at_terminal: expect.stringMatching(/^Gate/) });
    });

    it('a terminal shows what its device reports, and when', async () => {
      const door = await openEntrance();
      expect((await show(door.path))['last_seen_at']).toBeUndefined();
      const query =
        'agent_version=1.2.0&reader=ACS%20ACR1252&reader_state=ready&clock_offset_ms=-412&offline_waiting=3';
      expect((await door.send('GET', `/api/v1/terminal/status?${query}`)).status).toBe(200);
      const facts = { agent_version: '1.2.0', reader: 'ACS ACR1252', clock_offset_ms: -412, offline_waiting: 3 };
      expect(await show(door.path)).toMatchObject({ ...facts, reader_state: 'ready' });
      world.advance(minute);
      await door.send('GET', '/api/v1/terminal/status?reader_state=missing');
      const terminal = await show(door.path);
      expect(terminal).toMatchObject({ ...facts, reader_state: 'missing' });
      expect(Date.parse(terminal['last_seen_at'] as string)).toBe(world.now());
      // What a device said is not the next one's.
      await root.call('POST', `${door.path}/pairing-code`);
      expect(Object.keys(await show(door.path))).toEqual(expect.not.arrayContaining(['reader', 'agent_version']));
    });

    it('a terminal needs the switch for terminals', async () => {
      const { path } = await add();
      await root.call('PATCH', '/app/admin/access', { body: { terminals: false } });
      const refusal = { status: 403, body: { code: 'feature_disabled' } };
      expect(await root.call('POST', `${path}/pairing-code`)).toMatchObject(refusal);
      await root.call('PATCH', '/app/admin/access', { body: { terminals: true } });
    });
  });

  describe('issuing', () => {
    const state = async (door: { readonly path: string }) => show(`${door.path}/issuing`);

    it('issuing a badge is shown step by step', async () => {
      const door = await openEntrance();
      expect((await root.call('GET', `${door.path}/issuing`)).status).toBe(404);
      await start(door, world.people.ada);
      expect(await state(door)).toMatchObject({ state: 'waiting', person: { id: world.people.ada } });
      const card = createCard('ntag424');
      const first = await door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex });
      expect(first.status).toBe(200);
      expect(await state(door)).toMatchObject({ state: 'writing' });
      // Taken away and held again: the same window goes on.
      await door.send('POST', '/api/v1/terminal/session/end', { session: first.body['session'] });
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'removed' });
      expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
      expect(await state(door)).toMatchObject({ state: 'issued', card: 'ntag424', badge: { state: 'active' } });
    });

    it('issuing shows the admin the fault of a card, and the door one sentence', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ada);
      await start(door, world.people.ben);
      expect((await door.hold(card)).body['code']).toBe('card_refused');
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'already_badge' });
      const phone = await door.send('POST', '/api/v1/terminal/card', { uid: '08123456' });
      expect(phone.body['code']).toBe('card_unsupported');
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'unsupported' });
      // Another card may still be held.
      expect((await door.hold(createCard())).body).toMatchObject({ result: 'issued' });
    });

    it('one badge is issued at a time, until two minutes are over or it is cancelled', async () => {
      const door = await openEntrance();
      await start(door, world.people.ada);
      expect((await start(door, world.people.ben)).body['code']).toBe('issuing_in_progress');
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      expect(await state(door)).toMatchObject({ state: 'cancelled' });
      expect((await door.hold(createCard())).body['code']).toBe('card_refused');
      expect((await start(door, world.people.ben)).status).toBe(201);
      world.advance(2 * minute + second);
      expect(await state(door)).toMatchObject({ state: 'expired' });
      expect((await door.hold(createCard())).body['code']).toBe('card_refused');
      expect((await start(door, world.people.ben)).status).toBe(201);
    });

    it('a card that fails after its issuing was cancelled opens none again, and ends no later one', async () => {
      const door = await openEntrance();
      await start(door, world.people.ada);
      const firstAnswer = await door.send('POST', '/api/v1/terminal/card', { uid: createCard().uidHex });
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      const failedStep = { session: firstAnswer.body['session'], response: '6A82' };
      expect((await door.send('POST', '/api/v1/terminal/card/step', failedStep)).status).toBe(422);
      expect(await state(door)).toMatchObject({ state: 'cancelled' });
      await start(door, world.people.ada);
      const secondAnswer = await door.send('POST', '/api/v1/terminal/card', { uid: createCard().uidHex });
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      await start(door, world.people.ben);
      await door.send('POST', '/api/v1/terminal/card/step', { ...failedStep, session: secondAnswer.body['session'] });
      expect(await state(door)).toMatchObject({ state: 'waiting', person: { id: world.people.ben } });
    });

    it('issuing needs a permitted terminal, and a person who works there', async () => {
      const door = await openEntrance({ issuing_allowed: false });
      expect((await start(door, world.people.ada)).body['code']).toBe('issuing_not_allowed');
      const { path } = await add({ issuing_allowed: true });
      expect((await start({ path }, world.people.ada)).body['code']).toBe('terminal_not_confirmed');
      const gate = await openEntrance();
      expect((await start(gate, 9_999)).status).toBe(404);
      expect((await start(gate, world.people.cem)).body['code']).toBe('employment_ended');
    });
  });

  describe('a person', () => {
    let ben: Browser;
    beforeAll(async () => {});
    beforeEach(async () => {
      ben = await world.as(world.people.ben);
    });
    const stampWith = async (door: Door, card: HeldCard, pin?: string): Promise<Answer> => {
      const { body } = await door.hold(card);
      world.advance(minute);
      const { body: secondBody } = await door.hold(card);
      expect([body['pin_required'], secondBody['pin_required']]).toEqual([true, true]);
      const action = (secondBody['actions'] as string[])[0];
      return door.send('POST', '/api/v1/terminal/stamp', { session: secondBody['session'], action, pin });
    };

    it('a badge is blocked by its person at once, and by no colleague', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ben);
      const [ownBadge] = (await ben.call('GET', '/app/me/badges')).body['data'] as [{ id: string }];
      await issue(door, world.people.ada);
      const adaBadge = await badgeOf(world.people.ada);
      expect((await ben.call('POST', `/app/me/badges/${adaBadge.id}/block`)).status).toBe(404);
      const answer = await ben.call('POST', `/app/me/badges/${ownBadge.id}/block`, { body: { lost: true } });
      expect(answer.body).toMatchObject({ state: 'blocked', lost: true, blocked_by: { id: world.people.ben } });
      expect((await door.hold(card)).body['code']).toBe('card_refused');
      // A card that was handed back is nobody's.
      await change(ownBadge.id, 'return');
      expect(JSON.stringify((await ben.call('GET', '/app/me/badges')).body)).not.toContain(ownBadge.id);
    });

    it('a PIN is set by its person, counts at the door, and is removed by an admin, who cannot set it', async () => {
      const door = await openEntrance({ badge_and_pin: true });
      const card = await issue(door, world.people.ben);
      expect((await ben.call('GET', '/app/pin')).body).toEqual({ set: false });
      expect((await stampWith(door, card, '406318')).body['code']).toBe('pin_required');
      expect((await ben.call('PUT', '/app/pin', { body: { pin: '406318' } })).status).toBe(204);
      expect((await ben.call('GET', '/app/pin')).body).toMatchObject({ set: true });
      for (let index = 0; index < 5; index++) await stampWith(door, card, '000000');
      expect((await stampWith(door, card, '406318')).body['code']).toBe('pin_locked');
      expect(await badgeOf(world.people.ben)).toMatchObject({
        pin_set: true,
        pin_locked_until: expect.any(String),
      });
      // A person who proves the second factor has not forgotten who they are.
      ben = await world.as(world.people.ben);
      expect((await ben.call('PUT', '/app/pin', { body: { pin: '406319' } })).status).toBe(204);
      expect((await stampWith(door, card, '406319')).status).toBe(200);
      const path = `/app/admin/people/${world.people.ben}/pin`;
      expect((await root.call('DELETE', path)).status).toBe(204);
      expect((await ben.call('GET', '/app/pin')).body).toEqual({ set: false });
      expect(await badgeOf(world.people.ben)).toMatchObject({ pin_set: false });
      expect((await ben.call('GET', '/app/notices')).body['data']).toMatchObject([{ kind: 'pin_reset' }]);
      const entry = await lastAudit();
      expect(entry!['action']).toBe('pin.reset');
      expect((await root.call('DELETE', path)).status).toBe(204);
      expect(await lastAudit()).toEqual(entry);
    });

    it('a PIN needs a fresh second factor and six digits', async () => {
      for (const pin of ['12345', '1234567', '１２３４５６', '12345\n'])
        expect((await ben.call('PUT', '/app/pin', { body: { pin } })).status).toBe(400);
      world.advance(16 * minute);
      expect((await ben.call('PUT', '/app/pin', { body: { pin: '406318' } })).body['code']).toBe(
        'second_factor_required',
      );
    });
  });

  describe('a badge', () => {
    it('a badge is blocked and unblocked, and names who did it', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ben);
      const { id } = await badgeOf(world.people.ben);
      expect((await door.hold(card)).body).toMatchObject({ result: 'proved' });
      expect(await badgeOf(world.people.ben)).toMatchObject({ last_used_at: expect.any(String) });
      const answer = await change(id, 'block', { lost: true });
      expect(answer.body).toMatchObject({ state: 'blocked', lost: true, blocked_by: { name: expect.any(String) } });
      expect((await door.hold(card)).body['code']).toBe('card_refused');
      const entry = await lastAudit();
      expect((await change(id, 'block')).body).toEqual(answer.body);
      expect(await lastAudit()).toEqual(entry);
      expect((await change(id, 'unblock')).body).toMatchObject({ state: 'active' });
      expect((await door.hold(card)).body).toMatchObject({ result: 'proved' });
    });

    it('a returned badge frees its card for a badge of another person', async () => {
      const door = await openEntrance();
      const { ada, ben } = world.people;
      const card = await issue(door, ada);
      const firstBadge = await badgeOf(ada);
      expect((await change(firstBadge.id, 'return')).body).toMatchObject({ state: 'returned' });
      expect((await door.hold(card)).body['code']).toBe('card_refused');
      expect((await change(firstBadge.id, 'unblock')).body['code']).toBe('badge_returned');
      await issue(door, ben, card);
      expect((await door.hold(card)).body).toMatchObject({ result: 'proved', first_name: 'Ben' });
      expect((await badgeOf(ben)).id).not.toBe(firstBadge.id);
      const returnedBadges = (await root.call('GET', `/app/admin/badges?state=returned&user_id=${ada}`)).body['data'];
      expect(returnedBadges).toContainEqual(
        expect.objectContaining({ id: firstBadge.id, person: expect.objectContaining({ id: ada }) }),
      );
    });

    it('a returned badge ends its running session', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ada);
      const { body } = await door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex });
      await change((await badgeOf(world.people.ada)).id, 'return');
      const response = Buffer.from(card.apdu(Buffer.from(body['apdu'] as string, 'hex'))).toString('hex');
      const step = { session: body['session'], response };
      expect((await door.send('POST', '/api/v1/terminal/card/step', step)).body['code']).toBe('card_refused');
    });

    it('a badge is found by the name of its person', async () => {
      const door = await openEntrance();
      await issue(door, world.people.ada);
      const findHolders = async (search: string) =>
        (
          (await root.call('GET', `/app/admin/badges?search=${search}`)).body['data'] as { person: { id: number } }[]
        ).map(({ person }) => person.id);
      expect(new Set(await findHolders('ADA'))).toEqual(new Set([world.people.ada]));
      expect(await findHolders('%25')).toEqual([]);
    });

    /** A card with the number of a badge that takes part in the proof, and does not have the key. */
    const impostor = ({ uidHex }: HeldCard): HeldCard => ({
      ...newCard(uidHex),
      apdu: (command) => {
        const answers: Readonly<Record<number, string>> = { 90: '9100', 170: `${'00'.repeat(16)}91af` };
        return Buffer.from(answers[command[1]!] ?? '91ae', 'hex');
      },
    });
    /** Something that emulates the number of a badge, and knows nothing else. */
    const emulator = ({ uidHex }: HeldCard): HeldCard => ({
      ...newCard(uidHex),
      apdu: () => Buffer.from('6a82', 'hex'),
    });
    const issueFive = async (door: Door & { readonly path: string }): Promise<HeldCard[]> => {
      const cards: HeldCard[] = [];
      for (let index = 0; index < 5; index++) cards.push(await issue(door, world.people.ada));
      return cards;
    };
    const fail = async (door: Door, cards: readonly HeldCard[]) => {
      for (const card of cards) expect((await door.hold(card)).body['code']).toBe('card_refused');
    };
    const noticesOf = async (kind: string, door: Door) =>
      ((await root.call('GET', '/app/notices')).body['data'] as (Body & { terminal: { id: string } })[]).filter(
        (notice) => notice['kind'] === kind && notice.terminal.id === door.terminalId,
      );

    it('failed proofs with cards of five badges stop a terminal until an admin reviews it', async () => {
      const door = await openEntrance();
      const cards = await issueFive(door);
      await fail(door, [cards[0]!, cards[0]!, cards[1]!, cards[2]!, cards[3]!].map(impostor));
      world.advance(10 * minute + second);
      await fail(door, [impostor(cards[4]!)]);
      // The first ones were too long ago.
      expect((await door.hold(cards[0]!)).body).toMatchObject({ result: 'proved' });
      expect((await door.send('GET', statusPath)).body['stopped']).toBeUndefined();
      await fail(door, cards.slice(0, 4).map(impostor));
      expect(await show(door.path)).toMatchObject({ proofs_stopped_at: expect.any(String) });
      // The device says so at the door, and records stamps as it does without a connection.
      expect((await door.send('GET', statusPath)).body).toMatchObject({
        stopped: 'failed_proofs',
        offers: { offline: true },
      });
      expect((await door.hold(cards[0]!)).body['code']).toBe('terminal_stopped');
      expect(await noticesOf('proofs_stopped', door)).toHaveLength(1);
      expect((await root.call('POST', `${door.path}/resumption`)).status).toBe(200);
      expect((await door.hold(cards[0]!)).body).toMatchObject({ result: 'proved' });
      expect((await door.send('GET', statusPath)).body['stopped']).toBeUndefined();
    });

    it('bare numbers of five badges leave a terminal in service', async () => {
      const door = await openEntrance();
      const cards = await issueFive(door);
      await fail(door, [...cards, ...cards].map(emulator));
      expect((await door.hold(cards[0]!)).body).toMatchObject({ result: 'proved' });
      expect(await noticesOf('proofs_stopped', door)).toEqual([]);
    });

    it('a number that fails ten times at a terminal gives the admins one notice', async () => {
      const door = await openEntrance();
      const card = await issue(door, world.people.ada);
      await fail(
        door,
        Array.from({ length: 9 }, () => emulator(card)),
      );
      expect(await noticesOf('badge_failing', door)).toEqual([]);
      await fail(door, [impostor(card), impostor(card)]);
      expect(await noticesOf('badge_failing', door)).toMatchObject([
        { holder: { id: world.people.ada }, terminal: { id: door.terminalId } },
      ]);
      expect((await door.hold(card)).body).toMatchObject({ result: 'proved' });
    });
  });
});
