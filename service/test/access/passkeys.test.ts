import { oneDialect } from '@clockproof/platform/testing/databases';
import { hour, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setPassword } from '../../src/access/credentials.js';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { erasePerson } from '../../src/hr/erasure.js';
import { allCompanies } from '../../src/store/every-company.js';
import {
  type Authenticator,
  type CreationOptions,
  createAuthenticator,
  type Otherwise,
  type RequestOptions,
} from '../authenticator.js';
import { type Browser, codeOf, createBrowser, factorKeysOf, giveCredentials, password, signIn } from '../browser.js';
import { quickPasswords } from '../quick-passwords.js';
import { type Answer, createWorld, dataKey, type World } from '../world.js';

describe.each(oneDialect)('passkeys on %s', (dialect) => {
  let world: World;
  let count = 0;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  /** A person of their own for a test, with an authenticator app unless `bare`. */
  async function addPerson({
    bare = false,
    role = 'employee',
  }: {
    bare?: boolean;
    role?: 'employee' | 'company_admin';
  } = {}): Promise<number> {
    const id = await world.hire({
      firstName: 'Pia',
      lastName: `Nr${++count}`,
      email: `pia${count}@clockproof.example`,
      role,
    });
    if (bare)
      await world.write(async (write) =>
        setPassword(write, { personId: id, companyId: world.nord, passwordHash: await quickPasswords.hash(password) }),
      );
    else await giveCredentials(world, [id], await factorKeysOf(world, dataKey));
    return id;
  }
  const email = async (id: number) =>
    (await world.db.get<{ email: string }>('SELECT email FROM people WHERE id = :id', { id }))!.email;
  async function enterPassword(id: number, url = world.url): Promise<Browser> {
    const browser = createBrowser(url);
    const answer = await browser.call('POST', '/app/sign-in', { body: { email: await email(id), password } });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return browser;
  }
  const begin = (browser: Browser) => browser.call('POST', '/app/second-factor/passkeys/creation');
  const optionsOf = (answer: Answer) => answer.body['public_key'] as CreationOptions & RequestOptions;
  const finish = (browser: Browser, credential: object, name = 'Key') =>
    browser.call('POST', '/app/second-factor/passkeys', { body: { name, credential } });
  async function add(
    browser: Browser,
    device: Authenticator,
    name = 'Key',
    otherwise: Otherwise = {},
  ): Promise<Answer> {
    const creation = await begin(browser);
    return creation.status === 200 ? finish(browser, device.create(optionsOf(creation), otherwise), name) : creation;
  }
  const request = (browser: Browser) => browser.call('POST', '/app/second-factor/passkeys/request');
  async function assertion(browser: Browser, device: Authenticator, otherwise: Otherwise = {}) {
    const answer = await request(browser);
    expect(answer.status).toBe(200);
    return device.sign(optionsOf(answer), otherwise);
  }
  const confirm = (browser: Browser, body: object) => browser.call('POST', '/app/sign-in/second-factor', { body });
  const confirmWith = async (browser: Browser, device: Authenticator, otherwise: Otherwise = {}) =>
    confirm(browser, { passkey: await assertion(browser, device, otherwise) });
  const prove = async (browser: Browser, device: Authenticator, otherwise: Otherwise = {}) =>
    browser.call('POST', '/app/second-factor/proof', {
      body: { passkey: await assertion(browser, device, otherwise) },
    });
  const list = async (browser: Browser) =>
    (await browser.call('GET', '/app/second-factor/passkeys')).body['data'] as {
      id: string;
      name: string;
      created_at: string;
      last_used_at?: string;
    }[];
  const remove = (browser: Browser, id: string, secret = password) =>
    browser.call('POST', `/app/second-factor/passkeys/${id}/removal`, { body: { password: secret } });
  const state = async (browser: Browser) => (await browser.call('GET', '/app/second-factor')).body;
  const auditOf = async (id: number) =>
    (
      await world.db.all<{ action: string; details: string | null }>(
        'SELECT action, details FROM audit_entries WHERE subject = :subject ORDER BY sequence',
        { subject: `person ${id}` },
      )
    ).map(
      ({ action, details }) =>
        [action, details === null ? {} : (JSON.parse(details) as Record<string, unknown>)] as const,
    );

  /** Somebody signed in with an authenticator app who has set `device` up. */
  async function addHolder(device: Authenticator): Promise<{ readonly id: number; readonly browser: Browser }> {
    const id = await addPerson();
    const browser = await signIn(world, id);
    expect((await add(browser, device)).status).toBe(201);
    return { id, browser };
  }

  it('passkeys are set up with a fresh second factor, and sign in and prove it again, and nothing else', async () => {
    const id = await addPerson();
    const browser = await signIn(world, id);
    const sessionBefore = browser.cookies.get('session');
    world.advance(15 * minute);
    expect((await begin(browser)).body).toMatchObject({ code: 'second_factor_required' });
    expect(
      (await browser.call('POST', '/app/second-factor/proof', { body: { code: codeOf(id, world.now()) } })).status,
    ).toBe(200);
    const creation = await begin(browser);
    expect(creation.body).toMatchObject({
      public_key: {
        rp: { id: 'localhost', name: 'Clockproof' },
        user: { name: await email(id), displayName: `Pia Nr${count}` },
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      },
      expires_at: new Date(world.now() + 5 * minute).toISOString().replace('.000', ''),
    });
    const device = createAuthenticator('key ring');
    const answer = await finish(browser, device.create(optionsOf(creation)), ' Key on the ring ');
    expect([answer.status, answer.body]).toMatchObject([201, { passkey: { name: 'Key on the ring' } }]);
    expect(answer.body).not.toHaveProperty('recovery_codes');
    expect(browser.cookies.get('session')).not.toBe(sessionBefore);
    expect(await state(browser)).toMatchObject({ enrolled: true, passkeys: 1 });

    // Not by a session of the password alone, and not twice.
    const passwordBrowser = await enterPassword(id);
    expect((await begin(passwordBrowser)).body).toMatchObject({ code: 'second_factor_required' });
    expect((await passwordBrowser.call('GET', '/app/second-factor/passkeys')).status).toBe(401);
    expect((await passwordBrowser.call('POST', '/app/second-factor/enrolment')).body).toMatchObject({
      code: 'second_factor_enrolled',
    });
    const options = optionsOf(await request(passwordBrowser));
    expect(options).toMatchObject({
      rpId: 'localhost',
      userVerification: 'preferred',
      allowCredentials: [{ id: device.credentialId, transports: ['internal', 'hybrid'] }],
    });
    world.advance(second);
    expect((await confirm(passwordBrowser, { passkey: device.sign(options) })).body).toEqual({ next: 'done' });
    expect((await passwordBrowser.call('GET', '/app/session')).body).toMatchObject({ person: { id } });
    const [passkey] = await list(passwordBrowser);
    expect(passkey).toMatchObject({
      name: 'Key on the ring',
      last_used_at: new Date(world.now()).toISOString().replace('.000', ''),
    });

    world.advance(20 * minute);
    expect((await passwordBrowser.call('POST', '/app/second-factor/recovery-codes')).body).toMatchObject({
      code: 'second_factor_required',
    });
    expect((await prove(passwordBrowser, device)).body).toMatchObject({
      person: { id },
      second_factor_until: new Date(world.now() + 15 * minute).toISOString().replace('.000', ''),
    });
    expect((await passwordBrowser.call('POST', '/app/second-factor/recovery-codes')).status).toBe(200);
    // The authenticator app goes on working beside it.
    await signIn(world, id);
    const log = await auditOf(id);
    expect(log.filter(([action]) => action === 'passkey.added')).toEqual([['passkey.added', { passkey: passkey!.id }]]);
    expect(log.filter(([action]) => action === 'sign_in.completed').map(([, details]) => details['passkey'])).toEqual([
      undefined,
      passkey!.id,
      undefined,
    ]);
  });

  it.each([
    ['EdDSA', { algorithm: 'EdDSA' }],
    ['RS256', { algorithm: 'RS256' }],
    ['a device that does not count', { counts: false }],
  ] as const)('passkeys work with %s', async (name, traits) => {
    const device = createAuthenticator(name, traits);
    const { id } = await addHolder(device);
    for (let times = 0; times < 2; times++) {
      const browser = await enterPassword(id);
      expect((await confirmWith(browser, device)).body).toEqual({ next: 'done' });
    }
  });

  it('passkeys work after the password without user verification, and never without user presence', async () => {
    const device = createAuthenticator('touch only');
    const { browser } = await addHolder(device);
    expect((await prove(browser, device, { flags: 0x01 })).status).toBe(200);
    expect((await prove(browser, device, { flags: 0x04 })).body).toMatchObject({ code: 'second_factor_invalid' });
    const otherDevice = createAuthenticator('nobody there');
    expect((await add(browser, otherDevice, 'Key', { flags: 0x40 })).body).toMatchObject({ code: 'passkey_refused' });
  });

  it.each<readonly [string, Otherwise]>([
    ['another origin', { origin: 'http://localhost:8081' }],
    ['an origin that begins like ours', { origin: 'http://localhost:8080.evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['a challenge of its own', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['the other ceremony', { type: 'webauthn.get' }],
    ['a page inside a page', { crossOrigin: true }],
    ['a page inside a page of somebody else', { crossOrigin: true, topOrigin: 'https://evil.example' }],
    ['an attestation that brings certificates', { attestation: 'maker' }],
    ['an attestation of another format', { attestation: 'android-key' }],
    ['an attestation of no known format', { attestation: 'made-up' }],
    [
      'a key of small order',
      {
        cose: new Map<number, number | Uint8Array>([
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, new Uint8Array(32)],
        ]),
      },
    ],
    [
      'a key that does not fit its algorithm',
      {
        cose: new Map<number, number | Uint8Array>([
          [1, 1],
          [3, -7],
          [-1, 6],
          [-2, new Uint8Array(32).fill(9)],
        ]),
      },
    ],
    ['a key that is none', { cose: new Map<number, number>([[1, 2]]) }],
  ])('a passkey is not set up with %s', async (_, otherwise) => {
    const browser = await signIn(world, await addPerson());
    const device = createAuthenticator(`refused ${_}`);
    const options = optionsOf(await begin(browser));
    const answer = await finish(browser, device.create(options, otherwise));
    expect([answer.status, answer.body['code']]).toEqual([422, 'passkey_refused']);
    // The challenge is used up, and an honest answer to a new one is taken.
    expect((await finish(browser, device.create(options))).body).toMatchObject({ code: 'passkey_refused' });
    expect((await add(browser, device)).status).toBe(201);
  });

  it('a passkey is not set up with other key kinds than requested, nor with short keys', async () => {
    const browser = await signIn(world, await addPerson());
    for (const device of [
      createAuthenticator('ES384', { algorithm: 'ES384' }),
      createAuthenticator('short RSA', { algorithm: 'RS256', rsaBits: 1024 }),
    ])
      expect((await add(browser, device)).body).toMatchObject({ code: 'passkey_refused' });
    for (const [attestationObject, clientDataJSON] of [
      ['AAAA', 'AAAA'],
      ['gICAgA', Buffer.from('null').toString('base64url')],
      ['v38', Buffer.from('[]').toString('base64url')],
    ]) {
      await begin(browser);
      expect(
        (await finish(browser, { id: 'AAAA', response: { clientDataJSON, attestationObject } })).body,
      ).toMatchObject({ code: 'passkey_refused' });
    }
    // A key that signs for itself says no more about its maker than none.
    expect((await add(browser, createAuthenticator('self'), 'Key', { attestation: 'self' })).status).toBe(201);
  });

  it.each<readonly [string, Otherwise]>([
    ['another origin', { origin: 'https://localhost:8080' }],
    ['another relying party', { rpId: 'localhost.evil.example' }],
    ['a challenge of its own', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['the other ceremony', { type: 'webauthn.create' }],
    ['a page inside a page', { crossOrigin: true }],
    ['a signature with one bit changed', { tampered: true }],
  ])('a passkey proves nothing with %s', async (_, otherwise) => {
    const device = createAuthenticator(`wrong ${_}`);
    const { id } = await addHolder(device);
    const browser = await enterPassword(id);
    const answer = await confirmWith(browser, device, otherwise);
    expect([answer.status, answer.body['code']]).toEqual([401, 'second_factor_invalid']);
    expect((await browser.call('GET', '/app/session')).status).toBe(401);
    expect((await auditOf(id)).at(-1)![0]).toBe('second_factor.refused');
    expect((await confirmWith(browser, device)).status).toBe(200);
  });

  it('a passkey signs a challenge once, within five minutes, in the session that asked for it', async () => {
    // One that does not count, so that nothing but the challenge tells a replay.
    const device = createAuthenticator('challenges', { counts: false });
    const { id, browser } = await addHolder(device);
    const firstBrowser = await enterPassword(id);
    const usedAssertion = await assertion(firstBrowser, device);
    const secondBrowser = await enterPassword(id);
    await request(secondBrowser);
    expect((await confirm(secondBrowser, { passkey: usedAssertion })).body).toMatchObject({
      code: 'second_factor_invalid',
    });
    expect((await confirm(firstBrowser, { passkey: usedAssertion })).status).toBe(200);
    expect(
      (await firstBrowser.call('POST', '/app/second-factor/proof', { body: { passkey: usedAssertion } })).body,
    ).toMatchObject({
      code: 'second_factor_invalid',
    });
    // Of two at once, on two replicas, one is looked at.
    const twin = createBrowser((await world.replica()).url);
    twin.cookies.set('session', firstBrowser.cookies.get('session')!);
    const passkey = await assertion(firstBrowser, device);
    const answers = await Promise.all(
      [firstBrowser, twin].map((browser) => browser.call('POST', '/app/second-factor/proof', { body: { passkey } })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401]);

    const thirdBrowser = await enterPassword(id);
    const lateAssertion = await assertion(thirdBrowser, device);
    world.advance(5 * minute);
    expect((await confirm(thirdBrowser, { passkey: lateAssertion })).body).toMatchObject({
      code: 'second_factor_invalid',
    });
    const timelyAssertion = await assertion(thirdBrowser, device);
    world.advance(5 * minute - 1);
    expect((await confirm(thirdBrowser, { passkey: timelyAssertion })).status).toBe(200);
    // A newer challenge voids the one before, and one for setting up proves nothing.
    const olderAssertion = await assertion(thirdBrowser, device);
    await request(thirdBrowser);
    expect(
      (await thirdBrowser.call('POST', '/app/second-factor/proof', { body: { passkey: olderAssertion } })).body,
    ).toMatchObject({
      code: 'second_factor_invalid',
    });
    const { challenge } = optionsOf(await begin(thirdBrowser));
    expect(
      (
        await thirdBrowser.call('POST', '/app/second-factor/proof', {
          body: { passkey: device.sign({ challenge, rpId: 'localhost', allowCredentials: [] }) },
        })
      ).body,
    ).toMatchObject({ code: 'second_factor_invalid' });
    const options = optionsOf(await begin(thirdBrowser));
    world.advance(5 * minute);
    expect((await finish(thirdBrowser, createAuthenticator('late').create(options))).body).toMatchObject({
      code: 'passkey_refused',
    });
    expect((await browser.call('GET', '/app/session')).status).toBe(200);
  });

  it('a passkey of another person proves nothing, and belongs to one person only', async () => {
    const [ownersDevice, strangersDevice] = [createAuthenticator('hers'), createAuthenticator('his')];
    const owner = await addHolder(ownersDevice);
    const stranger = await addHolder(strangersDevice);
    const browser = await enterPassword(owner.id);
    expect((await confirmWith(browser, strangersDevice)).body).toMatchObject({ code: 'second_factor_invalid' });
    const options = optionsOf(await request(browser));
    // The stranger's signature under the owner's id.
    expect(
      (await confirm(browser, { passkey: { ...strangersDevice.sign(options), id: ownersDevice.credentialId } })).body,
    ).toMatchObject({
      code: 'second_factor_invalid',
    });
    expect((await add(stranger.browser, ownersDevice)).body).toMatchObject({ code: 'passkey_known' });
    expect((await add(owner.browser, ownersDevice)).body).toMatchObject({ code: 'passkey_known' });
    expect(optionsOf(await begin(owner.browser)).excludeCredentials).toMatchObject([{ id: ownersDevice.credentialId }]);
    const [passkey] = await list(owner.browser);
    for (const answer of [
      await remove(stranger.browser, passkey!.id),
      await stranger.browser.call('PATCH', `/app/second-factor/passkeys/${passkey!.id}`, {
        body: { name: 'Mine now' },
      }),
    ])
      expect([answer.status, answer.body['code']]).toEqual([404, 'not_found']);
    expect(await list(owner.browser)).toEqual([passkey]);
    expect((await request(await enterPassword(await addPerson()))).body).toMatchObject({ code: 'not_found' });
    expect(optionsOf(await begin(owner.browser)).user.id).not.toBe(optionsOf(await begin(stranger.browser)).user.id);
  });

  it('a passkey with a counter is refused when it does not increase, and the audit log says so', async () => {
    const device = createAuthenticator('counting');
    const { id, browser } = await addHolder(device);
    expect((await prove(browser, device, { counter: 40 })).status).toBe(200);
    const passkey = (await list(browser))[0]!.id;
    for (const counter of [40, 39, 0]) {
      expect((await prove(browser, device, { counter })).body).toMatchObject({ code: 'second_factor_invalid' });
      expect((await auditOf(id)).at(-1)).toEqual([
        'passkey.counter_went_back',
        { passkey, before: { counter: 40 }, after: { counter } },
      ]);
    }
    // A forged number is a wrong signature, no copied device.
    expect((await prove(browser, device, { counter: 3, tampered: true })).status).toBe(401);
    expect((await auditOf(id)).at(-1)![0]).toBe('second_factor.refused');
    expect((await prove(browser, device, { counter: 41 })).status).toBe(200);
  });

  it('a person has ten passkeys at most, also when two come at once', async () => {
    const id = await addPerson();
    const [firstBrowser, secondBrowser] = [await signIn(world, id), await signIn(world, id)];
    for (let index = 0; index < 9; index++)
      expect((await add(firstBrowser, createAuthenticator(`one of ten ${index}`), `Key ${index}`)).status).toBe(201);
    const options = [optionsOf(await begin(firstBrowser)), optionsOf(await begin(secondBrowser))];
    const answers = await Promise.all(
      [firstBrowser, secondBrowser].map((browser, index) =>
        finish(browser, createAuthenticator(`tenth or eleventh ${index}`).create(options[index]!)),
      ),
    );
    expect(answers.map((answer) => answer.body['code'] ?? answer.status).sort()).toEqual([201, 'passkey_limit']);
    expect(await list(firstBrowser)).toHaveLength(10);
    expect((await begin(firstBrowser)).body).toMatchObject({ code: 'passkey_limit' });
    expect((await add(secondBrowser, createAuthenticator('eleventh'))).body).toMatchObject({ code: 'passkey_limit' });
    expect((await remove(firstBrowser, (await list(firstBrowser))[3]!.id)).status).toBe(200);
    expect((await add(firstBrowser, createAuthenticator('tenth again'))).status).toBe(201);
  });

  it('passkeys work while codes are blocked, and wrong signatures block nothing', async () => {
    const device = createAuthenticator('guessed');
    const { id } = await addHolder(device);
    world.advance(hour);
    const browser = await enterPassword(id);
    const tryWrongCode = async () =>
      (await confirm(browser, { code: codeOf(id, world.now()) === '000000' ? '111111' : '000000' })).status;
    for (let index = 0; index < 5; index++)
      expect((await confirmWith(browser, device, { tampered: true })).status).toBe(401);
    for (let index = 0; index < 10; index++) expect(await tryWrongCode()).toBe(401);
    const answer = await confirm(browser, { code: codeOf(id, world.now()) });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '900']);
    expect((await confirmWith(browser, device, { tampered: true })).status).toBe(401);
    expect((await confirmWith(browser, device)).status).toBe(200);
  });

  it('passkeys share their ten tries with the first code of an app', async () => {
    const id = await addPerson({ bare: true });
    const browser = createBrowser(world.url);
    await browser.call('POST', '/app/sign-in', { body: { email: await email(id), password } });
    expect((await browser.call('POST', '/app/second-factor/enrolment')).status).toBe(200);
    const statuses = [];
    for (let index = 0; index < 11; index++)
      statuses.push(
        (await browser.call('POST', '/app/second-factor/confirmation', { body: { code: '000000' } })).status,
      );
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  it('a request carries one of three proofs, of which a passkey is one', async () => {
    const device = createAuthenticator('one of three');
    const { browser } = await addHolder(device);
    const passkey = await assertion(browser, device);
    for (const body of [
      { passkey, code: '123456' },
      { passkey, recovery_code: 'K7Q2M-9XTR4' },
      { passkey: { ...passkey, id: 'ä' } },
      { passkey: { ...passkey, rawId: passkey.id } },
      {},
    ]) {
      expect((await browser.call('POST', '/app/second-factor/proof', { body })).body).toMatchObject({
        code: 'invalid_request',
      });
    }
  });

  it('passkeys can be renamed, and their removal with a fresh second factor ends all other sessions', async () => {
    const [device, otherDevice] = [createAuthenticator('removed'), createAuthenticator('kept')];
    const { id, browser } = await addHolder(device);
    await add(browser, otherDevice, 'Kept');
    const otherBrowser = await signIn(world, id);
    const keys = await list(browser);
    const [firstKey, secondKey] = ['Key', 'Kept'].map((name) => keys.find((key) => key.name === name));
    expect(
      (await browser.call('PATCH', `/app/second-factor/passkeys/${firstKey!.id}`, { body: { name: '  Old laptop ' } }))
        .body,
    ).toMatchObject({ name: 'Old laptop' });
    expect(
      (await browser.call('PATCH', `/app/second-factor/passkeys/${firstKey!.id}`, { body: { name: '   ' } })).body,
    ).toMatchObject({ code: 'invalid_request' });
    world.advance(16 * minute);
    expect((await remove(browser, firstKey!.id)).body).toMatchObject({ code: 'second_factor_required' });
    await prove(browser, device);
    expect((await remove(browser, firstKey!.id, 'not the password')).body).toMatchObject({
      code: 'credentials_invalid',
    });
    const cookie = browser.cookies.get('session');
    expect((await remove(browser, firstKey!.id)).body).toEqual({ next: 'done' });
    expect(browser.cookies.get('session')).not.toBe(cookie);
    expect(await list(browser)).toEqual([secondKey]);
    expect((await otherBrowser.call('GET', '/app/session')).body).toMatchObject({ code: 'token_revoked' });
    expect((await remove(browser, firstKey!.id)).body).toMatchObject({ code: 'not_found' });
    expect((await confirmWith(await enterPassword(id), device)).body).toMatchObject({ code: 'second_factor_invalid' });
    expect((await auditOf(id)).filter(([action]) => /^passkey\.re/.test(action))).toEqual([
      ['passkey.renamed', { passkey: firstKey!.id }],
      ['passkey.removed', { passkey: firstKey!.id }],
    ]);
  });

  it('a passkey may be the only second factor, with recovery codes; removing the last one leads to setup', async () => {
    const id = await addPerson({ bare: true, role: 'company_admin' });
    const device = createAuthenticator('the only one');
    const browser = createBrowser(world.url);
    expect((await browser.call('POST', '/app/sign-in', { body: { email: await email(id), password } })).body).toEqual({
      next: 'enrol',
    });
    const answer = await add(browser, device, 'Phone');
    const codes = answer.body['recovery_codes'] as string[];
    expect([answer.status, codes.length]).toEqual([201, 10]);
    expect((await browser.call('GET', '/app/session')).body).toMatchObject({
      person: { id },
      second_factor_until: expect.any(String),
    });
    expect((await auditOf(id)).slice(-3).map(([action]) => action)).toEqual([
      'passkey.added',
      'recovery_codes.renewed',
      'sign_in.completed',
    ]);
    expect((await browser.call('GET', `/app/admin/people/${id}`)).body).toMatchObject({ second_factor: true });

    // The password alone adds nothing more, neither a passkey nor an app.
    const passwordBrowser = createBrowser(world.url);
    expect(
      (await passwordBrowser.call('POST', '/app/sign-in', { body: { email: await email(id), password } })).body,
    ).toEqual({
      next: 'second_factor',
    });
    expect(await state(passwordBrowser)).toEqual({ enrolled: true, passkeys: 1, recovery_codes_left: 10 });
    for (const path of ['enrolment', 'passkeys/creation'])
      expect((await passwordBrowser.call('POST', `/app/second-factor/${path}`)).body).toMatchObject({
        code: 'second_factor_required',
      });
    expect(
      (await passwordBrowser.call('POST', '/app/second-factor/confirmation', { body: { code: '123456' } })).body,
    ).toMatchObject({ code: 'second_factor_required' });
    expect(
      (
        await finish(
          passwordBrowser,
          device.create({
            challenge: 'x',
            rp: { id: 'localhost' },
            user: { id: '', name: '', displayName: '' },
            pubKeyCredParams: [],
            excludeCredentials: [],
          }),
        )
      ).body,
    ).toMatchObject({ code: 'second_factor_required' });
    expect((await confirm(passwordBrowser, { code: '123456' })).body).toMatchObject({ code: 'second_factor_invalid' });
    expect((await confirm(passwordBrowser, { recovery_code: codes[0]! })).body).toEqual({
      next: 'done',
      recovery_codes_left: 9,
    });
    const passkey = (await list(passwordBrowser))[0]!.id;
    expect((await remove(passwordBrowser, passkey)).body).toEqual({ next: 'enrol' });
    expect((await passwordBrowser.call('GET', '/app/session')).status).toBe(401);
    expect((await browser.call('GET', '/app/session')).body).toMatchObject({ code: 'token_revoked' });
    expect(await state(passwordBrowser)).toEqual({ enrolled: false, passkeys: 0, recovery_codes_left: 0 });
    expect((await confirm(passwordBrowser, { recovery_code: codes[1]! })).body).toMatchObject({
      code: 'second_factor_invalid',
    });
    expect((await add(passwordBrowser, device)).body).toMatchObject({ recovery_codes: expect.any(Array) });
    expect((await passwordBrowser.call('GET', '/app/session')).status).toBe(200);
  });

  it('passkeys remain after the authenticator app is removed, and allow a new one', async () => {
    const device = createAuthenticator('stays');
    const { id, browser } = await addHolder(device);
    await browser.call('POST', '/app/second-factor/recovery-codes');
    const otherBrowser = await signIn(world, id);
    const removeApp = (body: object) => browser.call('POST', '/app/second-factor/removal', { body });
    for (const body of [{ password }, { password, code: '123456', passkey: await assertion(browser, device) }])
      expect((await removeApp(body)).body).toMatchObject({ code: 'invalid_request' });
    expect(
      (await removeApp({ password, passkey: await assertion(browser, device, { tampered: true }) })).body,
    ).toMatchObject({ code: 'second_factor_invalid' });
    expect(
      (await removeApp({ password: 'not the password', passkey: await assertion(browser, device) })).body,
    ).toMatchObject({ code: 'credentials_invalid' });
    expect((await removeApp({ password, passkey: await assertion(browser, device) })).body).toEqual({ next: 'done' });
    expect((await otherBrowser.call('GET', '/app/session')).body).toMatchObject({ code: 'token_revoked' });
    expect(await state(browser)).toEqual({ enrolled: true, passkeys: 1, recovery_codes_left: 10 });
    expect((await confirm(await enterPassword(id), { code: codeOf(id, world.now()) })).body).toMatchObject({
      code: 'second_factor_invalid',
    });

    world.advance(16 * minute);
    expect((await browser.call('POST', '/app/second-factor/enrolment')).body).toMatchObject({
      code: 'second_factor_required',
    });
    await prove(browser, device);
    const { secret } = (await browser.call('POST', '/app/second-factor/enrolment')).body as { secret: string };
    const bits = [...secret]
      .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
      .join('');
    const code = oneTimePassword(
      Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2))),
      stepAt(world.now()),
    );
    expect((await browser.call('POST', '/app/second-factor/confirmation', { body: { code } })).body).toMatchObject({
      recovery_codes: expect.any(Array),
    });
    expect(await state(browser)).toMatchObject({ enrolled: true, passkeys: 1, recovery_codes_left: 10 });
    expect((await confirmWith(await enterPassword(id), device)).status).toBe(200);
  });

  it("passkeys go with an admin's reset, stop working for leavers, and are erased with the person", async () => {
    const boss = await addPerson({ role: 'company_admin' });
    const admin = await signIn(world, boss);
    const device = createAuthenticator('lost');
    const { id, browser } = await addHolder(device);
    const reset = await admin.call('DELETE', `/app/admin/people/${id}/second-factor`);
    const token = (reset.body['url'] as string).split('#')[1]!;
    expect((await browser.call('GET', '/app/session')).body).toMatchObject({ code: 'token_revoked' });
    const newBrowser = createBrowser(world.url);
    expect((await newBrowser.call('POST', '/app/invitation/accept', { body: { token, password } })).body).toEqual({
      next: 'enrol',
    });
    expect(await state(newBrowser)).toEqual({ enrolled: false, passkeys: 0, recovery_codes_left: 0 });
    expect((await add(newBrowser, device)).status).toBe(201);
    const passwordBrowser = await enterPassword(id);
    const passkey = await assertion(passwordBrowser, device);
    expect(
      (await admin.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-22' } }))
        .status,
    ).toBe(200);
    expect((await confirm(passwordBrowser, { passkey })).body).toMatchObject({ code: 'token_revoked' });
    await world.write((write) => erasePerson(write, { personId: id, scope: allCompanies }));
    expect(
      await world.db.all('SELECT id FROM passkeys WHERE credential_id = :credential', {
        credential: device.credentialId,
      }),
    ).toEqual([]);
    // The device may be set up again by its present holder.
    expect((await add(admin, device)).status).toBe(201);
  });
});

