import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { badge, badgeKeys, type Door, newCard, openDoor } from './door.js';
import type { Fault } from './fake-service.js';

let door: Door;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

/** The service does not answer for as long as anybody asks. */
const allLost: Fault[] = Array.from({ length: 20 }, () => 'drop');
const wholeStamp = ['card', 'card/step', 'card/step', 'card/step', 'stamp', 'session/end'];

describe('a stamp at the door', () => {
  it.each(['desfire', 'ntag424'] as const)(
    'a stamp takes three commands to a %s badge and six requests',
    async (family) => {
      door.hold(badge(door.service, { family }));
      expect(await door.next()).toMatchObject({
        kind: 'stamped',
        firstName: 'Ada',
        action: 'in',
        stamp: { state: 'in' },
      });
      await door.relay.stop();
      expect(door.service.seen).toEqual(wholeStamp);
      expect(door.commands).toHaveLength(3);
      expect(door.resets).toBe(1);
    },
  );

  it('clocks in a person who is out and out a person who is in', async () => {
    const card = badge(door.service);
    for (const action of ['in', 'out', 'in']) {
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind: 'stamped', action });
      door.reader.take();
      door.pass(10_000);
    }
  });

  it('a stamp ends the break of a person on a break', async () => {
    door.hold(badge(door.service, { state: 'on_break' }));
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'break_end', stamp: { state: 'in' } });
  });

  it('a stamp is made once when the badge is held there twice within ten seconds', async () => {
    const card = badge(door.service);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'in' });
    door.reader.take();
    door.pass(9_999);
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'repeated', firstName: 'Ada', action: 'in' });
    await door.relay.stop();
    expect(door.service.seen.filter((operation) => operation === 'stamp')).toHaveLength(1);
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
  });

  it('of another badge right after it is no repetition', async () => {
    door.hold(badge(door.service, { firstName: 'Ada' }, '04000000000001'));
    expect(await door.next()).toMatchObject({ kind: 'stamped', firstName: 'Ada' });
    door.hold(badge(door.service, { firstName: 'Emil' }, '04000000000002'));
    expect(await door.next()).toMatchObject({ kind: 'stamped', firstName: 'Emil' });
  });

  it('the agent sends the UID in hexadecimal and every reply of the card with its status word', async () => {
    door.hold(badge(door.service));
    await door.next();
    expect(door.service.bodies[0]).toEqual({ operation: 'card', body: { uid: '04958caa5c5e80' } });
    expect(door.service.bodies[1]!.body).toMatchObject({ response: '9100' });
    expect(door.service.bodies[2]!.body['response']).toMatch(/^[0-9a-f]{32}91af$/);
    expect(door.service.bodies[3]!.body['response']).toMatch(/^[0-9a-f]{32}9100$/);
  });

  it('the agent serves people one after the other, in the order they came', async () => {
    const ada = badge(door.service, { firstName: 'Ada' }, '04000000000001');
    const emil = badge(door.service, { firstName: 'Emil' }, '04000000000002');
    door.beforeReply = (_, count) => {
      if (count === 3) door.hold(emil);
    };
    door.hold(ada);
    expect([await door.next(), await door.next()]).toMatchObject([
      { firstName: 'Ada', kind: 'stamped' },
      { firstName: 'Emil', kind: 'stamped' },
    ]);
  });

  it('a stamp is recorded when the badge is taken away after the proof', async () => {
    door.beforeReply = (_, count) => {
      if (count === 3) door.reader.take();
    };
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'stamped' });
    expect(door.resets).toBe(0);
  });

  it('a badge that lies there is served once', async () => {
    door.hold(badge(door.service));
    await door.next();
    await door.relay.stop();
    expect(door.service.seen.filter((operation) => operation === 'card')).toHaveLength(1);
  });
});

describe('a badge is issued at the door', () => {
  it.each(['desfire-ev1', 'desfire-ev3', 'ntag424'] as const)(
    'to a %s in factory state, which stamps afterwards',
    async (family) => {
      const card = newCard(family);
      const simpleFamily = family === 'ntag424' ? 'ntag424' : 'desfire';
      door.service.issuing = { holder: { firstName: 'Jana', family: simpleFamily, keys: badgeKeys, state: 'out' } };
      door.hold(card);
      expect(await door.next()).toEqual({ kind: 'issued' });
      door.reader.take();
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind: 'stamped', firstName: 'Jana', action: 'in' });
    },
  );
});

