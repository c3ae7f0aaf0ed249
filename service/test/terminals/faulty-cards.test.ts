/**
 * What people hold to a reader besides sound badges, through the real agent and the real service: the sentence at the
 * door, and what the service holds afterwards.
 */

import { day, parseInstant } from '@clockproof/platform/time/instant';
import type { CardFamily } from '@clockproof/terminal-agent/simulator/card-file';
import { readFaults, withFaults } from '@clockproof/terminal-agent/simulator/faults';
import { followScript } from '@clockproof/terminal-agent/src/choose-action';
import type { PreselectedAction } from '@clockproof/terminal-agent/src/dialogue';
import { doorText } from '@clockproof/terminal-agent/src/door-text';
import { keyFromSeed } from '@clockproof/terminal-agent/src/key';
import { type SimulatedReader, simulatedReader } from '@clockproof/terminal-agent/src/reader/simulated';
import { type Outcome, type Relay, startRelay } from '@clockproof/terminal-agent/src/relay';
import { createServiceClient } from '@clockproof/terminal-agent/src/request';
import { terminalApi } from '@clockproof/terminal-agent/src/terminal-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addDoor, type HeldCard, newCard, openIssuing, pair } from '../door.js';
import { createWorld, minute, seededBytes, type World } from '../world.js';

const refusalText = 'This badge is not accepted. Please ask the administration.';
const tooEarlyText = 'The badge was taken away too early. Hold it here until the answer comes.';
const random = seededBytes('faults');
/** What the audit log says of each. */
const reasons = {
  factory: 'wrong_key',
  copy: 'wrong_key',
  'wrong-key': 'wrong_key',
  replay: 'forged_reply',
  '91ca:2': 'unexpected_reply',
  '91ca:3': 'unexpected_reply',
  'slow:2:6000': 'too_slow',
  'relayed:5100': 'too_slow',
};

