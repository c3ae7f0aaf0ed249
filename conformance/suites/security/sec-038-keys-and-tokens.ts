import { ensure, equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { eventually } from '../support.js';

export default requirement({
  id: 'SEC-038',
  suite: 'security',
  level: 'must',
  says: 'Keys and tokens begin with a prefix of their kind and hold at least 160 bits; the page shows when a key was last used.',
  covers: [
    'Keys and tokens are opaque, with a prefix of their kind and at least 160 random bits; a key shows when it was last used.',
  ],
  async check(world) {
    const app = await world.app();
    const { session } = await world.signedIn();
    const { access, refresh } = await app.link(session, ['read:clock_states']);
    const { id, key, api } = await world.newExtension();
    const prefixes = [key, access, refresh].map((secret) => {
      const [, prefix, value = ''] = /^([a-z]+_)([A-Za-z0-9_-]+)$/.exec(secret) ?? [];
      ensure(prefix !== undefined, 'a key or token has no prefix');
      // A character of base62 or base64url holds less than six bits.
      ensure(value.length >= 27, `${prefix}… holds ${value.length} characters`);
      return prefix;
    });
    equal(new Set(prefixes).size, 3, 'different prefixes');
    const lastUsed = async () => (await world.fixtures.showExtension(id)).last_used_at;
    equal(await lastUsed(), undefined, 'last_used_at of a new key');
    (await api.get('/api/v1/companies')).is(200);
    // To the minute, and perhaps written a moment later.
    const usedAt = await eventually(async () => (await lastUsed()) as string | undefined, 'last_used_at is shown');
    ensure(Math.abs(Date.parse(usedAt) - Date.now()) < 120_000, `last_used_at is ${usedAt}`);
    const otherLetter = key.endsWith('A') ? 'B' : 'A';
    (await world.bearer(key.slice(0, -1) + otherLetter).get('/api/v1/companies')).is(401, 'unauthorized');
  },
});
