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
  const add = async (more: Body = {}): Promise<{ id: string; code: string; path: string }> => {
    const body = { company_id: world.nord, name: `Gate ${++count}`, location: 'Hamburg', ...more };
    const answer = await root.call('POST', '/app/admin/terminals', { body });
    expect(answer.status).toBe(201);
    const { id } = answer.body['terminal'] as { id: string };
    return { id, code: answer.body['code'] as string, path: `/app/admin/terminals/${id}` };
  };
  const show = async (path: string): Promise<Body> => (await root.call('GET', path)).body;
  /** Added, paired and confirmed as people do it. */
  const entrance = async (more: Body = {}): Promise<Door & { readonly path: string }> => {
    const { id, code, path } = await add({ issuing_allowed: true, ...more });
    const { body } = await pair(world, code, deviceKey(id).publicKey);
    const confirmation = { body: { fingerprint: body['fingerprint'] } };
    expect((await root.call('POST', `${path}/confirmation`, confirmation)).status).toBe(200);
    return Object.assign(doorOf(world, id, id), { path });
  };
  const start = (door: { readonly path: string }, person: number): Promise<Answer> =>
    root.call('POST', `${door.path}/issuing`, { body: { user_id: person } });
  const card = (family?: Parameters<typeof newCard>[1]): HeldCard =>
    newCard(`04${String(++count).padStart(12, '0')}`, family);
  const issue = async (door: Door & { readonly path: string }, person: number, held = card()): Promise<HeldCard> => {
    expect((await start(door, person)).status).toBe(201);
    expect((await door.hold(held)).body).toMatchObject({ result: 'issued' });
    return held;
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
      const waiting = await show(path);
      expect(Date.parse(waiting['pairing_code_expires_at'] as string)).toBe(world.now() + 10 * minute);
      const none = { body: { fingerprint: 'AAAA-AAAA-AAAA-AAAA' } };
      expect((await root.call('POST', `${path}/confirmation`, none)).body['code']).toBe('fingerprint_mismatch');
      const { body } = await pair(world, code, deviceKey(id).publicKey);
      expect(await show(path)).toMatchObject({ state: 'awaiting_confirmation', fingerprint: body['fingerprint'] });
      expect((await root.call('POST', `${path}/confirmation`, none)).body['code']).toBe('fingerprint_mismatch');
      const right = { body: { fingerprint: body['fingerprint'] } };
      const confirmed = await root.call('POST', `${path}/confirmation`, right);
      expect(confirmed.body).toMatchObject({ state: 'confirmed', confirmed_by: { name: expect.any(String) } });
      expect((await doorOf(world, id, id).send('GET', '/api/v1/terminal/status')).body['confirmed']).toBe(true);
    });

    it('a terminal keeps its device after a wrong code, and loses it with a new code', async () => {
      const door = await entrance();
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
      const taken = { status: 409, body: { code: 'value_taken' } };
      expect(await root.call('POST', '/app/admin/terminals', { body })).toMatchObject(taken);
      const other = await add();
      expect(await root.call('PATCH', other.path, { body: { name: 'hall' } })).toMatchObject(taken);
      expect((await root.call('PATCH', path, { body: { name: 'Hall' } })).status).toBe(200);
      const elsewhere = await root.call('POST', '/app/admin/terminals', { body: { ...body, company_id: world.sued } });
      expect(elsewhere.status).toBe(201);
    });

    it('a terminal has settings, and takes departments of its company only', async () => {
      const { path } = await add();
      const options = { show_info: true, info_without_pin: true, badge_and_pin: true, issuing_allowed: true };
      const body = { ...options, department_ids: [world.office], location: 'Kiel' };
      const changed = await root.call('PATCH', path, { body });
      expect(changed.body).toMatchObject({ ...options, departments: [{ id: world.office }], location: 'Kiel' });
      expect((await lastAudit())!['action']).toBe('terminal.changed');
      const foreign = await root.call('PATCH', path, { body: { department_ids: [9_999] } });
      expect([foreign.status, await show(path)]).toEqual([400, changed.body]);
    });

    it('a removed terminal is gone with its sessions', async () => {
      const door = await entrance();
      const held = await issue(door, world.people.ada);
      const open = await door.send('POST', '/api/v1/terminal/card', { uid: held.uidHex });
      expect((await root.call('DELETE', door.path)).status).toBe(204);
      const step = { session: open.body['session'], response: '9100' };
      expect((await door.send('POST', '/api/v1/terminal/card/step', step)).status).toBe(401);
      expect((await root.call('GET', door.path)).status).toBe(404);
      const alive = "SELECT count(*) AS n FROM card_sessions WHERE state <> 'ended' AND terminal_id = :id";
      expect(await world.db.get(alive, { id: door.terminalId })).toEqual({ n: 0 });
      // Where a badge was issued is still known.
      expect(await badgeOf(world.people.ada)).toMatchObject({ issued_at_terminal: expect.stringMatching(/^Gate/) });
    });

    it('a terminal shows what its device reports, and when', async () => {
      const door = await entrance();
      expect((await show(door.path))['last_seen_at']).toBeUndefined();
      const query =
        'agent_version=1.2.0&reader=ACS%20ACR1252&reader_state=ready&clock_offset_ms=-412&offline_waiting=3';
      expect((await door.send('GET', `/api/v1/terminal/status?${query}`)).status).toBe(200);
      const facts = { agent_version: '1.2.0', reader: 'ACS ACR1252', clock_offset_ms: -412, offline_waiting: 3 };
      expect(await show(door.path)).toMatchObject({ ...facts, reader_state: 'ready' });
      world.advance(minute);
      await door.send('GET', '/api/v1/terminal/status?reader_state=missing');
      const seen = await show(door.path);
      expect(seen).toMatchObject({ ...facts, reader_state: 'missing' });
      expect(Date.parse(seen['last_seen_at'] as string)).toBe(world.now());
      // What a device said is not the next one's.
      await root.call('POST', `${door.path}/pairing-code`);
      expect(Object.keys(await show(door.path))).toEqual(expect.not.arrayContaining(['reader', 'agent_version']));
    });

    it('a terminal needs the switch for terminals', async () => {
      const { path } = await add();
      await root.call('PATCH', '/app/admin/access', { body: { terminals: false } });
      const off = { status: 403, body: { code: 'feature_disabled' } };
      expect(await root.call('POST', `${path}/pairing-code`)).toMatchObject(off);
      await root.call('PATCH', '/app/admin/access', { body: { terminals: true } });
    });
  });

  describe('issuing', () => {
    const state = async (door: { readonly path: string }) => show(`${door.path}/issuing`);

    it('issuing a badge is shown step by step', async () => {
      const door = await entrance();
      expect((await root.call('GET', `${door.path}/issuing`)).status).toBe(404);
      await start(door, world.people.ada);
      expect(await state(door)).toMatchObject({ state: 'waiting', person: { id: world.people.ada } });
      const held = card('ntag424');
      const first = await door.send('POST', '/api/v1/terminal/card', { uid: held.uidHex });
      expect(first.status).toBe(200);
      expect(await state(door)).toMatchObject({ state: 'writing' });
      // Taken away and held again: the same window goes on.
      await door.send('POST', '/api/v1/terminal/session/end', { session: first.body['session'] });
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'removed' });
      expect((await door.hold(held)).body).toMatchObject({ result: 'issued' });
      expect(await state(door)).toMatchObject({ state: 'issued', card: 'ntag424', badge: { state: 'active' } });
    });

    it('issuing shows the admin the fault of a card, and the door one sentence', async () => {
      const door = await entrance();
      const held = await issue(door, world.people.ada);
      await start(door, world.people.ben);
      expect((await door.hold(held)).body['code']).toBe('card_refused');
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'already_badge' });
      const phone = await door.send('POST', '/api/v1/terminal/card', { uid: '08123456' });
      expect(phone.body['code']).toBe('card_unsupported');
      expect(await state(door)).toMatchObject({ state: 'refused', reason: 'unsupported' });
      // Another card may still be held.
      expect((await door.hold(card())).body).toMatchObject({ result: 'issued' });
    });

    it('one badge is issued at a time, until two minutes are over or it is cancelled', async () => {
      const door = await entrance();
      await start(door, world.people.ada);
      expect((await start(door, world.people.ben)).body['code']).toBe('issuing_in_progress');
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      expect(await state(door)).toMatchObject({ state: 'cancelled' });
      expect((await door.hold(card())).body['code']).toBe('card_refused');
      expect((await start(door, world.people.ben)).status).toBe(201);
      world.advance(2 * minute + second);
      expect(await state(door)).toMatchObject({ state: 'expired' });
      expect((await door.hold(card())).body['code']).toBe('card_refused');
      expect((await start(door, world.people.ben)).status).toBe(201);
    });

    it('a card that fails after its issuing was cancelled opens none again, and ends no later one', async () => {
      const door = await entrance();
      await start(door, world.people.ada);
      const begun = await door.send('POST', '/api/v1/terminal/card', { uid: card().uidHex });
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      const failed = { session: begun.body['session'], response: '6A82' };
      expect((await door.send('POST', '/api/v1/terminal/card/step', failed)).status).toBe(422);
      expect(await state(door)).toMatchObject({ state: 'cancelled' });
      await start(door, world.people.ada);
      const second = await door.send('POST', '/api/v1/terminal/card', { uid: card().uidHex });
      expect((await root.call('DELETE', `${door.path}/issuing`)).status).toBe(204);
      await start(door, world.people.ben);
      await door.send('POST', '/api/v1/terminal/card/step', { ...failed, session: second.body['session'] });
      expect(await state(door)).toMatchObject({ state: 'waiting', person: { id: world.people.ben } });
    });

    it('issuing needs a permitted terminal, and a person who works there', async () => {
      const door = await entrance({ issuing_allowed: false });
      expect((await start(door, world.people.ada)).body['code']).toBe('issuing_not_allowed');
      const { path } = await add({ issuing_allowed: true });
      expect((await start({ path }, world.people.ada)).body['code']).toBe('terminal_not_confirmed');
      const open = await entrance();
      expect((await start(open, 9_999)).status).toBe(404);
      expect((await start(open, world.people.cem)).body['code']).toBe('employment_ended');
    });
  });

  describe('a person', () => {
    let ben: Browser;
    beforeAll(async () => {});
    beforeEach(async () => {
      ben = await world.as(world.people.ben);
    });
    const stampWith = async (door: Door, held: HeldCard, pin?: string): Promise<Answer> => {
      const { body } = await door.hold(held);
      world.advance(minute);
      const { body: again } = await door.hold(held);
      expect([body['pin_required'], again['pin_required']]).toEqual([true, true]);
      const action = (again['actions'] as string[])[0];
      return door.send('POST', '/api/v1/terminal/stamp', { session: again['session'], action, pin });
    };

    it('a badge is blocked by its person at once, and by no colleague', async () => {
      const door = await entrance();
      const held = await issue(door, world.people.ben);
      const [own] = (await ben.call('GET', '/app/me/badges')).body['data'] as [{ id: string }];
      await issue(door, world.people.ada);
      const other = await badgeOf(world.people.ada);
      expect((await ben.call('POST', `/app/me/badges/${other.id}/block`)).status).toBe(404);
      const blocked = await ben.call('POST', `/app/me/badges/${own.id}/block`, { body: { lost: true } });
      expect(blocked.body).toMatchObject({ state: 'blocked', lost: true, blocked_by: { id: world.people.ben } });
      expect((await door.hold(held)).body['code']).toBe('card_refused');
      // A card that was handed back is nobody's.
      await change(own.id, 'return');
      expect(JSON.stringify((await ben.call('GET', '/app/me/badges')).body)).not.toContain(own.id);
    });

    it('a PIN is set by its person, counts at the door, and is removed by an admin, who cannot set it', async () => {
      const door = await entrance({ badge_and_pin: true });
      const held = await issue(door, world.people.ben);
      expect((await ben.call('GET', '/app/pin')).body).toEqual({ set: false });
      expect((await stampWith(door, held, '406318')).body['code']).toBe('pin_required');
      expect((await ben.call('PUT', '/app/pin', { body: { pin: '406318' } })).status).toBe(204);
      expect((await ben.call('GET', '/app/pin')).body).toMatchObject({ set: true });
      for (let wrong = 0; wrong < 5; wrong++) await stampWith(door, held, '000000');
      expect((await stampWith(door, held, '406318')).body['code']).toBe('pin_locked');
      expect(await badgeOf(world.people.ben)).toMatchObject({
        pin_set: true,
        pin_locked_until: expect.any(String),
      });
      // A person who proves the second factor has not forgotten who they are.
      ben = await world.as(world.people.ben);
      expect((await ben.call('PUT', '/app/pin', { body: { pin: '406319' } })).status).toBe(204);
      expect((await stampWith(door, held, '406319')).status).toBe(200);
      const path = `/app/admin/people/${world.people.ben}/pin`;
      expect((await root.call('DELETE', path)).status).toBe(204);
      expect((await ben.call('GET', '/app/pin')).body).toEqual({ set: false });
      expect(await badgeOf(world.people.ben)).toMatchObject({ pin_set: false });
      expect((await ben.call('GET', '/app/notices')).body['data']).toMatchObject([{ kind: 'pin_reset' }]);
      const before = await lastAudit();
      expect(before!['action']).toBe('pin.reset');
      expect((await root.call('DELETE', path)).status).toBe(204);
      expect(await lastAudit()).toEqual(before);
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
      const door = await entrance();
      const held = await issue(door, world.people.ben);
      const { id } = await badgeOf(world.people.ben);
      expect((await door.hold(held)).body).toMatchObject({ result: 'proved' });
      expect(await badgeOf(world.people.ben)).toMatchObject({ last_used_at: expect.any(String) });
      const blocked = await change(id, 'block', { lost: true });
      expect(blocked.body).toMatchObject({ state: 'blocked', lost: true, blocked_by: { name: expect.any(String) } });
      expect((await door.hold(held)).body['code']).toBe('card_refused');
      const before = await lastAudit();
      expect((await change(id, 'block')).body).toEqual(blocked.body);
      expect(await lastAudit()).toEqual(before);
      expect((await change(id, 'unblock')).body).toMatchObject({ state: 'active' });
      expect((await door.hold(held)).body).toMatchObject({ result: 'proved' });
    });

    it('a returned badge frees its card for a badge of another person', async () => {
      const door = await entrance();
      const { ada, ben } = world.people;
      const held = await issue(door, ada);
      const first = await badgeOf(ada);
      expect((await change(first.id, 'return')).body).toMatchObject({ state: 'returned' });
      expect((await door.hold(held)).body['code']).toBe('card_refused');
      expect((await change(first.id, 'unblock')).body['code']).toBe('badge_returned');
      await issue(door, ben, held);
      expect((await door.hold(held)).body).toMatchObject({ result: 'proved', first_name: 'Ben' });
      expect((await badgeOf(ben)).id).not.toBe(first.id);
      const returned = (await root.call('GET', `/app/admin/badges?state=returned&user_id=${ada}`)).body['data'];
      expect(returned).toContainEqual(
        expect.objectContaining({ id: first.id, person: expect.objectContaining({ id: ada }) }),
      );
    });

    it('a returned badge ends its running session', async () => {
      const door = await entrance();
      const held = await issue(door, world.people.ada);
      const { body } = await door.send('POST', '/api/v1/terminal/card', { uid: held.uidHex });
      await change((await badgeOf(world.people.ada)).id, 'return');
      const response = Buffer.from(held.apdu(Buffer.from(body['apdu'] as string, 'hex'))).toString('hex');
      const step = { session: body['session'], response };
      expect((await door.send('POST', '/api/v1/terminal/card/step', step)).body['code']).toBe('card_refused');
    });

    it('a badge is found by the name of its person', async () => {
      const door = await entrance();
      await issue(door, world.people.ada);
      const found = async (search: string) =>
        (
          (await root.call('GET', `/app/admin/badges?search=${search}`)).body['data'] as { person: { id: number } }[]
        ).map(({ person }) => person.id);
      expect(new Set(await found('ADA'))).toEqual(new Set([world.people.ada]));
      expect(await found('%25')).toEqual([]);
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
      const held: HeldCard[] = [];
      for (let one = 0; one < 5; one++) held.push(await issue(door, world.people.ada));
      return held;
    };
    const fail = async (door: Door, cards: readonly HeldCard[]) => {
      for (const one of cards) expect((await door.hold(one)).body['code']).toBe('card_refused');
    };
    const noticesOf = async (kind: string, door: Door) =>
      ((await root.call('GET', '/app/notices')).body['data'] as (Body & { terminal: { id: string } })[]).filter(
        (notice) => notice['kind'] === kind && notice.terminal.id === door.terminalId,
      );

    it('failed proofs with cards of five badges stop a terminal until an admin reviews it', async () => {
      const door = await entrance();
      const held = await issueFive(door);
      await fail(door, [held[0]!, held[0]!, held[1]!, held[2]!, held[3]!].map(impostor));
      world.advance(10 * minute + second);
      await fail(door, [impostor(held[4]!)]);
      // The first ones were too long ago.
      expect((await door.hold(held[0]!)).body).toMatchObject({ result: 'proved' });
      expect((await door.send('GET', statusPath)).body['stopped']).toBeUndefined();
      await fail(door, held.slice(0, 4).map(impostor));
      expect(await show(door.path)).toMatchObject({ proofs_stopped_at: expect.any(String) });
      // The device says so at the door, and records stamps as it does without a connection.
      expect((await door.send('GET', statusPath)).body).toMatchObject({
        stopped: 'failed_proofs',
        offers: { offline: true },
      });
      expect((await door.hold(held[0]!)).body['code']).toBe('terminal_stopped');
      expect(await noticesOf('proofs_stopped', door)).toHaveLength(1);
      expect((await root.call('POST', `${door.path}/resumption`)).status).toBe(200);
      expect((await door.hold(held[0]!)).body).toMatchObject({ result: 'proved' });
      expect((await door.send('GET', statusPath)).body['stopped']).toBeUndefined();
    });

    it('bare numbers of five badges leave a terminal in service', async () => {
      const door = await entrance();
      const held = await issueFive(door);
      await fail(door, [...held, ...held].map(emulator));
      expect((await door.hold(held[0]!)).body).toMatchObject({ result: 'proved' });
      expect(await noticesOf('proofs_stopped', door)).toEqual([]);
    });

    it('a number that fails ten times at a terminal gives the admins one notice', async () => {
      const door = await entrance();
      const held = await issue(door, world.people.ada);
      await fail(
        door,
        Array.from({ length: 9 }, () => emulator(held)),
      );
      expect(await noticesOf('badge_failing', door)).toEqual([]);
      await fail(door, [impostor(held), impostor(held)]);
      expect(await noticesOf('badge_failing', door)).toMatchObject([
        { holder: { id: world.people.ada }, terminal: { id: door.terminalId } },
      ]);
      expect((await door.hold(held)).body).toMatchObject({ result: 'proved' });
    });
  });
});
