/**
 * Our dialogues against simulated cards, which were written from the card documents by themselves and share no line
 * with them.
 */
import { createHash } from 'node:crypto';
import { type CardFamily, type FiledCard, factoryCard } from '@clockproof/terminal-agent/simulator/card-file';
import { describe, expect, it } from '@jest/globals';
import { authenticateDes } from '../../src/terminals/cards/authenticate.js';
import { type Dialogue, randomTape, replay, withOutcome } from '../../src/terminals/cards/dialogue.js';
import { badgeKey } from '../../src/terminals/cards/diversify.js';
import { type Issue, type IssuedCard, issueCard, issueRandomBytes } from '../../src/terminals/cards/issue.js';
import { type Proof, type ProvingCard, proofRandomBytes, proveCard } from '../../src/terminals/cards/prove.js';
import {
  proveAndRenew,
  type RenewedCard,
  type RenewingProof,
  renewalRandomBytes,
} from '../../src/terminals/cards/renew.js';
import { ntag424Aid } from '../../src/terminals/cards/write-keys.js';
import { seededBytes } from '../world.js';

const uid = Buffer.from('04a1b2c3d4e5f6', 'hex');
const companyKey = createHash('sha256').update('company').digest().subarray(0, 16);
const desfireAid = Buffer.from('c10c4b', 'hex');

const keysFor = (aid: Uint8Array, cardUid = uid, company: Uint8Array = companyKey) => ({
  admin: badgeKey(company, { uid: cardUid, aid, keyNumber: 0 }),
  stamp: badgeKey(company, { uid: cardUid, aid, keyNumber: 1 }),
});
const issuedCard = (
  cardUid = uid,
  company: Uint8Array = companyKey,
  overrides: Partial<IssuedCard> = {},
): IssuedCard => ({
  uid: cardUid,
  desfireAid,
  keysOf: (version) => (version === 1 ? setOf(company, cardUid) : undefined),
  keyVersion: 1,
  lock: false,
  ...overrides,
});
const setOf = (company: Uint8Array, cardUid = uid) => ({
  desfire: keysFor(desfireAid, cardUid, company),
  ntag424: keysFor(ntag424Aid, cardUid, company),
  card: badgeKey(company, { uid: cardUid, aid: Buffer.from('000000', 'hex'), keyNumber: 0 }),
});

/** The company's card key, replaced as often as it is asked for. */
const companyKeyOf = (version: number) => createHash('sha256').update(`company ${version}`).digest().subarray(0, 16);
const cardOfVersion = (keyVersion: number, overrides: Partial<IssuedCard> = {}) =>
  issuedCard(uid, companyKey, {
    keyVersion,
    keysOf: (version) => (version >= 1 && version <= keyVersion ? setOf(companyKeyOf(version)) : undefined),
    ...overrides,
  });
const aidOf = (family: 'desfire' | 'ntag424') => (family === 'desfire' ? desfireAid : ntag424Aid);
const provingCard = (family: 'desfire' | 'ntag424', keyOf: ProvingCard['keyOf'], from = 1): ProvingCard => ({
  family,
  aid: aidOf(family),
  keyNumber: 1,
  from,
  upTo: from,
  keyOf,
});
const prove = (family: 'desfire' | 'ntag424', seed: string, key?: Uint8Array) =>
  proveCard(
    provingCard(family, (version) => (version === 1 ? (key ?? keysFor(aidOf(family)).stamp) : undefined)),
    randomTape(seededBytes(seed)(proofRandomBytes)),
  );
const issue = (seed: string, keys = issuedCard()) => issueCard(keys, randomTape(seededBytes(seed)(issueRandomBytes)));

/**
 * Runs a dialogue with a card; `apdus` collects commands and answers. `cutAt` takes the card away before that command,
 * `lostAt` after it: the card has acted, and its answer is lost.
 */
