/**
 * Each way to become somebody, as the table names it: walked with one proof too few, then as it is meant. Nobody gets in
 * unproved, what the table ends has ended, and the person is told once, by a notice and by an e-mail.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createInvitation } from '../../src/access/one-time-links.js';
import { countRecoveryCodes, findOneTimeLink, hasSecondFactor } from '../../src/access/rows.js';
import { createRecoveryCodes, giveUpSealedFactor } from '../../src/access/second-factor/second-factor.js';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { hashOfSecret } from '../../src/access/secrets.js';
import { type WayName, waysIn } from '../../src/access/ways-in.js';
import { inviteSuperAdmin, resetPerson } from '../../src/commands/admin.js';
import type { SealingKeys } from '../../src/store/sealing/sealing-keys.js';
import {
  addSuperAdmin,
  type Browser,
  codeOf,
  createBrowser,
  factorKeysOf,
  fromBase32,
  giveCredentials,
  password,
  signIn,
} from '../browser.js';
import { clientSecret, startToldProvider, type ToldProvider } from '../identity-provider.js';
import { createWorld, dataKey, minute, type World } from '../world.js';

const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@b.example' };
const newPassword = 'eleven brave herons dive';

interface Member {
  readonly id: number;
  readonly email: string;
  /** A session from before. */
  readonly session: Browser | undefined;
  /** The token of a one-time link from before. */
  readonly link: string;
}

describe('the table of ways in', () => {
  const ways: [string, { readonly ends: readonly string[]; readonly tells?: string }][] = Object.entries(waysIn);

  it('only set-up, first password, account creation and deactivation notify nobody', () => {
    const silentWays = ways.filter(([, { tells }]) => tells === undefined).map(([name]) => name);
    expect(silentWays).toEqual(['setUp', 'firstPassword', 'accountCreation', 'deactivation']);
  });

  it('each way that ends second factors ends the password, account, sessions and links too', () => {
    for (const [, { ends }] of ways.filter(([, way]) => way.ends.includes('factors')))
      expect(ends).toEqual(expect.arrayContaining(['password', 'account', 'sessions', 'links']));
  });
});

