/**
 * Signing in through the identity provider of a company: once with a real provider (oidc-provider), and with one that
 * says what it should not.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { findPersonAnywhere } from '../../src/people/rows.js';
import {
  addSuperAdmin,
  type Browser,
  baseUrl,
  codeOf,
  createBrowser,
  dump,
  factorKeysOf,
  fromBase32,
  giveCredentials,
  signIn,
} from '../browser.js';
import {
  clientSecret,
  type RealProvider,
  startProvider,
  startToldProvider,
  type ToldProvider,
} from '../identity-provider.js';
import { type Answer, createWorld, dataKey, minute, type World } from '../world.js';

const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };
const domain = 'clockproof.example';
const begin = (browser: Browser, account: string) =>
  browser.call('POST', '/app/sign-in/company', { body: { account } });
const complete = (browser: Browser, companyId: number, query: string) =>
  browser.call('POST', '/app/sign-in/company/completion', { body: { company_id: companyId, query } });
const reasonIn = ({ body }: Answer) => (body['details'] as [{ code: string }] | undefined)?.[0].code;

/** What an admin enters. */
const settingsFor = (issuer: string, more: object = {}) => ({
  enabled: true,
  address: 'nord',
  issuer,
  client_id: 'clockproof',
  client_secret: clientSecret,
  email_domains: [domain],
  role_values: [],
  creates_people: false,
  trusts_auth_time: false,
  ...more,
});

describe.each(oneDialect)('company sign-in with a real provider on %s', (dialect) => {
  let world: World;
  let provider: RealProvider;
  let root: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect, { env });
    provider = await startProvider(() => world.now(), `${baseUrl}/sign-in/company/${world.nord}`);
    root = await signIn(world, await addSuperAdmin(world));
  });
  afterAll(async () => {
    await provider.close();
    await world.close();
  });

  it('company sign-in binds a person to their account, adds another one, and follows the role claim', async () => {
    const path = `/app/admin/companies/${world.nord}/sign-in`;
    const settings = settingsFor(provider.issuer, {
      creates_people: true,
      role_claim: 'groups',
      role_values: [{ value: 'time-admins', role: 'company_admin' }],
    });
    const savedSettings = await root.call('PUT', path, { body: settings });
    expect(savedSettings).toMatchObject({ status: 200, body: { enabled: true, has_secret: true, linked_people: 0 } });
    expect(JSON.stringify(savedSettings.body) + (await dump(world.db))).not.toContain(clientSecret);
    expect((await createBrowser(world.url).call('GET', '/app/installation')).body['company_sign_in']).toBe(true);

    const ada = { email: `ada@${domain}`, email_verified: true, given_name: 'Ada', family_name: 'Lang' };
    const lena = { email: `Lena@${domain}`, email_verified: true, given_name: 'Lena', family_name: 'Neu' };
    await provider.tell({ a1: { ...ada, groups: ['time-admins'] }, n1: lena });
    const enter = async (account: string, login: string) => {
      const browser = createBrowser(world.url);
      const { status, body } = await begin(browser, account);
      expect(status).toBe(200);
      const callback = await provider.signIn(body['url'] as string, login);
      expect(callback.origin + callback.pathname).toBe(`${baseUrl}/sign-in/company/${world.nord}`);
      const answer = await complete(browser, world.nord, callback.search.slice(1));
      expect(answer).toMatchObject({ status: 200, body: { next: 'done' } });
      // The same answer again, from the same browser.
      expect((await complete(browser, world.nord, callback.search.slice(1))).body['code']).toBe(
        'company_sign_in_invalid',
      );
      return (await browser.call('GET', '/app/session')).body as {
        person: { id: number; name: string };
        roles: unknown;
      };
    };
    const firstSession = await enter(`ADA@${domain}`, 'a1');
    expect(firstSession.person.id).toBe(world.people.ada);
    expect(JSON.stringify(firstSession)).toContain('company_admin');
    // The account decides from now on, whatever address it has; a group that is gone takes the role along.
    await provider.tell({ a1: { ...ada, email: 'lang@elsewhere.example', email_verified: false }, n1: lena });
    const secondSession = await enter('NORD', 'a1');
    expect(secondSession.person.id).toBe(world.people.ada);
    expect(JSON.stringify(secondSession)).not.toContain('company_admin');
    // There it is still Sunday.
    await world.db.write((tx) => tx.run("UPDATE companies SET time_zone = 'Pacific/Pago_Pago'"));
    const lenaSession = await enter(`lena@${domain}`, 'n1');
    expect(JSON.stringify(lenaSession.person)).toContain('Lena');
    expect((await root.call('GET', `/app/admin/people/${lenaSession.person.id}`)).body['employment_start']).toBe(
      '2026-11-22',
    );
    expect((await root.call('GET', path)).body['linked_people']).toBe(2);
    const actions = await world.db.all<{ action: string }>(
      "SELECT action FROM audit_entries WHERE action LIKE 'sign_in.%' OR action = 'company.sign_in_set' ORDER BY sequence",
    );
    expect(actions.map(({ action }) => action).filter((action) => !/password|completed/.test(action))).toEqual([
      'company.sign_in_set',
      'sign_in.linked',
      'sign_in.company',
      'sign_in.company',
      'sign_in.linked',
      'sign_in.company',
    ]);
  });
});

