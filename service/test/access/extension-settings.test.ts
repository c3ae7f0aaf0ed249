import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

const defaults = { mode: 'api', scopes: ['read:users'], acting: 'personal_link' } as const;

describe.each(oneDialect)('settings of an extension on %s', (dialect) => {
  let world: World;
  let rhea: number;
  let root: Browser;
  let count = 0;
  beforeEach(async () => {
    world = await createWorld(dialect);
    rhea = await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' });
  });
  beforeEach(async () => {
    root = await world.as(rhea);
  });
  afterEach(() => world.close());
  const create = (body: object) =>
    root.call('POST', '/app/admin/extensions', { body: { ...defaults, name: `Extension ${++count}`, ...body } });
  const idOf = (body: Record<string, unknown>) => (body['extension'] as { id: string }).id;

  describe('a rotated key', () => {
    const keysOf = async (path: string) =>
      (await root.call('GET', path)).body['keys'] as { current: boolean; expires_at?: string }[];
    const rotate = async (path: string, overlap: number) =>
      (await root.call('POST', `${path}/key`, { body: { overlap_hours: overlap } })).body['previous_ends_at'];

    it('the end of the rotation is shown at the previous key', async () => {
      const path = `/app/admin/extensions/${idOf((await create({})).body)}`;
      const end = formatInstant(world.now() + 3 * hour);
      expect(await rotate(path, 3)).toBe(end);
      expect((await keysOf(path)).map((key) => [key.current, key.expires_at])).toEqual([
        [true, undefined],
        [false, end],
      ]);
    });

    it('the own end of a key is shown where it comes before the end of the rotation', async () => {
      const keyEnd = formatInstant(world.now() + 2 * hour);
      const path = `/app/admin/extensions/${idOf((await create({ expires_at: keyEnd })).body)}`;
      expect(await rotate(path, 3)).toBe(keyEnd);
      expect((await keysOf(path))[1]).toMatchObject({ current: false, expires_at: keyEnd });
      const laterPath = `/app/admin/extensions/${idOf((await create({ expires_at: formatInstant(world.now() + day) })).body)}`;
      await rotate(laterPath, 3);
      expect((await keysOf(laterPath))[1]).toMatchObject({ expires_at: formatInstant(world.now() + 3 * hour) });
    });
  });

  describe('a name', () => {
    it.each([
      ['nothing but blanks', '   '],
      ['nothing but an invisible letter', '\u3164'],
      ['a line break', 'Ros\nter'],
      ['a tabulator', 'Ros\tter'],
      ['a turn of direction', 'Roster\u202egpj.exe'],
      ['an isolate', '\u2066Roster\u2069'],
      ['a zero-width space', 'Ros\u200bter'],
      ['a soft hyphen', 'Ros\u00adter'],
      ['a line separator', 'Ros\u2028ter'],
      ['a tag', 'Roster\u{e0041}'],
      ['a C1 control', 'Ros\u0085ter'],
    ])('the name of an extension is refused with %s', async (_, name) => {
      expect((await create({ name })).body).toMatchObject({ code: 'invalid_request', details: [{ field: 'name' }] });
      const path = `/app/admin/extensions/${idOf((await create({})).body)}`;
      expect((await root.call('PATCH', path, { body: { name } })).body).toMatchObject({
        code: 'invalid_request',
        details: [{ field: 'name' }],
      });
    });

    it('the name of an extension is stored without outer blanks, and is taken in any spelling', async () => {
      expect((await create({ name: '  Präsenz \u00a0Tafel ' })).body).toMatchObject({
        extension: { name: 'Präsenz Tafel' },
      });
      const otherPath = `/app/admin/extensions/${idOf((await create({})).body)}`;
      for (const name of [
        'Präsenz Tafel',
        'präsenz TAFEL ',
        'Pra\u0308senz Tafel',
        'Präsenz\u2003Tafel',
        'Ｐräsenz Tafel',
        'Präsenz Tafel\ufe0f',
      ]) {
        expect([
          name,
          (await create({ name })).body['code'],
          (await root.call('PATCH', otherPath, { body: { name } })).body['code'],
        ]).toEqual([name, 'value_taken', 'value_taken']);
      }
      expect((await root.call('PATCH', otherPath, { body: { name: ' Schrankenwärter 2 ' } })).body).toMatchObject({
        name: 'Schrankenwärter 2',
      });
      expect((await root.call('PATCH', otherPath, { body: { name: 'SCHRANKENWÄRTER 2' } })).body).toMatchObject({
        name: 'SCHRANKENWÄRTER 2',
      });
    });
  });
});