describe.each(oneDialect)('a way in on %s', (dialect) => {
  let world: World;
  let keys: SealingKeys;
  let provider: ToldProvider;
  let boss: Browser;
  let bossId: number;
  let count = 0;

  beforeAll(async () => {
    world = await createWorld(dialect, { env });
    keys = await factorKeysOf(world, dataKey);
    provider = await startToldProvider(() => world.now());
    const root = await signIn(world, await addSuperAdmin(world));
    bossId = await hirePerson('company_admin');
    await giveCredentials(world, [bossId], keys);
    const answer = await root.call('PUT', `/app/admin/companies/${world.nord}/sign-in`, {
      body: {
        enabled: true,
        address: 'nord',
        issuer: provider.issuer,
        client_id: 'clockproof',
        client_secret: clientSecret,
        email_domains: ['clockproof.example'],
        role_claim: 'groups',
        role_values: [{ value: 'leads', role: 'approver' }],
        creates_people: true,
        trusts_auth_time: false,
      },
    });
    expect(answer.status).toBe(200);
  });
  afterAll(async () => {
    await provider.close();
    await world.close();
  });

  const write = <Result>(effect: Parameters<typeof world.service.store.write<Result>>[1]) => world.write(effect);
  const needs = () => ({ randomBytes: world.randomBytes, keys, baseUrl: 'http://localhost:8080' });
  const hirePerson = (role: 'employee' | 'company_admin' = 'employee') => {
    count++;
    return world.hire({ firstName: 'Mia', lastName: `Moor${count}`, email: `mia${count}@clockproof.example`, role });
  };

  /** @param credentials what the person signs in with */
  async function addMember(
    credentials: { password?: boolean; app?: boolean; passkey?: boolean; account?: boolean } = {},
  ) {
    const { password: hasPassword = true, app = hasPassword, passkey = false, account = false } = credentials;
    const id = await hirePerson();
    const email = `mia${count}@clockproof.example`;
    if (hasPassword) await giveCredentials(world, [id], keys);
    const session = hasPassword ? await signIn(world, id) : undefined;
    await world.db.write(async (tx) => {
      if (!app)
        await tx.run('UPDATE credentials SET totp_enrolled_at = NULL, totp_sealed = NULL WHERE person_id = :id', {
          id,
        });
      if (passkey)
        await tx.run(
          "INSERT INTO passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at) VALUES (:key, :id, :key, :nothing, 0, '[]', 'Phone', 1)",
          { id, key: `pky_${id}`, nothing: new Uint8Array(1) },
        );
      if (account)
        await tx.run(
          'INSERT INTO provider_subjects (company_id, issuer, subject, person_id, created_at) VALUES (:company, :issuer, :subject, :id, 1)',
          { company: world.nord, issuer: provider.issuer, subject: `account of ${email}`, id },
        );
    });
    const { token: link } = await write((tx) =>
      createInvitation(tx, { personId: id, companyId: world.nord, email: null }, needs()),
    );
    return { id, email, session, link };
  }

  const changesOf = async (id: number) =>
    (
      await world.db.all<{ facts: string }>(
        "SELECT facts FROM notices WHERE person_id = :id AND kind = 'access_changed' ORDER BY id",
        { id },
      )
    ).map(({ facts }) => (JSON.parse(facts) as { change: string }).change);
  const mailsOf = (id: number) =>
    world.db.all<{ facts: string; address: string | null }>(
      "SELECT facts, address FROM mail_outbox WHERE person_id = :id AND kind = 'notice' ORDER BY id",
      { id },
    );
  const expectNoNotice = async ({ id }: Member) => expect(await changesOf(id)).toEqual([]);
  const isInside = async (browser: Browser, id: number) => {
    const { status, body } = await browser.call('GET', '/app/session');
    return status === 200 && (body['person'] as { id: number }).id === id;
  };
  const enterPassword = async ({ email }: Member, secret = password) => {
    const browser = createBrowser(world.url);
    await browser.call('POST', '/app/sign-in', { body: { email, password: secret } });
    return browser;
  };
  /** Whoever has a session at the password step tries to set up a factor of their own. */
  async function enrol(browser: Browser) {
    const { status, body } = await browser.call('POST', '/app/second-factor/enrolment');
    if (status !== 200) return [status, body['code']];
    const code = oneTimePassword(fromBase32(body['secret'] as string), stepAt(world.now()));
    return [(await browser.call('POST', '/app/second-factor/confirmation', { body: { code } })).status];
  }
  const accept = (browser: Browser, token: string) =>
    browser.call('POST', '/app/invitation/accept', { body: { token, password: newPassword } });
  /** As the provider has it: an account with this address. */
  async function signInThroughProvider({ email }: Pick<Member, 'email'>, claims: object = {}) {
    const browser = createBrowser(world.url);
    const start = await browser.call('POST', '/app/sign-in/company', { body: { account: 'nord' } });
    const parameters = new URL(start.body['url'] as string).searchParams;
    provider.next = {
      claims: { nonce: parameters.get('nonce'), sub: `account of ${email}`, email, email_verified: true, ...claims },
    };
    const query = new URLSearchParams({ code: 'c', state: parameters.get('state')!, iss: provider.issuer }).toString();
    const answer = await browser.call('POST', '/app/sign-in/company/completion', {
      body: { company_id: world.nord, query },
    });
    return { browser, answer };
  }
  const prove = (browser: Browser, code: string) =>
    browser.call('POST', '/app/sign-in/second-factor', { body: { code } });
  const proofLifetime = 15 * minute;
  /** An admin whose proof is too old, then one with a fresh one. */
  async function callAsAdmin(victim: Member, method: string, path: string, body?: object) {
    boss = await signIn(world, bossId);
    world.advance(proofLifetime);
    const call = { ...(body === undefined ? {} : { body }) };
    const refusal = await boss.call(method, path, call);
    expect([refusal.status, refusal.body['code']]).toEqual([403, 'second_factor_required']);
    await expectNoNotice(victim);
    boss = await signIn(world, bossId);
    const answer = await boss.call(method, path, call);
    expect([200, 201]).toContain(answer.status);
    return answer;
  }

  /** @returns browsers that may not be inside as this person */
  type Walk = () => Promise<{ readonly victim: Member; readonly outsiders: readonly Browser[] }>;
  const walks: Readonly<Record<WayName, Walk>> = {
    async setUp() {
      const browser = createBrowser(world.url);
      const body = {
        first_name: 'Eve',
        last_name: 'First',
        email: 'eve@clockproof.example',
        password: newPassword,
        company: { name: 'Eve GmbH', time_zone: 'Europe/Berlin', country: 'DE' },
      };
      const token = world.service.setUpLink!.split('#')[1]!;
      // There is a super admin: the link of the first start is none any more.
      expect((await browser.call('POST', '/app/set-up', { body: { ...body, token } })).body['code']).toBe(
        'one_time_link_invalid',
      );
      const emptyWorld = await createWorld(dialect, { env });
      const firstBrowser = createBrowser(emptyWorld.url);
      const setUpToken = emptyWorld.service.setUpLink!.split('#')[1]!;
      const answer = await firstBrowser.call('POST', '/app/set-up', { body: { ...body, token: setUpToken } });
      expect(answer).toMatchObject({ status: 201, body: { next: 'enrol' } });
      expect(await emptyWorld.db.all("SELECT * FROM one_time_links WHERE kind = 'set_up'")).toEqual([]);
      expect(await emptyWorld.db.all('SELECT * FROM notices')).toEqual([]);
      await emptyWorld.close();
      return { victim: await addMember(), outsiders: [browser] };
    },
    async firstPassword() {
      const victim = await addMember({ password: false });
      const browser = createBrowser(world.url);
      expect((await accept(browser, 'inv_of-nobody')).body['code']).toBe('one_time_link_invalid');
      expect((await accept(createBrowser(world.url), victim.link)).body).toEqual({ next: 'enrol' });
      return { victim, outsiders: [browser] };
    },
    async passwordByLink() {
      const victim = await addMember();
      const browser = createBrowser(world.url);
      const { body } = await callAsAdmin(victim, 'POST', `/app/admin/people/${victim.id}/invitation`);
      const link = (body['url'] as string).split('#')[1]!;
      expect((await accept(browser, link)).body).toEqual({ next: 'second_factor' });
      expect((await enrol(browser))[0]).toBe(409);
      return { victim, outsiders: [browser, await enterPassword(victim), await enterPassword(victim, newPassword)] };
    },
    async passwordChange() {
      const victim = await addMember();
      const session = await signIn(world, victim.id);
      const change = (currentPassword: string) =>
        session.call('PUT', '/app/password', {
          body: { current_password: currentPassword, new_password: newPassword },
        });
      expect((await change('a guess of a thief')).status).toBe(401);
      await expectNoNotice(victim);
      expect((await change(password)).status).toBe(204);
      return { victim, outsiders: [await enterPassword(victim)] };
    },
    async resetByCommand() {
      const victim = await addMember({ account: true });
      const browserBefore = await enterPassword(victim);
      await write((tx) => resetPerson(tx, victim.email, needs()));
      return {
        victim,
        outsiders: [browserBefore, await enterPassword(victim), (await signInThroughProvider(victim)).browser],
      };
    },
    async resetByAdmin() {
      const victim = await addMember({ account: true });
      const browserBefore = await enterPassword(victim);
      const { body } = await callAsAdmin(victim, 'DELETE', `/app/admin/people/${victim.id}/second-factor`);
      // What the first sign-in of a stranger would be refused for.
      const { answer, browser } = await signInThroughProvider(victim);
      expect([answer.status, answer.body['details']]).toEqual([403, [expect.objectContaining({ code: 'reset' })]]);
      const browserAfter = await enterPassword(victim);
      // The link alone leads back in.
      const owner = createBrowser(world.url);
      expect((await accept(owner, (body['url'] as string).split('#')[1]!)).body).toEqual({ next: 'enrol' });
      return { victim, outsiders: [browserBefore, browserAfter, browser] };
    },
    async resetByLostKey() {
      const victim = await addMember();
      const browserBefore = await enterPassword(victim);
      await write((tx) => giveUpSealedFactor(tx, { person_id: victim.id, company_id: world.nord, has_app: 1 }));
      return { victim, outsiders: [browserBefore, await enterPassword(victim)] };
    },
    async appByLostKey() {
      const victim = await addMember({ passkey: true });
      await write((tx) => giveUpSealedFactor(tx, { person_id: victim.id, company_id: world.nord, has_app: 1 }));
      const browser = await enterPassword(victim);
      expect(await enrol(browser)).toEqual([403, 'second_factor_required']);
      return { victim, outsiders: [browser] };
    },
    async accountLink() {
      const victim = await addMember();
      const thief = await signInThroughProvider(victim, { groups: ['leads'] });
      expect(thief.answer).toMatchObject({ status: 200, body: { next: 'second_factor' } });
      expect((await prove(thief.browser, '000000')).status).toBe(401);
      expect((await enrol(thief.browser))[0]).toBe(409);
      await expectNoNotice(victim);
      const owner = await signInThroughProvider(victim, { groups: ['leads'] });
      world.advance(30_000);
      // With the roles come two notices; this one comes without.
      const plainSignIn = await signInThroughProvider(victim);
      expect((await prove(plainSignIn.browser, codeOf(victim.id, world.now()))).status).toBe(200);
      expect(await isInside(plainSignIn.browser, victim.id)).toBe(true);
      world.advance(30_000);
      // The account is bound: another sign-in that waited binds nothing.
      expect((await prove(owner.browser, codeOf(victim.id, world.now()))).status).toBe(403);
      // The provider says when they signed in there; that is no proof of the factor here.
      const laterSignIn = await signInThroughProvider(victim, { auth_time: Math.floor(world.now() / 1_000) });
      expect(laterSignIn.answer.body).toEqual({ next: 'done' });
      expect((await laterSignIn.browser.call('POST', '/app/second-factor/recovery-codes')).body['code']).toBe(
        'second_factor_required',
      );
      return { victim, outsiders: [thief.browser, owner.browser] };
    },
    async accountCreation() {
      const email = `new${count++}@clockproof.example`;
      const unverifiedSignIn = await signInThroughProvider(
        { email },
        { given_name: 'Noa', family_name: 'Neu', email_verified: false },
      );
      const { browser } = await signInThroughProvider({ email }, { given_name: 'Noa', family_name: 'Neu' });
      const { id } = (await browser.call('GET', '/app/session')).body['person'] as { id: number };
      return { victim: { id, email, session: undefined, link: '' }, outsiders: [unverifiedSignIn.browser] };
    },
    async factorAddition() {
      const guardedPerson = await addMember({ app: false, passkey: true, account: true });
      const thief = await enterPassword(guardedPerson);
      expect(await enrol(thief)).toEqual([403, 'second_factor_required']);
      expect((await thief.call('POST', '/app/second-factor/passkeys/creation')).status).toBe(403);
      const barePerson = await addMember({ app: false, account: true });
      const { browser } = await signInThroughProvider(barePerson);
      expect(await enrol(browser)).toEqual([403, 'second_factor_required']);
      await expectNoNotice(guardedPerson);
      await expectNoNotice(barePerson);
      const victim = await addMember({ app: false });
      expect(await enrol(await enterPassword(victim))).toEqual([200]);
      return { victim, outsiders: [thief] };
    },
    async factorRemoval() {
      const victim = await addMember();
      const session = await signIn(world, victim.id);
      world.advance(30_000);
      const removeFactor = (secret: string, code: string) =>
        session.call('POST', '/app/second-factor/removal', { body: { password: secret, code } });
      expect((await removeFactor('a guess of a thief', codeOf(victim.id, world.now()))).status).toBe(401);
      expect((await removeFactor(password, '000000')).status).toBe(401);
      await expectNoNotice(victim);
      expect((await removeFactor(password, codeOf(victim.id, world.now()))).status).toBe(200);
      return { victim, outsiders: [] };
    },
    async recoveryCode() {
      const victim = await addMember();
      const [code] = await write((tx) =>
        createRecoveryCodes(tx, { personId: victim.id, companyId: world.nord, keys }, world.randomBytes),
      );
      const browser = await enterPassword(victim);
      const use = (recovery_code: string) =>
        browser.call('POST', '/app/sign-in/second-factor', { body: { recovery_code } });
      expect((await use('AAAAA-AAAAA')).status).toBe(401);
      await expectNoNotice(victim);
      expect((await use(code!)).status).toBe(200);
      expect(await countRecoveryCodes(world.db, victim.id)).toBe(9);
      return { victim, outsiders: [await enterPassword(victim)] };
    },
    async recoveryCodes() {
      const victim = await addMember();
      const session = await signIn(world, victim.id);
      world.advance(proofLifetime);
      expect((await session.call('POST', '/app/second-factor/recovery-codes')).status).toBe(403);
      await expectNoNotice(victim);
      const freshSession = await signIn(world, victim.id);
      expect((await freshSession.call('POST', '/app/second-factor/recovery-codes')).status).toBe(200);
      return { victim, outsiders: [] };
    },
    async emailChange() {
      const victim = await addMember();
      const email = `of-the-thief${count}@clockproof.example`;
      await callAsAdmin(victim, 'PATCH', `/app/admin/people/${victim.id}`, { email });
      expect((await mailsOf(victim.id)).map(({ address }) => address)).toEqual([victim.email]);
      expect(await isInside(victim.session!, victim.id)).toBe(true);
      // The same address again, in other letters, is no change.
      world.advance(proofLifetime);
      expect(
        (await boss.call('PATCH', `/app/admin/people/${victim.id}`, { body: { email: email.toUpperCase() } })).status,
      ).toBe(200);
      return { victim, outsiders: [await enterPassword({ ...victim, email })] };
    },
    async roles() {
      const victim = await addMember();
      const path = `/app/admin/people/${victim.id}/roles`;
      await callAsAdmin(victim, 'PUT', path, { roles: [{ role: 'approver', company_id: world.nord }] });
      expect((await boss.call('PUT', path, { body: { roles: [{ role: 'super_admin' }] } })).status).toBe(403);
      // The same roles again are no change.
      const sameRoles = { roles: [{ role: 'approver', company_id: world.nord }] };
      expect((await boss.call('PUT', path, { body: sameRoles })).status).toBe(200);
      return { victim, outsiders: [] };
    },
    async rolesByProvider() {
      const victim = await addMember({ account: true });
      expect((await signInThroughProvider(victim, { groups: ['super_admin', 'others'] })).answer.status).toBe(200);
      await expectNoNotice(victim);
      expect((await signInThroughProvider(victim, { groups: ['leads'] })).answer.status).toBe(200);
      expect((await signInThroughProvider(victim, { groups: ['leads'] })).answer.status).toBe(200);
      return { victim, outsiders: [] };
    },
    async deactivation() {
      const victim = await addMember();
      boss = await signIn(world, bossId);
      const path = `/app/admin/people/${victim.id}`;
      const body = { employment_end: '2026-11-22' };
      expect((await boss.call('POST', `${path}/deactivation`, { body })).status).toBe(200);
      expect((await boss.call('POST', `${path}/reactivation`)).status).toBe(200);
      const browser = createBrowser(world.url);
      expect((await accept(browser, victim.link)).body['code']).toBe('one_time_link_invalid');
      return { victim, outsiders: [browser] };
    },
    async superAdminByCommand() {
      const victim = await addMember();
      await write((tx) =>
        inviteSuperAdmin(tx, { email: victim.email, name: undefined, companyId: undefined }, needs()),
      );
      return { victim, outsiders: [await enterPassword(victim)] };
    },
  };

  it.each(Object.keys(waysIn) as WayName[])(
    'a way in admits no person with one proof too few, and notifies the person once: %s',
    async (name) => {
      const { ends, tells }: { ends: readonly string[]; tells?: string } = waysIn[name];
      const { victim, outsiders } = await walks[name]();
      for (const browser of outsiders) {
        expect((await enrol(browser))[0]).not.toBe(200);
        expect(await isInside(browser, victim.id)).toBe(false);
      }
      const changes = tells === undefined ? [] : [tells];
      expect(await changesOf(victim.id)).toEqual(changes);
      expect((await mailsOf(victim.id)).map(({ facts }) => (JSON.parse(facts) as { change: string }).change)).toEqual(
        changes,
      );
      if (ends.includes('password')) {
        const answer = await createBrowser(world.url).call('POST', '/app/sign-in', {
          body: { email: victim.email, password },
        });
        expect(answer.status).toBe(401);
      }
      if (ends.includes('factors')) expect(await hasSecondFactor(world.db, victim.id)).toBe(false);
      if (ends.includes('account'))
        expect(await world.db.all('SELECT * FROM provider_subjects WHERE person_id = :id', { id: victim.id })).toEqual(
          [],
        );
      if (ends.includes('links'))
        expect(await findOneTimeLink(world.db, hashOfSecret(victim.link), 'invitation', world.now())).toBeUndefined();
      // Whoever's session lasts has used it in the last half hour.
      if (victim.session !== undefined)
        expect(await isInside(victim.session, victim.id)).toBe(!ends.includes('sessions'));
    },
  );
});
