/** Guessing of secrets: what is written about it, and how one account is protected without locking its owner out. */
import { createLog, silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { document } from '../../src/generated/app-document.js';
import { purgeExpired } from '../../src/housekeeping.js';
import { createAuthenticator, type RequestOptions } from '../authenticator.js';
import { type Browser, codeOf, createBrowser, factorKeysOf, giveCredentials, password, signIn } from '../browser.js';
import { addDoor, deviceKey, doorOf, pair } from '../door.js';
import { addApp, post } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

describe.each(dialects)('guessing on %s', (dialect) => {
  let world: World;
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    lines = [];
    const log = createLog('warn', 'test', { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    world = await createWorld(dialect, { log, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await giveCredentials(world, [world.people.ada, world.people.ben], await factorKeysOf(world, dataKey));
  });
  afterEach(() => world.close());

  const headersFrom = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const tryPassword = (address: string, secret: string, email = 'ada@clockproof.example') =>
    createBrowser(world.url).call('POST', '/app/sign-in', {
      body: { email, password: secret },
      ...headersFrom(address),
    });
  /** From as many addresses as it takes, so that no address is refused. */
  async function guess(times: number, email?: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let index = 0; index < times; index++)
      statuses.push((await tryPassword(`203.0.113.${index % 250}`, 'wrong-wrong-wrong', email)).status);
    return statuses;
  }

  it('guesses are logged with address and kind of credential, and without the guessed value', async () => {
    const app = await addApp(world, 'App');
    const { terminalId, code } = await addDoor(world);
    await pair(world, code, deviceKey('right').publicKey);
    lines.length = 0;
    const answer = await tryPassword('203.0.113.9', 'correct-horse-wrong');
    await world.call('GET', '/api/v1/users', { key: `${app.key.slice(0, -1)}0`, ...headersFrom('203.0.113.10') });
    await world.call('GET', '/api/v1/me', { key: `cpa_${'0'.repeat(32)}`, ...headersFrom('203.0.113.11') });
    await post(world, '/oauth/revoke', { clientId: app.clientId, key: 'cpk_wrong' }, { token: 'x' });
    await doorOf(world, terminalId, 'wrong').send('GET', '/api/v1/terminal/status');
    await pair(world, '0000-0000', deviceKey('any').publicKey);
    expect(lines.map(({ security, address, credential }) => [security, address, credential])).toEqual([
      ['authentication_failed', '203.0.113.9', 'password'],
      ['authentication_failed', '203.0.113.10', 'key'],
      ['authentication_failed', '203.0.113.11', 'access_token'],
      ['authentication_failed', '127.0.0.1', 'client_secret'],
      ['authentication_failed', '127.0.0.1', 'terminal_signature'],
      ['authentication_failed', '127.0.0.1', 'pairing_code'],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/horse|cpk_|cpa_|ada@/);
    // The filter of docs/operations/security-log.md.
    expect(JSON.stringify(lines[0])).toMatch(
      /"security":"authentication_(?:failed|refused)","address":"203\.0\.113\.9"/,
    );
    // The audit log leads to the line.
    const entry = await world.db.get<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'sign_in.refused'",
    );
    expect(JSON.parse(entry!.details)).toEqual({
      credential: 'password',
      request_id: answer.headers.get('x-request-id'),
    });
    expect(lines[0]!['request_id']).toBe(answer.headers.get('x-request-id'));
  });

  it('the log has the tries of an address that has to wait', async () => {
    for (let index = 0; index < 31; index++) await tryPassword('203.0.113.9', 'wrong-wrong-wrong');
    expect(lines.map(({ security }) => security)).toEqual([
      ...Array<string>(30).fill('authentication_failed'),
      'authentication_refused',
    ]);
  });

  it('guessing of one account from many addresses slows after a hundred, also for an unknown account', async () => {
    for (const email of ['ada@clockproof.example', 'nobody@clockproof.example']) {
      const statuses = await guess(103, email);
      expect([email, statuses.slice(0, 100).every((status) => status === 401), statuses.slice(100)]).toEqual([
        email,
        true,
        [429, 429, 429],
      ]);
      // The right one waits as well, as long as it says.
      const answer = await tryPassword('198.51.100.1', password, email);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '900']);
      world.advance(15 * minute - second);
      expect((await tryPassword('198.51.100.2', 'wrong-wrong-wrong', email)).status).toBe(429);
      world.advance(second);
      expect(await guess(2, email)).toEqual([401, 429]);
    }
    expect((await tryPassword('198.51.100.3', password, 'ben@clockproof.example')).status).toBe(200);
    // A right password begins a new row, and so does a day.
    world.advance(15 * minute);
    expect((await tryPassword('198.51.100.4', password)).status).toBe(200);
    expect(await guess(2)).toEqual([401, 401]);
    world.advance(day + second);
    expect((await purgeExpired(world.service.store, world.now(), silentLog)).passwordTries).toBeGreaterThan(0);
  });

  it('parallel guesses count before they are checked', async () => {
    await guess(95);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => tryPassword(`198.51.100.${index}`, 'wrong-wrong-wrong')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it('guessing locks nobody out of known browsers, nor anybody with a passkey', async () => {
    // Ada from this machine; Ben has a passkey and is far away.
    await signIn(world, world.people.ada);
    const ben = await signIn(world, world.people.ben);
    const device = createAuthenticator('key');
    const creation = await ben.call('POST', '/app/second-factor/passkeys/creation');
    const credential = device.create(creation.body['public_key'] as never, {});
    expect((await ben.call('POST', '/app/second-factor/passkeys', { body: { name: 'Key', credential } })).status).toBe(
      201,
    );
    for (const [email, address] of [
      ['ada@clockproof.example', '127.0.0.1'],
      ['ben@clockproof.example', '198.51.100.7'],
    ] as const) {
      await guess(101, email);
      expect([email, (await tryPassword(address, password, email)).status]).toEqual([email, 200]);
    }
  });

  it('guessing of codes blocks codes and no passkeys', async () => {
    const ben = await signIn(world, world.people.ben);
    const device = createAuthenticator('key');
    const creation = await ben.call('POST', '/app/second-factor/passkeys/creation');
    const credential = device.create(creation.body['public_key'] as never, {});
    await ben.call('POST', '/app/second-factor/passkeys', { body: { name: 'Key', credential } });
    const browser = createBrowser(world.url);
    await browser.call('POST', '/app/sign-in', { body: { email: 'ben@clockproof.example', password } });
    const prove = (body: object) => browser.call('POST', '/app/sign-in/second-factor', { body });
    const statuses: number[] = [];
    for (let index = 0; index < 11; index++) statuses.push((await prove({ code: '000000' })).status);
    expect(statuses[10]).toBe(429);
    const request = await browser.call('POST', '/app/second-factor/passkeys/request');
    const passkey = device.sign(request.body['public_key'] as RequestOptions as never, {});
    expect((await prove({ passkey })).status).toBe(200);
  });

  describe('guesses of the password in a session', () => {
    const wrongPassword = 'wrong-wrong-wrong';
    /** Every operation that asks for the password once more. */
    const tries = {
      changePassword: (browser: Browser, secret: string) =>
        browser.call('PUT', '/app/password', {
          body: { current_password: secret, new_password: 'ten tame otters swim' },
        }),
      removeSecondFactor: (browser: Browser, secret: string) =>
        browser.call('POST', '/app/second-factor/removal', {
          body: { password: secret, code: codeOf(world.people.ada, world.now()) },
        }),
      removePasskey: (browser: Browser, secret: string) =>
        browser.call('POST', '/app/second-factor/passkeys/pky_none/removal', { body: { password: secret } }),
    };

    it('the password is requested in a session by these operations alone', () => {
      const operations = Object.entries(
        (document as { paths: Record<string, Record<string, { operationId: string; requestBody?: unknown }>> }).paths,
      )
        .flatMap(([, item]) => Object.values(item))
        .filter(({ requestBody }) => /"(?:password|current_password)":/.test(JSON.stringify(requestBody ?? null)))
        .map(({ operationId }) => operationId);
      // The others set one, or are the sign-in.
      expect(
        operations.filter((id) => !['setUp', 'acceptInvitation', 'resetPassword', 'signIn'].includes(id)).sort(),
      ).toEqual(Object.keys(tries).sort());
    });

    it.each(Object.keys(tries) as (keyof typeof tries)[])(
      'guesses of the password have ten tries over all sessions, and then wait: %s',
      async (operation) => {
        const [firstBrowser, secondBrowser] = [
          await signIn(world, world.people.ada),
          await signIn(world, world.people.ada),
        ];
        const statuses: number[] = [];
        for (let index = 0; index < 11; index++)
          statuses.push((await tries[operation](index % 2 === 0 ? firstBrowser : secondBrowser, wrongPassword)).status);
        expect(statuses).toEqual([...Array(10).fill(401), 429]);
        // The right one too, in whichever operation; and signing in stays possible.
        for (const attempt of Object.values(tries)) {
          const answer = await attempt(secondBrowser, password);
          expect(answer.status).toBe(429);
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800);
        }
        const freshBrowser = await signIn(world, world.people.ada);
        expect((await tries[operation](freshBrowser, password)).status).toBe(429);
        world.advance(15 * minute);
        const laterBrowser = await signIn(world, world.people.ada);
        expect((await tries[operation](laterBrowser, wrongPassword)).status).toBe(401);
        expect((await tries[operation](laterBrowser, wrongPassword)).status).toBe(429);
      },
    );

    it('a right password resets the count of wrong ones', async () => {
      const browser = await signIn(world, world.people.ada);
      for (let index = 0; index < 9; index++) await tries.changePassword(browser, wrongPassword);
      expect((await tries.changePassword(browser, password)).status).toBe(204);
      for (let index = 0; index < 9; index++)
        expect((await tries.changePassword(browser, wrongPassword)).status).toBe(401);
    });
  });

  it.each([
    ['code', 'recovery_code'],
    ['recovery_code', 'code'],
  ])('guesses of one kind of code use up the tries of the other: %s, then %s', async (firstKind, secondKind) => {
    const browser = createBrowser(world.url);
    await browser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    const wrongCodes: Readonly<Record<string, string>> = { code: '000000', recovery_code: 'AAAAA-AAAAA' };
    const prove = async (kind: string) =>
      (await browser.call('POST', '/app/sign-in/second-factor', { body: { [kind]: wrongCodes[kind] } })).status;
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push(await prove(firstKind), await prove(secondKind));
    expect(statuses).toEqual(Array(10).fill(401));
    expect([await prove(firstKind), await prove(secondKind)]).toEqual([429, 429]);
    // Over all sessions, and for the right code.
    const otherBrowser = createBrowser(world.url);
    await otherBrowser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    const rightCode = { code: codeOf(world.people.ada, world.now()) };
    expect((await otherBrowser.call('POST', '/app/sign-in/second-factor', { body: rightCode })).status).toBe(429);
  });
});
