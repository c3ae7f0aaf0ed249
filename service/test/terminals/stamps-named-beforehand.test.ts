/** Stamps that are chosen before the badge is held to the reader, and recorded with the last step of its proof. */

import { day, parseInstant } from '@clockproof/platform/time/instant';
import type { CardFamily } from '@clockproof/terminal-agent/simulator/card-file';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import { type Door, type HeldCard, issueBadge, newCard, openDoor, openIssuing } from '../door.js';
import { createWorld, minute, type World } from '../world.js';

const cardPath = '/api/v1/terminal/card';
const stepPath = '/api/v1/terminal/card/step';
const stampPath = '/api/v1/terminal/stamp';

// What a stamp named beforehand becomes does not depend on the database.
describe('a stamp named beforehand', () => {
  let world: World;
  let door: Door;
  let count = 0;
  let ada: HeldCard;
  let ben: HeldCard;
  beforeAll(async () => {
    world = await createWorld('sqlite');
    door = await openDoor(world, 'named');
    ada = await issueBadge(world, door, world.people.ada, '04a1a2a3a4a5a6');
    ben = await issueBadge(world, door, world.people.ben, '04b1b2b3b4b5b6', 'ntag424');
  });
  afterAll(() => world.close());
  beforeEach(() => {
    world.set(parseInstant('2026-11-24T07:00:00Z')! + ++count * day);
  });

  const transmit = (card: Pick<HeldCard, 'apdu'>, apdu: string) =>
    Buffer.from(card.apdu(Buffer.from(apdu, 'hex'))).toString('hex');
  /** @returns the last answer, and how many requests it took */
  const tap = async (card: HeldCard, options: object = {}, gate = door) => {
    let answer = await gate.send('POST', cardPath, { uid: card.uidHex, ...options });
    let requests = 1;
    for (; answer.body['apdu'] !== undefined; requests++) {
      const response = transmit(card, answer.body['apdu'] as string);
      answer = await gate.send('POST', stepPath, { session: answer.body['session'], response });
    }
    card.reset();
    return { ...answer, requests };
  };

  it.each<[string, () => HeldCard]>([
    ['DESFire', () => ada],
    ['NTAG 424 DNA', () => ben],
  ])('a stamp named beforehand is recorded with the last step of %s: four requests in all', async (_, card) => {
    const answer = await tap(card(), { action: 'next' });
    expect(answer).toMatchObject({
      status: 200,
      requests: 4,
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

  it('a stamp named beforehand becomes a question where it is not possible or needs a PIN', async () => {
    const proof = await tap(ada, { action: 'break_end' });
    expect(proof.body).toMatchObject({ result: 'proved', state: 'out', actions: ['in'] });
    expect(proof.body).not.toHaveProperty('stamp');
    const gate = await openDoor(world, 'named pin', { badgeAndPin: true });
    const pinHash = await hashPin(world.service.dataKey!, world.people.ada, '012345');
    await world.write((write) => setPin(write, world.people.ada, world.nord, pinHash));
    const gateProof = await tap(ada, { action: 'in' }, gate);
    expect(gateProof.body).toMatchObject({ result: 'proved', state: 'out', pin_required: true });
    expect(gateProof.body).not.toHaveProperty('stamp');
    const { session } = proof.body;
    expect((await door.send('POST', stampPath, { session, action: 'in' })).body).toMatchObject({
      code: 'card_refused',
    });
    expect(
      (await gate.send('POST', stampPath, { session: gateProof.body['session'], action: 'in', pin: '012345' })).body,
    ).toMatchObject({ state: 'in' });
    world.advance(minute);
    await tap(ada, { action: 'out' });
  });

  it('a stamp named beforehand is in the outcome of the last step after a lost answer, and of no other', async () => {
    let { body } = await door.send('POST', cardPath, { uid: ada.uidHex, action: 'in' });
    const step = () => {
      const response = transmit(ada, body['apdu'] as string);
      return door.signed('POST', stepPath, { session: body['session'], response });
    };
    const answerTo = async ({ url, init }: ReturnType<typeof step>) =>
      (await (await fetch(url, init)).json()) as typeof body;
    let bytes = step();
    body = await answerTo(bytes);
    expect(body).toHaveProperty('apdu');
    const secondAnswer = await answerTo(bytes);
    expect(secondAnswer).toMatchObject({ code: 'nonce_reused' });
    expect(secondAnswer).not.toHaveProperty('outcome');
    body = await answerTo(step());
    bytes = step();
    ada.reset();
    const stampAnswer = await answerTo(bytes);
    expect(stampAnswer['stamp']).toMatchObject({ action: 'in' });
    expect(await answerTo(bytes)).toMatchObject({
      code: 'nonce_reused',
      outcome: { result: 'recorded', stamp: stampAnswer['stamp'] },
    });
    world.advance(minute);
    await tap(ada, { action: 'out' });
  });

  it('a stamp named beforehand is not recorded with a copy', async () => {
    const copy: HeldCard = newCard(ada.uidHex, 'desfire-ev2' satisfies CardFamily);
    expect((await tap(copy, { action: 'next' })).body).toMatchObject({ code: 'card_refused' });
    expect((await tap(ada)).body).toMatchObject({ result: 'proved', state: 'out' });
  });

  it('a stamp named beforehand cannot be made with a recorded dialogue', async () => {
    const responses: string[] = [];
    let answer = await door.send('POST', cardPath, { uid: ada.uidHex });
    for (; answer.body['apdu'] !== undefined; ) {
      responses.push(transmit(ada, answer.body['apdu'] as string));
      answer = await door.send('POST', stepPath, { session: answer.body['session'], response: responses.at(-1) });
    }
    ada.reset();
    // The card is gone; what it said is played back.
    let replayAnswer = await door.send('POST', cardPath, { uid: ada.uidHex, action: 'next' });
    for (const response of responses)
      replayAnswer = await door.send('POST', stepPath, { session: replayAnswer.body['session'], response });
    expect(replayAnswer.body).toMatchObject({ code: 'card_refused' });
  });

  it('a stamp named beforehand comes with one response a step, and nothing else', async () => {
    const { session } = (await door.send('POST', cardPath, { uid: ada.uidHex, action: 'in' })).body;
    for (const body of [{}, { responses: ['9100'] }, { response: '9100', responses: ['9100'] }, { response: '91' }])
      expect((await door.send('POST', stepPath, { session, ...body })).body).toMatchObject({ code: 'invalid_request' });
    for (const extra of [{ sent: [{ apdu: '905a000003c10c4b00', response: '9100' }] }, { action: 'never' }])
      expect((await door.send('POST', cardPath, { uid: ada.uidHex, ...extra })).body).toMatchObject({
        code: 'invalid_request',
      });
  });

  it('a stamp named beforehand is ignored while a badge is issued', async () => {
    await openIssuing(world, door.terminalId, world.people.ada);
    const answer = await tap(newCard('04c1c2c3c4c5c6', 'desfire-ev2'), { action: 'next' });
    expect(answer.body).toMatchObject({ result: 'issued' });
  });
});