describe('a card that is no badge', () => {
  it('with another key is refused without a name', async () => {
    const card = badge(door.service);
    door.service.badges.set('04958caa5c5e80', {
      firstName: 'Ada',
      family: 'desfire',
      keys: { ...badgeKeys, stamp: Buffer.alloc(16) },
      state: 'out',
    });
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'refused', code: 'card_refused', error: 'The card was refused.' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', 'card/step']);
    expect(door.resets).toBe(1);
  });

  it('that the service does not know is refused at once', async () => {
    door.hold(newCard());
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'card_refused' });
    expect(door.commands).toEqual([]);
  });

  it('with a random UID never reaches the service', async () => {
    door.reader.place({ uid: Uint8Array.of(0x08, 1, 2, 3), store: () => Promise.resolve(), card: newCard() });
    expect(await door.next()).toEqual({ kind: 'random_uid' });
    expect(door.service.seen).toEqual([]);
  });

  it("with another short UID is the service's to refuse", async () => {
    door.service.failures.set('card', [{ status: 422, code: 'card_unsupported' }]);
    door.reader.place({ uid: Uint8Array.of(0x12, 1, 2, 3), store: () => Promise.resolve(), card: newCard() });
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'card_unsupported' });
  });
});

describe('a card that leaves too early', () => {
  it.each([1, 2])('after command %i ends the session, and nothing is stamped', async (last) => {
    door.beforeReply = (_, count) => {
      if (count === last) door.reader.take();
    };
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'removed' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(['card', ...Array.from({ length: last }, () => 'card/step'), 'session/end']);
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('out');
  });

  it('before the first command ends the session', async () => {
    door.service.before = (operation) => {
      if (operation === 'card') door.reader.take();
    };
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'removed' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(['card', 'session/end']);
    expect(door.commands).toEqual([]);
  });

  it.each([[0], [1]])('and answers with %i bytes counts as gone', async (length) => {
    const card = badge(door.service);
    door.reader.place({
      uid: card.memory.uid,
      store: () => Promise.resolve(),
      card: { reset: card.reset, apdu: (command) => card.apdu(command).subarray(0, length) },
    });
    // So do the libraries behind pcscd answer when a card leaves in the middle of a command.
    expect(await door.next()).toEqual({ kind: 'removed' });
  });

  it('in the middle of issuing, before anything was written, becomes a badge on the next try', async () => {
    const card = newCard();
    door.service.issuing = { holder: { firstName: 'Jana', family: 'desfire', keys: badgeKeys, state: 'out' } };
    door.beforeReply = (_, count) => {
      if (count === 5) door.reader.take();
    };
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'removed' });
    door.beforeReply = () => undefined;
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'issued' });
  });
});

describe('a card in the middle of something', () => {
  it('the agent resets a card after each dialogue, so that the next one finds no open chain', async () => {
    const card = badge(door.service);
    door.service.failures.set('card/step', [undefined, { status: 403, code: 'card_refused' }]);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'refused' });
    // Without the reset the card would now answer 91CA. It stays in the field: only the relay's own reset has cleared
    // it.
    expect(Buffer.from(card.apdu(Buffer.from('905a00000331425400', 'hex'))).toString('hex')).toBe('9100');
  });

  it('its 91CA is passed on as it is', async () => {
    const card = badge(door.service);
    const { apdu } = card;
    door.reader.place({
      uid: card.memory.uid,
      store: () => Promise.resolve(),
      card: {
        reset: () => undefined,
        apdu: (command) => {
          apdu(Buffer.from('9060000000', 'hex'));
          return apdu(command);
        },
      },
    });
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'card_refused' });
    expect(door.service.bodies[1]).toMatchObject({ operation: 'card/step', body: { response: '91ca' } });
  });
});

describe('a service that is busy', () => {
  const busyAnswers: readonly (readonly [string, Fault])[] = [
    ['with 429', { status: 429, code: 'rate_limited', retryAfter: 2 }],
    ['with 503', { status: 503, code: 'unavailable', retryAfter: 2 }],
  ];
  describe.each(busyAnswers)('%s', (_, fault) => {
    it.each(['card', 'card/step', 'stamp'])(
      'a busy service is asked again for %s after the time it named',
      async (operation) => {
        door.service.failures.set(operation, [fault]);
        door.hold(badge(door.service));
        expect(await door.next()).toMatchObject({ kind: 'stamped' });
        expect(door.waits).toEqual([2_000]);
      },
    );
  });

  it('for longer than anybody holds a badge is reported', async () => {
    door.service.failures.set('card', [{ status: 503, code: 'unavailable', retryAfter: 60 }]);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'unreachable', reason: 'The service cannot answer right now.' });
    expect(door.waits).toEqual([]);
  });

  it('again and again is given up after ten seconds', async () => {
    door.service.failures.set(
      'card',
      Array.from({ length: 100 }, () => ({ status: 503, code: 'unavailable' })),
    );
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'unreachable' });
    expect(door.waits.length).toBeGreaterThanOrEqual(8);
    expect(door.waits.length).toBeLessThanOrEqual(10);
  });
});

