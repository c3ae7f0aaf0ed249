import { oneDialect } from '@clockproof/platform/testing/databases';
import { hour, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPasswords } from '../../src/access/password.js';
import { insertOneTimeLink } from '../../src/access/rows.js';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { hashOfSecret } from '../../src/access/secrets.js';
import { deviceOf } from '../../src/access/sessions.js';
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
  password,
  secretOf,
  signIn,
} from '../browser.js';
import { createWorld, dataKey, type World } from '../world.js';

describe.each(oneDialect)('signing in on %s', (dialect) => {
  let world: World;
  let root: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    root = await addSuperAdmin(world, { companyId: world.nord });
    await giveCredentials(
      world,
      [world.people.ada, world.people.ben, world.people.zoe, root],
      await factorKeysOf(world, dataKey),
    );
  });
  afterEach(() => world.close());
  const session = (browser: Browser) => browser.call('GET', '/app/session');

  it('sign-in takes a password and a second factor, and gives a new token at each step', async () => {
    const browser = createBrowser(world.url);
    browser.cookies.set('session', `cps_${'A'.repeat(32)}`);
    const answer = await browser.call('POST', '/app/sign-in', { body: { email: 'Ada@Clockproof.example', password } });
    expect([answer.status, answer.body]).toEqual([200, { next: 'second_factor' }]);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^session=cps_[0-9A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
    const halfToken = browser.cookies.get('session')!;
    expect(halfToken).not.toBe(`cps_${'A'.repeat(32)}`);
    for (const path of ['/app/session', '/app/sessions'])
      expect((await browser.call('GET', path)).body).toMatchObject({ code: 'unauthorized' });
    world.advance(30 * second);
    expect(
      (
        await browser.call('POST', '/app/sign-in/second-factor', {
          body: { code: codeOf(world.people.ada, world.now()) },
        })
      ).body,
    ).toEqual({ next: 'done' });
    const fullToken = browser.cookies.get('session')!;
    expect(fullToken).not.toBe(halfToken);
    expect((await session(browser)).body).toMatchObject({
      person: { id: world.people.ada, name: 'Ada Lang' },
      company: { id: world.nord },
      language: 'en',
      roles: [],
    });
    browser.cookies.set('session', halfToken);
    expect((await session(browser)).body).toMatchObject({ code: 'unauthorized' });
    browser.cookies.set('session', fullToken);
    await browser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    browser.cookies.set('session', fullToken);
    expect((await session(browser)).body).toMatchObject({ code: 'token_revoked' });
  });

  it('sign-in answers an unknown address, a wrong password and a person without one alike', async () => {
    const browser = createBrowser(world.url);
    const bodies: unknown[] = [];
    for (const body of [
      { email: 'nobody@clockproof.example', password },
      { email: 'ada@clockproof.example', password: `${password}!` },
      { email: 'cem@clockproof.example', password },
    ]) {
      const answer = await browser.call('POST', '/app/sign-in', { body });
      bodies.push([answer.status, { ...answer.body, request_id: '' }, answer.headers.get('set-cookie')]);
      world.advance(3 * second);
    }
    expect(bodies[0]).toMatchObject([401, { code: 'credentials_invalid' }, null]);
    expect([bodies[1], bodies[2]]).toEqual([bodies[0], bodies[0]]);
    expect(
      await world.db.all("SELECT subject FROM audit_entries WHERE action = 'sign_in.refused' ORDER BY sequence"),
    ).toEqual([{ subject: null }, { subject: `person ${world.people.ada}` }, { subject: null }]);
  });

  it('a code works once, within one step of now, none older than the newest, and one of two at once', async () => {
    const firstBrowser = await signIn(world, world.people.ben);
    const prove = (browser: Browser, offset: number) =>
      browser.call('POST', '/app/second-factor/proof', {
        body: { code: codeOf(world.people.ben, world.now(), offset) },
      });
    for (const offset of [0, -1, -2, 2])
      expect((await prove(firstBrowser, offset)).body).toMatchObject({ code: 'second_factor_invalid' });
    expect((await prove(firstBrowser, 1)).status).toBe(200);
    expect((await prove(firstBrowser, 1)).body).toMatchObject({ code: 'second_factor_invalid' });
    world.advance(16 * minute);
    const replica = await world.replica();
    const secondBrowser = createBrowser(replica.url);
    secondBrowser.cookies.set('session', firstBrowser.cookies.get('session')!);
    const code = codeOf(world.people.ben, world.now());
    const answers = await Promise.all(
      [firstBrowser, secondBrowser].map((browser) =>
        browser.call('POST', '/app/second-factor/proof', { body: { code } }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401]);
    world.advance(hour);
  });

  it('guessing of the second factor stops after ten tries in fifteen minutes, for that person alone', async () => {
    const browser = createBrowser(world.url);
    world.advance(hour);
    for (let index = 0; index < 10; index++) {
      if (index % 5 === 0)
        await browser.call('POST', '/app/sign-in', { body: { email: 'zoe@clockproof.example', password } });
      const rightCode = codeOf(world.people.zoe, world.now());
      expect(
        (
          await browser.call('POST', '/app/sign-in/second-factor', {
            body: { code: rightCode === '000000' ? '111111' : '000000' },
          })
        ).body,
      ).toMatchObject({ code: 'second_factor_invalid' });
      world.advance(10 * second);
    }
    const answer = await browser.call('POST', '/app/sign-in/second-factor', {
      body: { code: codeOf(world.people.zoe, world.now()) },
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '800']);
    await signIn(world, world.people.ada);
    world.advance(13 * minute);
    expect(
      (
        await browser.call('POST', '/app/sign-in/second-factor', {
          body: { code: codeOf(world.people.zoe, world.now()) },
        })
      ).status,
    ).toBe(200);
  });

  it('a right code resets the count of wrong ones', async () => {
    world.advance(hour);
    for (let round = 0; round < 2; round++) {
      const browser = createBrowser(world.url);
      await browser.call('POST', '/app/sign-in', { body: { email: 'zoe@clockproof.example', password } });
      const attempt = (code: string) => browser.call('POST', '/app/sign-in/second-factor', { body: { code } });
      for (let index = 0; index < 9; index++)
        expect((await attempt(codeOf(world.people.zoe, world.now()) === '000000' ? '111111' : '000000')).status).toBe(
          401,
        );
      expect((await attempt(codeOf(world.people.zoe, world.now()))).status).toBe(200);
      world.advance(minute);
    }
  });

  it('a session ends after half an hour without use and after twelve hours in all', async () => {
    const browser = await signIn(world, world.people.ada);
    const end = world.now() + 12 * hour;
    for (; world.now() + 29 * minute < end; world.advance(29 * minute))
      expect((await session(browser)).status).toBe(200);
    expect((await session(browser)).status).toBe(200);
    world.set(end - second);
    expect((await session(browser)).status).toBe(200);
    world.advance(second);
    expect((await session(browser)).body).toMatchObject({ code: 'token_expired' });
    const idleBrowser = await signIn(world, world.people.ada);
    world.advance(30 * minute);
    expect((await session(idleBrowser)).body).toMatchObject({ code: 'token_expired' });
  });

  const setRole = (role: string) =>
    world.db.write((tx) => tx.run('UPDATE people SET role = :role WHERE id = :ada', { role, ada: world.people.ada }));

  it.each([
    ['the time of the company', 240, 'employee', undefined, 240],
    ['the shortest time of all companies in which the person has a role', 240, 'company_admin', 60, 60],
    ['half an hour for a super admin', 240, 'super_admin', undefined, 30],
  ])('an idle session ends after %s', async (_, companyMinutes, role, otherMinutes, expectedMinutes) => {
    const setIdle = (id: number, minutes: number) =>
      world.db.write((tx) => tx.run('UPDATE companies SET idle_minutes = :minutes WHERE id = :id', { minutes, id }));
    await setIdle(world.nord, companyMinutes);
    if (otherMinutes !== undefined) {
      await setIdle(world.sued, otherMinutes);
      await world.db.write((tx) =>
        tx.run("INSERT INTO role_grants (person_id, role, company_id) VALUES (:id, 'approver', :sued)", {
          id: world.people.ada,
          sued: world.sued,
        }),
      );
    }
    await setRole(role);
    const browser = await signIn(world, world.people.ada);
    const halfwayBrowser = createBrowser(world.url);
    await halfwayBrowser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    world.advance((expectedMinutes - 1) * minute);
    expect((await session(browser)).status).toBe(200);
    expect((await browser.call('GET', '/app/sessions')).body['data']).toContainEqual(
      expect.objectContaining({ current: true }),
    );
    world.advance(expectedMinutes * minute);
    expect((await session(browser)).body).toMatchObject({ code: 'token_expired' });
    expect(
      (await halfwayBrowser.call('POST', '/app/sign-in/second-factor', { body: { code: '000000' } })).body,
    ).toMatchObject({ code: 'token_expired' });
    await setIdle(world.nord, 30);
    await setRole('employee');
    await world.db.write((tx) => tx.run('DELETE FROM role_grants WHERE person_id = :id', { id: world.people.ada }));
  });

  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    ['curl/8.5.0', 'curl'],
    ['Mozilla/5.0 (compatible)', null],
    ['<b>/1', null],
    [undefined, null],
  ])('the list of sessions calls %s %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it('a person lists sessions, ends one, ends the others, and signs out', async () => {
    const firstBrowser = await signIn(world, world.people.ada);
    world.advance(minute);
    const secondBrowser = await signIn(world, world.people.ada);
    world.advance(minute);
    const thirdBrowser = await signIn(world, world.people.ada);
    world.advance(minute);
    const list = (await firstBrowser.call('GET', '/app/sessions')).body['data'] as {
      id: string;
      current: boolean;
      device: string;
    }[];
    expect(list.map(({ current, device }) => [current, device])).toEqual([
      [true, 'Firefox on Linux'],
      [false, 'Firefox on Linux'],
      [false, 'Firefox on Linux'],
    ]);
    const bensBrowser = await signIn(world, world.people.ben);
    const bensSessionId = ((await bensBrowser.call('GET', '/app/sessions')).body['data'] as { id: string }[])[0]!.id;
    expect((await firstBrowser.call('DELETE', `/app/sessions/${bensSessionId}`)).body).toMatchObject({
      code: 'not_found',
    });
    expect((await firstBrowser.call('DELETE', `/app/sessions/${list[1]!.id}`)).status).toBe(204);
    expect((await session(thirdBrowser)).body).toMatchObject({ code: 'token_revoked' });
    expect((await firstBrowser.call('DELETE', '/app/sessions')).status).toBe(204);
    expect((await session(secondBrowser)).body).toMatchObject({ code: 'token_revoked' });
    const signOut = await firstBrowser.call('POST', '/app/sign-out');
    expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([
      204,
      'session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect(firstBrowser.cookies.has('session')).toBe(false);
    expect((await session(bensBrowser)).status).toBe(200);
  });

  it('a password change ends every other session, and keeps this one with a new token', async () => {
    const [firstBrowser, secondBrowser] = [
      await signIn(world, world.people.ada),
      await signIn(world, world.people.ada),
    ];
    const tokenBefore = firstBrowser.cookies.get('session');
    const change = (current_password: string, new_password: string) =>
      firstBrowser.call('PUT', '/app/password', { body: { current_password, new_password } });
    expect((await change('wrong', 'seven quiet herons wade')).body).toMatchObject({ code: 'credentials_invalid' });
    expect((await change(password, 'Password2026')).body).toMatchObject({ code: 'password_refused' });
    expect((await change(password, 'seven quiet herons wade')).status).toBe(204);
    expect(firstBrowser.cookies.get('session')).not.toBe(tokenBefore);
    expect([(await session(firstBrowser)).status, (await session(secondBrowser)).status]).toEqual([200, 401]);
    expect((await change('seven quiet herons wade', password)).status).toBe(204);
  });

  it('the service accepts changes from its own pages only', async () => {
    const browser = await signIn(world, world.people.ada);
    const change = (headers: Record<string, string | null>) =>
      browser.call('PATCH', '/app/profile', { body: { language: 'de' }, headers });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: null, 'sec-fetch-site': null },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: `${baseUrl}.evil.example` },
      { origin: null, 'sec-fetch-site': 'none' },
    ]) {
      const answer = await change(headers);
      expect([headers, answer.status, answer.body['code']]).toEqual([headers, 403, 'origin_refused']);
    }
    expect(
      (
        await createBrowser(world.url).call('POST', '/app/sign-in', {
          body: { email: 'ada@clockproof.example', password },
          headers: { origin: 'https://evil.example' },
        })
      ).body,
    ).toMatchObject({ code: 'origin_refused' });
    expect((await change({})).body).toMatchObject({ language: 'de' });
    expect((await change({ 'sec-fetch-site': null })).status).toBe(200);
    const preflight = await browser.call('OPTIONS', '/app/profile', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'PATCH' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('an invitation works once: password, second factor, recovery codes', async () => {
    const admin = await signIn(world, root);
    const invite = async (id: number) => admin.call('POST', `/app/admin/people/${id}/invitation`);
    expect((await invite(world.people.cem)).body).toMatchObject({ code: 'employment_ended' });
    const dora = await world.hire({
      companyId: world.sued,
      firstName: 'Dora',
      lastName: 'Neu',
      email: 'dora@clockproof.example',
      language: 'de',
    });
    const firstUrl = (await invite(dora)).body['url'] as string;
    const url = (await invite(dora)).body['url'] as string;
    expect(url).toMatch(/^http:\/\/localhost:8080\/invitation#inv_[0-9A-Za-z]{32}$/);
    const token = url.split('#')[1]!;
    const browser = createBrowser(world.url);
    const accept = (body: object) => browser.call('POST', '/app/invitation/accept', { body });
    expect(
      (await browser.call('POST', '/app/invitation/check', { body: { token: firstUrl.split('#')[1]! } })).body,
    ).toMatchObject({ code: 'one_time_link_invalid' });
    expect((await browser.call('POST', '/app/invitation/check', { body: { token } })).body).toMatchObject({
      first_name: 'Dora',
      company_name: 'Südwind Energie AG',
    });
    expect((await accept({ token, password: 'dora neu dora neu' })).body).toMatchObject({ code: 'password_refused' });
    expect((await accept({ token, password })).body).toEqual({ next: 'enrol' });
    expect((await accept({ token, password })).body).toMatchObject({ code: 'one_time_link_invalid' });
    expect((await session(browser)).status).toBe(401);

    const enrolment = (await browser.call('POST', '/app/second-factor/enrolment')).body as {
      secret: string;
      uri: string;
    };
    expect(enrolment.uri).toBe(
      `otpauth://totp/Clockproof:dora%40clockproof.example?secret=${enrolment.secret}&issuer=Clockproof&algorithm=SHA1&digits=6&period=30`,
    );
    const code = () => oneTimePassword(fromBase32(enrolment.secret), stepAt(world.now()));
    const confirm = (value: string) =>
      browser.call('POST', '/app/second-factor/confirmation', { body: { code: value } });
    expect((await confirm(code() === '000000' ? '111111' : '000000')).body).toMatchObject({
      code: 'second_factor_invalid',
    });
    const confirmation = await confirm(code());
    const codes = confirmation.body['recovery_codes'] as string[];
    expect(codes).toHaveLength(10);
    expect((await session(browser)).body).toMatchObject({ person: { name: 'Dora Neu' } });
    expect((await browser.call('POST', '/app/second-factor/enrolment')).body).toMatchObject({
      code: 'second_factor_enrolled',
    });

    const secondBrowser = createBrowser(world.url);
    const recover = async (recovery_code: string) => {
      await secondBrowser.call('POST', '/app/sign-in', { body: { email: 'dora@clockproof.example', password } });
      return secondBrowser.call('POST', '/app/sign-in/second-factor', { body: { recovery_code } });
    };
    expect((await recover(codes[0]!)).body).toEqual({ next: 'done', recovery_codes_left: 9 });
    expect((await recover(codes[0]!)).body).toMatchObject({ code: 'second_factor_invalid' });
    expect((await recover(codes[1]!.toLowerCase().replace('-', ''))).body).toEqual({
      next: 'done',
      recovery_codes_left: 8,
    });
    world.advance(16 * minute);
    expect((await secondBrowser.call('POST', '/app/second-factor/recovery-codes')).body).toMatchObject({
      code: 'second_factor_required',
    });
    await secondBrowser.call('POST', '/app/second-factor/proof', { body: { code: code() } });
    const newCodes = (await secondBrowser.call('POST', '/app/second-factor/recovery-codes')).body[
      'recovery_codes'
    ] as string[];
    expect((await recover(codes[2]!)).body).toMatchObject({ code: 'second_factor_invalid' });
    expect((await recover(newCodes[2]!)).status).toBe(200);

    world.advance(30 * second);
    const removal = await secondBrowser.call('POST', '/app/second-factor/removal', {
      body: { password, code: code() },
    });
    expect(removal.body).toEqual({ next: 'enrol' });
    // Codes that were left would be a second factor nobody has set up.
    expect(await world.db.all('SELECT hash FROM recovery_codes WHERE person_id = :dora', { dora })).toEqual([]);
    expect([(await session(secondBrowser)).status, (await session(browser)).status]).toEqual([401, 401]);
    const database = await dump(world.db);
    for (const secret of [
      token,
      password,
      enrolment.secret,
      fromBase32(enrolment.secret).toString('hex'),
      ...codes,
      ...newCodes,
      ...codes.map((code) => code.replace('-', '')),
      secondBrowser.cookies.get('session')!,
    ])
      expect(database).not.toContain(secret);
  });

  it('an admin resets a second factor with their own fresh one, and never that of a super admin', async () => {
    const boss = await world.hire({
      firstName: 'Bo',
      lastName: 'Boss',
      email: 'bo@clockproof.example',
      role: 'company_admin',
      language: 'de',
    });
    await giveCredentials(world, [boss], await factorKeysOf(world, dataKey));
    const admin = await signIn(world, boss);
    const reset = (browser: Browser, id: number) => browser.call('DELETE', `/app/admin/people/${id}/second-factor`);
    expect((await reset(admin, root)).body).toMatchObject({ code: 'forbidden' });
    expect((await reset(admin, world.people.zoe)).body).toMatchObject({ code: 'not_found' });
    expect((await reset(await signIn(world, world.people.ada), world.people.ben)).body).toMatchObject({
      code: 'forbidden',
    });
    const bensBrowser = await signIn(world, world.people.ben);
    world.advance(15 * minute);
    expect((await reset(admin, world.people.ben)).body).toMatchObject({ code: 'second_factor_required' });
    expect(
      (await admin.call('POST', '/app/second-factor/proof', { body: { code: codeOf(boss, world.now()) } })).status,
    ).toBe(200);
    expect(await reset(admin, world.people.ben)).toMatchObject({ status: 200, body: { mailed: false } });
    expect((await session(bensBrowser)).body).toMatchObject({ code: 'token_revoked' });
    expect(
      (
        await createBrowser(world.url).call('POST', '/app/sign-in', {
          body: { email: 'ben@clockproof.example', password },
        })
      ).body,
    ).toMatchObject({ code: 'credentials_invalid' });
    await giveCredentials(world, [world.people.ben], await factorKeysOf(world, dataKey));
  });

  it('a sign-in renews the hash of a password that was made with other parameters', async () => {
    const oldHash = await createPasswords({ memoryKiB: 512, passes: 1, lanes: 1 }).hash(password);
    await world.db.write((tx) =>
      tx.run('UPDATE credentials SET password_hash = :oldHash WHERE person_id = :id', {
        oldHash,
        id: world.people.ben,
      }),
    );
    await signIn(world, world.people.ben);
    const { password_hash: newHash } = (await world.db.get<{ password_hash: string }>(
      'SELECT password_hash FROM credentials WHERE person_id = :id',
      { id: world.people.ben },
    ))!;
    expect([oldHash.split('$')[3], newHash.split('$')[3]]).toEqual(['m=512,t=1,p=1', 'm=1024,t=1,p=1']);
    await signIn(world, world.people.ben);
  });

  it('sessions end with the person', async () => {
    const browser = await signIn(world, world.people.zoe);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :id', { id: world.people.zoe }));
    expect((await session(browser)).body).toMatchObject({ code: 'token_revoked' });
    expect(
      (
        await createBrowser(world.url).call('POST', '/app/sign-in', {
          body: { email: 'zoe@clockproof.example', password },
        })
      ).body,
    ).toMatchObject({ code: 'credentials_invalid' });
    await world.db.write((tx) => tx.run('UPDATE people SET active = 1 WHERE id = :id', { id: world.people.zoe }));
  });

  it('second factors sealed before DATA_KEY was set keep working', async () => {
    await giveCredentials(world, [world.people.zoe], await factorKeysOf(world));
    await signIn(world, world.people.zoe);
    expect(await dump(world.db)).not.toContain(Buffer.from(secretOf(world.people.zoe)).toString('hex'));
  });
});

