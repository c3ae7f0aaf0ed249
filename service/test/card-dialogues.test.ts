/**
 * Our dialogues against simulated cards, which were written from the card documents by themselves and share no line
 * with them.
 */
import { createHash } from 'node:crypto';
import { type CardFamily, type FiledCard, factoryCard } from '@clockproof/terminal-agent/simulator/card-file';
import { describe, expect, it } from '@jest/globals';
import { type Dialogue, randomTape, replay } from '../src/cards/dialogue.js';
import { badgeKey } from '../src/cards/diversify.js';
import { type Issue, type IssuedKeys, issueCard, issueRandomBytes, ntag424Aid } from '../src/cards/issue.js';
import { type Proof, proofRandomBytes, proveCard } from '../src/cards/prove.js';
import { seededBytes } from './world.js';

const uid = Buffer.from('04a1b2c3d4e5f6', 'hex');
const companyKey = createHash('sha256').update('company').digest().subarray(0, 16);
const desfireAid = Buffer.from('c10c4b', 'hex');

const keysFor = (aid: Uint8Array, of = uid, company: Uint8Array = companyKey) => ({
  admin: badgeKey(company, { uid: of, aid, keyNumber: 0 }),
  stamp: badgeKey(company, { uid: of, aid, keyNumber: 1 }),
});
const issued = (of = uid, company: Uint8Array = companyKey): IssuedKeys => ({
  uid: of,
  desfireAid,
  keys: { desfire: keysFor(desfireAid, of, company), ntag424: keysFor(ntag424Aid, of, company) },
  keyVersion: 1,
});
const aidOf = (family: 'desfire' | 'ntag424') => (family === 'desfire' ? desfireAid : ntag424Aid);
const prove = (family: 'desfire' | 'ntag424', seed: string, key?: Uint8Array) =>
  proveCard(
    { family, aid: aidOf(family), keyNumber: 1, key: key ?? keysFor(aidOf(family)).stamp },
    randomTape(seededBytes(seed)(proofRandomBytes)),
  );
const issue = (seed: string, keys = issued()) => issueCard(keys, randomTape(seededBytes(seed)(issueRandomBytes)));

/**
 * Runs a dialogue with a card; `apdus` collects what was said. `cut` takes the card away before that command, `lost`
 * after it: the card has acted, nobody hears it.
 */
function talk<Outcome>(
  dialogue: Dialogue<Outcome>,
  card: Pick<FiledCard, 'apdu'>,
  { apdus = [] as [Uint8Array, Uint8Array][], cut = Infinity, lost = Infinity } = {},
): Outcome {
  let step = dialogue.next();
  while (step.done !== true) {
    const heard = apdus.length >= cut ? new Uint8Array(0) : card.apdu(step.value);
    const answer = apdus.length >= lost ? new Uint8Array(0) : heard;
    apdus.push([step.value, answer]);
    if (apdus.length > 40) throw new Error('the dialogue does not end');
    step = dialogue.next(answer);
  }
  return step.value;
}

const families: readonly [CardFamily, 'desfire' | 'ntag424', number][] = [
  ['desfire-ev1', 'desfire', 17],
  ['desfire-ev2', 'desfire', 17],
  ['desfire-ev3', 'desfire', 17],
  ['ntag424', 'ntag424', 12],
];

