import { createPrivateKey, sign } from 'node:crypto';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { saveCompanyChange } from '../../src/people/people.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { markBadgeBlocked } from '../../src/terminals/badges/badges.js';
import { hashPin, setPin } from '../../src/terminals/badges/pin.js';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { signedText } from '../../src/terminals/request-signature.js';
import {
  addDoor,
  type Door,
  deviceKey,
  doorOf,
  type HeldCard,
  issueBadge,
  newCard,
  newCode,
  openDoor,
  openIssuing,
  pair,
} from '../door.js';
import { createWorld, minute, second, type World } from '../world.js';

const statusPath = '/api/v1/terminal/status';
const stampPath = '/api/v1/terminal/stamp';

describe.each(oneDialect)('terminals on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(async () => {
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await world.close();
  });
  const refusals = async () =>
    (
      await world.db.all<{ details: string }>(
        "SELECT details FROM audit_entries WHERE action = 'card.refused' ORDER BY sequence",
      )
    ).map((row) => (JSON.parse(row.details) as { reason: string }).reason);

  describe('pairing', () => {
    // Wrong codes count as failed authentications of the address: each of these tests has a minute of its own.
    beforeEach(() => world.advance(61 * second));

    it('pairing ends guessing of codes after thirty in a minute', async () => {
      const { publicKey } = deviceKey('guesser');
      const guesses = [];
      for (let index = 0; index < 33; index++) guesses.push((await pair(world, '0000-0000', publicKey)).status);
      expect([
        guesses.filter((status) => status === 404).length,
        guesses.filter((status) => status === 429).length,
      ]).toEqual([30, 3]);
    });

    it('pairing takes a code once within ten minutes, shows the fingerprint, and waits for confirmation', async () => {
      const { terminalId, code } = await addDoor(world);
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
      const { publicKey } = deviceKey('one');
      const pairing = await pair(world, code.toLowerCase().replace('-', ''), publicKey);
      expect(pairing).toMatchObject({ status: 201, body: { terminal_id: terminalId, confirmed: false } });
      expect((await pair(world, code, publicKey)).body).toMatchObject({ code: 'pairing_code_invalid' });
      const door = doorOf(world, terminalId, 'one');
      expect((await door.send('GET', statusPath)).body).toMatchObject({
        confirmed: false,
        name: 'Gate',
        location: 'Hamburg',
        offers: { actions: ['in', 'out', 'break_start', 'break_end'] },
      });
      for (const [path, body] of [
        ['/api/v1/terminal/card', { uid: '04112233445566' }],
        [stampPath, { session: 'csn_00000000000000000000', action: 'in' }],
        ['/api/v1/terminal/session/end', { session: 'csn_00000000000000000000' }],
      ] as const) {
        expect((await door.send('POST', path, body)).body).toMatchObject({ code: 'terminal_not_confirmed' });
      }
      await expect(
        world.write((write) => confirmTerminal(write, terminalId, world.nord, 'AAAA-AAAA-AAAA-AAAA')),
      ).rejects.toThrow('fingerprint_mismatch');
      await expect(
        world.write((write) => confirmTerminal(write, terminalId, world.sued, pairing.body['fingerprint'] as string)),
      ).rejects.toThrow('not_found');
      await world.write((write) =>
        confirmTerminal(write, terminalId, world.nord, pairing.body['fingerprint'] as string),
      );
      expect((await door.send('GET', statusPath)).body).toMatchObject({ confirmed: true });
      // The log names it.
      const [entry] = await world.db.all(
        "SELECT actor_id, actor_name FROM audit_entries WHERE action = 'terminal.paired'",
      );
      expect(entry).toEqual({ actor_id: terminalId, actor_name: 'Gate' });
      // A new code forgets the key at once, on every process.
      await newCode(world, terminalId);
      expect((await door.send('GET', statusPath)).body).toMatchObject({ code: 'signature_invalid' });
    });

    it('the fingerprint of a paired key is that of RFC 8032 test key 1', async () => {
      const { fingerprintOf } = await import('../../src/terminals/pairing.js');
      expect(
        fingerprintOf(Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex')),
      ).toBe('47Z3-3QX1-AJH6-2RKB');
    });

    it('pairing refuses a code after ten minutes', async () => {
      const { publicKey } = deviceKey('late');
      const firstDoor = await addDoor(world);
      world.advance(10 * minute - second);
      const secondDoor = await addDoor(world);
      expect((await pair(world, firstDoor.code, publicKey)).status).toBe(201);
      world.advance(10 * minute);
      expect((await pair(world, secondDoor.code, publicKey)).body).toMatchObject({ code: 'pairing_code_invalid' });
    });

    it('ten wrong tries with the same beginning end a code, and no other code', async () => {
      const [guessedDoor, otherDoor, foreignDoor] = [
        await addDoor(world),
        await addDoor(world),
        await addDoor(world, { companyId: world.sued }),
      ];
      const wrongSecret = guessedDoor.code.endsWith('0') ? '1' : '0';
      const guess = `${guessedDoor.code.slice(0, -1)}${wrongSecret}`;
      for (let index = 0; index < 12; index++)
        expect((await pair(world, '0000-0000', deviceKey('g').publicKey)).status).toBe(404);
      for (let index = 0; index < 10; index++)
        expect((await pair(world, guess, deviceKey('g').publicKey)).status).toBe(404);
      expect((await pair(world, guessedDoor.code, deviceKey('meant').publicKey)).body).toMatchObject({
        code: 'pairing_code_invalid',
      });
      expect((await pair(world, otherDoor.code, deviceKey('other').publicKey)).status).toBe(201);
      expect((await pair(world, foreignDoor.code, deviceKey('foreign').publicKey)).status).toBe(201);
      const entries = await world.db.all<{ company_id: number | null; subject: string | null; details: string | null }>(
        "SELECT company_id, subject, details FROM audit_entries WHERE action = 'terminal.pairing_refused' ORDER BY sequence DESC LIMIT 12",
      );
      expect(entries.slice(0, 2)).toEqual([
        { company_id: world.nord, subject: `terminal ${guessedDoor.terminalId}`, details: '{"wrong_tries":11}' },
        { company_id: world.nord, subject: `terminal ${guessedDoor.terminalId}`, details: '{"wrong_tries":10}' },
      ]);
      expect(entries[11]).toEqual({ company_id: null, subject: null, details: null });
    });

    it('pairing takes a code while its tries last, and stores neither of its halves', async () => {
      const { code } = await addDoor(world);
      const guess = `${code.slice(0, -1)}${code.endsWith('0') ? '1' : '0'}`;
      for (let index = 0; index < 9; index++) await pair(world, guess, deviceKey('nine').publicKey);
      const rows = JSON.stringify(await world.db.all('SELECT hash, lookup_hash FROM pairing_codes'));
      expect(rows).not.toContain(code.slice(0, 4));
      expect((await pair(world, code, deviceKey('nine').publicKey)).status).toBe(201);
    });

    it('pairing gives a public key to one terminal, and leaves the code usable', async () => {
      const { publicKey } = deviceKey('copied disk');
      const firstDoor = await addDoor(world);
      expect((await pair(world, firstDoor.code, publicKey)).status).toBe(201);
      const secondDoor = await addDoor(world, { companyId: world.sued });
      // Though nobody has confirmed the first one.
      expect(await pair(world, secondDoor.code, publicKey)).toMatchObject({
        status: 409,
        body: { code: 'public_key_in_use' },
      });
      // Who has no code learns nothing about keys.
      expect((await pair(world, '0000-0000', publicKey)).body).toMatchObject({ code: 'pairing_code_invalid' });
      expect((await pair(world, secondDoor.code, deviceKey('its own').publicKey)).status).toBe(201);
      // The same device again at the same terminal.
      expect((await pair(world, await newCode(world, firstDoor.terminalId), publicKey)).status).toBe(201);
      // And a terminal that is paired again gets no other one's key.
      const code = await newCode(world, secondDoor.terminalId, world.sued);
      expect((await pair(world, code, publicKey)).body).toMatchObject({ code: 'public_key_in_use' });
      await newCode(world, firstDoor.terminalId);
      expect((await pair(world, code, publicKey)).status).toBe(201);
    });

    it('pairing gives a key to one of many terminals that race for it', async () => {
      const doors = await Promise.all(Array.from({ length: 8 }, () => addDoor(world)));
      const { publicKey } = deviceKey('racing');
      const answers = await Promise.all(doors.map(({ code }) => pair(world, code, publicKey)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    });

    it('pairing refuses weak keys and leaves the code usable', async () => {
      const { code } = await addDoor(world);
      const smallOrder = [
        '0000000000000000000000000000000000000000000000000000000000000000',
        '0000000000000000000000000000000000000000000000000000000000000080',
        '0100000000000000000000000000000000000000000000000000000000000000',
        '0100000000000000000000000000000000000000000000000000000000000080',
        'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
        '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
        '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
        'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      ];
      // Off the curve: y = 2 has no x.
      for (const key of [...smallOrder, '0200000000000000000000000000000000000000000000000000000000000000']) {
        expect([key, (await pair(world, code, Buffer.from(key, 'hex').toString('base64'))).body['code']]).toEqual([
          key,
          'public_key_weak',
        ]);
      }
      for (const key of ['', 'AAAA', deviceKey('x').publicKey.slice(0, -1), `${deviceKey('x').publicKey}=`])
        expect((await pair(world, code, key)).body['code']).toBe('invalid_request');
      expect((await pair(world, code, deviceKey('x').publicKey)).status).toBe(201);
    });

    it('pairing gives the terminal to one of many devices that race for the code', async () => {
      const { code } = await addDoor(world);
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) => pair(world, code, deviceKey(`race ${index}`).publicKey)),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.every((answer) => answer.status === 201 || answer.status === 404)).toBe(true);
    });
  });

  describe('signed requests', () => {
    let door: Door;
    beforeEach(async () => {
      door = await openDoor(world, 'signed');
    });
    // Thirty failed authentications in a minute close an address; each of these tests begins a new one.
    beforeEach(() => world.advance(61 * second));
    const code = async (answer: Promise<{ body: Record<string, unknown> }>) => (await answer).body['code'];
    /** fetch would join a header that stands twice. */
    const codeOf = (url: string, headers: readonly string[]) =>
      new Promise((resolve, reject) => {
        get(url, { headers: ['host', new URL(url).host, ...headers] }, (response) => {
          text(response).then((body) => resolve((JSON.parse(body) as { code?: string }).code), reject);
        }).on('error', reject);
      });

    it('signed requests are accepted once, in any form of a replay', async () => {
      const { url, init } = door.signed('GET', statusPath);
      const send = async () => ((await (await fetch(url, init)).json()) as { code?: string }).code;
      expect(await send()).toBeUndefined();
      expect(await send()).toBe('nonce_reused');
      world.advance(59 * second);
      expect(await send()).toBe('nonce_reused');
      const replica = await world.replica();
      expect(((await (await fetch(replica.url + statusPath, init)).json()) as { code?: string }).code).toBe(
        'nonce_reused',
      );
      const futureRequest = door.signed('GET', statusPath, undefined, {
        time: String(Math.floor(world.now() / 1_000) + 59),
      });
      expect((await fetch(futureRequest.url, futureRequest.init)).status).toBe(200);
      world.advance(100 * second);
      expect(((await (await fetch(futureRequest.url, futureRequest.init)).json()) as { code?: string }).code).toBe(
        'nonce_reused',
      );
    });

    it('refused signed requests are never accepted, also after a restart', async () => {
      const { url, init } = door.signed('POST', stampPath, { session: `csn_${'0'.repeat(24)}`, action: 'in' });
      const send = async (to: string) => ((await (await fetch(to, init)).json()) as { code?: string }).code;
      expect(await send(url)).toBe('card_refused');
      expect(await send(url)).toBe('nonce_reused');
      const replica = await world.replica();
      expect(await send(replica.url + stampPath)).toBe('nonce_reused');
    });

    it('one of several parallel copies of a signed request succeeds', async () => {
      const { url, init } = door.signed('GET', statusPath);
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url, init)).status));
      expect([
        statuses.filter((status) => status === 200).length,
        statuses.filter((status) => status === 401).length,
      ]).toEqual([1, 19]);
    });

    it('signed requests must be within a minute; the refusal tells the time', async () => {
      const at = (offset: number) => ({ time: String(Math.floor(world.now() / 1_000) + offset) });
      // The service's clock stands 684 ms after the second.
      for (const offset of [-59, -58, 58, 60])
        expect((await door.send('GET', statusPath, undefined, at(offset))).status).toBe(200);
      for (const offset of [-62, 62])
        expect((await door.send('GET', statusPath, undefined, at(offset))).body).toMatchObject({
          code: 'signature_time',
          server_time: expect.stringMatching(/Z$/),
        });
      for (const time of [
        String(world.now()),
        '2026-11-23T07:00:00Z',
        '+1795417200',
        '01795417200',
        '1795417200.0',
        '',
      ])
        expect(['signature_time', 'terminal_unknown']).toContain(
          await code(door.send('GET', statusPath, undefined, { time })),
        );
    });

    it('a bad signature burns no nonce', async () => {
      const nonce = 'a-nonce-that-is-good';
      expect(
        await code(
          door.send('GET', statusPath, undefined, {
            nonce,
            signature: (signature) =>
              Buffer.concat([Buffer.of(signature[0]! ^ 1), signature.subarray(1)]).toString('base64'),
          }),
        ),
      ).toBe('signature_invalid');
      expect(await code(door.send('GET', statusPath, undefined, { nonce, time: '1' }))).toBe('signature_time');
      expect((await door.send('GET', statusPath, undefined, { nonce })).status).toBe(200);
    });

    it('signed requests cover method, target and every byte of the body', async () => {
      const body = { session: 'csn_00000000000000000000' };
      const path = '/api/v1/terminal/session/end';
      expect((await door.send('POST', path, body)).status).toBe(204);
      expect(await code(door.send('POST', path, body, { bodySent: `${JSON.stringify(body)} ` }))).toBe(
        'signature_invalid',
      );
      expect(await code(door.send('POST', path, body, { path: stampPath }))).toBe('signature_invalid');
      expect(await code(door.send('POST', path, body, { path: `${path}?` }))).toBe('signature_invalid');
      expect(await code(door.send('POST', path, body, { method: 'GET' }))).toBe('signature_invalid');
      expect(await code(door.send('POST', path, body, { method: 'post' }))).toBe('signature_invalid');
    });

    it('signed requests have one spelling of the signature', async () => {
      const l = 2n ** 252n + 27742317777372353535851937790883648493n;
      const plusL = (signature: Buffer) => {
        const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + l;
        return Buffer.concat([
          signature.subarray(0, 32),
          Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
        ]).toString('base64');
      };
      const spellings: ((signature: Buffer) => string)[] = [
        plusL,
        (signature) => signature.toString('base64url'),
        (signature) => signature.toString('hex'),
        (signature) => signature.toString('base64').replace(/=+$/, ''),
        (signature) => `${signature.toString('base64')}=`,
        (signature) => signature.subarray(0, 63).toString('base64'),
        (signature) => Buffer.concat([signature, Buffer.of(0)]).toString('base64'),
        () => Buffer.alloc(64).toString('base64'),
        () => '',
        (signature) =>
          Buffer.concat([Buffer.from(`01${'00'.repeat(31)}`, 'hex'), signature.subarray(32)]).toString('base64'),
        (signature) =>
          `${signature.toString('base64').slice(0, 85)}${signature.toString('base64')[85] === 'A' ? 'B' : 'C'}==`,
      ];
      for (const signature of spellings)
        expect(['signature_invalid', 'terminal_unknown']).toContain(
          await code(door.send('GET', statusPath, undefined, { signature })),
        );
    });

    it('a request of an unknown terminal looks like a bad signature, and each header is needed once', async () => {
      const badAnswer = await door.send('GET', statusPath, undefined, {
        signature: () => Buffer.alloc(64, 7).toString('base64'),
      });
      const unknownAnswer = await door.send('GET', statusPath, undefined, { terminal: 'trm_0000000000000000' });
      expect([unknownAnswer.status, { ...unknownAnswer.body, request_id: '' }]).toEqual([
        badAnswer.status,
        { ...badAnswer.body, request_id: '' },
      ]);
      expect(await code(world.call('GET', statusPath))).toBe('terminal_unknown');
      const { url, init } = door.signed('GET', statusPath);
      const headers = Object.entries(init.headers as Record<string, string>).flat();
      for (const name of ['service-nonce', 'service-terminal', 'service-time', 'service-signature']) {
        const header = [name, (init.headers as Record<string, string>)[name]!];
        expect(await codeOf(url, [...headers, ...header])).toBe('terminal_unknown');
      }
    });
  });

  describe('a card', () => {
    let door: Door;
    let ada: HeldCard;
    beforeEach(async () => {
      world.set(parseInstant('2026-11-24T07:00:00Z')!);
      door = await openDoor(world, 'cards');
      ada = await issueBadge(world, door, world.people.ada, '04a1a2a3a4a5a6');
    });

    it('a card proves itself, then its person stamps: name, state, entry with proof, audit and event', async () => {
      const proof = await door.hold(ada);
      expect(proof).toMatchObject({
        status: 200,
        body: { result: 'proved', first_name: 'Ada', state: 'out', actions: ['in'], pin_required: false },
      });
      const stampAnswer = await door.send('POST', stampPath, { session: proof.body['session'], action: 'in' });
      expect(stampAnswer).toMatchObject({
        status: 200,
        body: { state: 'in', since: '2026-11-24T07:00:00Z', warnings: [] },
      });
      expect(
        (
          await world.call('GET', `/api/v1/time/entries?from=2026-11-24&to=2026-11-24&user_id=${world.people.ada}`, {
            key: world.reader.key,
          })
        ).body['data'],
      ).toMatchObject([
        { status: 'open', proof: 'badge', source: { kind: 'terminal', id: door.terminalId, name: 'Gate' } },
      ]);
      // One stamp a session.
      expect(
        (await door.send('POST', stampPath, { session: proof.body['session'], action: 'out' })).body,
      ).toMatchObject({ code: 'card_refused' });
      world.advance(hour);
      const secondProof = await door.hold(ada);
      expect(secondProof.body).toMatchObject({
        state: 'in',
        since: '2026-11-24T07:00:00Z',
        actions: ['out', 'break_start'],
      });
      expect(
        (await door.send('POST', stampPath, { session: secondProof.body['session'], action: 'in' })).body,
      ).toMatchObject({ code: 'already_clocked_in' });
      expect(
        (await door.send('POST', stampPath, { session: secondProof.body['session'], action: 'out' })).body,
      ).toMatchObject({ state: 'out', since: '2026-11-24T08:00:00Z' });
    });

    it('a card of type NTAG 424 DNA proves itself, and its person stamps', async () => {
      const ben = await issueBadge(world, door, world.people.ben, '04b1b2b3b4b5b6', 'ntag424');
      const proof = await door.hold(ben);
      expect(proof.body).toMatchObject({ result: 'proved', first_name: 'Ben' });
      expect((await door.send('POST', stampPath, { session: proof.body['session'], action: 'in' })).status).toBe(200);
    });

    it('a refused card that is a copy, unknown or taken away discloses nothing to the terminal', async () => {
      const refusalsBefore = (await refusals()).length;
      const copy = newCard('04a1a2a3a4a5a6');
      const refusal = await door.hold(copy);
      expect(refusal).toMatchObject({ status: 403 });
      expect(Object.keys(refusal.body).sort()).toEqual(['code', 'error', 'request_id']);
      expect((await door.hold(newCard('04ffffffffffff'))).body).toMatchObject({ code: 'card_refused' });
      expect((await door.hold(ada, '08a1b2c3')).body).toMatchObject({ code: 'card_unsupported' });
      // Ben's card answers where Ada's number was told.
      const ben = newCard('04b1b2b3b4b5b6', 'ntag424');
      expect((await door.hold(ben, '04a1a2a3a4a5a6')).status).toBe(403);
      expect((await refusals()).slice(refusalsBefore)).toEqual([
        'unsupported_card',
        'unknown_card',
        'unsupported_card',
        'unsupported_card',
      ]);
      expect(JSON.stringify(await world.db.all('SELECT * FROM audit_entries'))).not.toMatch(/04a1a2a3a4a5a6/i);
    });

    it('a recording does not replace a card', async () => {
      const answers: string[] = [];
      const recordingCard = {
        ...ada,
        apdu: (command: Uint8Array) => {
          const answer = ada.apdu(command);
          answers.push(Buffer.from(answer).toString('hex'));
          return answer;
        },
        reset: () => ada.reset(),
      } as HeldCard;
      expect((await door.hold(recordingCard)).body).toMatchObject({ result: 'proved' });
      let index = 0;
      const player = {
        ...ada,
        apdu: () => Buffer.from(answers[index++] ?? '91ae', 'hex'),
        reset: () => undefined,
      } as unknown as HeldCard;
      expect((await door.hold(player)).body).toMatchObject({ code: 'card_refused' });
      expect((await refusals()).at(-1)).toBe('forged_reply');
    });

    describe('conversation', () => {
      const open = async () =>
        (await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex })).body as {
          session: string;
          apdu: string;
        };
      const step = (terminal: Door, session: string, response: string) =>
        terminal.send('POST', '/api/v1/terminal/card/step', { session, response });

      it('a card conversation belongs to one terminal', async () => {
        const otherDoor = await openDoor(world, 'other door');
        const { session } = await open();
        expect((await step(otherDoor, session, '9100')).body).toMatchObject({ code: 'card_refused' });
        expect((await step(door, session, '9100')).body).toHaveProperty('apdu');
      });

      it('a card conversation ends with a new one of the card, here or at another door', async () => {
        const firstAnswer = await open();
        await open();
        expect((await step(door, firstAnswer.session, '9100')).body).toMatchObject({ code: 'card_refused' });
        const secondAnswer = await open();
        const otherDoor = await openDoor(world, 'other door');
        await otherDoor.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex });
        expect((await step(door, secondAnswer.session, '9100')).body).toMatchObject({ code: 'card_refused' });
      });

      it('a card conversation has a last step, and takes whole answers of a card only', async () => {
        const { session } = await open();
        let answer = await step(door, session, '91af');
        for (let index = 0; index < 12 && answer.status === 200; index++) answer = await step(door, session, '91af');
        expect(answer.body).toMatchObject({ code: 'card_refused' });
        for (const response of ['', '9', '91', 'zz00', '91'.repeat(259)])
          expect((await step(door, session, response)).status).toBe(400);
      });

      it('a card conversation stamps nothing once it is over, and may be ended twice', async () => {
        const { session } = (await door.hold(ada)).body;
        world.advance(61 * second);
        expect((await door.send('POST', stampPath, { session, action: 'in' })).body).toMatchObject({
          code: 'card_refused',
        });
        for (let turn = 0; turn < 2; turn++)
          expect((await door.send('POST', '/api/v1/terminal/session/end', { session })).status).toBe(204);
      });
    });

    it.each([
      ['goes on for ten seconds', [5 * second, 4 * second, second], { result: 'proved' }, []],
      ['is over after ten seconds', [4 * second, 4 * second, 2 * second + 1], { code: 'card_refused' }, ['too_slow']],
      ['is over after five seconds for a command', [0, 0, 5 * second + 1], { code: 'card_refused' }, ['too_slow']],
    ])('a card conversation %s', async (_, pauses, end, reasons) => {
      let answer = await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex });
      for (const pause of pauses) {
        const response = Buffer.from(ada.apdu(Buffer.from(answer.body['apdu'] as string, 'hex'))).toString('hex');
        world.advance(pause);
        const session = answer.body['session'];
        answer = await door.send('POST', '/api/v1/terminal/card/step', { session, response });
      }
      ada.reset();
      expect(answer.body).toMatchObject(end);
      expect(await refusals()).toEqual(reasons);
    });

    it('a card stamps nothing before it has proved itself', async () => {
      const conversation = (await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex })).body;
      const stamp = { session: conversation['session'], action: 'in' };
      expect((await door.send('POST', stampPath, stamp)).body).toMatchObject({ code: 'card_refused' });
      expect(await world.db.all('SELECT id FROM time_entries')).toEqual([]);
    });

    it('a card blocked in the middle of its conversation is refused, there and then at the door', async () => {
      const conversation = (await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex })).body;
      const reply = Buffer.from(ada.apdu(Buffer.from(conversation['apdu'] as string, 'hex'))).toString('hex');
      const answer = { session: conversation['session'], response: reply };
      const { id } = (await world.db.get<{ id: string }>('SELECT id FROM badges WHERE person_id = :ada', {
        ada: world.people.ada,
      }))!;
      await world.write((write) => markBadgeBlocked(write, id, world.nord));
      expect((await door.send('POST', '/api/v1/terminal/card/step', answer)).body).toMatchObject({
        code: 'card_refused',
      });
      expect((await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex })).body).toMatchObject({
        code: 'card_refused',
      });
      expect(await refusals()).toEqual(['blocked_badge', 'blocked_badge']);
      expect(await world.db.all("SELECT id FROM card_sessions WHERE state <> 'ended'")).toEqual([]);
    });

    it('a card of a person in a deactivated company stamps nothing', async () => {
      const proof = await door.hold(ada);
      await world.write((write) => saveCompanyChange(write, world.nord, { active: 0 }));
      const stamp = { session: proof.body['session'], action: 'in' };
      expect((await door.send('POST', stampPath, stamp)).body).toMatchObject({ code: 'employment_ended' });
      expect(await world.db.all('SELECT id FROM time_entries')).toEqual([]);
    });

    it('a card held to two terminals at once is answered at both, and one conversation lives', async () => {
      const doors = await Promise.all([openDoor(world, 'twin 1'), openDoor(world, 'twin 2')]);
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(
          doors.map((terminal) => terminal.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex })),
        );
        expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
        const steps = await Promise.all(
          doors.map((terminal, index) =>
            terminal.send('POST', '/api/v1/terminal/card/step', {
              session: answers[index]!.body['session'],
              response: '9100',
            }),
          ),
        );
        expect(steps.map((step) => step.status).sort()).toEqual([200, 403]);
      }
    });

    it('any process continues a card conversation at any step', async () => {
      const replica = await world.replica();
      const urls = [world.url, replica.url];
      let turn = 0;
      let answer = await door.send('POST', '/api/v1/terminal/card', { uid: ada.uidHex });
      while (answer.body['apdu'] !== undefined) {
        const response = Buffer.from(ada.apdu(Buffer.from(answer.body['apdu'] as string, 'hex'))).toString('hex');
        answer = await door.send(
          'POST',
          '/api/v1/terminal/card/step',
          { session: answer.body['session'], response },
          { url: urls[++turn % 2]! },
        );
      }
      ada.reset();
      expect(answer.body).toMatchObject({ result: 'proved', first_name: 'Ada' });
    });

    it('a card is blocked at once', async () => {
      const badge = (await world.db.get<{ id: string }>('SELECT id FROM badges WHERE person_id = :ada', {
        ada: world.people.ada,
      }))!;
      const proof = await door.hold(ada);
      await world.write((write) => markBadgeBlocked(write, badge.id, world.nord));
      expect((await door.send('POST', stampPath, { session: proof.body['session'], action: 'in' })).body).toMatchObject(
        { code: 'card_refused' },
      );
      expect((await door.hold(ada)).body).toMatchObject({ code: 'card_refused' });
      await world.db.write((tx) => tx.run("UPDATE badges SET state = 'active' WHERE id = :id", { id: badge.id }));
    });

    it('a card is issued only within two minutes, and resumed after an interruption', async () => {
      const card = newCard('04c1c2c3c4c5c6');
      const begin = () => openIssuing(world, door.terminalId, world.people.ada);
      await begin();
      expect((await door.send('GET', statusPath)).body).toMatchObject({ issuing: { person_first_name: 'Ada' } });
      world.advance(2 * minute + second);
      expect((await door.hold(card)).body).toMatchObject({ code: 'card_refused' });
      await begin();
      let commands = 0;
      const tornCard = {
        ...card,
        apdu: (command: Uint8Array) => (++commands > 14 ? Buffer.from('6f00', 'hex') : card.apdu(command)),
        reset: () => card.reset(),
      } as HeldCard;
      expect((await door.hold(tornCard)).body).toMatchObject({ code: 'card_refused' });
      expect(await world.db.get("SELECT state FROM badges WHERE state = 'issuing'")).toBeDefined();
      expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
      expect((await door.hold(card)).body).toMatchObject({ result: 'proved', first_name: 'Ada' });
    });

    it('a card stamps only where its department may, and is refused after the proof', async () => {
      const gate = await openDoor(world, 'office only', { departments: [world.office] });
      expect((await gate.hold(ada)).body).toMatchObject({ result: 'proved' });
      const ben = await issueBadge(world, door, world.people.ben, '04b1b2b3b4b5b7');
      expect((await gate.hold(ben)).body).toMatchObject({ code: 'department_not_allowed' });
    });

    describe('a PIN', () => {
      let gate: Door;
      beforeEach(async () => {
        const pinHash = await hashPin(world.service.dataKey!, world.people.ada, '012345');
        await world.write((write) => setPin(write, world.people.ada, world.nord, pinHash));
        gate = await openDoor(world, 'pin', { badgeAndPin: true });
      });
      const attempt = async (pin?: string, action = 'in') => {
        const proof = await gate.hold(ada);
        expect(proof.body).toMatchObject({ pin_required: true });
        const session = proof.body['session'];
        return gate.send('POST', stampPath, { session, action, ...(pin === undefined ? {} : { pin }) });
      };

      it('a card with a PIN stamps with the right one, which the database does not disclose', async () => {
        expect((await attempt()).body).toMatchObject({ code: 'pin_required' });
        for (const pin of ['12345', '1234567', '１２３４５６', '012345\n'])
          expect((await attempt(pin)).status).toBe(400);
        expect((await attempt('012345')).status).toBe(200);
        const path = `/api/v1/clock/states?user_id=${world.people.ada}`;
        expect((await world.call('GET', path, { key: world.reader.key })).body['data']).toMatchObject([
          { state: 'in', source: { kind: 'terminal' } },
        ]);
        expect(JSON.stringify(await world.db.all('SELECT * FROM pins'))).not.toContain('012345');
      });

      it('five wrong PINs lock a card for an hour, at any process', async () => {
        for (let index = 0; index < 4; index++)
          expect((await attempt('000000')).body).toMatchObject({ code: 'pin_wrong' });
        expect(await attempt('000000')).toMatchObject({ status: 423, body: { code: 'pin_locked' } });
        expect((await attempt('012345')).body).toMatchObject({ code: 'pin_locked' });
        world.advance(hour - second);
        expect((await attempt('012345')).body).toMatchObject({ code: 'pin_locked' });
        world.advance(2 * second);
        expect((await attempt('012345')).status).toBe(200);
      });

      it('a right PIN of a card resets the count of wrong ones', async () => {
        for (const action of ['in', 'out']) {
          for (let index = 0; index < 4; index++)
            expect((await attempt('000000', action)).body).toMatchObject({ code: 'pin_wrong' });
          expect((await attempt('012345', action)).status).toBe(200);
          world.advance(minute);
        }
      });
    });

    it('a card leaves neither its number nor any key in the database', async () => {
      const dump = JSON.stringify([
        await world.db.all('SELECT * FROM badges'),
        await world.db.all('SELECT id, steps, state FROM card_sessions'),
        await world.db.all('SELECT * FROM audit_entries'),
        await world.db.all('SELECT * FROM events'),
      ]).toLowerCase();
      for (const uid of ['04a1a2a3a4a5a6', '04b1b2b3b4b5b6', '04c1c2c3c4c5c6']) expect(dump).not.toContain(uid);
    });
  });

  it('terminals are refused before they are paired, also with a published key', async () => {
    // RFC 8032 §7.1, test 1: everyone knows the private half.
    const publishedKey = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
    const privateKey = createPrivateKey({
      key: Buffer.from(`302e020100300506032b657004220420${publishedKey}`, 'hex'),
      format: 'der',
      type: 'pkcs8',
    });
    const { terminalId } = await addDoor(world);
    for (const terminal of [terminalId, 'trm_0000000000000000']) {
      const [time, nonce] = [String(Math.floor(world.now() / 1_000)), `published-${terminal.slice(4, 14)}`];
      const signature = sign(
        null,
        Buffer.from(signedText('GET', statusPath, time, nonce, Buffer.alloc(0))),
        privateKey,
      );
      const answer = await world.call('GET', statusPath, {
        headers: {
          'service-terminal': terminal,
          'service-time': time,
          'service-nonce': nonce,
          'service-signature': signature.toString('base64'),
        },
      });
      expect([answer.status, answer.body['code']]).toEqual([401, 'signature_invalid']);
    }
  });

  it('terminals are switched off by default and by the switch', async () => {
    const door = await openDoor(world, 'switch');
    await world.write((write) => switchPeopleAccess(write, { writes: true, links: true, terminals: false }));
    expect((await door.send('GET', statusPath)).body).toMatchObject({ code: 'feature_disabled' });
    expect((await door.send('POST', '/api/v1/terminal/card', { uid: '04a1a2a3a4a5a6' })).body).toMatchObject({
      code: 'feature_disabled',
    });
    expect((await pair(world, '0000-0000', deviceKey('y').publicKey)).body).toMatchObject({ code: 'feature_disabled' });
    await world.write((write) => switchPeopleAccess(write, { writes: true, links: true, terminals: true }));
  });
});

it('a wrong DATA_KEY is refused at start', async () => {
  const { startService } = await import('../../src/service.js');
  const { readConfig } = await import('../../src/config.js');
  const { silentLog } = await import('@clockproof/platform/log');
  const { createTestDatabase } = await import('@clockproof/platform/testing/databases');
  const home = await createTestDatabase('sqlite');
  const start = (key: string) =>
    startService({
      config: readConfig({ DB_DSN: home.settings.dsn, LISTEN_ADDR: '127.0.0.1:0', DATA_KEY: key }),
      log: silentLog,
    });
  const key = (letter: string) =>
    Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + letter.charCodeAt(0))).toString('base64');
  await (await start(key('a'))).close();
  await expect(start(key('b'))).rejects.toThrow('DATA_KEY');
  await (await start(key('a'))).close();
  await home.drop();
});