describe('a new installation', () => {
  it('a new installation is set up once, with the link', async () => {
    const world = await createWorld('sqlite');
    const link = world.service.setUpLink!;
    expect(link).toMatch(/^http:\/\/localhost:8080\/set-up#stp_[0-9A-Za-z]{32}$/);
    const replica = await world.replica();
    const browser = createBrowser(world.url);
    const body = (token: string) => ({
      token,
      first_name: 'Maren',
      last_name: 'Claasen',
      email: 'maren@clockproof.example',
      password,
      company: { name: 'Westwerk KG', time_zone: 'Europe/Berlin', country: 'DE' },
    });
    expect((await browser.call('GET', '/app/installation')).body).toMatchObject({
      set_up_needed: true,
      languages: ['de', 'en'],
    });
    expect((await browser.call('POST', '/app/set-up', { body: body(`stp_${'0'.repeat(32)}`) })).body).toMatchObject({
      code: 'one_time_link_invalid',
    });
    expect(
      (
        await browser.call('POST', '/app/set-up', {
          body: {
            ...body(link.split('#')[1]!),
            company: { name: 'Westwerk KG', time_zone: 'Europe/Nowhere', country: 'DE' },
          },
        })
      ).status,
    ).toBe(400);
    const answers = await Promise.all(
      [link, replica.setUpLink!].map((setUpLink) =>
        browser.call('POST', '/app/set-up', { body: body(setUpLink.split('#')[1]!) }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 404]);
    // Not even by a link that was left over.
    const leftOverToken = `stp_${'1'.repeat(32)}`;
    await world.db.write((tx) =>
      insertOneTimeLink(tx, {
        hash: hashOfSecret(leftOverToken),
        kind: 'set_up',
        person_id: null,
        created_at: world.now(),
        expires_at: world.now() + hour,
      }),
    );
    const secondSetUp = {
      ...body(leftOverToken),
      email: 'other@clockproof.example',
      company: { ...body('').company, name: 'B' },
    };
    expect((await browser.call('POST', '/app/set-up', { body: secondSetUp })).body).toMatchObject({
      code: 'one_time_link_invalid',
    });
    expect((await browser.call('GET', '/app/installation')).body).toMatchObject({ set_up_needed: false });
    expect((await world.replica()).setUpLink).toBeUndefined();
    await world.close();
  });

  it('a new installation delays sign-ins from a failing address for a minute, while its sessions work', async () => {
    const world = await createWorld('sqlite');
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const signedInBrowser = await signIn(world, world.people.ada);
    const browser = createBrowser(world.url);
    const credentials = { email: 'ada@clockproof.example', password };
    for (let index = 0; index < 30; index++)
      expect(
        (await browser.call('POST', '/app/sign-in', { body: { ...credentials, password: `${index}` } })).status,
      ).toBe(401);
    for (const body of [{ ...credentials, password: 'x' }, credentials]) {
      const answer = await browser.call('POST', '/app/sign-in', { body });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    }
    expect((await signedInBrowser.call('GET', '/app/session')).status).toBe(200);
    expect((await world.call('GET', '/api/v1/users', { key: world.reader.key })).status).toBe(200);
    for (let index = 0; index < 40; index++)
      expect((await createBrowser(world.url).call('GET', '/app/session')).status).toBe(401);
    world.advance(minute);
    expect((await browser.call('POST', '/app/sign-in', { body: credentials })).status).toBe(200);
    await world.close();
  });

  it('cookie names of an installation behind https cannot be set by other sites', async () => {
    const world = await createWorld('sqlite', { env: { BASE_URL: 'https://time.clockproof.example' } });
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const answer = await createBrowser(world.url).call('POST', '/app/sign-in', {
      body: { email: 'ada@clockproof.example', password },
      headers: { origin: 'https://time.clockproof.example' },
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-session=cps_[0-9A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/,
    );
    await world.close();
  });
});
