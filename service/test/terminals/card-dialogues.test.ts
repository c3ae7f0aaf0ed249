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

const keysFor = (aid: Uint8Array, of = uid, company: Uint8Array = companyKey) => ({
  admin: badgeKey(company, { uid: of, aid, keyNumber: 0 }),
  stamp: badgeKey(company, { uid: of, aid, keyNumber: 1 }),
});
const issued = (of = uid, company: Uint8Array = companyKey, more: Partial<IssuedCard> = {}): IssuedCard => ({
  uid: of,
  desfireAid,
  keysOf: (version) => (version === 1 ? setOf(company, of) : undefined),
  keyVersion: 1,
  lock: false,
  ...more,
});
const setOf = (company: Uint8Array, of = uid) => ({
  desfire: keysFor(desfireAid, of, company),
  ntag424: keysFor(ntag424Aid, of, company),
  card: badgeKey(company, { uid: of, aid: Buffer.from('000000', 'hex'), keyNumber: 0 }),
});

/** The company's card key, replaced as often as it is asked for. */
const ofVersion = (version: number) => createHash('sha256').update(`company ${version}`).digest().subarray(0, 16);
const renewing = (keyVersion: number, more: Partial<IssuedCard> = {}) =>
  issued(uid, companyKey, {
    keyVersion,
    keysOf: (version) => (version >= 1 && version <= keyVersion ? setOf(ofVersion(version)) : undefined),
    ...more,
  });
const aidOf = (family: 'desfire' | 'ntag424') => (family === 'desfire' ? desfireAid : ntag424Aid);
const proving = (family: 'desfire' | 'ntag424', keyOf: ProvingCard['keyOf'], from = 1): ProvingCard => ({
  family,
  aid: aidOf(family),
  keyNumber: 1,
  from,
  upTo: from,
  keyOf,
});
const prove = (family: 'desfire' | 'ntag424', seed: string, key?: Uint8Array) =>
  proveCard(
    proving(family, (version) => (version === 1 ? (key ?? keysFor(aidOf(family)).stamp) : undefined)),
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
  ['desfire-ev1', 'desfire', 19],
  ['desfire-ev2', 'desfire', 19],
  ['desfire-ev3', 'desfire', 19],
  ['ntag424', 'ntag424', 12],
];

