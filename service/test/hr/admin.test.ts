import { append, emptyFrontier, leafHash, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import { createLog } from '@clockproof/platform/log';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, minute } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { insertAccessToken, insertLink } from '../../src/access/oauth/rows.js';
import { hashOfSecret } from '../../src/access/secrets.js';
import { runVerify } from '../../src/commands/verify.js';
import {
  appOperations,
  scopes as everyScope,
  linkScopes,
  operations,
  type Scope,
} from '../../src/generated/contract.js';
import { sealAll } from '../../src/store/seal.js';
import { type Browser, createBrowser, dump, factorKeysOf, giveCredentials, password, secretOf } from '../browser.js';
import { addApp, consent, exchange, link, post, renew } from '../linking.js';
import { allScopes, createWorld, dataKey, type World } from '../world.js';

async function addCast(world: World): Promise<{ readonly root: number; readonly boss: number; readonly lead: number }> {
  const person = (firstName: string, role: 'super_admin' | 'company_admin' | 'approver') =>
    world.hire({ firstName, lastName: 'Chef', email: `${firstName}@clockproof.example`, role });
  const cast = {
    root: await person('Rhea', 'super_admin'),
    boss: await person('Bo', 'company_admin'),
    lead: await person('Lea', 'approver'),
  };
  await giveCredentials(
    world,
    [...Object.values(cast), world.people.ada, world.people.ben, world.people.zoe],
    await factorKeysOf(world, dataKey),
  );
  return cast;
}

