/** Somebody who left is hired again: a new record with the same address and number, and the old one stays whole. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Browser, createBrowser, factorKeysOf, giveCredentials, password } from '../browser.js';
import { createWorld, dataKey, type World } from '../world.js';

describe.each(oneDialect)('re-hired people on %s', (dialect) => {
  let world: World;
  let chief: Browser;
  let root: Browser;
  const mia = {
    first_name: 'Mia',
    last_name: 'Neu',
    email: 'mia@clockproof.example',
    personnel_number: 'N-7',
    employment_start: '2026-11-02',
  };
  beforeEach(async () => {
    world = await createWorld(dialect);
    const add = (firstName: string, role: 'company_admin' | 'super_admin') =>
      world.hire({ firstName, email: `${firstName}@clockproof.example`, role });
    const [bo, ina] = [await add('Bo', 'company_admin'), await add('Ina', 'super_admin')];
    await giveCredentials(world, [bo, ina], await factorKeysOf(world, dataKey));
    chief = await world.as(bo);
    root = await world.as(ina);
  });
  afterEach(() => world.close());

  const add = (caller: Browser, fields: object = {}, companyId = world.nord) =>
    caller.call('POST', '/app/admin/people', { body: { company_id: companyId, ...mia, ...fields } });
  const leave = async (id: number) => {
    const body = { employment_end: '2026-11-23' };
    expect((await chief.call('POST', `/app/admin/people/${id}/deactivation`, { body })).status).toBe(200);
  };
  const readPerson = async (id: number) =>
    (await chief.call('GET', `/app/admin/people/${id}`)).body as { email?: string; personnel_number?: string };

  it('the old record of a re-hired person keeps address and number, and the new one has them', async () => {
    const oldId = (await add(chief)).body['id'] as number;
    await leave(oldId);
    const rehire = await add(chief, { employment_start: '2026-11-23' });
    expect(rehire).toMatchObject({ status: 201, body: { email: mia.email, personnel_number: 'N-7' } });
    expect(await readPerson(oldId)).toMatchObject({ email: mia.email, personnel_number: 'N-7', active: false });
    // The old record changes nothing else about it, and does not come back beside the new one.
    const name = { body: { last_name: 'Alt' } };
    expect((await chief.call('PATCH', `/app/admin/people/${oldId}`, name)).status).toBe(200);
    const person = { id: rehire.body['id'], name: 'Mia Neu' };
    expect(await chief.call('POST', `/app/admin/people/${oldId}/reactivation`)).toMatchObject({
      status: 409,
      body: {
        code: 'value_taken',
        held_by: [
          { field: 'email', person },
          { field: 'personnel_number', person },
        ],
      },
    });
    const csv = 'first_name;last_name;employment_start;personnel_number\nIan;Im;2026-12-01;N-7\n';
    const faults = async () => {
      const path = `/app/admin/companies/${world.nord}/people-import/preview`;
      const { body } = await chief.call('POST', path, { body: { csv } });
      return (body['rows'] as { faults: { code: string }[] }[])[0]!.faults.map(({ code }) => code);
    };
    expect(await faults()).toEqual(['taken']);
    await leave(rehire.body['id'] as number);
    expect(await faults()).toEqual([]);
    expect((await chief.call('POST', `/app/admin/people/${oldId}/reactivation`)).status).toBe(200);
  });

  it('a re-hired person signs in to the new record', async () => {
    const oldId = (await add(chief)).body['id'] as number;
    await giveCredentials(world, [oldId], await factorKeysOf(world, dataKey));
    await leave(oldId);
    const enter = () => createBrowser(world.url).call('POST', '/app/sign-in', { body: { email: mia.email, password } });
    expect((await enter()).status).toBe(401);
    const newId = (await add(chief)).body['id'] as number;
    expect((await enter()).status).toBe(401);
    await giveCredentials(world, [newId], await factorKeysOf(world, dataKey));
    expect((await enter()).status).toBe(200);
  });

  it('the holder of an address is named to the admins of that person, and to no one else', async () => {
    await add(chief);
    const holder = { field: 'email', person: { name: 'Mia Neu' } };
    expect((await add(chief, { personnel_number: 'N-8' })).body).toMatchObject({ held_by: [holder] });
    const sue = await world.hire({
      companyId: world.sued,
      firstName: 'Sue',
      email: 'sue@clockproof.example',
      role: 'company_admin',
    });
    await giveCredentials(world, [sue], await factorKeysOf(world, dataKey));
    const suedAdmin = await world.as(sue);
    const refusal = await add(suedAdmin, {}, world.sued);
    expect(refusal.body).toMatchObject({ code: 'value_taken', details: [{ field: 'email' }] });
    expect(refusal.body).not.toHaveProperty('held_by');
    expect((await add(root, {}, world.sued)).body).toMatchObject({ held_by: [holder] });
  });
});
