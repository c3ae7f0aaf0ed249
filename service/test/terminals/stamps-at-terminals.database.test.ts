/** What a terminal can rely on: each stamp is certain, counted once, and nobody sees more than they may. */
import { silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { saveEntitlement } from '../../src/absences/vacation/vacation-account.js';
import { purgeExpired } from '../../src/housekeeping.js';
import type { NewPerson } from '../../src/people/people.js';
import { findPerson } from '../../src/people/rows.js';
import { companyCardKey } from '../../src/terminals/badges/badges.js';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import { insertCardKey, newestCardKey } from '../../src/terminals/badges/rows.js';
import type { NewTerminal } from '../../src/terminals/pairing.js';
import { type Door, type HeldCard, issueBadge, newCard, openDoor } from '../door.js';
import { createWorld, minute, second, type World } from '../world.js';

const stampPath = '/api/v1/terminal/stamp';
const infoPath = '/api/v1/terminal/info';
const at = (text: string): Instant => parseInstant(text)!;

describe.each(dialects)('a stamp at a terminal on %s', (dialect) => {
  let world: World;
  let door: Door;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    // Tuesdays, one after the other: no test sees the stamps of another.
    world.set(at('2026-11-24T07:00:00Z') + ++count * 7 * 24 * 60 * minute);
    door = await openDoor(world, `door ${count}`);
  });

  const hirePerson = async (
    overrides: Partial<NewPerson> = {},
  ): Promise<{ readonly id: number; readonly card: HeldCard }> => {
    const id = await world.hire({
      firstName: `Ida${count}`,
      lastName: 'Ist',
      email: `ida${count}@clockproof.example`,
      employmentStart: '2020-01-01',
      ...overrides,
    });
    return { id, card: await issueBadge(world, door, id, `04d0d1d2d3d4${String(count).padStart(2, '0')}`) };
  };
  const givePin = async (id: number) => {
    const pinHash = await hashPin(world.service.dataKey!, id, '012345');
    await world.write((write) => setPin(write, id, world.nord, pinHash));
  };
  const hold = async (card: HeldCard, gate = door) => (await gate.hold(card)).body;
  const stamp = async (card: HeldCard, action: string, gate = door) =>
    gate.send('POST', stampPath, { session: (await hold(card, gate))['session'], action });
  const openGate = (seed: string, settings: Partial<NewTerminal>) => openDoor(world, `${seed} ${count}`, settings);
  const entriesOf = (id: number) =>
    world.db.all<{ status: string; breaks: string }>(
      'SELECT status, breaks FROM time_entries WHERE person_id = :id ORDER BY id',
      { id },
    );
  const sendAgain = async ({ url, init }: { readonly url: string; readonly init: RequestInit }) => {
    const response = await fetch(url, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  describe('a lost answer', () => {
    it('a lost answer of a stamp is repeated to the same request, at any process, and to no other', async () => {
      const { id, card } = await hirePerson();
      const { session } = await hold(card);
      const bytes = door.signed('POST', stampPath, { session, action: 'in' }, { nonce: `lost-answer-${count}-000` });
      const first = await sendAgain(bytes);
      expect(first).toMatchObject({ status: 200, body: { action: 'in', state: 'in' } });
      expect(first.body).not.toHaveProperty('repeated');
      const replica = await world.replica();
      for (const url of [bytes.url, replica.url + stampPath])
        expect(await sendAgain({ ...bytes, url })).toMatchObject({
          status: 401,
          body: { code: 'nonce_reused', outcome: { result: 'recorded', stamp: first.body } },
        });
      const otherRequest = door.signed(
        'POST',
        stampPath,
        { session, action: 'out' },
        { nonce: `lost-answer-${count}-000` },
      );
      const refusal = await sendAgain(otherRequest);
      expect(refusal).toMatchObject({ status: 401, body: { code: 'nonce_reused' } });
      expect(refusal.body).not.toHaveProperty('outcome');
      expect(await entriesOf(id)).toMatchObject([{ status: 'open' }]);
    });

    it('a lost refusal of a stamp is repeated too', async () => {
      const { card } = await hirePerson();
      const { session } = await hold(card);
      const bytes = door.signed('POST', stampPath, { session, action: 'break_end' });
      expect(await sendAgain(bytes)).toMatchObject({ status: 409, body: { code: 'not_on_break' } });
      expect(await sendAgain(bytes)).toMatchObject({
        status: 401,
        body: { code: 'nonce_reused', outcome: { result: 'refused', code: 'not_on_break' } },
      });
    });

    it('a lost answer of a stamp with a PIN is repeated too, for a right or a wrong PIN', async () => {
      const { id, card } = await hirePerson();
      await givePin(id);
      const gate = await openGate('pin', { badgeAndPin: true });
      const { session } = await hold(card, gate);
      const wrongRequest = gate.signed('POST', stampPath, { session, action: 'in', pin: '000000' });
      expect(await sendAgain(wrongRequest)).toMatchObject({ status: 403, body: { code: 'pin_wrong', tries_left: 4 } });
      expect((await sendAgain(wrongRequest)).body).toMatchObject({ outcome: { result: 'refused', code: 'pin_wrong' } });
      const rightRequest = gate.signed('POST', stampPath, { session, action: 'in', pin: '012345' });
      const { body: stampBody } = await sendAgain(rightRequest);
      expect(stampBody).toMatchObject({ state: 'in' });
      expect((await sendAgain(rightRequest)).body).toMatchObject({ outcome: { result: 'recorded', stamp: stampBody } });
      // The wrong one was counted once.
      const proof = await hold(card, gate);
      expect(
        (await gate.send('POST', stampPath, { session: proof['session'], action: 'out', pin: '000000' })).body,
      ).toMatchObject({ tries_left: 4 });
    });

    it('a stamp that races with its own repetition counts once', async () => {
      const { id, card } = await hirePerson();
      const { session } = await hold(card);
      const bytes = door.signed('POST', stampPath, { session, action: 'in' });
      const answers = await Promise.all(Array.from({ length: 6 }, () => sendAgain(bytes)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
      expect(await entriesOf(id)).toHaveLength(1);
    });
  });

  describe('the repeat lock', () => {
    it('the repeat lock shows the recorded stamp, here and at the next door, and then ends', async () => {
      const { id, card } = await hirePerson();
      const nextDoor = await openGate('next', {});
      const { body: firstStamp } = await stamp(card, 'in');
      for (const gate of [door, nextDoor]) {
        world.advance(3 * second);
        const proof = await hold(card, gate);
        const recordedStamp = { action: 'in', at: firstStamp['server_time'] };
        expect(proof).toMatchObject({
          state: 'in',
          since: firstStamp['since'],
          recorded: recordedStamp,
          actions: ['out', 'break_start'],
        });
        const answer = await gate.send('POST', stampPath, { session: proof['session'], action: 'out' });
        expect([answer.status, answer.body]).toEqual([200, { ...firstStamp, repeated: true }]);
        // That was the session's stamp.
        expect((await gate.send('POST', stampPath, { session: proof['session'], action: 'out' })).body).toMatchObject({
          code: 'card_refused',
        });
      }
      expect(await entriesOf(id)).toMatchObject([{ status: 'open' }]);
      world.advance(54 * second);
      expect(await hold(card)).not.toHaveProperty('recorded');
      expect((await stamp(card, 'out')).body).toMatchObject({ action: 'out', state: 'out' });
      expect(await entriesOf(id)).toMatchObject([{ status: 'recorded' }]);
    });

    it('a break after clocking in is booked, and its repetition is not', async () => {
      const { id, card } = await hirePerson();
      await stamp(card, 'in');
      const { body: breakStart } = await stamp(card, 'break_start');
      expect(breakStart).toMatchObject({ action: 'break_start', state: 'on_break' });
      world.advance(59 * second);
      expect(await hold(card)).toMatchObject({ state: 'on_break', since: breakStart['since'] });
      expect((await stamp(card, 'break_end')).body).toEqual({ ...breakStart, repeated: true });
      expect(JSON.parse((await entriesOf(id))[0]!.breaks)).toHaveLength(1);
      // Going home from the break is another kind.
      expect((await stamp(card, 'out')).body).toMatchObject({ action: 'out', state: 'out' });
    });

    it('a second stamp counts at once where the terminal has no repeat lock', async () => {
      const { card } = await hirePerson();
      const gate = await openGate('no lock', { repeatLockSeconds: 0 });
      await stamp(card, 'in', gate);
      expect(await hold(card, gate)).not.toHaveProperty('recorded');
      expect((await stamp(card, 'out', gate)).body).toMatchObject({ action: 'out', state: 'out' });
      const offers = async (terminal: Door) => (await terminal.send('GET', '/api/v1/terminal/status')).body['offers'];
      expect([await offers(gate), await offers(door)]).toMatchObject([
        { repeat_lock_seconds: 0 },
        { repeat_lock_seconds: 60 },
      ]);
    });
  });

  it('a stamp at a terminal is offered in the language of the person', async () => {
    const { card } = await hirePerson({ language: 'de-AT' });
    expect(await hold(card)).toMatchObject({ result: 'proved', language: 'de-AT' });
  });

  it('the first stamp of a person on a break is the end of the break', async () => {
    const { card } = await hirePerson();
    await stamp(card, 'in');
    await stamp(card, 'break_start');
    world.advance(10 * minute);
    expect(await hold(card)).toMatchObject({ state: 'on_break', actions: ['break_end', 'out'] });
  });

  describe('a leaver', () => {
    const refusals = async (id: number) =>
      (
        await world.db.all<{ details: string }>(
          "SELECT details FROM audit_entries WHERE action = 'card.refused' ORDER BY sequence",
        )
      )
        .map(({ details }) => JSON.parse(details) as { reason: string; person?: number })
        .filter(({ person }) => person === id)
        .map(({ reason }) => reason);

    it.each([
      ['the last day is over', { employment_end: '2026-11-30' }],
      ['the first day is to come', { employment_start: '2028-01-01' }],
      ['the person is deactivated', { active: 0 }],
    ])('a stamp of a leaver is refused like an unknown card, without a name: %s', async (_, change) => {
      const { id, card } = await hirePerson();
      const [[column, value]] = Object.entries(change) as [[string, string | number]];
      await world.db.write((tx) => tx.run(`UPDATE people SET ${column} = :value WHERE id = :id`, { id, value }));
      const [leaverAnswer, unknownAnswer] = [await door.hold(card), await door.hold(newCard('04eeeeeeeeeeee'))];
      expect([leaverAnswer.status, { ...leaverAnswer.body, request_id: '' }]).toEqual([
        unknownAnswer.status,
        { ...unknownAnswer.body, request_id: '' },
      ]);
      expect(await refusals(id)).toEqual(['not_employed']);
    });

    it('a stamp of a leaver is accepted while the shift of the last day continues', async () => {
      const { id, card } = await hirePerson();
      const lastDay = new Date(world.now()).toISOString().slice(0, 10);
      world.advance(14 * 60 * minute);
      await stamp(card, 'in');
      await world.db.write((tx) =>
        tx.run('UPDATE people SET employment_end = :lastDay WHERE id = :id', { id, lastDay }),
      );
      world.advance(6 * 60 * minute);
      expect((await stamp(card, 'out')).body).toMatchObject({ state: 'out' });
      world.advance(2 * minute);
      expect(await hold(card)).toMatchObject({ code: 'card_refused' });
    });
  });

  it('parallel stamps with wrong PINs at two processes evaluate five of them', async () => {
    const { id, card } = await hirePerson();
    await givePin(id);
    const gate = await openGate('parallel', { badgeAndPin: true });
    const { session } = await hold(card, gate);
    const replica = await world.replica();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        gate.send(
          'POST',
          stampPath,
          { session, action: 'in', pin: '000000' },
          { url: index % 2 === 0 ? world.url : replica.url },
        ),
      ),
    );
    expect(answers.flatMap(({ body }) => body['tries_left'] ?? []).sort()).toEqual([1, 2, 3, 4]);
    expect(answers.filter(({ status }) => status === 423)).toHaveLength(8);
    expect((await gate.send('POST', stampPath, { session, action: 'in', pin: '012345' })).status).toBe(423);
    await world.stop(replica);
  });

  it('a terminal keeps its nonces for three minutes', async () => {
    for (let index = 0; index < 5; index++) await door.send('GET', '/api/v1/terminal/status');
    const countNonces = async () =>
      (await world.db.all('SELECT nonce FROM terminal_nonces WHERE terminal_id = :id', { id: door.terminalId })).length;
    expect(await countNonces()).toBe(5);
    world.advance(3 * minute);
    await purgeExpired(world.service.store, world.now(), silentLog);
    expect(await countNonces()).toBe(5);
    world.advance(second);
    await door.send('GET', '/api/v1/terminal/status');
    await purgeExpired(world.service.store, world.now(), silentLog);
    expect(await countNonces()).toBe(1);
  });

  it('a stamp at a terminal cannot be made with the card key of another company', async () => {
    await hirePerson();
    const dataKey = world.service.dataKey!;
    const { sealed } = (await newestCardKey(world.db, world.nord))!;
    expect(await companyCardKey(world.db, dataKey, world.nord, 1)).toHaveLength(16);
    await world.db.write((tx) => insertCardKey(tx, world.sued, 1, sealed, world.now()));
    await expect(companyCardKey(world.db, dataKey, world.sued, 1)).rejects.toThrow();
  });

  describe('balances after a stamp', () => {
    const info = (terminal: Door, session: unknown, pin?: string) =>
      terminal.send('POST', infoPath, { session, ...(pin === undefined ? {} : { pin }) });

    it('the balances before and after a stamp are shown until the session ends', async () => {
      const { id, card } = await hirePerson();
      const gate = await openGate('info', { showInfo: true, infoWithoutPin: true });
      expect((await gate.send('GET', '/api/v1/terminal/status')).body['offers']).toMatchObject({
        info: true,
        info_without_pin: true,
      });
      await world.write(async (write) => {
        const year = new Date(world.now()).getUTCFullYear();
        const person = (await findPerson(write, id, { company: world.nord }))!;
        await saveEntitlement(write, person, year, { days: 30.5, carriedDays: 0, carriedUntil: null });
      });
      await world.db.write((tx) =>
        tx.run("UPDATE people SET tracking_start = '2027-12-01', opening_minutes = -95 WHERE id = :id", { id }),
      );
      await stamp(card, 'in', gate);
      world.advance(214 * minute);
      const { session } = await hold(card, gate);
      const balances = { worked_today_minutes: 214, balance_minutes: -95, vacation_days_left: 30.5 };
      expect((await info(gate, session)).body).toEqual(balances);
      expect((await gate.send('POST', stampPath, { session, action: 'out' })).status).toBe(200);
      expect((await info(gate, session)).body).toEqual(balances);
      await gate.send('POST', '/api/v1/terminal/session/end', { session });
      expect((await info(gate, session)).body).toMatchObject({ code: 'card_refused' });
    });

    it('balances need the PIN, whose tries are counted down and then locked', async () => {
      const { id, card } = await hirePerson();
      const gate = await openGate('info', { showInfo: true });
      const proof = await hold(card, gate);
      expect((await info(gate, proof['session'], '012345')).body).toMatchObject({ code: 'pin_required' });
      await givePin(id);
      expect((await info(gate, proof['session'])).body).toMatchObject({ code: 'pin_required' });
      for (const triesLeft of [4, 3, 2, 1]) {
        // Half a minute for each try: the session goes on.
        world.advance(20 * second);
        expect((await info(gate, proof['session'], '000000')).body).toMatchObject({
          code: 'pin_wrong',
          tries_left: triesLeft,
        });
      }
      expect(await info(gate, proof['session'], '000000')).toMatchObject({ status: 423, body: { code: 'pin_locked' } });
      expect(await info(gate, proof['session'], '012345')).toMatchObject({ status: 423 });
      const [lockEntry] = await world.db.all<{ actor_id: string }>(
        "SELECT actor_id FROM audit_entries WHERE action = 'pin.locked' ORDER BY sequence DESC LIMIT 1",
      );
      expect(lockEntry).toMatchObject({ actor_id: gate.terminalId });
      // A stamp needs no PIN here.
      expect((await gate.send('POST', stampPath, { session: proof['session'], action: 'in' })).status).toBe(200);
    });

    it('balances are not shown when switched off, without a proof, or too late', async () => {
      const { card } = await hirePerson();
      expect((await info(door, (await hold(card))['session'])).body).toMatchObject({ code: 'feature_disabled' });
      const gate = await openGate('info', { showInfo: true, infoWithoutPin: true });
      const answer = await gate.send('POST', '/api/v1/terminal/card', { uid: card.uidHex });
      expect((await info(gate, answer.body['session'])).body).toMatchObject({ code: 'card_refused' });
      const { session } = await hold(card, gate);
      for (const [pause, status] of [
        [30 * second, 200],
        [30 * second, 200],
        [30 * second, 200],
        [30 * second, 200],
        [second, 403],
      ]) {
        world.advance(pause!);
        expect((await info(gate, session)).status).toBe(status);
      }
      const proof = await hold(card, gate);
      world.advance(30 * second + 1);
      expect((await info(gate, proof['session'])).body).toMatchObject({ code: 'card_refused' });
    });
  });
});