describe.each(families)('a card of family %s', (cardFamily, family, issuingCommands) => {
  const fresh = (seed = 'card') => factoryCard(cardFamily, uid, seededBytes(seed));
  const keyed = (seed = 'card') => {
    const card = fresh(seed);
    expect(talk<Issue>(issue('issue'), card)).toEqual({ outcome: 'issued', family, locked: false });
    card.reset();
    return card;
  };

  it('a card is issued and then proves itself with three commands', () => {
    const apdus: [Uint8Array, Uint8Array][] = [];
    const card = fresh();
    expect(talk<Issue>(issue('issue'), card, { apdus })).toEqual({ outcome: 'issued', family, locked: false });
    expect(apdus).toHaveLength(issuingCommands);
    card.reset();
    const stamps: [Uint8Array, Uint8Array][] = [];
    expect(talk<Proof>(prove(family, 'stamp'), card, { apdus: stamps })).toEqual({ outcome: 'proved', version: 1 });
    expect(stamps).toHaveLength(3);
  });

  it('a card taken away at any step of issuing is finished at the next try', () => {
    const torn = Array.from({ length: issuingCommands }, (_, step) => [{ cut: step }, { lost: step }]).flat();
    for (const how of torn) {
      const card = fresh();
      expect(talk<Issue>(issue('first'), card, how)).toEqual({ outcome: 'refused', reason: 'card_removed' });
      card.reset();
      expect([how, talk<Issue>(issue('second'), card)]).toEqual([how, { outcome: 'issued', family, locked: false }]);
      card.reset();
      expect(talk<Proof>(prove(family, 'stamp'), card)).toEqual({ outcome: 'proved', version: 1 });
    }
  });

  it('a card with another key, in factory state or of another company is refused', () => {
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

  it('a card whose keying another company did not finish is left as it is', () => {
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
    expect(talk<Issue>(issue('theirs again', issued(uid, other)), card)).toEqual({
      outcome: 'issued',
      family,
      locked: false,
    });
  });

  it('a card whose reported UID is not its own is refused', () => {
    expect(talk<Issue>(issue('a', issued(Buffer.from('04000000000001', 'hex'))), fresh())).toEqual({
      outcome: 'refused',
      reason: 'unsupported_card',
    });
    const wrongUid = keysFor(aidOf(family), Buffer.from('04000000000001', 'hex')).stamp;
    expect(talk<Proof>(prove(family, 'a', wrongUid), keyed())).toEqual({ outcome: 'refused', reason: 'wrong_key' });
  });

  const held = (version: number) => keysFor(aidOf(family), uid, ofVersion(version)).stamp;
  const renew = (seed: string, card: Partial<RenewedCard>) =>
    proveAndRenew(
      { ...renewing(2), ...proving(family, held), locked: false, ...card },
      randomTape(seededBytes(seed)(renewalRandomBytes)),
    );
  const renewed = { outcome: 'proved', version: expect.any(Number), renewal: 'done' };
  const issuedAt = (version: number, more: Partial<IssuedCard> = {}) => {
    const card = fresh();
    const issue = issueCard(renewing(version, more), randomTape(seededBytes('issue')(issueRandomBytes)));
    expect(talk<Issue>(issue, card)).toMatchObject({ outcome: 'issued', family });
    card.reset();
    return card;
  };
  const proves = (card: FiledCard, version: number) => {
    card.reset();
    const outcome = talk<Proof>(prove(family, `proof ${version}`, held(version)), card).outcome;
    card.reset();
    return outcome === 'proved';
  };

  it('a card gets the key of a newer version in the dialogue in which it proves the older one', () => {
    const card = issuedAt(1);
    expect(proves(card, 1)).toBe(true);
    expect(talk<RenewingProof>(renew('renew', {}), card)).toEqual(renewed);
    expect([proves(card, 1), proves(card, 2)]).toEqual([false, true]);
  });

  it('a card taken away during its renewal proves the old or the new key, and is completed', () => {
    let commands: [Uint8Array, Uint8Array][] = [];
    talk<RenewingProof>(renew('whole', {}), issuedAt(1), { apdus: commands });
    const torn = commands.flatMap((_, step) => [{ cut: step }, { lost: step }]);
    for (const how of torn) {
      const card = issuedAt(1);
      talk<RenewingProof>(renew('first', {}), card, how);
      card.reset();
      expect([how, talk<RenewingProof>(renew('second', { upTo: 2 }), card)]).toEqual([how, renewed]);
      expect(proves(card, 2)).toBe(true);
    }
    // A renewal that was interrupted, and then another new key: three versions are possible.
    commands = [];
    const card = issuedAt(1);
    talk<RenewingProof>(renew('first', {}), card, { cut: 8 });
    card.reset();
    expect(talk<RenewingProof>(renew('third', { ...renewing(3), upTo: 2 }), card)).toEqual(renewed);
    expect(proves(card, 3)).toBe(true);
  });

  it('a card with an unexpected version, or a copy, gets no new key', () => {
    const card = issuedAt(1);
    const said: [Uint8Array, Uint8Array][] = [];
    const beyond = renew('beyond', { ...renewing(4), from: 2, upTo: 3 });
    expect(talk<RenewingProof>(beyond, card, { apdus: said })).toEqual({ outcome: 'refused', reason: 'wrong_key' });
    card.reset();
    const other = { keyOf: () => held(9) };
    expect(talk<RenewingProof>(renew('other', other), card, { apdus: said })).toMatchObject({ outcome: 'refused' });
    expect(said.some(([command]) => command[1] === 0xc4)).toBe(false);
    expect(proves(card, 1)).toBe(true);
  });

  const proveFrom = (seed: string, version: number, newest: number) =>
    proveCard(
      proving(family, (asked) => (asked <= newest ? held(asked) : undefined), version),
      randomTape(seededBytes(seed)(proofRandomBytes)),
    );

  it('a card renewed after the backup of its record proves the later key, with one failed authentication', () => {
    const card = issuedAt(3);
    const said: [Uint8Array, Uint8Array][] = [];
    const proof = talk<Proof>(proveFrom('restored', 1, 9), card, { apdus: said });
    expect(proof).toEqual({ outcome: 'proved', version: 3 });
    expect(said.filter(([, answer]) => Buffer.from(answer).toString('hex') === '91ae')).toHaveLength(1);
    expect(said).toHaveLength(7);
    card.reset();
    // Its keys are not written back to an earlier version.
    const back = renew('back', {});
    expect(talk<RenewingProof>(back, card)).toEqual({ outcome: 'proved', version: 3 });
    expect(proves(card, 3)).toBe(true);
    // One that holds the newest known key without a record of it is completed, as one that was interrupted.
    expect(talk<RenewingProof>(renew('done', renewing(3)), card)).toEqual(renewed);
  });

  it('a card that names a later version without its key, an earlier or an unknown one is refused', () => {
    const wrong = { outcome: 'refused', reason: 'wrong_key' };
    expect(talk<Proof>(proveFrom('earlier', 2, 9), issuedAt(1))).toEqual(wrong);
    expect(talk<Proof>(proveFrom('unknown', 1, 2), issuedAt(3))).toEqual(wrong);
    const card = issuedAt(1);
    const naming = {
      apdu: (command: Uint8Array) => (command[1] === 0x64 ? Buffer.from('029100', 'hex') : card.apdu(command)),
    };
    expect(talk<Proof>(proveFrom('named', 3, 9), naming)).toEqual(wrong);
    card.reset();
    const later = proveCard(
      proving(family, (version) => (version === 1 ? Buffer.alloc(16) : held(version))),
      randomTape(seededBytes('later')(proofRandomBytes)),
    );
    expect(talk<Proof>(later, naming)).toEqual(wrong);
  });

  it('a card taken away while it proves a later key does not count as a copy', () => {
    for (const cut of [4, 5, 6]) {
      const proof = talk<Proof>(proveFrom('cut', 1, 9), issuedAt(3), { cut });
      expect(proof).toEqual({ outcome: 'refused', reason: 'card_removed' });
    }
  });

  it('a proved card stays proved if its keys cannot be renewed', () => {
    const card = issuedAt(1);
    let proofs = 0;
    const refusing = {
      apdu: (command: Uint8Array) =>
        command[1] === 0xc4 && ++proofs > 0 ? Buffer.from('919d', 'hex') : card.apdu(command),
    };
    expect(talk<RenewingProof>(renew('renew', {}), refusing)).toEqual({
      outcome: 'proved',
      version: 1,
      renewal: 'permission_denied',
    });
    expect(proofs).toBe(1);
    expect(proves(card, 1)).toBe(true);
  });

  it('a card of a company with a replaced key is issued again with the new one', () => {
    const card = issuedAt(1);
    const again = issueCard(renewing(3), randomTape(seededBytes('again')(issueRandomBytes)));
    expect(talk<Issue>(again, card)).toEqual({ outcome: 'issued', family, locked: false });
    expect([proves(card, 1), proves(card, 3)]).toEqual([false, true]);
    const last = issueCard(renewing(255), randomTape(seededBytes('last')(issueRandomBytes)));
    expect(talk<Issue>(last, card)).toMatchObject({ outcome: 'issued' });
    expect(proves(card, 255)).toBe(true);
    const unknown = issueCard(renewing(2), randomTape(seededBytes('unknown')(issueRandomBytes)));
    expect(talk<Issue>(unknown, card)).toEqual({ outcome: 'refused', reason: 'not_in_factory_state' });
  });

  if (family === 'ntag424')
    it('a card without locking has nothing to lock or unlock', () => {
      const card = issuedAt(1, { lock: true });
      const again = issueCard(renewing(2), randomTape(seededBytes('again')(issueRandomBytes)));
      expect(talk<Issue>(again, card)).toEqual({ outcome: 'issued', family, locked: false });
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
        expect(format(issuedAt(1))).toBe('9100');
        const card = issuedAt(1, { lock: true });
        expect(format(card)).toBe('91ae');
        expect(proves(card, 1)).toBe(true);
      });

      it('a locked card taken away at any step is completed at the next try', () => {
        const commands: [Uint8Array, Uint8Array][] = [];
        const locking = (seed: string, version = 1) =>
          issueCard(renewing(version, { lock: true }), randomTape(seededBytes(seed)(issueRandomBytes)));
        talk<Issue>(locking('whole'), fresh(), { apdus: commands });
        for (const how of commands.flatMap((_, step) => [{ cut: step }, { lost: step }])) {
          const card = fresh();
          expect(talk<Issue>(locking('first'), card, how)).toEqual({ outcome: 'refused', reason: 'card_removed' });
          card.reset();
          // In between, the company's key was replaced.
          expect([how, talk<Issue>(locking('second', 2), card)]).toEqual([
            how,
            { outcome: 'issued', family, locked: true },
          ]);
          expect(proves(card, 2)).toBe(true);
          expect(format(card)).toBe('91ae');
        }
      });

      it('a locked card gets a new master key with its other keys, and can be issued again', () => {
        const card = issuedAt(1, { lock: true });
        expect(talk<RenewingProof>(renew('renew', { locked: true }), card)).toEqual(renewed);
        card.reset();
        const again = issueCard(renewing(3), randomTape(seededBytes('again')(issueRandomBytes)));
        expect(talk<Issue>(again, card)).toEqual({ outcome: 'issued', family, locked: false });
        expect(proves(card, 3)).toBe(true);
      });

      it('a locked card is unlocked by a company that locks no cards, at any interruption', () => {
        const unlocking = (seed: string, version = 2) =>
          issueCard(renewing(version), randomTape(seededBytes(seed)(issueRandomBytes)));
        const commands: [Uint8Array, Uint8Array][] = [];
        const whole = issuedAt(1, { lock: true });
        expect(talk<Issue>(unlocking('whole'), whole, { apdus: commands })).toEqual({
          outcome: 'issued',
          family,
          locked: false,
        });
        expect(proves(whole, 2)).toBe(true);
        expect(format(whole)).toBe('9100');
        for (const how of commands.flatMap((_, step) => [{ cut: step }, { lost: step }])) {
          const card = issuedAt(1, { lock: true });
          expect(talk<Issue>(unlocking('first'), card, how)).toEqual({ outcome: 'refused', reason: 'card_removed' });
          card.reset();
          expect([how, talk<Issue>(unlocking('second', 3), card)]).toEqual([
            how,
            { outcome: 'issued', family, locked: false },
          ]);
          expect(proves(card, 3)).toBe(true);
          expect(format(card)).toBe('9100');
        }
      });

      it('a locked card becomes a badge even if it cannot be unlocked', () => {
        const card = issuedAt(1, { lock: true });
        const stubborn = {
          // The card refuses to change its own key: ChangeKey with the number 0 and a cryptogram for the level of the card.
          apdu: (command: Uint8Array) => {
            if (command[1] === 0x5a) level = Buffer.from(command.subarray(5, 8)).toString('hex');
            return command[1] === 0xc4 && level === '000000' ? Buffer.from('919d', 'hex') : card.apdu(command);
          },
        };
        let level = '';
        const again = issueCard(renewing(2), randomTape(seededBytes('again')(issueRandomBytes)));
        expect(talk<Issue>(again, stubborn)).toEqual({ outcome: 'issued', family, locked: true });
        expect(proves(card, 2)).toBe(true);
      });
    });

  it('a recording cannot replace a card', () => {
    const card = keyed();
    const recorded: [Uint8Array, Uint8Array][] = [];
    talk(prove(family, 'yesterday'), card, { apdus: recorded });
    let index = 0;
    expect(talk<Proof>(prove(family, 'today'), { apdu: () => recorded[index++]![1] })).toEqual({
      outcome: 'refused',
      reason: 'forged_reply',
    });
  });

  it('a card left in the middle of a dialogue continues after 91CA', () => {
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
    ).toEqual({ outcome: 'proved', version: 1 });
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
  ])('a card that answers the token with %s is refused', (_, forge) => {
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

  it('any process with the earlier replies continues a card dialogue with the same commands', () => {
    const card = keyed();
    const replies: Uint8Array[] = [];
    for (;;) {
      const standing = replay<Proof>(prove(family, 'same'), replies);
      if ('outcome' in standing) {
        expect([standing.outcome, standing.replies]).toEqual([{ outcome: 'proved', version: 1 }, 3]);
        break;
      }
      replies.push(card.apdu(standing.command));
    }
  });
});

it('a dialogue never sends the same random number twice', () => {
  const seen = new Set<string>();
  const random = seededBytes('many');
  for (let index = 0; index < 1_000; index++) {
    const dialogue = proveCard(
      proving('desfire', () => Buffer.alloc(16)),
      randomTape(random(proofRandomBytes)),
    );
    dialogue.next();
    dialogue.next(Buffer.from('9100', 'hex'));
    const token = dialogue.next(Buffer.concat([Buffer.alloc(16), Buffer.from('91af', 'hex')]));
    seen.add(Buffer.from(token.value as Uint8Array).toString('hex'));
  }
  expect(seen.size).toBe(1_000);
});