describe.each(oneDialect)('company sign-in on %s', (dialect) => {
  let world: World;
  let rootId: number;
  let root: Browser;
  let provider: ToldProvider;
  let otherProvider: ToldProvider;
  beforeAll(async () => {
    world = await createWorld(dialect, { env });
    rootId = await addSuperAdmin(world);
    provider = await startToldProvider(() => world.now());
    otherProvider = await startToldProvider(() => world.now());
  });
  afterAll(async () => {
    await provider.close();
    await otherProvider.close();
    await world.close();
  });
  const set = (body: object, company = world.nord) =>
    root.call('PUT', `/app/admin/companies/${company}/sign-in`, { body });
  beforeEach(async () => {
    world.advance(5 * minute);
    root = await signIn(world, rootId);
    await world.db.write(async (tx) => {
      await tx.run('DELETE FROM provider_subjects');
      await tx.run('DELETE FROM email_domains');
      await tx.run('DELETE FROM identity_providers');
    });
    expect((await set(settingsFor(provider.issuer))).status).toBe(200);
  });

  const mail = (name = 'ada') => ({ email: `${name}@${domain}`, email_verified: true });
  /** Begins in a browser. @returns what the provider gets to see */
  async function startSignIn(browser = createBrowser(world.url), account = 'nord') {
    const { body, status } = await begin(browser, account);
    expect(status).toBe(200);
    const { searchParams: parameters } = new URL(body['url'] as string);
    return { browser, state: parameters.get('state')!, nonce: parameters.get('nonce')!, parameters };
  }
  /** Begins and completes, with an ID token of these claims. */
  async function enter(
    claims: object,
    next: Omit<ToldProvider['next'], 'claims'> = {},
    personBrowser = createBrowser(world.url),
  ): Promise<Answer> {
    const { browser, state, nonce } = await startSignIn(personBrowser);
    provider.next = { claims: { nonce, ...mail(), ...claims }, ...next };
    return complete(browser, world.nord, new URLSearchParams({ code: 'c', state, iss: provider.issuer }).toString());
  }
  const actionsSince = async (id: number) =>
    (
      await world.db.all<{ action: string; details: string }>(
        'SELECT action, details FROM audit_entries WHERE sequence > :id ORDER BY sequence',
        { id },
      )
    ).map(({ action, details }) => [action, details] as const);
  const lastEntry = async () =>
    Number((await world.db.get<{ id: number }>('SELECT max(sequence) AS id FROM audit_entries'))!.id);

  it('company sign-in sends state, nonce and a code challenge, which differ each time', async () => {
    const [firstSignIn, secondSignIn] = [await startSignIn(), await startSignIn()];
    expect(Object.fromEntries(firstSignIn.parameters)).toMatchObject({
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${baseUrl}/sign-in/company/${world.nord}`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(firstSignIn.parameters.get(name)).not.toBe(secondSignIn.parameters.get(name));
    expect(await enter({})).toMatchObject({ status: 200, body: { next: 'done' } });
  });

  it.each([
    ['an ID token without a signature', {}, { alg: 'none' as const }],
    ['one that somebody else signed', {}, { key: 'strange' as const }],
    ['the nonce of another sign-in', { nonce: 'of-another' }, {}],
    ['another issuer', { iss: 'https://login.example.com' }, {}],
    ['another audience', { aud: 'somebody-else' }, {}],
    ['one that is over', { exp: 1_000_000 }, {}],
    ['a sign-in at the provider of yesterday', { auth_time: 1_000_000 }, {}],
    ['an empty subject', { sub: '' }, {}],
  ])('company sign-in refuses %s', async (_, claims, next) => {
    const answer = await enter(claims, next);
    expect([answer.status, answer.body['code']]).toEqual([401, 'company_sign_in_invalid']);
    expect(await world.db.all('SELECT * FROM provider_subjects')).toEqual([]);
  });

  it('company sign-in accepts an answer only from the browser that began, once, within ten minutes', async () => {
    const query = (state: string) => new URLSearchParams({ code: 'c', state, iss: provider.issuer }).toString();
    const ownSignIn = await startSignIn();
    provider.next = { claims: { nonce: ownSignIn.nonce, ...mail() } };
    const codesBefore = provider.codes.length;
    // A link with somebody else's answer, opened in another browser.
    const foreignSignIn = await startSignIn();
    expect((await complete(foreignSignIn.browser, world.nord, query(ownSignIn.state))).status).toBe(401);
    expect((await complete(createBrowser(world.url), world.nord, query(foreignSignIn.state))).status).toBe(401);
    expect((await complete(ownSignIn.browser, world.nord, query('cst_00000000000000000000000000000000'))).status).toBe(
      401,
    );
    const lateSignIn = await startSignIn();
    world.advance(10 * minute);
    expect((await complete(lateSignIn.browser, world.nord, query(lateSignIn.state))).status).toBe(401);
    // The provider was never asked.
    expect(provider.codes.length).toBe(codesBefore);
  });

  it('company sign-in keeps providers apart', async () => {
    expect(
      (
        await set(
          settingsFor(otherProvider.issuer, {
            address: 'sued',
            email_domains: ['sued.example'],
            client_secret: 'another',
          }),
          world.sued,
        )
      ).status,
    ).toBe(200);
    const firstSignIn = await startSignIn();
    provider.next = { claims: { nonce: firstSignIn.nonce, ...mail() } };
    const otherIssuerQuery = new URLSearchParams({
      code: 'c',
      state: firstSignIn.state,
      iss: otherProvider.issuer,
    }).toString();
    const codesBefore = [provider.codes.length, otherProvider.codes.length];
    // The answer names another issuer; or comes to the address of another company.
    expect((await complete(firstSignIn.browser, world.nord, otherIssuerQuery)).body['code']).toBe(
      'company_sign_in_invalid',
    );
    const secondSignIn = await startSignIn();
    const query = new URLSearchParams({ code: 'c', state: secondSignIn.state, iss: provider.issuer }).toString();
    expect((await complete(secondSignIn.browser, world.sued, query)).body['code']).toBe('company_sign_in_invalid');
    expect([provider.codes.length, otherProvider.codes.length]).toEqual(codesBefore);
  });

  it.each([
    ['an address that is not verified', { email_verified: false }, 'email_not_verified'],
    ['an address that is verified in words only', { email_verified: 'true' }, 'email_not_verified'],
    ['no address', { email: undefined }, 'email_missing'],
    ['an address with a line break', { email: `"a\r\nb@${domain}` }, 'email_invalid'],
    ['an address without a name', { email: `@${domain}` }, 'email_invalid'],
    ['an address that turns its letters round', { email: `\u202ex@${domain}` }, 'email_invalid'],
    ['two addresses', { email: `a,b@${domain}` }, 'email_invalid'],
    ['an address of somebody else in front', { email: `jana@evil.example@${domain}` }, 'email_invalid'],
    ['an address that is too long', { email: `${'a'.repeat(250)}@${domain}` }, 'email_invalid'],
    ['a domain of nobody', { email: 'ada@elsewhere.example' }, 'email_domain'],
    ['a subdomain', { email: `ada@mail.${domain}` }, 'email_domain'],
    ['an address of nobody', { email: `nobody@${domain}` }, 'no_person'],
    ['a super admin', { email: `rhea@${domain}` }, 'other_company'],
    ['somebody of another company', { email: `zoe@${domain}` }, 'other_company'],
  ])('company sign-in binds no person by %s', async (_, claims, reason) => {
    const lastSequence = await lastEntry();
    const answer = await enter(claims);
    expect([answer.status, answer.body['code'], reasonIn(answer)]).toEqual([403, 'company_sign_in_refused', reason]);
    const entries = await actionsSince(lastSequence);
    expect(entries.map(([action]) => action)).toEqual(['sign_in.refused']);
    expect(entries[0]![1]).toContain(reason);
    expect(await world.db.all('SELECT * FROM provider_subjects')).toEqual([]);
  });

  const names = { given_name: 'Uma', family_name: 'Neu' };
  const uma = mail('uma');
  const leo = mail('leo');
  const noEmail = { email: undefined, email_verified: undefined };
  it.each<[string, object, Readonly<Record<string, unknown>>, string | undefined]>([
    ['everything at UserInfo', noEmail, { ...uma, ...names }, undefined],
    ['everything in the ID token', { ...uma, ...names }, { email: `eve@${domain}`, given_name: 'Eve' }, undefined],
    ['the address in both, verified at UserInfo', { ...noEmail, email: uma.email, ...names }, uma, undefined],
    ['the names at UserInfo', leo, { given_name: 'Uma', family_name: 'Leo' }, undefined],
    ['another address in the ID token', { ...names, ...noEmail, email: mail('ada').email }, uma, undefined],
    [
      'the verification of another address',
      { ...noEmail, ...names, email: uma.email },
      { email_verified: true },
      'email_not_verified',
    ],
    ['a refusal in the ID token', { ...uma, ...names, email_verified: false }, uma, 'email_not_verified'],
  ])('company sign-in takes claims from their configured place: %s', async (_case, claims, userInfo, reason) => {
    expect((await set(settingsFor(provider.issuer, { creates_people: true }))).status).toBe(200);
    const browser = createBrowser(world.url);
    const answer = await enter(claims, { userInfo }, browser);
    expect([answer.status, reasonIn(answer)]).toEqual(reason === undefined ? [200, undefined] : [403, reason]);
    if (reason !== undefined) return;
    const { id } = (await browser.call('GET', '/app/session')).body['person'] as { id: number };
    const { email } = claims === leo ? leo : uma;
    expect(await findPersonAnywhere(world.db, id)).toMatchObject({ email, first_name: 'Uma' });
  });

  it('company sign-in uses the issuer of the metadata, in any spelling of the setting', async () => {
    const slashProvider = await startToldProvider(() => world.now(), {}, '/');
    const typedIssuer = slashProvider.issuer.slice(0, -1);
    await giveCredentials(world, [world.people.ben], await factorKeysOf(world, dataKey));
    expect(await set(settingsFor(typedIssuer))).toMatchObject({ status: 200, body: { issuer: slashProvider.issuer } });
    const { browser, state, nonce } = await startSignIn();
    slashProvider.next = { claims: { nonce, ...mail('ben') } };
    const query = new URLSearchParams({ code: 'c', state, iss: slashProvider.issuer }).toString();
    expect(await complete(browser, world.nord, query)).toMatchObject({ status: 200, body: { next: 'second_factor' } });
    const code = codeOf(world.people.ben, world.now());
    expect((await browser.call('POST', '/app/sign-in/second-factor', { body: { code } })).status).toBe(200);
    // Another spelling is no other provider, whether it is on or off: accounts stay bound, and the secret stays.
    const { client_secret: _, ...settings } = settingsFor(typedIssuer);
    for (const enabled of [false, true])
      expect(await set({ ...settings, enabled })).toMatchObject({ status: 200, body: { linked_people: 1 } });
    await slashProvider.close();
  });

  it('company sign-in binds a person once, and refuses leavers and super admins', async () => {
    expect((await enter({ sub: 'first' })).status).toBe(200);
    expect(reasonIn(await enter({ sub: 'second' }))).toBe('other_account');
    expect((await enter({ sub: 'first', email: undefined })).status).toBe(200);
    root = await signIn(world, rootId);
    const path = `/app/admin/people/${world.people.ada}`;
    const sessionStatus = async (browser: Browser) => (await browser.call('GET', '/app/session')).status;
    const adasBrowser = createBrowser(world.url);
    expect((await enter({ sub: 'first' }, {}, adasBrowser)).status).toBe(200);
    expect([await sessionStatus(adasBrowser), (await root.call('GET', path)).body['company_sign_in']]).toEqual([
      200,
      true,
    ]);
    expect((await root.call('DELETE', `${path}/company-sign-in`)).status).toBe(204);
    expect([await sessionStatus(adasBrowser), (await root.call('GET', path)).body['company_sign_in']]).toEqual([
      401,
      false,
    ]);
    expect((await root.call('DELETE', `${path}/company-sign-in`)).status).toBe(404);
    expect((await enter({ sub: 'second' })).status).toBe(200);
    expect(reasonIn(await enter({ sub: 'first' }))).toBe('other_account');
    await root.call('DELETE', `${path}/company-sign-in`);
    expect((await enter({ sub: 'first' })).status).toBe(200);
    await world.db.write((tx) => tx.run(`UPDATE people SET role = 'super_admin' WHERE id = ${world.people.ada}`));
    expect(reasonIn(await enter({ sub: 'first' }))).toBe('super_admin');
    await world.db.write((tx) =>
      tx.run(`UPDATE people SET role = 'employee', active = 0 WHERE id = ${world.people.ada}`),
    );
    expect(reasonIn(await enter({ sub: 'first' }))).toBe('not_active');
    // Nor does a provider that adds people bring back somebody who has left.
    await root.call('DELETE', `${path}/company-sign-in`);
    await world.db.write((tx) => tx.run('UPDATE identity_providers SET creates_people = 1'));
    expect(reasonIn(await enter({ sub: 'first' }))).toBe('not_active');
    await world.db.write((tx) => tx.run('UPDATE identity_providers SET creates_people = 0'));
    await world.db.write((tx) => tx.run(`UPDATE people SET active = 1 WHERE id = ${world.people.ada}`));
    expect((await enter({ sub: 'first' })).status).toBe(200);
    // Hired again: the account leads to the new record.
    const oldRecord = (await findPersonAnywhere(world.db, world.people.ada))!;
    await world.db.write((tx) => tx.run(`UPDATE people SET active = 0 WHERE id = ${oldRecord.id}`));
    const newId = await world.hire({ firstName: 'Ada', email: oldRecord.email! });
    const browser = createBrowser(world.url);
    expect((await enter({ sub: 'first' }, {}, browser)).status).toBe(200);
    expect((await browser.call('GET', '/app/session')).body).toMatchObject({ person: { id: newId } });
    expect((await enter({ sub: 'first' })).status).toBe(200);
    await world.db.write((tx) => tx.run(`UPDATE people SET active = 0 WHERE id = ${newId}`));
    await world.db.write((tx) => tx.run('DELETE FROM provider_subjects'));
    await world.db.write((tx) => tx.run(`UPDATE people SET active = 1 WHERE id = ${oldRecord.id}`));
  });

  it('only super admins set domains, and each domain belongs to one company', async () => {
    const boss = world.people.ben;
    await giveCredentials(world, [boss], await factorKeysOf(world, dataKey));
    await root.call('PUT', `/app/admin/people/${boss}/roles`, {
      body: { roles: [{ role: 'company_admin', company_id: world.nord }] },
    });
    const admin = await signIn(world, boss);
    const path = `/app/admin/companies/${world.nord}/sign-in`;
    const { client_secret: _, ...settings } = settingsFor(provider.issuer, { address: 'nord-hh' });
    expect((await admin.call('PUT', path, { body: settings })).body).toMatchObject({
      address: 'nord-hh',
      has_secret: true,
    });
    expect((await enterAt('nord-hh')).status).toBe(200);
    const widerSettings = { ...settings, email_domains: [domain, 'sued.example'] };
    expect((await admin.call('PUT', path, { body: widerSettings })).body['code']).toBe('forbidden');
    const suedSettings = settingsFor(otherProvider.issuer, { address: 'sued' });
    root = await signIn(world, rootId);
    expect((await set(suedSettings, world.sued)).body['code']).toBe('value_taken');
    expect((await set({ ...suedSettings, email_domains: [], address: 'nord-hh' }, world.sued)).body['code']).toBe(
      'value_taken',
    );
  });

  it.each([
    ['is switched off', { enabled: false }],
    ['has another client', { client_id: 'another' }],
    ['has other domains', { email_domains: [] }],
    ['is trusted no longer', { trusts_auth_time: false }],
  ])('sessions from a provider end once it %s', async (_, change) => {
    await set(settingsFor(provider.issuer, { trusts_auth_time: true }));
    const [adasBrowser, passwordBrowser] = [createBrowser(world.url), await signIn(world, rootId)];
    expect((await enter({}, {}, adasBrowser)).status).toBe(200);
    const sessionStatus = async (browser: Browser) => (await browser.call('GET', '/app/session')).status;
    await set(settingsFor(provider.issuer, { trusts_auth_time: true, address: 'other' }));
    expect(await sessionStatus(adasBrowser)).toBe(200);
    expect((await set(settingsFor(provider.issuer, { trusts_auth_time: true, ...change }))).status).toBe(200);
    expect([await sessionStatus(adasBrowser), await sessionStatus(passwordBrowser)]).toEqual([401, 200]);
  });

  it('a sign-in at the provider counts as a recent proof only where a super admin said so', async () => {
    const isFresh = async (claims = {}) => {
      const browser = createBrowser(world.url);
      expect((await enter(claims, {}, browser)).status).toBe(200);
      return 'second_factor_until' in (await browser.call('GET', '/app/session')).body;
    };
    expect(await isFresh()).toBe(false);
    expect((await set(settingsFor(provider.issuer, { trusts_auth_time: true }))).status).toBe(200);
    expect([await isFresh(), await isFresh({ auth_time: undefined })]).toEqual([true, false]);
    await giveCredentials(world, [world.people.cem], await factorKeysOf(world, dataKey));
    await world.db.write((tx) => tx.run(`UPDATE people SET employment_end = NULL WHERE id = ${world.people.cem}`));
    await root.call('PUT', `/app/admin/people/${world.people.cem}/roles`, {
      body: { roles: [{ role: 'company_admin', company_id: world.nord }] },
    });
    const admin = await signIn(world, world.people.cem);
    const path = `/app/admin/companies/${world.nord}/sign-in`;
    const change = (body: object) => admin.call('PUT', path, { body });
    const trust = { trusts_auth_time: true };
    expect((await change(settingsFor(provider.issuer))).body['code']).toBe('forbidden');
    expect((await change(settingsFor(provider.issuer, trust))).body['trusts_auth_time']).toBe(true);
    // Trust is in this provider, not in one that a company admin chooses.
    expect((await change(settingsFor(otherProvider.issuer, trust))).body['trusts_auth_time']).toBe(false);
    expect((await change(settingsFor(otherProvider.issuer, trust))).body['code']).toBe('forbidden');
  });

  it('a person without a password sets up a second factor once the provider counts as one', async () => {
    const enrol = async (trustsAuthTime: boolean) => {
      await set(settingsFor(provider.issuer, { creates_people: true, trusts_auth_time: trustsAuthTime }));
      const browser = createBrowser(world.url);
      expect((await enter({ ...mail('ira'), ...names }, {}, browser)).status).toBe(200);
      const { status, body } = await browser.call('POST', '/app/second-factor/enrolment');
      return { browser, answer: [status, body['code']], secret: String(body['secret']) };
    };
    expect((await enrol(false)).answer).toEqual([403, 'second_factor_required']);
    const { browser, answer, secret } = await enrol(true);
    expect(answer).toEqual([200, undefined]);
    const code = oneTimePassword(fromBase32(secret), stepAt(world.now()));
    expect((await browser.call('POST', '/app/second-factor/confirmation', { body: { code } })).status).toBe(200);
  });

  it('the metadata of a provider are read once in five minutes, and each time they are set', async () => {
    const discoveriesBefore = provider.discoveries;
    await Promise.all(Array.from({ length: 10 }, () => startSignIn()));
    expect(provider.discoveries).toBe(discoveriesBefore);
    world.advance(5 * minute);
    await startSignIn();
    expect(provider.discoveries).toBe(discoveriesBefore + 1);
    root = await signIn(world, rootId);
    await set(settingsFor(provider.issuer));
    expect(provider.discoveries).toBe(discoveriesBefore + 2);
  });

  it('a sign-in fails if its provider was switched off during the request', async () => {
    const { browser, state, nonce } = await startSignIn();
    provider.next = {
      claims: { nonce, ...mail() },
      before: async () => void (await set({ ...settingsFor(provider.issuer), enabled: false })),
    };
    const query = new URLSearchParams({ code: 'c', state, iss: provider.issuer }).toString();
    expect((await complete(browser, world.nord, query)).body['code']).toBe('company_sign_in_invalid');
    expect((await browser.call('GET', '/app/session')).status).toBe(401);
  });

  async function enterAt(account: string): Promise<Answer> {
    const { browser, state, nonce } = await startSignIn(createBrowser(world.url), account);
    provider.next = { claims: { nonce, ...mail() } };
    return complete(browser, world.nord, new URLSearchParams({ code: 'c', state, iss: provider.issuer }).toString());
  }

  it('another issuer ends all bindings, and switches company sign-in off at once', async () => {
    expect((await enter({})).status).toBe(200);
    // The secret was entered for the first provider.
    const { client_secret: _, ...settingsWithoutSecret } = settingsFor(otherProvider.issuer);
    expect(await set(settingsWithoutSecret)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'client_secret' }] },
    });
    const sameIssuerSettings = { ...settingsFor(provider.issuer), client_id: 'another', client_secret: undefined };
    expect(await set(sameIssuerSettings)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'client_secret' }] },
    });
    expect((await set(settingsFor(otherProvider.issuer))).body['linked_people']).toBe(0);
    const pendingSignIn = await startSignIn();
    await set({ ...settingsFor(otherProvider.issuer), enabled: false });
    const query = new URLSearchParams({ code: 'c', state: pendingSignIn.state, iss: otherProvider.issuer }).toString();
    expect((await complete(pendingSignIn.browser, world.nord, query)).body['code']).toBe('company_sign_in_invalid');
    for (const account of ['nord', `ada@${domain}`, 'unheard-of'])
      expect((await begin(createBrowser(world.url), account)).body['code']).toBe('company_sign_in_unknown');
  });
});

