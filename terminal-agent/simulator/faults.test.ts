import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { badgeKeys, newCard } from '../test/door.js';
import { CardRefused, type Dialogue, issueDesfire, issueNtag, proveDesfire, proveNtag, run } from '../test/verifier.js';
import type { CardFamily } from './card-file.js';
import { type FaultyCard, readFaults, UnknownFault, withFaults } from './faults.js';

const random = (length: number): Buffer => randomBytes(length);
/** Issuing takes this many commands. */
const families = [
  ['desfire-ev1', 13],
  ['desfire-ev2', 13],
  ['desfire-ev3', 13],
  ['ntag424', 9],
] as const;
const prove = (family: CardFamily): Dialogue<unknown> =>
  family === 'ntag424' ? proveNtag(badgeKeys, random) : proveDesfire(badgeKeys, random);
const issue = (family: CardFamily): Dialogue<unknown> =>
  family === 'ntag424' ? issueNtag(badgeKeys, random) : issueDesfire(badgeKeys, random);

function badgeOf(family: CardFamily): ReturnType<typeof newCard> {
  const card = newCard(family);
  run(issue(family), card.apdu);
  card.reset();
  return card;
}

class Left extends Error {}

/** The end of a dialogue with such a card, and its duration. */
function outcome(dialogue: Dialogue<unknown>, card: FaultyCard): { readonly end: string; readonly duration: number } {
  let duration = 0;
  try {
    run(dialogue, (command) => {
      const { reply, delay } = card.exchange(command);
      duration += delay;
      if (reply === undefined) throw new Left();
      return reply;
    });
    return { end: 'done', duration };
  } catch (error) {
    if (error instanceof Left) return { end: 'left', duration };
    if (error instanceof CardRefused) return { end: error.message.replace(/^.* was answered by /, ''), duration };
    throw error;
  }
}

describe.each(families)('a %s with a fault', (family, commands) => {
  const holdCard = (words: string, card = badgeOf(family), conversation?: readonly Uint8Array[]) =>
    withFaults(card, words === '' ? [] : readFaults(words), random, conversation);
  const firstEnd = family === 'ntag424' ? '9140 (unsupported_card)' : '91a0 (0 bytes)';

  it.each([
    ['', 'done', 0],
    ['wrong-key', '91ae (wrong_key)', 0],
    ['copy', '91ae (wrong_key)', 0],
    ['91ca:1', '91ca (0 bytes)', 0],
    ['91ca:2', '91ca (unexpected_reply)', 0],
    ['91ca:3', '91ca (unexpected_reply)', 0],
    ['torn:1', 'left', 0],
    ['gone:3', 'left', 0],
    ['slow:2:700', 'done', 700],
    ['relayed:150', 'done', 450],
    ['relayed:150,gone:3', 'left', 300],
  ])('(%s) ends its proof with "%s" after %d ms', (words, end, duration) => {
    expect(outcome(prove(family), holdCard(words))).toEqual({ end, duration });
  });

  it('a faulty card is not known in factory state, and can be issued then', () => {
    const card = holdCard('factory');
    expect(outcome(prove(family), card).end).toBe(family === 'ntag424' ? '91ae (wrong_key)' : firstEnd);
    card.reset();
    expect(outcome(issue(family), card).end).toBe('done');
    expect(card.kept).toBe(false);
  });

  it('replays what it heard, which fits no second challenge', () => {
    const card = badgeOf(family);
    const recording = holdCard('', card);
    expect(outcome(prove(family), recording).end).toBe('done');
    expect(recording.conversation).toHaveLength(3);
    const replay = outcome(prove(family), holdCard('replay', card, recording.conversation));
    expect(replay.end).toMatch(/forged_reply/);
  });

  it('a faulty card tells a fresh random number in place of its own', () => {
    const card = badgeOf(family);
    const [firstCard, secondCard] = [holdCard('random-uid', card), holdCard('random-uid', card)];
    expect([firstCard.uid[0], firstCard.uid.length]).toEqual([0x08, 4]);
    expect(firstCard.uid).not.toEqual(secondCard.uid);
    const uidReply = firstCard.exchange(Uint8Array.of(0xff, 0xca, 0x00, 0x00, 0x00)).reply!;
    expect([...uidReply]).toEqual([...firstCard.uid, 0x90, 0x00]);
    // The pseudo-command is the reader's: no step of the dialogue.
    expect(outcome(prove(family), holdCard('gone:4', card)).end).toBe('done');
  });

  it('a faulty card is torn at each step of issuing: the step is done, its answer lost', () => {
    for (let at = 1; at <= commands; at += 1) {
      const card = newCard(family);
      const tornCard = holdCard(`torn:${at}`, card);
      expect(outcome(issue(family), tornCard).end).toBe('left');
      expect(tornCard.conversation).toHaveLength(at - 1);
      expect(tornCard.kept).toBe(true);
      card.reset();
      // Its keys are written before the last steps that check them.
      const end = outcome(prove(family), holdCard('', card)).end;
      expect(end === 'done' || end.startsWith('91')).toBe(true);
      if (at === commands) expect(end).toBe('done');
      if (at === 1) expect(end).not.toBe('done');
    }
  });
});

describe('the words of faults', () => {
  it.each(['', 'broken', 'torn', 'torn:0', 'torn:-1', 'torn:1:2', 'slow:3', 'relayed', 'copy:1', 'torn:3,', '91ca:x'])(
    'the words of faults are not %j',
    (words) => {
      expect(() => readFaults(words)).toThrow(UnknownFault);
    },
  );
});