describe('a service that does not answer', () => {
  it.each(['drop', 'lose'] as const)('a step is never sent twice: after %s a new dialogue begins', async (fault) => {
    door.service.failures.set('card/step', [undefined, fault]);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'stamped' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', ...wholeStamp]);
    expect(door.resets).toBe(2);
  });

  it('the agent gives up after three attempts on a service that does not answer', async () => {
    door.service.failures.set('card', ['drop', 'drop', 'drop', 'drop']);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'unreachable' });
    expect(door.waits).toEqual([1_000, 2_000]);
    expect(door.service.seen).toEqual(['card', 'card', 'card']);
  });

  it('the agent does not ask a silent service again for a card that has left', async () => {
    door.service.failures.set('card', ['drop']);
    door.hold(badge(door.service));
    door.reader.take();
    expect(await door.next()).toMatchObject({ kind: 'unreachable' });
    expect(door.service.seen).toEqual(['card']);
  });

  it.each(['drop', 'lose'] as const)(
    'a silent service leaves a stamp uncertain (%s) when it stays away, and it counts once at most',
    async (fault) => {
      door.service.failures.set('stamp', [fault, ...allLost]);
      door.hold(badge(door.service));
      expect(await door.next()).toEqual({ kind: 'uncertain', firstName: 'Ada' });
      await door.relay.stop();
      expect(door.service.bodies.filter(({ operation }) => operation === 'stamp')).toHaveLength(
        fault === 'lose' ? 1 : 0,
      );
      expect(door.service.badges.get('04958caa5c5e80')!.state).toBe(fault === 'lose' ? 'in' : 'out');
    },
  );

  it.each([
    ['lose', 'counted'],
    ['drop', 'stamped'],
  ] as const)(
    'a silent service leaves a stamp uncertain (%s), and the next visit says %s, never the opposite',
    async (fault, kind) => {
      const card = badge(door.service);
      door.service.failures.set('stamp', [fault, ...allLost]);
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind: 'uncertain' });
      door.reader.take();
      door.pass(60_000);
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind, firstName: 'Ada', action: 'in' });
      expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
      door.reader.take();
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind: 'repeated', action: 'in' });
      door.reader.take();
      door.pass(10_000);
      door.hold(card);
      expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'out' });
    },
  );

  it.each([
    ['drop', ['drop']],
    ['lose', ['lose']],
    ['lose, then lose again', ['lose', 'lose']],
    ['a proxy that gave up', [{ status: 502, text: 'Bad Gateway' }]],
    ['lose, then a busy service', ['lose', { status: 503, code: 'unavailable' }]],
  ] as const)(
    'a service that answers late gets the very same stamp again, and says what it recorded: %s',
    async (_, faults) => {
      door.service.failures.set('stamp', [...faults]);
      door.hold(badge(door.service));
      expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'in', stamp: { state: 'in' } });
      expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
    },
  );

  it('a service that answers late repeats a refusal whose answer was lost', async () => {
    await door.close();
    door = await openDoor({ choose: () => Promise.resolve({ action: 'in' }) });
    door.service.failures.set('stamp', ['lose']);
    door.hold(badge(door.service, { state: 'in' }));
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'already_clocked_in' });
  });

  it('a stamp is uncertain for ten minutes at most', async () => {
    const card = badge(door.service);
    door.service.failures.set('stamp', ['lose', ...allLost]);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'uncertain' });
    door.reader.take();
    door.pass(600_000);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'out' });
  });

  it('in time has not answered', async () => {
    await door.close();
    door = await openDoor({ timeout: 100 });
    door.service.failures.set('card', ['hang', 'hang', 'hang']);
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'unreachable', reason: 'no answer in time' });
  });

  it('but lets a proxy answer, has not answered', async () => {
    door.service.failures.set(
      'stamp',
      Array.from({ length: 20 }, () => ({ status: 502, text: '<html>Bad Gateway</html>' })),
    );
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'uncertain' });
  });
});

