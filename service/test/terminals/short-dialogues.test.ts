/** What a terminal may do to need fewer requests. Terminals that do none of it are in the other files. */

import { day, parseInstant } from '@clockproof/platform/time/instant';
import type { CardFamily } from '@clockproof/terminal-agent/simulator/card-file';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import { type Door, type HeldCard, issueBadge, newCard, openDoor, system } from '../door.js';
import { createWorld, minute, second, type World } from '../world.js';

const cardPath = '/api/v1/terminal/card';
const stepPath = '/api/v1/terminal/card/step';
const stampPath = '/api/v1/terminal/stamp';

interface Following {
  readonly after: string;
  readonly apdu: string;
}

interface Beginning {
  readonly apdu: string;
  readonly follow?: readonly Following[];
}

// How few requests are enough does not depend on the database.
describe('a terminal that saves round trips', () => {
  let world: World;
  let door: Door;
  let count = 0;
  let ada: HeldCard;
  let ben: HeldCard;
  beforeAll(async () => {
    world = await createWorld('sqlite');
    door = await openDoor(world, 'short');
    ada = await issueBadge(world, door, world.people.ada, '04a1a2a3a4a5a6');
    ben = await issueBadge(world, door, world.people.ben, '04b1b2b3b4b5b6', 'ntag424');
  });
  afterAll(() => world.close());
  beforeEach(() => {
    world.set(parseInstant('2026-11-24T07:00:00Z')! + ++count * day);
  });

  const transmit = (card: Pick<HeldCard, 'apdu'>, apdu: string) =>
    Buffer.from(card.apdu(Buffer.from(apdu, 'hex'))).toString('hex');
  /** Sends a command and those that may follow. */
  const run = (card: HeldCard, { apdu, follow = [] }: Beginning) => {
    const sent = [{ apdu, response: transmit(card, apdu) }];
    for (const next of follow) {
      if (!sent.at(-1)!.response.endsWith(next.after)) break;
      sent.push({ apdu: next.apdu, response: transmit(card, next.apdu) });
    }
    return sent;
  };
  const preludes = async () => (await door.send('GET', '/api/v1/terminal/status')).body['preludes'] as Beginning[];
  /** Of each family, until one is answered to the end. */
  const prelude = async (card: HeldCard) => {
    for (const one of await preludes()) {
      const sent = run(card, one);
      if (sent.length === 1 + one.follow!.length) return sent;
    }
    throw new Error('a card of no known family');
  };
  /** Both shortcuts. @returns the last answer, and how many requests it took */
  const tap = async (card: HeldCard, more: object = {}, where = door) => {
    const sent = await prelude(card);
    let answer = await where.send('POST', cardPath, { uid: card.uidHex, sent, ...more });
    let requests = 1;
    for (; answer.body['apdu'] !== undefined; requests++) {
      const responses = run(card, answer.body as unknown as Beginning).map(({ response }) => response);
      answer = await where.send('POST', stepPath, { session: answer.body['session'], responses });
    }
    card.reset();
    return { ...answer, requests };
  };

  it.each<[string, () => HeldCard]>([
    ['DESFire', () => ada],
    ['NTAG 424 DNA', () => ben],
  ])('sends two commands of %s at once: three requests for the proof', async (_, card) => {
    let answer = await door.send('POST', cardPath, { uid: card().uidHex });
    let requests = 1;
    for (; answer.body['apdu'] !== undefined; requests++) {
      const responses = run(card(), answer.body as unknown as Beginning).map(({ response }) => response);
      answer = await door.send('POST', stepPath, { session: answer.body['session'], responses });
    }
    card().reset();
    expect([answer.body['result'], requests]).toEqual(['proved', 3]);
  });

  it.each<[string, () => HeldCard]>([
    ['DESFire', () => ada],
    ['NTAG 424 DNA', () => ben],
  ])('begins with %s before it asks, and stamps with the last step: two requests for everything', async (_, card) => {
    const stamped = await tap(card(), { action: 'next' });
    expect(stamped).toMatchObject({
      status: 200,
      requests: 2,
      body: { result: 'proved', state: 'in', actions: ['out', 'break_start'], stamp: { action: 'in', state: 'in' } },
    });
    // Held there again: shown, not undone.
    expect((await tap(card(), { action: 'next' })).body).toMatchObject({ stamp: { action: 'in', repeated: true } });
    world.advance(minute);
    expect((await tap(card(), { action: 'break_start' })).body).toMatchObject({ stamp: { state: 'on_break' } });
    world.advance(minute);
    // On a break, the next one is the end of the break and not the way home.
    expect((await tap(card(), { action: 'next' })).body).toMatchObject({ stamp: { action: 'break_end', state: 'in' } });
    const { session } = (await tap(card())).body;
    expect((await door.send('POST', stampPath, { session, action: 'out' })).body).toMatchObject({ state: 'out' });
  });

  it('is asked as usual where the stamp is not possible or needs a PIN', async () => {
    const proved = await tap(ada, { action: 'break_end' });
    expect(proved.body).toMatchObject({ result: 'proved', state: 'out', actions: ['in'] });
    expect(proved.body).not.toHaveProperty('stamp');
    const gate = await openDoor(world, 'short pin', { badgeAndPin: true });
    const hashed = await hashPin(world.service.dataKey!, world.people.ada, '012345');
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      setPin(write, world.people.ada, world.nord, hashed),
    );
    const asked = await tap(ada, { action: 'in' }, gate);
    expect(asked.body).toMatchObject({ result: 'proved', state: 'out', pin_required: true });
    expect(asked.body).not.toHaveProperty('stamp');
    const { session } = proved.body;
    expect((await door.send('POST', stampPath, { session, action: 'in' })).body).toMatchObject({
      code: 'card_refused',
    });
    expect(
      (await gate.send('POST', stampPath, { session: asked.body['session'], action: 'in', pin: '012345' })).body,
    ).toMatchObject({ state: 'in' });
    world.advance(minute);
    await tap(ada, { action: 'out' });
  });

  it('hears what the last step stamped if its answer was lost', async () => {
    const opened = await door.send('POST', cardPath, { uid: ada.uidHex, sent: await prelude(ada), action: 'in' });
    const response = transmit(ada, opened.body['apdu'] as string);
    ada.reset();
    const bytes = door.signed('POST', stepPath, { session: opened.body['session'], response });
    const stamped = (await (await fetch(bytes.url, bytes.init)).json()) as { stamp: object };
    expect(stamped.stamp).toMatchObject({ action: 'in' });
    expect(await (await fetch(bytes.url, bytes.init)).json()).toMatchObject({
      code: 'nonce_reused',
      outcome: { result: 'recorded', stamp: stamped.stamp },
    });
    world.advance(minute);
    await tap(ada, { action: 'out' });
  });

  it('begins again where it sent something else, and is refused with a copy as ever', async () => {
    const answer = await door.send('POST', cardPath, {
      uid: ada.uidHex,
      sent: [{ apdu: '905a000003ffffff00', response: '9100' }],
    });
    expect(answer.body).toMatchObject({ apdu: (await preludes())[0]!.apdu, follow: [{ after: '9100' }] });
    // The first commands of the other family are not those of this badge.
    const [, ntag] = await preludes();
    const other = await door.send('POST', cardPath, {
      uid: ada.uidHex,
      sent: [{ apdu: ntag!.apdu, response: '9000' }],
    });
    expect(other.body).toMatchObject({ apdu: (await preludes())[0]!.apdu });
    const gone = [{ apdu: (await preludes())[0]!.apdu, response: '91a0' }];
    expect(await door.send('POST', cardPath, { uid: ada.uidHex, sent: gone })).toMatchObject({
      status: 403,
      body: { code: 'card_refused' },
    });
    const copy: HeldCard = newCard(ada.uidHex, 'desfire-ev2' satisfies CardFamily);
    const refused = await door.hold(copy);
    expect(refused.body).toMatchObject({ code: 'card_refused' });
  });

  it('cannot use a recorded beginning or a recorded end', async () => {
    const sent = await prelude(ada);
    const opened = await door.send('POST', cardPath, { uid: ada.uidHex, sent });
    const response = transmit(ada, opened.body['apdu'] as string);
    ada.reset();
    // The card is gone; what it said is played back.
    const again = await door.send('POST', cardPath, { uid: ada.uidHex, sent });
    const session = again.body['session'];
    expect((await door.send('POST', stepPath, { session, response })).body).toMatchObject({ code: 'card_refused' });
  });

  it('sends one response or several, and not both; its times add up', async () => {
    const { session } = (await door.send('POST', cardPath, { uid: ada.uidHex })).body;
    for (const body of [{}, { response: '9100', responses: ['9100'] }, { responses: [] }, { responses: ['91'] }])
      expect((await door.send('POST', stepPath, { session, ...body })).body).toMatchObject({ code: 'invalid_request' });
    world.advance(second);
    const timed = (await prelude(ada)).map((one) => ({ ...one, took_ms: 20 }));
    const opened = await door.send('POST', cardPath, { uid: ada.uidHex, sent: timed });
    const response = transmit(ada, opened.body['apdu'] as string);
    ada.reset();
    await door.send('POST', stepPath, { session: opened.body['session'], response, took_ms: 25 });
    expect(await world.db.all("SELECT mean_us FROM card_timings WHERE family = 'desfire'")).toEqual([
      { mean_us: 65_000 },
    ]);
  });

  it('does none of it while a badge is issued', async () => {
    const { startIssuing } = await import('../../src/terminals/issuing.js');
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      startIssuing(write, door.terminalId, { id: world.people.ada, company_id: world.nord }),
    );
    const [{ apdu }] = (await preludes()) as [Beginning];
    const answer = await door.send('POST', cardPath, {
      uid: '04c1c2c3c4c5c6',
      sent: [{ apdu, response: '9100' }],
      action: 'next',
    });
    expect(answer.body).toMatchObject({ apdu: '9060000000' });
    expect(answer.body).not.toHaveProperty('follow');
  });
});