describe('an identity provider inside the network', () => {
  it('an identity provider inside the network gets no request, by its name or its metadata', async () => {
    const world = await createWorld('sqlite', {
      resolveHost: async () => [{ address: '10.0.0.7', family: 4 }],
    });
    const privateProvider = await startToldProvider(() => world.now());
    const root = await signIn(world, await addSuperAdmin(world));
    const set = (issuer: string) =>
      root.call('PUT', `/app/admin/companies/${world.nord}/sign-in`, { body: settingsFor(issuer) });
    expect((await set(privateProvider.issuer)).body['code']).toBe('invalid_request');
    expect((await set('https://127.0.0.1')).body['code']).toBe('invalid_request');
    // A public name that leads inside.
    expect((await set('https://login.clockproof.example')).body['code']).toBe('identity_provider_failed');
    await privateProvider.close();
    await world.close();
    const secondWorld = await createWorld('sqlite', { env });
    const provider = await startToldProvider(() => secondWorld.now(), { token_endpoint: 'http://192.0.2.1/token' });
    const admin = await signIn(secondWorld, await addSuperAdmin(secondWorld));
    const answer = await admin.call('PUT', `/app/admin/companies/${secondWorld.nord}/sign-in`, {
      body: settingsFor(provider.issuer),
    });
    expect(answer.body['code']).toBe('identity_provider_failed');
    await provider.close();
    await secondWorld.close();
  });
});