describe('an answer out of the ordinary', () => {
  it.each([
    ['of another form', { session: 'csn_0000000000000000', apdu: '90 60' }],
    ['with too long a command', { session: 'csn_0000000000000000', apdu: '90'.repeat(262) }],
    ['without a session', { apdu: '9060000000' }],
    ['without the name of a person', { session: 'csn_0000000000000000', result: 'proved' }],
    ['that is empty', {}],
  ])('%s never reaches the card', async (_, body) => {
    door.service.failures.set('card', [{ body }, { body }, { body }]);
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({
      kind: 'unreachable',
      reason: 'an answer that does not have the documented form',
    });
    expect(door.commands).toEqual([]);
  });

  it('a result that is not known yet ends the session', async () => {
    door.service.failures.set('card', [{ body: { result: 'proved_by_magic' } }]);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'unreachable' });
  });

  it('a command for the reader is not passed on', async () => {
    door.service.failures.set('card', [{ body: { session: 'csn_0000000000000000', apdu: 'ff00000000' } }]);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'unreachable', reason: 'a command for the reader' });
    expect(door.commands).toEqual([]);
  });

  it('a dialogue without end is cut', async () => {
    const body = { session: 'csn_0000000000000000', apdu: '9060000000' };
    door.service.failures.set('card', [{ body }]);
    // The answer to every step is another command; the fake service itself would refuse the unknown session.
    door.service.failures.set(
      'card/step',
      Array.from({ length: 100 }, () => ({ status: 200, text: JSON.stringify(body) })),
    );
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'unreachable', reason: 'a dialogue without end' });
    expect(door.commands).toHaveLength(40);
  });
});

describe('the choice at the door', () => {
  it('a chosen stamp is recorded as chosen, with the PIN', async () => {
    await door.close();
    door = await openDoor({ choose: () => Promise.resolve({ action: 'break_start', pin: '012345' }) });
    door.service.offers.badge_and_pin = true;
    door.hold(badge(door.service, { state: 'in', pin: '012345' }));
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'break_start', stamp: { state: 'on_break' } });
  });

  it('of nothing stamps nothing and ends the session', async () => {
    await door.close();
    door = await openDoor({ choose: () => Promise.resolve(undefined) });
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'nothing_chosen', firstName: 'Ada' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', 'card/step', 'session/end']);
  });

  it('that does not fit is refused with the name, and the session ended', async () => {
    await door.close();
    door = await openDoor({ choose: () => Promise.resolve({ action: 'in' }) });
    door.hold(badge(door.service, { state: 'in' }));
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'already_clocked_in', firstName: 'Ada' });
    await door.relay.stop();
    expect(door.service.seen.at(-1)).toBe('session/end');
  });

  it('without the PIN that is wanted is refused', async () => {
    door.service.offers.badge_and_pin = true;
    door.hold(badge(door.service, { pin: '012345' }));
    expect(await door.next()).toMatchObject({ kind: 'refused', code: 'pin_required' });
  });
});

describe('a relay that stops', () => {
  it('finishes nothing new, says nothing about the card in the field, and ends its session', async () => {
    const secondReply = new Promise<void>((resolve) => {
      door.beforeReply = (_, count) => {
        if (count === 2) resolve(door.relay.stop());
      };
    });
    const outcomes: unknown[] = [];
    void door.next().then((outcome) => outcomes.push(outcome));
    door.hold(badge(door.service));
    await secondReply;
    expect(outcomes).toEqual([]);
    expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', 'session/end']);
    door.hold(badge(door.service));
    await door.relay.stop();
    expect(door.service.seen).toHaveLength(4);
  });

  it('the relay survives a fault of its own and serves the next card', async () => {
    await door.close();
    let isFirst = true;
    door = await openDoor({
      choose: () => {
        if (!isFirst) return Promise.resolve({ action: 'in' });
        isFirst = false;
        return Promise.reject(new Error('no screen'));
      },
    });
    const card = badge(door.service);
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'fault', reason: 'Error: no screen' });
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'stamped' });
  });
});

