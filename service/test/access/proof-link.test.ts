/** Somebody who has left downloads their proofs with a link, and nobody else does. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser, createBrowser, signIn } from '../browser.js';
import { closeMonth } from '../builders.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('a link to the proofs of a leaver on %s', (dialect) => {
  let world: World;
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await closeMonth(world);
    root = await signIn(world, await addSuperAdmin(world));
  });
  afterEach(() => world.close());

  const postForAda = (operation: string, body?: object) =>
    root.call('POST', `/app/admin/people/${world.people.ada}/${operation}`, body === undefined ? {} : { body });
  const leave = () => postForAda('deactivation', { employment_end: '2026-12-01' });
  const createToken = async () => String((await postForAda('proof-link')).body['url']).split('#')[1]!;
  const open = (path: 'check' | 'file', body: object) =>
    createBrowser(world.url).call('POST', `/app/proof-link/${path}`, { body });
  const statusOf = async (token: string) => (await open('check', { token })).status;

  it('a link to the proofs of a leaver opens their files for 90 days, without an account', async () => {
    await leave();
    const token = await createToken();
    const { body } = await open('check', { token });
    expect(body).toMatchObject({ name: 'Ada Lang', proofs: { data: [{ period: '2026-11', current: true }] } });
    const file = await open('file', { token, period: '2026-11', revision: 1, hide: ['person'] });
    const [{ root: committedRoot, ...proof }] = (body['proofs'] as { data: [{ root: string }] }).data;
    expect([file.status, file.body['root'], proof]).toMatchObject([200, committedRoot, { revision: 1 }]);
    expect(JSON.stringify(file.body)).not.toContain('Ada');
    expect((await open('file', { token, period: '2026-10' })).status).toBe(404);
    world.advance(90 * day - 1);
    expect(await statusOf(token)).toBe(200);
    world.advance(1);
    expect([await statusOf(token), (await open('file', { token, period: '2026-11' })).status]).toEqual([404, 404]);
  });

  it('a proof link is for leavers, and ends with the next link and when they come back', async () => {
    expect(await postForAda('proof-link')).toMatchObject({ status: 409, body: { code: 'still_in_use' } });
    await leave();
    const [first, second] = [await createToken(), await createToken()];
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    await postForAda('reactivation');
    expect(await statusOf(second)).toBe(404);
  });

  it('a proof link needs a fresh second factor', async () => {
    await leave();
    world.advance(16 * 60_000);
    expect(await postForAda('proof-link')).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
  });
});