describe.each(oneDialect)('administration on %s', (dialect) => {
  let world: World;
  let cast: { root: number; boss: number; lead: number };
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    cast = await addCast(world);
  });
  afterEach(() => world.close());
  const signInAsAdmin = async () => (root = await world.as(cast.root));
  const create = (body: object) => root.call('POST', '/app/admin/extensions', { body });
  const baseExtension = { mode: 'api', scopes: ['read:users', 'write:clock'], acting: 'everyone' } as const;
  const listUsers = (key: string) => world.call('GET', '/api/v1/users', { key });

  it('an admin creates, changes and deletes an extension, whose key is shown once', async () => {
    await signInAsAdmin();
    const creation = (
      await create({
        ...baseExtension,
        name: 'Roster',
        description: 'Plans shifts',
        company_id: world.nord,
        linking: true,
        redirect_uris: ['https://app.example/cb'],
        link_lifetime_days: 30,
      })
    ).body as { key: string; extension: { id: string; keys: { prefix: string }[] } };
    expect(creation.extension).toMatchObject({
      name: 'Roster',
      description: 'Plans shifts',
      acting: 'everyone',
      company_id: world.nord,
      linking: true,
      link_lifetime_days: 30,
      links: 0,
      keys: [{ current: true, prefix: creation.key.slice(0, 16) }],
    });
    const path = `/app/admin/extensions/${creation.extension.id}`;
    expect((await listUsers(creation.key)).status).toBe(200);
    const change = (body: object) => root.call('PATCH', path, { body });
    expect(
      (await change({ scopes: ['read:clock_states'], description: null, link_lifetime_days: 90 })).body,
    ).toMatchObject({ scopes: ['read:clock_states'], link_lifetime_days: 90 });
    expect((await listUsers(creation.key)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await root.call('GET', path)).body).not.toHaveProperty('description');
    const extensions = (await root.call('GET', '/app/admin/extensions?limit=500')).body['data'] as { name: string }[];
    expect(extensions.map((row) => row.name)).toEqual(['Auditor', 'Planner', 'Reader', 'Roster', 'Souther']);
    expect((await create({ ...baseExtension, name: 'Roster', company_id: world.nord })).body).toMatchObject({
      code: 'value_taken',
    });
    const personalLink = await link(
      world,
      {
        id: creation.extension.id,
        clientId: String((await root.call('GET', path)).body['client_id']),
        key: creation.key,
      },
      world.people.ada,
      ['read:clock_states'],
    );
    const links = (await root.call('GET', `${path}/links`)).body['data'] as { id: string; person: { name: string } }[];
    expect(links).toMatchObject([{ person: { name: 'Ada Lang' }, scopes: ['read:clock_states'] }]);
    await signInAsAdmin();
    expect((await root.call('DELETE', `${path}/links/lnk_0000`)).body).toMatchObject({ code: 'not_found' });
    expect(
      (await root.call('DELETE', `/app/admin/extensions/${world.reader.id}/links/${links[0]!.id}`)).body,
    ).toMatchObject({ code: 'not_found' });
    expect((await root.call('DELETE', path)).status).toBe(204);
    expect((await root.call('GET', path)).body).toMatchObject({ code: 'not_found' });
    for (const key of [creation.key, personalLink.access_token])
      expect((await world.call('GET', '/api/v1/clock/states', { key })).body).toMatchObject({ code: 'token_revoked' });
    expect((await create({ ...baseExtension, name: 'Roster', company_id: world.nord })).status).toBe(201);
  });

  it.each([
    ['acting for everyone without a company', { ...baseExtension }, 'extension_incomplete', 'company_id'],
    [
      'linking without an address',
      { ...baseExtension, company_id: 1, linking: true },
      'extension_incomplete',
      'redirect_uris',
    ],
    [
      'webhooks without an address',
      { ...baseExtension, company_id: 1, mode: 'webhooks' },
      'extension_incomplete',
      'webhook_url',
    ],
    [
      'an address without webhooks',
      { ...baseExtension, company_id: 1, webhook_url: 'https://a.example' },
      'extension_incomplete',
      'webhook_url',
    ],
    [
      'http to another computer',
      { ...baseExtension, company_id: 1, redirect_uris: ['https://a.example/cb', 'http://a.example/cb'] },
      'redirect_uri_refused',
      'redirect_uris[1]',
    ],
    [
      'a scheme without a dot',
      { ...baseExtension, company_id: 1, redirect_uris: ['myapp:/cb'] },
      'redirect_uri_refused',
      'redirect_uris[0]',
    ],
    [
      'a fragment',
      { ...baseExtension, company_id: 1, redirect_uris: ['https://a.example/cb#x'] },
      'redirect_uri_refused',
      'redirect_uris[0]',
    ],
    [
      'javascript',
      { ...baseExtension, company_id: 1, redirect_uris: ['javascript:alert(1)'] },
      'redirect_uri_refused',
      'redirect_uris[0]',
    ],
    [
      'a user name',
      { ...baseExtension, company_id: 1, redirect_uris: ['https://app.example@evil.example/cb'] },
      'redirect_uri_refused',
      'redirect_uris[0]',
    ],
    [
      'a webhook over http',
      { ...baseExtension, company_id: 1, mode: 'webhooks', webhook_url: 'http://a.example' },
      'target_refused',
      undefined,
    ],
    ['29 days', { ...baseExtension, company_id: 1, link_lifetime_days: 29 }, 'invalid_request', 'link_lifetime_days'],
    ['366 days', { ...baseExtension, company_id: 1, link_lifetime_days: 366 }, 'invalid_request', 'link_lifetime_days'],
    ['an unknown company', { ...baseExtension, company_id: 424242 }, 'invalid_request', 'company_id'],
    [
      'a key that has ended',
      { ...baseExtension, company_id: 1, expires_at: '2020-01-01T00:00:00Z' },
      'invalid_request',
      'expires_at',
    ],
    ['an unknown member', { ...baseExtension, company_id: 1, client_id: 'cli_mine' }, 'invalid_request', 'client_id'],
  ])('the administration refuses %s', async (title, body, code, field) => {
    await signInAsAdmin();
    const { mode, acting, scopes, ...settings } = body as typeof body & { company_id?: number };
    const answer = await create({
      name: `Bad: ${title}`,
      mode,
      acting,
      scopes,
      ...settings,
      ...(settings.company_id === 1 ? { company_id: world.nord } : {}),
    });
    expect(answer.body).toMatchObject({ code, ...(field === undefined ? {} : { details: [{ field }] }) });
  });

  it('the administration accepts redirect addresses of this computer and of apps', async () => {
    await signInAsAdmin();
    const redirect_uris = [
      'http://localhost:3000/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:8000/cb',
      'com.example.app:/callback',
      'https://app.example/cb?x=1',
    ];
    expect(
      (await create({ ...baseExtension, name: 'Addresses', company_id: world.nord, linking: true, redirect_uris }))
        .body,
    ).toMatchObject({ extension: { redirect_uris } });
  });

  it('an admin rotates a key with an overlap, ends the previous one early, and lets a key expire', async () => {
    await signInAsAdmin();
    const creation = (
      await create({
        ...baseExtension,
        name: 'Rotating',
        company_id: world.nord,
        expires_at: formatInstant(world.now() + 10 * day),
      })
    ).body as { key: string; extension: { id: string } };
    const path = `/app/admin/extensions/${creation.extension.id}`;
    const rotate = async (body: object) =>
      (await root.call('POST', `${path}/key`, { body })).body as { key: string; previous_ends_at: string };
    const pastExpiry = { body: { expires_at: formatInstant(world.now()) } };
    expect(await root.call('POST', `${path}/key`, pastExpiry)).toMatchObject({ status: 400 });
    const secondKey = await rotate({ overlap_hours: 1 });
    expect(secondKey.previous_ends_at).toBe(formatInstant(world.now() + hour));
    for (const key of [creation.key, secondKey.key]) expect((await listUsers(key)).status).toBe(200);
    expect(((await root.call('GET', path)).body['keys'] as { current: boolean }[]).map((key) => key.current)).toEqual([
      true,
      false,
    ]);
    world.advance(hour);
    expect((await listUsers(creation.key)).body).toMatchObject({ code: 'token_revoked' });
    await signInAsAdmin();
    const thirdKey = await rotate({});
    const fourthKey = await rotate({ expires_at: formatInstant(world.now() + day) });
    expect((await listUsers(secondKey.key)).body).toMatchObject({ code: 'token_revoked' });
    expect([(await listUsers(thirdKey.key)).status, (await listUsers(fourthKey.key)).status]).toEqual([200, 200]);
    expect((await root.call('DELETE', `${path}/previous-key`)).status).toBe(204);
    expect((await listUsers(thirdKey.key)).body).toMatchObject({ code: 'token_revoked' });
    world.advance(day);
    expect((await listUsers(fourthKey.key)).body).toMatchObject({ code: 'token_expired' });
  });

  it('an admin takes a scope away on every replica at once', async () => {
    const replica = await world.replica();
    await signInAsAdmin();
    const creation = (await create({ ...baseExtension, name: 'Shrinking', company_id: world.nord })).body as {
      key: string;
      extension: { id: string };
    };
    const stamp = () =>
      fetch(`${replica.url}/api/v1/clock/in`, {
        method: 'POST',
        headers: { authorization: `Bearer ${creation.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: world.people.ben }),
      });
    expect((await stamp()).status).toBe(200);
    await root.call('PATCH', `/app/admin/extensions/${creation.extension.id}`, { body: { scopes: ['read:users'] } });
    expect((await stamp()).status).toBe(403);
  });

  it('keys and switches need a fresh second factor', async () => {
    await signInAsAdmin();
    world.advance(15 * minute);
    const path = `/app/admin/extensions/${world.reader.id}`;
    const answers = [
      await create({ ...baseExtension, name: 'Stale', company_id: world.nord }),
      await root.call('PATCH', path, { body: { name: 'Stale' } }),
      await root.call('POST', `${path}/key`, { body: {} }),
      await root.call('DELETE', path),
      await root.call('PATCH', '/app/admin/access', { body: { terminals: false } }),
      await root.call('GET', '/app/admin/audit/export?from=2026-11-01&to=2026-11-30'),
    ];
    expect(answers.map((answer) => answer.body['code'])).toEqual(Array(6).fill('second_factor_required'));
  });

  it('switching writes off ends links and strips scopes, and switching on restores nothing', async () => {
    const app = await addApp(world, 'Switched');
    const appLink = await link(world, app, world.people.ada, ['read:clock_states', 'write:clock']);
    await signInAsAdmin();
    const switchAccess = (body: object) => root.call('PATCH', '/app/admin/access', { body });
    expect((await root.call('GET', '/app/admin/access')).body).toMatchObject({
      extensions_write: true,
      personal_links: true,
      terminals: true,
      data_key: true,
    });
    expect((await switchAccess({ terminals: false })).body).toMatchObject({
      access: { extensions_write: true, personal_links: true, terminals: false, changed_by: { id: cast.root } },
      ended_links: 0,
      stripped_keys: 0,
    });
    const outcome = (await switchAccess({ extensions_write: false })).body as {
      ended_links: number;
      stripped_keys: number;
    };
    expect(outcome).toMatchObject({
      access: { extensions_write: false, personal_links: false, changed_at: formatInstant(world.now()) },
      ended_links: 1,
    });
    expect(outcome.stripped_keys).toBeGreaterThan(2);
    expect((await world.call('GET', '/api/v1/me', { key: appLink.access_token })).body).toMatchObject({
      code: 'token_revoked',
    });
    expect((await world.call('GET', '/api/v1/status')).body).toMatchObject({
      features: { people_writes: false, personal_links: false },
    });
    expect(
      (await root.call('PATCH', `/app/admin/extensions/${app.id}`, { body: { scopes: ['write:clock'] } })).body,
    ).toMatchObject({ code: 'feature_disabled' });
    expect((await create({ ...baseExtension, name: 'Too early', company_id: world.nord })).body).toMatchObject({
      code: 'feature_disabled',
    });
    await switchAccess({ extensions_write: true, personal_links: true, terminals: true });
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: world.souther.key, body: { user_id: world.people.zoe } }))
        .body,
    ).toMatchObject({ code: 'insufficient_scope' });
    expect((await renew(world, app, appLink.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    await world.db.write((tx) =>
      tx.run('UPDATE extensions SET scopes = :scopes WHERE deleted_at IS NULL', { scopes: JSON.stringify(allScopes) }),
    );
  });

  it('the audit log is filtered, and a company admin sees only their own company', async () => {
    await signInAsAdmin();
    const creation = (await create({ ...baseExtension, name: 'Roster', company_id: world.nord })).body as {
      extension: { id: string };
    };
    await root.call('PATCH', `/app/admin/extensions/${creation.extension.id}`, { body: { scopes: ['read:users'] } });
    const readLog = async (browser: Browser, query: string) =>
      (await browser.call('GET', `/app/admin/audit?from=2026-11-01&to=2026-12-31&${query}`)).body['data'] as {
        sequence: number;
        action: string;
        company_id?: number;
        actor: { kind: string; id?: string; name: string };
        subject?: { kind: string; id: string; name?: string };
      }[];
    const entries = await readLog(root, 'limit=500');
    expect(entries.map((row) => row.sequence)).toEqual([...entries.map((row) => row.sequence)].sort((a, b) => b - a));
    expect(
      new Set((await readLog(root, 'action=extension.&limit=500')).map((entry) => entry.action.split('.')[0])),
    ).toEqual(new Set(['extension']));
    const [change] = await readLog(root, 'action=extension.changed&limit=1');
    expect(change).toMatchObject({
      actor: { kind: 'person', id: String(cast.root), name: 'Rhea Chef' },
      subject: { kind: 'extension' },
      changes: [{ member: 'scopes' }],
    });
    const entriesOfBen = await readLog(root, `user_id=${world.people.ben}&limit=500`);
    expect(entriesOfBen.length).toBeGreaterThan(0);
    expect(
      entriesOfBen.every(
        (entry) =>
          (entry.subject?.kind === 'person' &&
            entry.subject.id === String(world.people.ben) &&
            entry.subject.name === 'Ben Kurz') ||
          entry.actor.id === String(world.people.ben),
      ),
    ).toBe(true);
    expect(
      (await readLog(root, `actor_id=${cast.root}&limit=500`)).every((entry) => entry.actor.id === String(cast.root)),
    ).toBe(true);
    expect(
      new Set((await readLog(root, `company_id=${world.sued}&limit=500`)).map((entry) => entry.company_id)),
    ).toEqual(new Set([world.sued]));
    const boss = await world.as(cast.boss);
    expect(new Set((await readLog(boss, 'limit=500')).map((entry) => entry.company_id))).toEqual(new Set([world.nord]));
    expect(
      (await boss.call('GET', `/app/admin/audit?from=2026-11-01&to=2026-11-30&company_id=${world.sued}`)).body,
    ).toMatchObject({ code: 'not_found' });
    for (const query of [
      'from=2026-11-02&to=2026-11-01',
      'from=2026-01-01&to=2027-01-02',
      'from=2026-02-30&to=2026-03-01',
    ])
      expect((await root.call('GET', `/app/admin/audit?${query}`)).body).toMatchObject({ code: 'invalid_request' });
    expect((await root.call('GET', '/app/admin/audit?from=2026-01-01&to=2027-01-01')).status).toBe(200);
    const sequences: number[] = [];
    for (let cursor = ''; ; ) {
      const page = (
        await root.call('GET', `/app/admin/audit?from=2026-11-01&to=2026-12-31&limit=7&action=sign_in.${cursor}`)
      ).body as { data: { sequence: number }[]; next_cursor: string | null };
      sequences.push(...page.data.map((row) => row.sequence));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(sequences).toEqual(
      (await readLog(root, 'action=sign_in.&limit=500'))
        .map((entry) => entry.sequence)
        .filter((sequence) => sequences.includes(sequence)),
    );
    expect(new Set(sequences).size).toBe(sequences.length);
  });

  it('the exported log can be checked elsewhere, and the service checks its log', async () => {
    await signInAsAdmin();
    const { store } = world.service;
    await sealAll(store, () => world.now());
    const answer = await root.call('GET', '/app/admin/audit/export?from=2026-11-01&to=2027-10-31');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'attachment; filename="audit-2026-11-01-2027-10-31.ndjson"',
    ]);
    const lines = String(answer.body['text'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { place: number; mac: string; canonical: string })
      .sort((a, b) => a.place - b.place);
    let tree = emptyFrontier;
    for (const { place, mac, canonical } of lines) {
      expect(mac).toBe(`hmac-sha256:${store.sign!(canonical)}`);
      tree = append(tree, leafHash(Buffer.from(`${canonical} ${mac}`)));
      expect(place).toBe(tree.size);
    }
    expect(lines.length).toBeGreaterThan(10);
    const exportHead = `${tree.size}:${rootOf(tree).toString('hex')}`;
    expect((await runVerify(world.db, { head: exportHead })).exitCode).toBe(0);
    const report = await runVerify(world.db, {});
    expect(report).toMatchObject({
      exitCode: 0,
      text: expect.stringMatching(
        /^audit log intact: [0-9]+ entries\nrecords intact: [0-9]+ checked[\s\S]*\nhead [0-9]+:[0-9a-f]{64}$/,
      ),
    });
    const head = report.text.split('head ')[1]!;
    expect((await runVerify(world.db, { head })).exitCode).toBe(0);
    expect(await runVerify(world.db, { head: head.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })).toMatchObject(
      { exitCode: 1 },
    );
    expect(await runVerify(world.db, { head: `9${head}` })).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('it ends before entry number 9'),
    });
  });

  it('the log has all settings of an extension and their changes, without the query of a webhook address', async () => {
    await signInAsAdmin();
    const settings = {
      mode: 'webhooks',
      scopes: ['read:users', 'write:clock'],
      acting: 'everyone',
      name: 'Recorded',
      description: 'Plans',
      company_id: world.nord,
      absences_count_as_approved: true,
      linking: true,
      redirect_uris: ['https://app.example/cb'],
      link_lifetime_days: 30,
    } as const;
    const creation = (
      await create({
        ...settings,
        webhook_url: 'https://hooks.example/in?token=hush',
        expires_at: '2027-11-01T00:00:00Z',
      })
    ).body as { extension: { id: string } };
    const path = `/app/admin/extensions/${creation.extension.id}`;
    expect(
      (
        await root.call('PATCH', path, {
          body: {
            name: 'Renamed',
            absences_count_as_approved: false,
            webhook_url: 'https://hooks.example/in?token=other',
            scopes: ['read:users'],
          },
        })
      ).status,
    ).toBe(200);
    expect((await root.call('DELETE', path)).status).toBe(204);
    const entries = (
      await root.call('GET', '/app/admin/audit?from=2026-11-01&to=2026-12-31&action=extension.&limit=500')
    ).body['data'] as {
      action: string;
      subject: { id: string };
      changes: { member: string; old?: string; new?: string }[];
    }[];
    const [deletion, update, addition] = entries.filter((entry) => entry.subject.id === creation.extension.id);
    expect(deletion).toMatchObject({ action: 'extension.deleted', changes: [{ member: 'name', new: 'Renamed' }] });
    expect(update).toMatchObject({
      action: 'extension.changed',
      changes: [
        { member: 'name', old: 'Recorded', new: 'Renamed' },
        { member: 'scopes', old: '["read:users","write:clock"]', new: '["read:users"]' },
        { member: 'absences_count_as_approved', old: 'true', new: 'false' },
        { member: 'webhook_url', old: 'https://hooks.example/in?…', new: 'https://hooks.example/in?…' },
      ],
    });
    expect(addition?.action).toBe('extension.added');
    expect(Object.fromEntries(addition!.changes.map((change) => [change.member, change.new]))).toEqual({
      ...Object.fromEntries(
        Object.entries(settings).map(([member, value]) => [
          member,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
      webhook_url: 'https://hooks.example/in?…',
      key_reads: 'linked_people',
      key_expires_at: '2027-11-01T00:00:00Z',
    });
    expect(JSON.stringify(entries)).not.toMatch(/hush|token=/);
  });

  it('an operation of another role is refused', async () => {
    const visitor = createBrowser(world.url);
    const passwordBrowser = createBrowser(world.url);
    await passwordBrowser.call('POST', '/app/sign-in', { body: { email: 'ada@clockproof.example', password } });
    const browsers = {
      signed_in: await world.as(world.people.ada),
      approver: await world.as(cast.lead),
      company_admin: await world.as(cast.boss),
      super_admin: await world.as(cast.root),
    };
    // Who is here is shown to everybody only where the company wants it.
    await browsers.super_admin.call('PATCH', `/app/admin/companies/${world.nord}`, {
      body: { colleagues_see: 'absences_and_presence' },
    });
    // Requests are shown to those who decide them, and a substitute needs no role.
    const day = new Date(world.now()).toISOString().slice(0, 10);
    const substitute = { user_id: world.people.ada, start_date: day, end_date: day };
    expect((await browsers.approver.call('POST', '/app/me/substitutes', { body: substitute })).status).toBe(201);
    const order = ['signed_in', 'approver', 'company_admin', 'super_admin'] as const;
    // No body, so nothing is done: a caller who may come in reads what is missing.
    for (const [id, { method, path, role }] of Object.entries(appOperations)) {
      if (['signOut', 'endOtherSessions', 'endSession'].includes(id) || role === 'anyone') continue;
      const target = path.replaceAll(/\{[a-z_]+\}/g, '424242');
      const ask = async (browser: Browser) => (await browser.call(method.toUpperCase(), target)).body['code'];
      const code = await ask(visitor);
      expect([id, code]).toEqual([id, 'unauthorized']);
      if (role === 'password_passed') continue;
      expect([id, await ask(passwordBrowser)]).toEqual([id, 'unauthorized']);
      // A stream is open to everyone who is signed in, and does not end.
      if (id === 'followChanges') continue;
      for (const caller of order) {
        const answerCode = await ask(browsers[caller]);
        if (order.indexOf(caller) < order.indexOf(role as (typeof order)[number]))
          expect([id, caller, answerCode]).toEqual([id, caller, 'forbidden']);
        else
          expect([id, caller, answerCode === 'forbidden' || answerCode === 'unauthorized']).toEqual([
            id,
            caller,
            false,
          ]);
      }
    }
  });
});

describe('the table of scopes', () => {
  it('each operation accepts exactly its scopes and credentials', async () => {
    const world = await createWorld('sqlite');
    await addCast(world);
    const app = await addApp(world, 'Every', { linkDays: 365 });
    const appLink = await link(world, app, world.people.ada, linkScopes);
    const setScopes = (extensionId: string, scopes: readonly Scope[]) =>
      world.db.write((tx) =>
        tx.run('UPDATE extensions SET scopes = :scopes WHERE id = :id', {
          scopes: JSON.stringify(scopes),
          id: extensionId,
        }),
      );
    const table = Object.entries(operations).filter(([, operation]) =>
      operation.security.some(
        (schemes: readonly string[]) => schemes.includes('apiKey') || schemes.includes('personalLink'),
      ),
    );
    expect(table.length).toBeGreaterThan(15);
    let cells = 0;
    const scopeSets = [
      [],
      everyScope,
      ...everyScope.flatMap((scope) => [[scope], everyScope.filter((other) => other !== scope)]),
    ];
    for (const scopes of scopeSets) {
      // Refused credentials close the address for a minute; the access token lives an hour.
      world.advance(45_000);
      await setScopes(world.planner.id, scopes);
      await setScopes(app.id, scopes);
      for (const [id, { method, path, scope, security, ...rest }] of table) {
        const sufficientScopes = [scope, 'ownScope' in rest ? rest.ownScope : null].filter(
          (candidate) => candidate !== null,
        );
        const schemes = security.flat() as string[];
        for (const kind of ['key', 'link', 'none'] as const) {
          if (kind === 'none' && scopes.length > 0) continue;
          if (kind === 'none') world.advance(3_000);
          const key = kind === 'key' ? world.planner.key : kind === 'link' ? appLink.access_token : undefined;
          // A body of the wrong form: a caller who gets past authentication is refused before anything changes.
          const answer = await world.call(method.toUpperCase(), path.replace('{id}', '1'), {
            ...(key === undefined ? {} : { key }),
            ...(method === 'get' || method === 'delete' ? {} : { body: { nonsense: true } }),
          });
          const acceptsKind = kind !== 'none' && schemes.includes(kind === 'key' ? 'apiKey' : 'personalLink');
          const expectedStatus =
            answer.status === 501
              ? 501
              : kind === 'none'
                ? 401
                : !acceptsKind || (scope !== null && !sufficientScopes.some((candidate) => scopes.includes(candidate)))
                  ? 403
                  : 'in';
          if (kind !== 'none' && !acceptsKind && answer.status !== 501)
            expect([id, kind, answer.body['code']]).toEqual([id, kind, 'wrong_credential_kind']);
          const actualStatus =
            [401, 403, 501].includes(answer.status) && answer.body['code'] !== 'connection_mode_mismatch'
              ? answer.status
              : 'in';
          expect([id, kind, scopes, actualStatus]).toEqual([id, kind, scopes, expectedStatus]);
          cells++;
        }
      }
    }
    expect(cells).toBeGreaterThan(400);
    await world.close();
  });
});

describe('an installation without extensions', () => {
  it('administration, connection and linking are absent without extensions, and reading remains', async () => {
    const world = await createWorld('sqlite', { env: { EXTENSIONS_ENABLED: 'false' } });
    const { root } = await addCast(world);
    const admin = await world.as(root);
    for (const [method, path] of [
      ['GET', '/app/admin/extensions'],
      ['POST', '/app/admin/extensions'],
      ['GET', `/app/admin/extensions/${world.reader.id}`],
      ['GET', `/app/admin/extensions/${world.reader.id}/deliveries`],
      ['GET', '/app/linked-apps'],
      ['GET', '/app/consent/cns_1'],
    ] as const)
      expect([path, (await admin.call(method, path)).body['code']]).toEqual([path, 'not_found']);
    for (const path of ['/api/v1/extension/connect', '/oauth/authorize', '/.well-known/oauth-authorization-server'])
      expect([path, (await world.call('GET', path, { key: world.reader.key })).status]).toEqual([path, 404]);
    expect((await post(world, '/oauth/token', world.reader, { grant_type: 'refresh_token' })).status).toBe(404);
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } }))
        .body,
    ).toMatchObject({ code: 'feature_disabled' });
    expect((await world.call('GET', '/api/v1/users', { key: world.reader.key })).status).toBe(200);
    // A link from before extensions were switched off.
    const token = `cpa_${'0'.repeat(32)}`;
    const link = { id: 'lnk_0000000000000000', extension_id: world.planner.id, person_id: world.people.ada };
    const scopes = JSON.stringify(['read:clock_states']);
    const expiresAt = world.now() + 60 * minute;
    await world.db.write(async (tx) => {
      const at = { created_at: world.now(), expires_at: expiresAt };
      await insertLink(tx, { ...link, ...at, company_id: world.nord, scopes, refresh_hash: 'none' });
      await insertAccessToken(tx, { hash: hashOfSecret(token), linkId: link.id, scopes, expiresAt, pruneBefore: 0 });
    });
    expect((await world.call('GET', '/api/v1/me', { key: token })).status).toBe(401);
    expect((await admin.call('PATCH', '/app/admin/access', { body: { extensions_write: true } })).body).toMatchObject({
      code: 'feature_disabled',
    });
    expect((await world.call('GET', '/api/v1/status')).body).toMatchObject({
      features: { extensions: false, people_writes: false, personal_links: false, webhooks: false, websocket: false },
    });
    await world.close();
  });
});

describe('secrets', () => {
  it('no secret reaches a log, a row, an audit entry or a refusal', async () => {
    const lines: string[] = [];
    const world = await createWorld('sqlite', {
      log: createLog('debug', 'test', { write: (line) => lines.push(line) }),
    });
    const { root } = await addCast(world);
    const app = await addApp(world, 'Logged');
    const admin = await world.as(root);
    const bodies: string[] = [];
    const keep = <T extends { body: unknown; status: number }>(answer: T): T => {
      if (answer.status >= 400) bodies.push(JSON.stringify(answer.body));
      return answer;
    };
    const invitation = (await admin.call('POST', `/app/admin/people/${world.people.ben}/invitation`)).body[
      'url'
    ] as string;
    const appLink = await link(world, app, world.people.ada, ['read:clock_states']);
    const code = await consent(appLink.browser, app, ['read:clock_states']);
    for (const request of [
      () => renew(world, app, appLink.access_token),
      () => exchange(world, app, appLink.refresh_token),
      () =>
        post(
          world,
          '/oauth/token',
          { clientId: app.clientId, key: appLink.access_token },
          { grant_type: 'refresh_token', refresh_token: appLink.refresh_token },
        ),
      () => world.call('GET', `/api/v1/users?api_key=${app.key}`),
      () => world.call('GET', '/api/v1/users', { key: appLink.refresh_token }),
      () => world.call('GET', `/api/v1/${appLink.access_token}`, { key: app.key }),
    ])
      keep(await request());
    keep(
      await createBrowser(world.url).call('POST', '/app/sign-in', {
        body: { email: 'ada@clockproof.example', password: 'a wrong passphrase here' },
      }),
    );
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      switchPeopleAccess(write, { writes: true, links: true, terminals: true }),
    );
    const output = [lines.join('\n'), await dump(world.db), bodies.join('\n')].join('\n');
    expect(lines.length).toBeGreaterThan(15);
    expect(bodies).toHaveLength(7);
    const secrets = [
      app.key,
      appLink.access_token,
      appLink.refresh_token,
      code,
      invitation.split('#')[1]!,
      admin.cookies.get('session')!,
      appLink.browser.cookies.get('browser')!,
      password,
      'a wrong passphrase here',
      world.service.setUpLink!.split('#')[1]!,
      Buffer.from(secretOf(world.people.ada)).toString('hex'),
      world.planner.key,
    ];
    for (const secret of secrets) expect(output).not.toContain(secret);
    await world.close();
  });
});