function talk<Outcome>(
  dialogue: Dialogue<Outcome>,
  card: Pick<FiledCard, 'apdu'>,
  { apdus = [] as [Uint8Array, Uint8Array][], cutAt = Infinity, lostAt = Infinity } = {},
): Outcome {
  let step = dialogue.next();
  while (step.done !== true) {
    const cardAnswer = apdus.length >= cutAt ? new Uint8Array(0) : card.apdu(step.value);
    const answer = apdus.length >= lostAt ? new Uint8Array(0) : cardAnswer;
    apdus.push([step.value, answer]);
    if (apdus.length > 40) throw new Error('the dialogue does not end');
    step = dialogue.next(answer);
  }
  return step.value;
}

const families: readonly [CardFamily, 'desfire' | 'ntag424', number][] = [
  ['desfire-ev1', 'desfire', 19],
  ['desfire-ev2', 'desfire', 19],
  ['desfire-ev3', 'desfire', 19],
  ['ntag424', 'ntag424', 12],
];

describe.each(families)('a card of family %s', (cardFamily, family, issuingCommands) => {
  const createCard = (seed = 'card') => factoryCard(cardFamily, uid, seededBytes(seed));
  const createBadge = (seed = 'card') => {
    const card = createCard(seed);
    expect(talk<Issue>(issue('issue'), card)).toEqual({ outcome: 'issued', family, locked: false });
    card.reset();
    return card;
  };

  it('a card is issued and then proves itself with three commands', () => {
    const apdus: [Uint8Array, Uint8Array][] = [];
    const card = createCard();
    expect(talk<Issue>(issue('issue'), card, { apdus })).toEqual({ outcome: 'issued', family, locked: false });
    expect(apdus).toHaveLength(issuingCommands);
    card.reset();
    const stamps: [Uint8Array, Uint8Array][] = [];
    expect(talk<Proof>(prove(family, 'stamp'), card, { apdus: stamps })).toEqual({ outcome: 'proved', version: 1 });
    expect(stamps).toHaveLength(3);
  });

  it('a card taken away at any step of issuing is finished at the next try', () => {
    const interruptions = Array.from({ length: issuingCommands }, (_, step) => [
      { cutAt: step },
      { lostAt: step },
    ]).flat();
    for (const interruption of interruptions) {
      const card = createCard();
      expect(talk<Issue>(issue('first'), card, interruption)).toEqual({ outcome: 'refused', reason: 'card_removed' });
      card.reset();
      expect([interruption, talk<Issue>(issue('second'), card)]).toEqual([
        interruption,
        { outcome: 'issued', family, locked: false },
      ]);
      card.reset();
      expect(talk<Proof>(prove(family, 'stamp'), card)).toEqual({ outcome: 'proved', version: 1 });
    }
  });

  it('a card with another key, in factory state or of another company is refused', () => {
    const card = createBadge();
    expect(talk<Proof>(prove(family, 'a', Buffer.alloc(16)), card)).toEqual({
      outcome: 'refused',
      reason: 'wrong_key',
    });
    card.reset();
    const otherCompanyKey = createHash('sha256').update('other company').digest().subarray(0, 16);
    expect(talk<Issue>(issue('b', issuedCard(uid, otherCompanyKey)), card)).toEqual({
      outcome: 'refused',
      reason: 'not_in_factory_state',
    });
    expect(talk<Proof>(prove(family, 'c'), createCard())).toMatchObject({
      outcome: 'refused',
      reason: family === 'desfire' ? 'unsupported_card' : 'wrong_key',
    });
  });

  it('a card whose keying another company did not finish is left as it is', () => {
    const otherCompanyKey = createHash('sha256').update('other company').digest().subarray(0, 16);
    const card = createCard();
    // The other company's conversation ends right after its stamp key was written.
    let keysWritten = 0;
    const interruptedCard = {
      apdu: (command: Uint8Array) =>
        command[1] === 0xc4 && ++keysWritten === 2 ? new Uint8Array(0) : card.apdu(command),
    };
    expect(talk<Issue>(issue('theirs', issuedCard(uid, otherCompanyKey)), interruptedCard)).toEqual({
      outcome: 'refused',
      reason: 'card_removed',
    });
    card.reset();
    const apdus: [Uint8Array, Uint8Array][] = [];
    expect(talk<Issue>(issue('ours'), card, { apdus })).toEqual({
      outcome: 'refused',
      reason: 'not_in_factory_state',
    });
    expect(apdus.some(([command]) => command[1] === 0xc4)).toBe(false);
    card.reset();
    expect(talk<Issue>(issue('theirs again', issuedCard(uid, otherCompanyKey)), card)).toEqual({
      outcome: 'issued',
      family,
      locked: false,
    });
  });

  it('a card whose reported UID is not its own is refused', () => {
    expect(talk<Issue>(issue('a', issuedCard(Buffer.from('04000000000001', 'hex'))), createCard())).toEqual({
      outcome: 'refused',
      reason: 'unsupported_card',
    });
    const wrongKey = keysFor(aidOf(family), Buffer.from('04000000000001', 'hex')).stamp;
    expect(talk<Proof>(prove(family, 'a', wrongKey), createBadge())).toEqual({
      outcome: 'refused',
      reason: 'wrong_key',
    });
  });

  const stampKeyOf = (version: number) => keysFor(aidOf(family), uid, companyKeyOf(version)).stamp;
  const renew = (seed: string, card: Partial<RenewedCard>) =>
    proveAndRenew(
      { ...cardOfVersion(2), ...provingCard(family, stampKeyOf), locked: false, ...card },
      randomTape(seededBytes(seed)(renewalRandomBytes)),
    );
  const renewedProof = { outcome: 'proved', version: expect.any(Number), renewal: 'done' };
  const createBadgeAt = (version: number, overrides: Partial<IssuedCard> = {}) => {
    const card = createCard();
    const issue = issueCard(cardOfVersion(version, overrides), randomTape(seededBytes('issue')(issueRandomBytes)));
    expect(talk<Issue>(issue, card)).toMatchObject({ outcome: 'issued', family });
    card.reset();
    return card;
  };
  const proves = (card: FiledCard, version: number) => {
    card.reset();
    const outcome = talk<Proof>(prove(family, `proof ${version}`, stampKeyOf(version)), card).outcome;
    card.reset();
    return outcome === 'proved';
  };

  it('a card gets the key of a newer version in the dialogue in which it proves the older one', () => {
    const card = createBadgeAt(1);
    expect(proves(card, 1)).toBe(true);
    expect(talk<RenewingProof>(renew('renew', {}), card)).toEqual(renewedProof);
    expect([proves(card, 1), proves(card, 2)]).toEqual([false, true]);
  });

  it('a card taken away during its renewal proves the old or the new key, and is completed', () => {
    let commands: [Uint8Array, Uint8Array][] = [];
    talk<RenewingProof>(renew('whole', {}), createBadgeAt(1), { apdus: commands });
    const interruptions = commands.flatMap((_, step) => [{ cutAt: step }, { lostAt: step }]);
    for (const interruption of interruptions) {
      const card = createBadgeAt(1);
      talk<RenewingProof>(renew('first', {}), card, interruption);
      card.reset();
      expect([interruption, talk<RenewingProof>(renew('second', { upTo: 2 }), card)]).toEqual([
        interruption,
        renewedProof,
      ]);
      expect(proves(card, 2)).toBe(true);
    }
    // A renewal that was interrupted, and then another new key: three versions are possible.
    commands = [];
    const card = createBadgeAt(1);
    talk<RenewingProof>(renew('first', {}), card, { cutAt: 8 });
    card.reset();
    expect(talk<RenewingProof>(renew('third', { ...cardOfVersion(3), upTo: 2 }), card)).toEqual(renewedProof);
    expect(proves(card, 3)).toBe(true);
  });

  it('a card with an unexpected version, or a copy, gets no new key', () => {
    const card = createBadgeAt(1);
    const apdus: [Uint8Array, Uint8Array][] = [];
    const dialogue = renew('beyond', { ...cardOfVersion(4), from: 2, upTo: 3 });
    expect(talk<RenewingProof>(dialogue, card, { apdus })).toEqual({ outcome: 'refused', reason: 'wrong_key' });
    card.reset();
    const copy = { keyOf: () => stampKeyOf(9) };
    expect(talk<RenewingProof>(renew('other', copy), card, { apdus })).toMatchObject({ outcome: 'refused' });
    expect(apdus.some(([command]) => command[1] === 0xc4)).toBe(false);
    expect(proves(card, 1)).toBe(true);
  });

  const proveFrom = (seed: string, version: number, newestVersion: number) =>
    proveCard(
      provingCard(family, (keyVersion) => (keyVersion <= newestVersion ? stampKeyOf(keyVersion) : undefined), version),
      randomTape(seededBytes(seed)(proofRandomBytes)),
    );

  it('a card renewed after the backup of its record proves the later key, with one failed authentication', () => {
    const card = createBadgeAt(3);
    const apdus: [Uint8Array, Uint8Array][] = [];
    const proof = talk<Proof>(proveFrom('restored', 1, 9), card, { apdus });
    expect(proof).toEqual({ outcome: 'proved', version: 3 });
    expect(apdus.filter(([, answer]) => Buffer.from(answer).toString('hex') === '91ae')).toHaveLength(1);
    expect(apdus).toHaveLength(7);
    card.reset();
    // Its keys are not written back to an earlier version.
    const dialogue = renew('back', {});
    expect(talk<RenewingProof>(dialogue, card)).toEqual({ outcome: 'proved', version: 3 });
    expect(proves(card, 3)).toBe(true);
    // One that holds the newest known key without a record of it is completed, as one that was interrupted.
    expect(talk<RenewingProof>(renew('done', cardOfVersion(3)), card)).toEqual(renewedProof);
  });

  it('a card that names a later version without its key, an earlier or an unknown one is refused', () => {
    const refusal = { outcome: 'refused', reason: 'wrong_key' };
    expect(talk<Proof>(proveFrom('earlier', 2, 9), createBadgeAt(1))).toEqual(refusal);
    expect(talk<Proof>(proveFrom('unknown', 1, 2), createBadgeAt(3))).toEqual(refusal);
    const card = createBadgeAt(1);
    const spoofedCard = {
      apdu: (command: Uint8Array) => (command[1] === 0x64 ? Buffer.from('029100', 'hex') : card.apdu(command)),
    };
    expect(talk<Proof>(proveFrom('named', 3, 9), spoofedCard)).toEqual(refusal);
    card.reset();
    const dialogue = proveCard(
      provingCard(family, (version) => (version === 1 ? Buffer.alloc(16) : stampKeyOf(version))),
      randomTape(seededBytes('later')(proofRandomBytes)),
    );
    expect(talk<Proof>(dialogue, spoofedCard)).toEqual(refusal);
  });

  it('a card taken away while it proves a later key does not count as a copy', () => {
    for (const cutAt of [4, 5, 6]) {
      const proof = talk<Proof>(proveFrom('cut', 1, 9), createBadgeAt(3), { cutAt });
      expect(proof).toEqual({ outcome: 'refused', reason: 'card_removed' });
    }
  });

  it('a proved card stays proved if its keys cannot be renewed', () => {
    const card = createBadgeAt(1);
    let proofs = 0;
    const refusingCard = {
      apdu: (command: Uint8Array) =>
        command[1] === 0xc4 && ++proofs > 0 ? Buffer.from('919d', 'hex') : card.apdu(command),
    };
    expect(talk<RenewingProof>(renew('renew', {}), refusingCard)).toEqual({
      outcome: 'proved',
      version: 1,
      renewal: 'permission_denied',
    });
    expect(proofs).toBe(1);
    expect(proves(card, 1)).toBe(true);
  });

  it('a card of a company with a replaced key is issued again with the new one', () => {
    const card = createBadgeAt(1);
    const reissue = issueCard(cardOfVersion(3), randomTape(seededBytes('again')(issueRandomBytes)));
    expect(talk<Issue>(reissue, card)).toEqual({ outcome: 'issued', family, locked: false });
    expect([proves(card, 1), proves(card, 3)]).toEqual([false, true]);
    const lastIssue = issueCard(cardOfVersion(255), randomTape(seededBytes('last')(issueRandomBytes)));
    expect(talk<Issue>(lastIssue, card)).toMatchObject({ outcome: 'issued' });
    expect(proves(card, 255)).toBe(true);
    const earlierIssue = issueCard(cardOfVersion(2), randomTape(seededBytes('unknown')(issueRandomBytes)));
    expect(talk<Issue>(earlierIssue, card)).toEqual({ outcome: 'refused', reason: 'not_in_factory_state' });
  });

  if (family === 'ntag424')
    it('a card without locking has nothing to lock or unlock', () => {
      const card = createBadgeAt(1, { lock: true });
      const reissue = issueCard(cardOfVersion(2), randomTape(seededBytes('again')(issueRandomBytes)));
      expect(talk<Issue>(reissue, card)).toEqual({ outcome: 'issued', family, locked: false });
      expect(proves(card, 2)).toBe(true);
    });
  else
    describe('a locked card', () => {
      /** What a phone does: the factory's master key, then FormatPICC. @returns the last status word */
      const format = (card: FiledCard) => {
        const say = (hex: string) =>
          Buffer.from(card.apdu(Buffer.from(hex, 'hex')))
            .toString('hex')
            .slice(-4);
        card.reset();
        expect(say('905a00000300000000')).toBe('9100');
        talk<unknown>(withOutcome(authenticateDes(0, Buffer.alloc(8), seededBytes('phone'))), card);
        const status = say('90fc000000');
        card.reset();
        return status;
      };

      it('a locked card cannot be formatted any more, and an unlocked one can', () => {
        expect(format(createBadgeAt(1))).toBe('9100');
        const card = createBadgeAt(1, { lock: true });
        expect(format(card)).toBe('91ae');
        expect(proves(card, 1)).toBe(true);
      });

      it('a locked card taken away at any step is completed at the next try', () => {
        const commands: [Uint8Array, Uint8Array][] = [];
        const issueLocked = (seed: string, version = 1) =>
          issueCard(cardOfVersion(version, { lock: true }), randomTape(seededBytes(seed)(issueRandomBytes)));
        talk<Issue>(issueLocked('whole'), createCard(), { apdus: commands });
        for (const interruption of commands.flatMap((_, step) => [{ cutAt: step }, { lostAt: step }])) {
          const card = createCard();
          expect(talk<Issue>(issueLocked('first'), card, interruption)).toEqual({
            outcome: 'refused',
            reason: 'card_removed',
          });
          card.reset();
          // In between, the company's key was replaced.
          expect([interruption, talk<Issue>(issueLocked('second', 2), card)]).toEqual([
            interruption,
            { outcome: 'issued', family, locked: true },
          ]);
          expect(proves(card, 2)).toBe(true);
          expect(format(card)).toBe('91ae');
        }
      });

      it('a locked card gets a new master key with its other keys, and can be issued again', () => {
        const card = createBadgeAt(1, { lock: true });
        expect(talk<RenewingProof>(renew('renew', { locked: true }), card)).toEqual(renewedProof);
        card.reset();
        const reissue = issueCard(cardOfVersion(3), randomTape(seededBytes('again')(issueRandomBytes)));
        expect(talk<Issue>(reissue, card)).toEqual({ outcome: 'issued', family, locked: false });
        expect(proves(card, 3)).toBe(true);
      });

      it('a locked card is unlocked by a company that locks no cards, at any interruption', () => {
        const issueUnlocked = (seed: string, version = 2) =>
          issueCard(cardOfVersion(version), randomTape(seededBytes(seed)(issueRandomBytes)));
        const commands: [Uint8Array, Uint8Array][] = [];
        const firstCard = createBadgeAt(1, { lock: true });
        expect(talk<Issue>(issueUnlocked('whole'), firstCard, { apdus: commands })).toEqual({
          outcome: 'issued',
          family,
          locked: false,
        });
        expect(proves(firstCard, 2)).toBe(true);
        expect(format(firstCard)).toBe('9100');
        for (const interruption of commands.flatMap((_, step) => [{ cutAt: step }, { lostAt: step }])) {
          const card = createBadgeAt(1, { lock: true });
          expect(talk<Issue>(issueUnlocked('first'), card, interruption)).toEqual({
            outcome: 'refused',
            reason: 'card_removed',
          });
          card.reset();
          expect([interruption, talk<Issue>(issueUnlocked('second', 3), card)]).toEqual([
            interruption,
            { outcome: 'issued', family, locked: false },
          ]);
          expect(proves(card, 3)).toBe(true);
          expect(format(card)).toBe('9100');
        }
      });

      it('a locked card becomes a badge even if it cannot be unlocked', () => {
        const card = createBadgeAt(1, { lock: true });
        const stubbornCard = {
          // The card refuses to change its own key: ChangeKey with the number 0 and a cryptogram for the level of the card.
          apdu: (command: Uint8Array) => {
            if (command[1] === 0x5a) level = Buffer.from(command.subarray(5, 8)).toString('hex');
            return command[1] === 0xc4 && level === '000000' ? Buffer.from('919d', 'hex') : card.apdu(command);
          },
        };
        let level = '';
        const reissue = issueCard(cardOfVersion(2), randomTape(seededBytes('again')(issueRandomBytes)));
        expect(talk<Issue>(reissue, stubbornCard)).toEqual({ outcome: 'issued', family, locked: true });
        expect(proves(card, 2)).toBe(true);
      });
    });

  it('a recording cannot replace a card', () => {
    const card = createBadge();
    const recording: [Uint8Array, Uint8Array][] = [];
    talk(prove(family, 'yesterday'), card, { apdus: recording });
    let index = 0;
    expect(talk<Proof>(prove(family, 'today'), { apdu: () => recording[index++]![1] })).toEqual({
      outcome: 'refused',
      reason: 'forged_reply',
    });
  });

  it('a card left in the middle of a dialogue continues after 91CA', () => {
    const card = createBadge();
    let isFirst = true;
    expect(
      talk<Proof>(prove(family, 'a'), {
        apdu: (command) => {
          if (isFirst) {
            isFirst = false;
            return Buffer.from('91ca', 'hex');
          }
          return card.apdu(command);
        },
      }),
    ).toEqual({ outcome: 'proved', version: 1 });
    expect(talk<Proof>(prove(family, 'a'), { apdu: () => Buffer.from('91ca', 'hex') })).toMatchObject({
      outcome: 'refused',
    });
  });

  const length = family === 'desfire' ? 16 : 32;
  it.each<[string, (answer: Uint8Array, earlierAnswers: readonly Uint8Array[]) => Uint8Array]>([
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
      (_, earlierAnswers) =>
        Buffer.concat([earlierAnswers[1]!.subarray(0, 16), Buffer.alloc(length - 16), Buffer.from('9100', 'hex')]),
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
  ])('a card that answers the token with %s is refused', (_, forge) => {
    const card = createBadge();
    const earlierAnswers: Uint8Array[] = [];
    const outcome = talk<Proof>(prove(family, 'a'), {
      apdu: (command) => {
        const answer = card.apdu(command);
        earlierAnswers.push(answer);
        return earlierAnswers.length === 3 ? forge(answer, earlierAnswers) : answer;
      },
    });
    expect(outcome.outcome).toBe('refused');
  });

  it('any process with the earlier replies continues a card dialogue with the same commands', () => {
    const card = createBadge();
    const replies: Uint8Array[] = [];
    for (;;) {
      const state = replay<Proof>(prove(family, 'same'), replies);
      if ('outcome' in state) {
        expect([state.outcome, state.replies]).toEqual([{ outcome: 'proved', version: 1 }, 3]);
        break;
      }
      replies.push(card.apdu(state.command));
    }
  });
});

it('a dialogue never sends the same random number twice', () => {
  const tokens = new Set<string>();
  const random = seededBytes('many');
  for (let index = 0; index < 1_000; index++) {
    const dialogue = proveCard(
      provingCard('desfire', () => Buffer.alloc(16)),
      randomTape(random(proofRandomBytes)),
    );
    dialogue.next();
    dialogue.next(Buffer.from('9100', 'hex'));
    const token = dialogue.next(Buffer.concat([Buffer.alloc(16), Buffer.from('91af', 'hex')]));
    tokens.add(Buffer.from(token.value as Uint8Array).toString('hex'));
  }
  expect(tokens.size).toBe(1_000);
});