describe.each(families)('a card of family %s', (cardFamily, family, issuingCommands) => {
  const fresh = (seed = 'card') => factoryCard(cardFamily, uid, seededBytes(seed));
  const keyed = (seed = 'card') => {
    const card = fresh(seed);
    expect(talk<Issue>(issue('issue'), card)).toEqual({ outcome: 'issued', family });
    card.reset();
    return card;
  };

  it('is issued and then proves itself with three commands', () => {
    const apdus: [Uint8Array, Uint8Array][] = [];
    const card = fresh();
    expect(talk<Issue>(issue('issue'), card, { apdus })).toEqual({ outcome: 'issued', family });
    expect(apdus).toHaveLength(issuingCommands);
    card.reset();
    const stamps: [Uint8Array, Uint8Array][] = [];
    expect(talk<Proof>(prove(family, 'stamp'), card, { apdus: stamps })).toEqual({ outcome: 'proved' });
    expect(stamps).toHaveLength(3);
  });

  it('that was taken away at any step of issuing is finished at the next try', () => {
    const torn = Array.from({ length: issuingCommands }, (_, step) => [{ cut: step }, { lost: step }]).flat();
    for (const how of torn) {
      const card = fresh();
      expect(talk<Issue>(issue('first'), card, how)).toEqual({ outcome: 'refused', reason: 'card_removed' });
      card.reset();
      expect([how, talk<Issue>(issue('second'), card)]).toEqual([how, { outcome: 'issued', family }]);
      card.reset();
      expect(talk<Proof>(prove(family, 'stamp'), card)).toEqual({ outcome: 'proved' });
    }
  });

  it('is refused when it holds another key, stays in factory state or belongs to another company', () => {
    const card = keyed();
    expect(talk<Proof>(prove(family, 'a', Buffer.alloc(16)), card)).toEqual({
      outcome: 'refused',
      reason: 'wrong_key',
    });
    card.reset();
    const other = createHash('sha256').update('other company').digest().subarray(0, 16);
    expect(talk<Issue>(issue('b', issued(uid, other)), card)).toEqual({
      outcome: 'refused',
      reason: 'not_in_factory_state',
    });
    expect(talk<Proof>(prove(family, 'c'), fresh())).toMatchObject({
      outcome: 'refused',
      reason: family === 'desfire' ? 'unsupported_card' : 'wrong_key',
    });
  });

  it('that another company was interrupted in keying is left as it is', () => {
    const other = createHash('sha256').update('other company').digest().subarray(0, 16);
    const card = fresh();
    // The other company's conversation ends right after its stamp key was written.
    let keysWritten = 0;
    const interrupted = {
      apdu: (command: Uint8Array) =>
        command[1] === 0xc4 && ++keysWritten === 2 ? new Uint8Array(0) : card.apdu(command),
    };
    expect(talk<Issue>(issue('theirs', issued(uid, other)), interrupted)).toEqual({
      outcome: 'refused',
      reason: 'card_removed',
    });
    card.reset();
    const said: [Uint8Array, Uint8Array][] = [];
    expect(talk<Issue>(issue('ours'), card, { apdus: said })).toEqual({
      outcome: 'refused',
      reason: 'not_in_factory_state',
    });
    expect(said.some(([command]) => command[1] === 0xc4)).toBe(false);
    card.reset();
    expect(talk<Issue>(issue('theirs again', issued(uid, other)), card)).toEqual({ outcome: 'issued', family });
  });

  it('is refused when the UID told is not its own', () => {
    expect(talk<Issue>(issue('a', issued(Buffer.from('04000000000001', 'hex'))), fresh())).toEqual({
      outcome: 'refused',
      reason: 'unsupported_card',
    });
    const wrongUid = keysFor(aidOf(family), Buffer.from('04000000000001', 'hex')).stamp;
    expect(talk<Proof>(prove(family, 'a', wrongUid), keyed())).toEqual({ outcome: 'refused', reason: 'wrong_key' });
  });

  it('cannot be replaced by a recording of it', () => {
    const card = keyed();
    const recorded: [Uint8Array, Uint8Array][] = [];
    talk(prove(family, 'yesterday'), card, { apdus: recorded });
    let index = 0;
    expect(talk<Proof>(prove(family, 'today'), { apdu: () => recorded[index++]![1] })).toEqual({
      outcome: 'refused',
      reason: 'forged_reply',
    });
  });

  it('left in the middle of a conversation is taken up after 91CA', () => {
    const card = keyed();
    let first = true;
    expect(
      talk<Proof>(prove(family, 'a'), {
        apdu: (command) => {
          if (first) {
            first = false;
            return Buffer.from('91ca', 'hex');
          }
          return card.apdu(command);
        },
      }),
    ).toEqual({ outcome: 'proved' });
    expect(talk<Proof>(prove(family, 'a'), { apdu: () => Buffer.from('91ca', 'hex') })).toMatchObject({
      outcome: 'refused',
    });
  });

  const length = family === 'desfire' ? 16 : 32;
  it.each<[string, (answer: Uint8Array, earlier: readonly Uint8Array[]) => Uint8Array]>([
    ['nothing', () => Buffer.alloc(0)],
    ['one byte', () => Buffer.from('91', 'hex')],
    ['status only', () => Buffer.from('9100', 'hex')],
    ['another status, 91AE', () => Buffer.from('91ae', 'hex')],
    ['91AF for 9100', (answer) => Buffer.concat([answer.subarray(0, -2), Buffer.from('91af', 'hex')])],
    ['9000 for 9100', (answer) => Buffer.concat([answer.subarray(0, -2), Buffer.from('9000', 'hex')])],
    ['zeros', () => Buffer.concat([Buffer.alloc(length), Buffer.from('9100', 'hex')])],
    ['one bit flipped', (answer) => Buffer.concat([Buffer.of(answer[0]! ^ 1), answer.subarray(1)])],
    [
      'last bit flipped',
      (answer) => {
        const copy = Buffer.from(answer);
        copy[length - 1]! ^= 1;
        return copy;
      },
    ],
    ['cut by a byte', (answer) => Buffer.concat([answer.subarray(1)])],
    ['a byte more', (answer) => Buffer.concat([Buffer.alloc(1), answer])],
    [
      'the first answer again',
      (_, earlier) =>
        Buffer.concat([earlier[1]!.subarray(0, 16), Buffer.alloc(length - 16), Buffer.from('9100', 'hex')]),
    ],
    [
      'its halves exchanged',
      (answer) =>
        Buffer.concat([
          answer.subarray(length / 2, length),
          answer.subarray(0, length / 2),
          Buffer.from('9100', 'hex'),
        ]),
    ],
    ['permission denied', () => Buffer.from('919d', 'hex')],
    ['a delay', () => Buffer.from('91ad', 'hex')],
  ])('that answers the token with %s is refused', (_, forge) => {
    const card = keyed();
    const earlier: Uint8Array[] = [];
    const outcome = talk<Proof>(prove(family, 'a'), {
      apdu: (command) => {
        const answer = card.apdu(command);
        earlier.push(answer);
        return earlier.length === 3 ? forge(answer, earlier) : answer;
      },
    });
    expect(outcome.outcome).toBe('refused');
  });

  it('is talked to in the same words by any process that knows the replies so far', () => {
    const card = keyed();
    const replies: Uint8Array[] = [];
    for (;;) {
      const standing = replay<Proof>(prove(family, 'same'), replies);
      if ('outcome' in standing) {
        expect([standing.outcome, standing.replies]).toEqual([{ outcome: 'proved' }, 3]);
        break;
      }
      replies.push(card.apdu(standing.command));
    }
  });
});

it('never sends the same random number twice', () => {
  const seen = new Set<string>();
  const random = seededBytes('many');
  for (let index = 0; index < 1_000; index++) {
    const dialogue = proveCard(
      { family: 'desfire', aid: desfireAid, keyNumber: 1, key: Buffer.alloc(16) },
      randomTape(random(proofRandomBytes)),
    );
    dialogue.next();
    dialogue.next(Buffer.from('9100', 'hex'));
    const token = dialogue.next(Buffer.concat([Buffer.alloc(16), Buffer.from('91af', 'hex')]));
    seen.add(Buffer.from(token.value as Uint8Array).toString('hex'));
  }
  expect(seen.size).toBe(1_000);
});