// What a card does wrong does not depend on the database.
describe.each<CardFamily>(['desfire-ev2', 'ntag424'])('a %s at the door', (family) => {
  let world: World;
  let terminalId: string;
  let reader: SimulatedReader;
  let relay: Relay;
  let resolveOutcome: (outcome: Outcome) => void;
  let badge: HeldCard;
  let preselectedAction: PreselectedAction | undefined;
  let count = 0;

  beforeAll(async () => {
    world = await createWorld('sqlite');
    const terminal = await addDoor(world);
    terminalId = terminal.terminalId;
    const key = keyFromSeed(new Uint8Array(32).fill(3));
    const pairing = await pair(world, terminal.code, Buffer.from(key.publicKey).toString('base64'));
    await world.write((write) => confirmTerminal(write, terminalId, world.nord, pairing.body['fingerprint'] as string));
    // A card that takes its time takes it from the clock of all.
    const sleep = async (milliseconds: number) => world.advance(milliseconds);
    reader = simulatedReader(sleep);
    const api = terminalApi(
      createServiceClient({
        serviceUrl: new URL(world.url),
        fetch,
        now: world.now,
        elapsed: world.now,
        uptime: world.now,
        sleep,
        random,
        timeout: 60_000,
        signer: { terminalId, key },
      }),
    );
    relay = startRelay({
      reader,
      sleep,
      elapsed: world.now,
      api,
      serviceNow: world.now,
      preselectedAction: () => preselectedAction,
      choose: followScript([]),
      show: (outcome) => resolveOutcome(outcome),
    });
    badge = newCard('04e1e2e3e4e5e6', family);
    await startIssuing(world.people.ada);
    expect(await hold(badge)).toBe('The badge is ready. Take it away and hold it here again to stamp.');
  });
  afterAll(async () => {
    await relay.stop();
    await world.close();
  });
  beforeEach(() => {
    preselectedAction = undefined;
    world.set(parseInstant('2026-11-24T07:00:00Z')! + ++count * day);
  });
  afterEach(async () => {
    // The sound badge is as good as before, whatever happened.
    world.advance(5 * minute);
    if ((await state()) === 'out') expect(await hold(badge)).toMatch(/^Ada: clocked in at/);
    world.advance(5 * minute);
    expect(await hold(badge)).toMatch(/^Ada: clocked out at/);
  });

  const startIssuing = (personId: number) => openIssuing(world, terminalId, personId);
  let conversation: readonly Uint8Array[] = [];
  /** @returns the sentence at the door */
  const hold = async (card: HeldCard, words = ''): Promise<string> => {
    const faultyCard = withFaults(card, words === '' ? [] : readFaults(words), random, conversation);
    const outcome = new Promise<Outcome>((resolve) => {
      resolveOutcome = resolve;
    });
    reader.place({ card: faultyCard, uid: faultyCard.uid, store: () => Promise.resolve() });
    const sentence = doorText(await outcome, 'Europe/Berlin');
    reader.take();
    conversation = faultyCard.conversation;
    return sentence;
  };
  const state = async (): Promise<'in' | 'out'> => {
    const query = "SELECT id FROM time_entries WHERE person_id = :id AND status = 'open'";
    return (await world.db.all(query, { id: world.people.ada })).length === 1 ? 'in' : 'out';
  };
  const countBadges = async () =>
    Number(
      (
        await world.db.all<{ count: number }>(
          "SELECT count(*) AS count FROM badges WHERE person_id = :id AND state <> 'issuing'",
          {
            id: world.people.ben,
          },
        )
      )[0]!.count,
    );
  const refusals = async () =>
    (
      await world.db.all<{ action: string; details: string }>(
        "SELECT action, details FROM audit_entries WHERE action = 'card.refused' AND at >= :at ORDER BY sequence",
        { at: parseInstant('2026-11-24T07:00:00Z')! + count * day },
      )
    ).map(({ action, details }) => [action, (JSON.parse(details) as { reason?: string }).reason]);

  it.each(Object.entries(reasons))(
    'a faulty card (%s) is refused and records nothing, and only the audit log says why: %s',
    async (words, reason) => {
      await hold(badge);
      world.advance(5 * minute);
      await hold(badge);
      world.advance(5 * minute);
      expect(await hold(badge, words)).toBe(refusalText);
      expect(await state()).toBe('out');
      expect(await refusals()).toEqual([['card.refused', noApplication(words) ?? reason]]);
    },
  );

  /** A DESFire in factory state has no application to select. */
  const noApplication = (words: string) =>
    words === 'factory' && family !== 'ntag424' ? 'unsupported_card' : undefined;

  it('a faulty card (91ca:1) remembers a broken dialogue, is asked again, and counts', async () => {
    expect(await hold(badge, '91ca:1')).toMatch(/^Ada: clocked in at/);
    expect(await refusals()).toEqual([]);
  });

  it.each(['gone:1', 'gone:2', 'gone:3', 'torn:1', 'torn:2', 'torn:3'])(
    'a faulty card (%s) is asked for again, and counts the next time',
    async (words) => {
      expect(await hold(badge, words)).toBe(tooEarlyText);
      expect(await state()).toBe('out');
      expect(await refusals()).toEqual([]);
      expect(await hold(badge)).toMatch(/^Ada: clocked in at/);
    },
  );

  it('a card with a random number is no badge, and the service never sees it', async () => {
    expect(await hold(badge, 'random-uid')).toBe(
      'This is a phone, a watch or a card without a number of its own. Hold your badge here.',
    );
    expect(await state()).toBe('out');
    expect(await refusals()).toEqual([]);
  });

  it('a relayed card (relayed:120) counts like a near one, because the service cannot tell them apart', async () => {
    expect(await hold(badge, 'relayed:120')).toMatch(/^Ada: clocked in at/);
    expect(await state()).toBe('in');
    expect(await refusals()).toEqual([]);
  });

  it('a faulty card records nothing with a stamp that is named beforehand, too', async () => {
    preselectedAction = 'next';
    for (const [words, sentence] of [
      ['copy', refusalText],
      ['wrong-key', refusalText],
      ['gone:1', tooEarlyText],
      ['gone:2', tooEarlyText],
      ['torn:3', tooEarlyText],
      ['91ca:3', refusalText],
      ['', /^Ada: clocked in at/],
      ['', /^Ada: clocked in just now/],
      ['replay', refusalText],
    ] as const) {
      const answer = await hold(badge, words);
      if (typeof sentence === 'string') expect([words, answer]).toEqual([words, sentence]);
      else expect(answer).toMatch(sentence);
    }
    expect(await state()).toBe('in');
  });

  it('a card torn at any step of issuing becomes a badge later or is refused, and is never half a badge', async () => {
    const steps = family === 'ntag424' ? 9 : 13;
    let badgeCount = 0;
    for (let step = 1; step <= steps; step += 1) {
      world.advance(5 * minute);
      const card = newCard(`04f1f2f3f4f5${String(step).padStart(2, '0')}`, family);
      await startIssuing(world.people.ben);
      expect(await hold(card, `torn:${step}`)).toBe(tooEarlyText);
      expect(await countBadges()).toBe(badgeCount);
      const sentence = await hold(card);
      if (sentence === 'The badge is ready. Take it away and hold it here again to stamp.') {
        badgeCount += 1;
        expect(await hold(card)).toMatch(/^Ben: clocked (in|out) at/);
      } else expect(sentence).toBe(refusalText);
      expect(await countBadges()).toBe(badgeCount);
    }
    expect(badgeCount).toBe(steps);
  });
});