// Decided before anything is stored: one world for all of them.
describe.each(oneDialect)('a redirect address, on %s', (dialect) => {
  let world: World;
  let root: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    root = await world.as(await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' }));
  });
  afterAll(() => world.close());
  let count = 0;
  const create = (body: object) =>
    root.call('POST', '/app/admin/extensions', { body: { ...defaults, name: `Extension ${++count}`, ...body } });

  it.each([
    'http://127.1/cb',
    'http://2130706433/',
    'http://0x7f.0.0.1/cb',
    'http://LOCALHOST/',
    'http://localhost.evil.example/',
    'http://[0:0:0:0:0:0:0:1]/cb',
    'http://localhost:80/cb',
    'http://127.0.0.2/cb',
    'https:///a.example/cb',
    'https:a.example/cb',
    'https://a.example/../cb',
    'https://a.example/./cb',
    'https://a.example/%2e%2e/cb',
    'https://A.example/cb',
    'https://A.example:443/cb',
    'https://a.example:443/cb',
    'HTTPS://a.example/cb',
    'https://a%2eexample/cb',
    'https://*.example/cb',
    'https://a.example/*',
    'https://@a.example/cb',
    'https://a.example:/cb',
    'https://a.example/cb#',
    'https://a.example?',
    'https://a.example?x=1',
    'https://a.example/cb?state=1',
    'https://a.example/cb?x=1&code=2',
    'https://a.example/cb?error=x',
    'https://a.example/cb?error_description',
    'https://a.example/cb?iss=https://b.example',
    'https://a.example/cb?st%61te=1',
    'com.example.app:/cb?code=1',
    'javascript.a:alert(1)',
    'javascript:alert(1)',
    'com.example.app:callback',
    'com.example.app:',
    'com.example.app:///callback',
    'com.example.app://',
    'COM.example.app:/callback',
    'com:/callback',
    'com..app:/callback',
    'c.example:/callback',
    '9a.example:/callback',
    'https://xn--/cb',
    'https://a..example/cb',
    'com.-example:/callback',
    'com.example.:/callback',
    'com.exa+mple:/callback',
    'com.example.app:/a/../callback',
    'com.example.app://user@host/callback',
  ])('a redirect address is refused as %s', async (address) => {
    expect((await create({ redirect_uris: ['https://a.example/cb', address] })).body).toMatchObject({
      code: 'redirect_uri_refused',
      details: [{ field: 'redirect_uris[1]' }],
    });
  });

  it('a redirect address is stored in the form of its comparison', async () => {
    const redirect_uris = [
      'https://a.example',
      'https://a.example/',
      'https://a.example/cb?tenant=1',
      'https://a.example:8443/cb',
      'https://a.example/cb/',
      'https://xn--bcher-kva.example/cb',
      'https://a.example/%63b?statement=1',
      'http://localhost/cb',
      'http://localhost:3000',
      'http://127.0.0.1:8000/cb',
      'http://[::1]:8000/cb',
      'com.example.app:/callback',
      'com.example.app:/',
      'com.example.app://callback',
      'de.my-company.app2:/oauth/cb?x=1',
    ];
    expect((await create({ linking: true, redirect_uris })).body).toMatchObject({ extension: { redirect_uris } });
  });
});
