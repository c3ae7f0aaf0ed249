/** An extension with its keys, webhook secret and links, and the switches of access for people, verb by verb. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { hour } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addExtension,
  changeExtension,
  type ExtensionChange,
  expirePreviousKey,
  type NewIntegration,
  removeExtension,
  replaceKey,
  replaceWebhookSecret,
} from '../../src/access/integrations/extensions.js';
import { type AccessChange, switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import type { NewExtension } from '../../src/extensions/extensions.js';
import { findExtension, readAccessChange } from '../../src/extensions/rows.js';
import { signingSecrets } from '../../src/extensions/webhooks/secrets.js';
import type { Actor } from '../../src/store/audit/audit.js';
import { Refusal } from '../../src/store/refusal.js';
import type { SealingKeys } from '../../src/store/sealing/sealing-keys.js';
import type { Write } from '../../src/store/write.js';
import { factorKeysOf } from '../browser.js';
import { consent, exchange, link, redirectUri } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

const system = { kind: 'system' } as const;
const webhookUrl = 'https://hooks.example/clock';

describe.each(oneDialect)('an integration, on %s', (dialect) => {
  let world: World;
  let keys: SealingKeys;
  let number = 0;
  beforeEach(async () => {
    world = await createWorld(dialect);
    keys = await factorKeysOf(world, dataKey);
  });
  beforeEach(() => turn({ writes: true, links: true, terminals: true }));
  afterEach(() => world.close());

  const needs = () => ({ sealingKeys: keys, randomBytes: world.randomBytes, allowPrivateTargets: false });
  const write = <T>(verb: (write: Write) => Promise<T>, actor: Actor = system) =>
    world.service.store.write({ actor, at: world.now() }, verb);
  const turn = (change: AccessChange) => write((tx) => switchPeopleAccess(tx, change));
  const add = (more: Partial<NewExtension> = {}): Promise<NewIntegration> =>
    write((tx) =>
      addExtension(tx, needs(), {
        name: `Integration ${++number}`,
        mode: 'api',
        acting: 'personal_link',
        scopes: ['read:users'],
        ...more,
      }),
    );
  const addLinkable = () => add({ linkable: true, redirectUris: [redirectUri], scopes: ['read:clock_states'] });
  const change = (id: string, settings: ExtensionChange) => write((tx) => changeExtension(tx, needs(), id, settings));
  const remove = (id: string) => write((tx) => removeExtension(tx, id));
  const rotate = (id: string, overlap: number) =>
    write((tx) => replaceKey(tx, id, { overlap, expiresAt: null }, world.randomBytes));
  const rotateSecret = (id: string) => write((tx) => replaceWebhookSecret(tx, needs(), id));
  const secretsOf = (id: string) => signingSecrets(world.db, id, keys, world.now());
  const isKeyValid = async (key: string) => (await world.call('GET', '/api/v1/users', { key })).status === 200;
  const isTokenValid = async (token: string) => (await world.call('GET', '/api/v1/me', { key: token })).status === 200;
  /** The code a verb is refused with; undefined where it is done. */
  async function refusal(effect: Promise<unknown>): Promise<string | undefined> {
    try {
      await effect;
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  it('an integration has a key that works, and a webhook secret in mode webhooks only', async () => {
    const api = await add();
    expect(api.webhookSecret).toBeUndefined();
    expect(await isKeyValid(api.key)).toBe(true);
    const hooks = await add({ mode: 'webhooks', webhookUrl });
    expect(await secretsOf(hooks.id)).toEqual([hooks.webhookSecret]);
  });

  it('an integration is added with settings that go together, or not at all', async () => {
    const count = async () => (await world.db.get<{ n: number }>('SELECT COUNT(*) AS n FROM extensions'))!.n;
    const { name } = (await findExtension(world.db, (await add()).id))!;
    const countBefore = await count();
    expect(await refusal(add({ name: ` ${name.toUpperCase()} ` }))).toBe('value_taken');
    expect(await refusal(add({ companyId: 4_711 }))).toBe('invalid_request');
    expect(await refusal(add({ mode: 'webhooks' }))).toBe('extension_incomplete');
    expect(await refusal(add({ acting: 'everyone' }))).toBe('extension_incomplete');
    expect(await refusal(add({ mode: 'webhooks', webhookUrl: 'http://127.0.0.1/hook' }))).toBe('target_refused');
    expect(await refusal(add({ linkable: true, redirectUris: ['http://app.example/cb'] }))).toBe(
      'redirect_uri_refused',
    );
    await turn({ writes: false });
    expect(await refusal(add({ scopes: ['write:clock'] }))).toBe('feature_disabled');
    expect(await count()).toBe(countBefore);
  });

  it('an integration keeps its rules when it changes', async () => {
    const [extension, otherExtension] = [await add(), await add()];
    const { name } = (await findExtension(world.db, otherExtension.id))!;
    const rowBefore = await findExtension(world.db, extension.id);
    expect(await refusal(change(extension.id, { name }))).toBe('value_taken');
    expect(await refusal(change(extension.id, { companyId: 4_711 }))).toBe('invalid_request');
    expect(await refusal(change(extension.id, { mode: 'webhooks' }))).toBe('extension_incomplete');
    expect(await refusal(change('ext_0000000000000000', { description: 'x' }))).toBe('not_found');
    await turn({ writes: false });
    expect(await refusal(change(extension.id, { scopes: ['write:clock'] }))).toBe('feature_disabled');
    expect(await findExtension(world.db, extension.id)).toEqual(rowBefore);
    // Its own name is not taken.
    expect(await refusal(change(extension.id, { name: rowBefore!.name, description: 'x' }))).toBeUndefined();
  });

  it('an integration loses its webhook secret with the mode, and gets another one when it comes back', async () => {
    const { id, webhookSecret } = await add({ mode: 'webhooks', webhookUrl });
    expect(await change(id, { mode: 'api' })).toMatchObject({ mode: 'api', webhook_url: null });
    await expect(secretsOf(id)).rejects.toThrow('no secret');
    await change(id, { mode: 'webhooks', webhookUrl });
    const [newSecret] = await secretsOf(id);
    expect(newSecret).toMatch(/^whsec_/);
    expect(newSecret).not.toBe(webhookSecret);
  });

  it('an integration ends its links for good when linking goes off', async () => {
    const app = await addLinkable();
    const adasLink = await link(world, app, world.people.ada, ['read:clock_states']);
    const code = await consent(adasLink.browser, app, ['read:clock_states']);
    await change(app.id, { linkable: false });
    expect(await isTokenValid(adasLink.access_token)).toBe(false);
    await change(app.id, { linkable: true });
    expect(await isTokenValid(adasLink.access_token)).toBe(false);
    expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('an integration ends the links of other companies when it is bound to one', async () => {
    const app = await addLinkable();
    const [adasLink, zoesLink] = [
      await link(world, app, world.people.ada, ['read:clock_states']),
      await link(world, app, world.people.zoe, ['read:clock_states']),
    ];
    await change(app.id, { companyId: world.nord });
    expect([await isTokenValid(adasLink.access_token), await isTokenValid(zoesLink.access_token)]).toEqual([
      true,
      false,
    ]);
    await change(app.id, { companyId: null });
    expect([await isTokenValid(adasLink.access_token), await isTokenValid(zoesLink.access_token)]).toEqual([
      true,
      false,
    ]);
  });

  it('an integration is deleted with its key, links, codes and secret, and its name is free', async () => {
    const app = await addLinkable();
    const { name } = (await findExtension(world.db, app.id))!;
    const adasLink = await link(world, app, world.people.ada, ['read:clock_states']);
    const hooks = await add({ mode: 'webhooks', webhookUrl });
    await remove(app.id);
    await remove(hooks.id);
    expect(await isTokenValid(adasLink.access_token)).toBe(false);
    expect(await world.call('GET', '/api/v1/users', { key: hooks.key })).toMatchObject({
      status: 401,
      body: { code: 'token_revoked' },
    });
    await expect(secretsOf(hooks.id)).rejects.toThrow('no secret');
    expect(await refusal(remove(app.id))).toBe('not_found');
    expect(await refusal(rotate(app.id, 0))).toBe('not_found');
    expect(await refusal(change(app.id, { linkable: true }))).toBe('not_found');
    expect(await refusal(add({ name }))).toBeUndefined();
  });

  it('an integration has two working keys at most, the older one until its overlap is over', async () => {
    const { id, key: first } = await add();
    const second = await rotate(id, 2 * hour);
    expect(second.previousEndsAt).toBe(world.now() + 2 * hour);
    expect([await isKeyValid(first), await isKeyValid(second.key)]).toEqual([true, true]);
    world.advance(hour);
    const third = await rotate(id, 2 * hour);
    expect([await isKeyValid(first), await isKeyValid(second.key), await isKeyValid(third.key)]).toEqual([
      false,
      true,
      true,
    ]);
    await write((tx) => expirePreviousKey(tx, id));
    expect([await isKeyValid(second.key), await isKeyValid(third.key)]).toEqual([false, true]);
    const fourth = await rotate(id, hour);
    world.advance(hour);
    expect([await isKeyValid(third.key), await isKeyValid(fourth.key)]).toEqual([false, true]);
  });

  it('an integration rotates a webhook secret where it has one', async () => {
    const api = await add();
    expect(await refusal(rotateSecret(api.id))).toBe('connection_mode_mismatch');
    const hooks = await add({ mode: 'webhooks', webhookUrl });
    const { secret, previousEndsAt } = await rotateSecret(hooks.id);
    expect(await secretsOf(hooks.id)).toEqual([secret, hooks.webhookSecret]);
    world.set(previousEndsAt);
    expect(await secretsOf(hooks.id)).toEqual([secret]);
  });

  describe('access for people', () => {
    const state = async () =>
      (await world.call('GET', '/api/v1/status')).body['features'] as Readonly<Record<string, boolean>>;

    it('switching links off ends every link and every consent', async () => {
      const app = await addLinkable();
      const adasLink = await link(world, app, world.people.ada, ['read:clock_states']);
      const code = await consent(adasLink.browser, app, ['read:clock_states']);
      expect((await turn({ links: false })).endedLinks).toBeGreaterThan(0);
      expect(await isTokenValid(adasLink.access_token)).toBe(false);
      await turn({ links: true });
      expect(await isTokenValid(adasLink.access_token)).toBe(false);
      expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    });

    it('switching writes off removes the writing scopes, and links with them', async () => {
      const writer = await add({ companyId: world.nord, acting: 'everyone', scopes: ['read:users', 'write:clock'] });
      const app = await addLinkable();
      const adasLink = await link(world, app, world.people.ada, ['read:clock_states']);
      expect(await turn({ writes: false })).toMatchObject({
        access: { people_writes: 0, personal_links: 0, terminals: 1 },
      });
      expect((await findExtension(world.db, writer.id))!.scopes).toBe('["read:users"]');
      expect(await isTokenValid(adasLink.access_token)).toBe(false);
      // Nothing comes back: links are switched on separately, scopes are granted again.
      expect(await turn({ writes: true })).toMatchObject({ access: { people_writes: 1, personal_links: 0 } });
      expect((await findExtension(world.db, writer.id))!.scopes).toBe('["read:users"]');
    });

    it('an access change leaves settings that it does not name', async () => {
      const app = await addLinkable();
      const adasLink = await link(world, app, world.people.ada, ['read:clock_states']);
      expect(await turn({ terminals: false })).toMatchObject({ endedLinks: 0, strippedKeys: 0 });
      expect(await state()).toMatchObject({ people_writes: true, personal_links: true, terminals: false });
      expect(await isTokenValid(adasLink.access_token)).toBe(true);
    });

    it('access for people shows who switched it last', async () => {
      const actor = { kind: 'person', id: String(world.people.ada), name: 'Ada Lang' } as const;
      await write((tx) => switchPeopleAccess(tx, { terminals: false }), actor);
      const accessChange = { changed_at: world.now(), changed_by: world.people.ada };
      expect(await readAccessChange(world.db)).toEqual(accessChange);
      world.advance(hour);
      await turn({ terminals: true });
      expect(await readAccessChange(world.db)).toEqual(accessChange);
    });

    it('access for people stays closed to a request while it is off', async () => {
      const app = await addLinkable();
      const browser = await world.as(world.people.ada);
      await turn({ links: false });
      await expect(consent(browser, app, ['read:clock_states'])).rejects.toThrow('authorize');
    });
  });
});