describe('passkeys of an installation with a name of its own', () => {
  it('passkeys of an installation with its own name work there only', async () => {
    const world = await createWorld('sqlite', { env: { BASE_URL: 'https://time.clockproof.example' } });
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const browser = createBrowser(world.url);
    const call = (path: string, body?: object) =>
      browser.call('POST', path, {
        ...(body === undefined ? {} : { body }),
        headers: { origin: 'https://time.clockproof.example' },
      });
    await call('/app/sign-in', { email: 'ada@clockproof.example', password });
    // The browser of the tests knows the cookie by either name.
    await call('/app/sign-in/second-factor', { code: codeOf(world.people.ada, world.now()) });
    const begin = async () =>
      (await call('/app/second-factor/passkeys/creation')).body['public_key'] as CreationOptions;
    const device = createAuthenticator('named');
    expect(await begin()).toMatchObject({ rp: { id: 'time.clockproof.example' } });
    expect(
      (await call('/app/second-factor/passkeys', { name: 'Key', credential: device.create(await begin()) })).body,
    ).toMatchObject({ code: 'passkey_refused' });
    expect(
      (
        await call('/app/second-factor/passkeys', {
          name: 'Key',
          credential: device.create(await begin(), { origin: 'https://time.clockproof.example:443' }),
        })
      ).body,
    ).toMatchObject({ code: 'passkey_refused' });
    expect(
      (
        await call('/app/second-factor/passkeys', {
          name: 'Key',
          credential: device.create(await begin(), { origin: 'https://time.clockproof.example' }),
        })
      ).status,
    ).toBe(201);
    await world.close();
  });
});