describe('a stamp that is named beforehand', () => {
  beforeEach(() => {
    door.preselectedAction = 'next';
  });

  it.each(['desfire', 'ntag424'] as const)(
    'a named stamp is recorded with the last step of a %s badge',
    async (family) => {
      door.hold(badge(door.service, { family }));
      expect(await door.next()).toMatchObject({
        kind: 'stamped',
        firstName: 'Ada',
        action: 'in',
        stamp: { state: 'in' },
      });
      await door.relay.stop();
      expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', 'card/step', 'session/end']);
      expect(door.commands).toHaveLength(3);
      expect(door.service.bodies.find(({ operation }) => operation === 'card')?.body).toEqual({
        uid: '04958caa5c5e80',
        action: 'next',
      });
    },
  );

  it('the screen asks the person where no stamp was named', async () => {
    door.preselectedAction = undefined;
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'in' });
    await door.relay.stop();
    expect(door.service.seen).toEqual(wholeStamp);
  });

  it('the person chooses afterwards where the named stamp is not possible', async () => {
    door.preselectedAction = 'break_end';
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'in' });
    await door.relay.stop();
    expect(door.service.seen).toContain('stamp');
  });

  it('a named stamp does not become the opposite when the badge is held there again within ten seconds', async () => {
    const card = badge(door.service);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'in' });
    door.reader.take();
    door.pass(9_999);
    door.hold(card);
    expect(await door.next()).toEqual({ kind: 'repeated', firstName: 'Ada', action: 'in' });
    door.reader.take();
    door.pass(1);
    door.hold(card);
    expect(await door.next()).toMatchObject({ kind: 'stamped', action: 'out' });
  });

  it('a named stamp is repeated with the same bytes when its answer was lost, without the name', async () => {
    door.service.failures.set('card/step', [undefined, undefined, 'lose', 'drop']);
    door.hold(badge(door.service));
    const outcome = await door.next();
    expect(outcome).toMatchObject({ kind: 'stamped', firstName: undefined, action: 'in' });
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
    expect(door.service.seen.filter((operation) => operation === 'card')).toHaveLength(1);
  });

  it.each(['lose', 'drop'] as const)(
    'a named stamp is in doubt when nobody can tell (%s), and the next visit shows whether it counted',
    async (firstFailure) => {
      const card = badge(door.service);
      door.service.failures.set('card/step', [undefined, undefined, firstFailure, ...allLost]);
      door.hold(card);
      expect(await door.next()).toEqual({ kind: 'uncertain', firstName: undefined });
      expect(door.service.badges.get('04958caa5c5e80')!.state).toBe(firstFailure === 'lose' ? 'in' : 'out');
      door.service.failures.clear();
      door.reader.take();
      door.pass(60_000);
      door.hold(card);
      const next = await door.next();
      if (firstFailure === 'lose') expect(next).toEqual({ kind: 'counted', firstName: 'Ada', action: 'in' });
      else expect(next).toMatchObject({ kind: 'stamped', action: 'in' });
      expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
    },
  );

  it('a named stamp counts once when the answer to a step before the last was lost: a new dialogue asks what is recorded', async () => {
    door.service.failures.set('card/step', [undefined, 'lose']);
    door.hold(badge(door.service));
    expect(await door.next()).toMatchObject({ kind: 'stamped', firstName: 'Ada', action: 'in' });
    await door.relay.stop();
    // The same bytes again, which were used; then everything without a stamp named beforehand.
    expect(door.service.seen).toEqual(['card', 'card/step', 'card/step', 'card/step', ...wholeStamp]);
    expect(door.service.bodies.findLast(({ operation }) => operation === 'card')?.body).toEqual({
      uid: '04958caa5c5e80',
    });
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
  });

  it('the next dialogue finds a named stamp when the answers to it and to its repetition were lost', async () => {
    door.service.failures.set('card/step', [undefined, undefined, 'lose', { status: 401, code: 'nonce_reused' }]);
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'counted', firstName: 'Ada', action: 'in' });
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('in');
  });

  it('a named stamp is in doubt when the card leaves before the next dialogue shows whether it counted', async () => {
    door.service.failures.set('card/step', [undefined, 'lose']);
    door.beforeReply = (_, count) => {
      if (count === 3) door.reader.take();
    };
    door.hold(badge(door.service));
    expect(await door.next()).toEqual({ kind: 'uncertain', firstName: undefined });
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('out');
  });

  it('no stamp is named while a badge is issued', async () => {
    door.service.issuing = { holder: { firstName: 'Jana', family: 'ntag424', keys: badgeKeys, state: 'out' } };
    door.hold(newCard('ntag424'));
    expect(await door.next()).toEqual({ kind: 'issued' });
    expect(door.service.badges.get('04958caa5c5e80')!.state).toBe('out');
  });
});
