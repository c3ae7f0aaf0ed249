/** A PIN is chosen at the terminal where the badge is issued: also by people who never sign in. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, second } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { markBadgeBlocked } from '../../src/terminals/badges/badges.js';
import { resetPin } from '../../src/terminals/badges/pin.js';
import { type Door, type HeldCard, newCard, openDoor, openIssuing } from '../door.js';
import { type Answer, createWorld, type World } from '../world.js';

const path = '/api/v1/terminal/pin';

describe.each(oneDialect)('choosing a PIN at the terminal on %s', (dialect) => {
  let world: World;
  let door: Door;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
    door = await openDoor(world, 'pin', { badgeAndPin: true });
  });
  afterAll(() => world.close());
  // Ben has no PIN, and the terminal no open issuing.
  beforeEach(async () => {
    world.advance(5 * minute);
    await write((tx) => resetPin(tx, world.people.ben, world.nord));
  });

  const write = <Result>(effect: Parameters<typeof world.service.store.write<Result>>[1]) => world.write(effect);
  const openWindow = (personId = world.people.ben) => openIssuing(world, door.terminalId, personId);
  const issue = async (personId = world.people.ben): Promise<{ card: HeldCard; answer: Answer }> => {
    const card = newCard(`04b1b1b1b1b1${String(++count).padStart(2, '0')}`);
    await openWindow(personId);
    return { card, answer: await door.hold(card) };
  };
  const choose = (session: unknown, pin = '406318', terminal = door) => terminal.send('POST', path, { session, pin });
  /** Presents the badge and stamps with a PIN. */
  const stampWith = async (card: HeldCard, pin: string) => {
    world.advance(2 * minute);
    const { body } = await door.hold(card);
    const [action] = body['actions'] as [string];
    return door.send('POST', '/api/v1/terminal/stamp', { session: body['session'], action, pin });
  };
  const newestEntry = async () =>
    (await world.db.get<{ action: string; actor_kind: string; details: string }>(
      'SELECT action, actor_kind, details FROM audit_entries ORDER BY sequence DESC LIMIT 1',
    ))!;

  it('the choice of a PIN follows the issuing for a person without one, and the PIN then works', async () => {
    const { card, answer } = await issue();
    expect(answer.body).toEqual({
      session: expect.stringMatching(/^csn_/),
      result: 'issued',
      choose_pin: true,
      first_name: 'Ben',
      language: 'en',
    });
    expect((await choose(answer.body['session'])).status).toBe(204);
    expect(await newestEntry()).toMatchObject({ action: 'pin.set', actor_kind: 'terminal', details: null });
    expect((await stampWith(card, '406319')).body).toMatchObject({ code: 'pin_wrong' });
    expect((await stampWith(card, '406318')).status).toBe(200);
  });

  it('the choice of a PIN does not follow for a person with a PIN', async () => {
    const first = await issue();
    await choose(first.answer.body['session']);
    expect((await issue()).answer.body).toEqual({ result: 'issued' });
  });

  it("a holder's badge presented during issuing starts the choice of a PIN again", async () => {
    const { card, answer } = await issue();
    await choose(answer.body['session']);
    await openWindow();
    const secondAnswer = await door.hold(card);
    expect(secondAnswer.body).toMatchObject({ result: 'issued', choose_pin: true, first_name: 'Ben' });
    expect((await choose(secondAnswer.body['session'], '271828')).status).toBe(204);
    // The issuing is over: the next proof is one for a stamp.
    expect((await stampWith(card, '271828')).status).toBe(200);
  });

  it('the choice of a PIN is not offered to a blocked badge, or to another person', async () => {
    const { card } = await issue();
    const ada = await issue(world.people.ada);
    await openWindow();
    expect((await door.hold(ada.card)).body).toMatchObject({ code: 'card_refused' });
    const badge = await world.db.get<{ id: string }>(
      "SELECT id FROM badges WHERE person_id = :ben AND state = 'active' ORDER BY issued_at DESC LIMIT 1",
      { ben: world.people.ben },
    );
    await write((tx) => markBadgeBlocked(tx, badge!.id, world.nord));
    expect((await door.hold(card)).body).toMatchObject({ code: 'card_refused' });
  });

  it('the choice of a PIN ends after a minute, a choice or the next card, and is for one terminal', async () => {
    const otherDoor = await openDoor(world, `other ${++count}`);
    const firstIssue = await issue();
    expect((await choose(firstIssue.answer.body['session'], '406318', otherDoor)).body).toMatchObject({
      code: 'card_refused',
    });
    world.advance(minute + second);
    expect((await choose(firstIssue.answer.body['session'])).body).toMatchObject({ code: 'card_refused' });
    const secondIssue = await issue();
    await choose(secondIssue.answer.body['session']);
    expect((await choose(secondIssue.answer.body['session'], '111111')).body).toMatchObject({ code: 'card_refused' });
    await write((tx) => resetPin(tx, world.people.ben, world.nord));
    const thirdIssue = await issue();
    await door.hold(thirdIssue.card);
    expect((await choose(thirdIssue.answer.body['session'])).body).toMatchObject({ code: 'card_refused' });
    expect(await world.db.get('SELECT 1 AS set_ FROM pins WHERE person_id = :ben', { ben: world.people.ben })).toBe(
      undefined,
    );
  });

  it('the choice of a PIN is refused at a terminal whose key is on two devices', async () => {
    const { answer } = await issue();
    const setKeyCopied = (at: number | null) =>
      world.db.write((tx) =>
        tx.run('UPDATE terminals SET key_copied_at = :at WHERE id = :id', { at, id: door.terminalId }),
      );
    await setKeyCopied(world.now());
    expect((await choose(answer.body['session'])).body).toMatchObject({ code: 'terminal_stopped' });
    await setKeyCopied(null);
    expect((await choose(answer.body['session'])).status).toBe(204);
  });

  it('the choice of a PIN takes no stamp and shows no balance in its session', async () => {
    const { answer } = await issue();
    const { session } = answer.body;
    const stamp = await door.send('POST', '/api/v1/terminal/stamp', { session, action: 'in' });
    expect(stamp.body).toMatchObject({ code: 'card_refused' });
  });

  it('a repeated choice of a PIN counts once, and says that it had arrived', async () => {
    const { answer } = await issue();
    const { url, init } = door.signed('POST', path, { session: answer.body['session'], pin: '406318' });
    expect((await fetch(url, init)).status).toBe(204);
    const secondResponse = await fetch(url, init);
    expect([secondResponse.status, ((await secondResponse.json()) as { code: string }).code]).toEqual([
      401,
      'nonce_reused',
    ]);
  });

  it('a chosen PIN has six ASCII digits', async () => {
    const { answer } = await issue();
    for (const pin of ['12345', '1234567', '１２３４５６', '12345a'])
      expect((await choose(answer.body['session'], pin)).status).toBe(400);
    expect((await choose(answer.body['session'])).status).toBe(204);
  });
});
