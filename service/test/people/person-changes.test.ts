/** What a change of a person changed is in the audit log with both values, until the person is erased. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runVerify } from '../../src/commands/verify.js';
import { noteSigning } from '../../src/store/seal.js';
import { addSuperAdmin, type Browser, dump } from '../browser.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('changes of a person on %s', (dialect) => {
  let world: World;
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    await noteSigning(world.service.store, world.now());
    root = await world.as(await addSuperAdmin(world));
  });
  afterEach(() => world.close());

  const send = async (method: string, path: string, body: object) => {
    const answer = await root.call(method, path, { body });
    expect(answer.status).toBeLessThan(300);
    return answer;
  };
  const ben = () => `/app/admin/people/${world.people.ben}`;
  const period = 'from=2026-11-01&to=2026-11-30';
  const entries = async (action: string) =>
    (await root.call('GET', `/app/admin/audit?${period}&action=${action}`)).body['data'] as {
      subject: object;
      changes?: object[];
    }[];
  const verify = () => runVerify(world.db, { sign: world.service.store.sign, heads: undefined });

  it('changes of a person are listed and exported with the values before and after', async () => {
    await send('PATCH', ben(), { last_name: 'Kürzer', personnel_number: 'N 7' });
    await send('PATCH', ben(), { personnel_number: null, time_zone: 'Europe/Lisbon' });
    const [second, first] = await entries('person.changed');
    expect(first).toMatchObject({ subject: { kind: 'person', id: String(world.people.ben) } });
    expect(first!.changes).toEqual([
      { member: 'personnel_number', new: 'N 7' },
      { member: 'last_name', old: 'Kurz', new: 'Kürzer' },
    ]);
    expect(second!.changes).toEqual([
      { member: 'personnel_number', old: 'N 7' },
      { member: 'own_time_zone', new: 'Europe/Lisbon' },
    ]);
    const answer = await root.call('GET', `/app/admin/audit/export?${period}`);
    const lines = (answer.body['text'] as string).trim().split('\n');
    expect(
      lines.map((line) => JSON.parse(line) as { changes?: object[] }).map(({ changes }) => changes),
    ).toContainEqual(first!.changes);
    // The chained text has the names of the members alone.
    expect((await world.db.all('SELECT details FROM audit_entries')).map(({ details }) => details).join()).not.toMatch(
      /Kürzer|Lisbon/,
    );
    expect((await verify()).exitCode).toBe(0);
  });

  it('changes of a person keep both values of a company and a department in the log itself', async () => {
    await send('PATCH', `/app/admin/companies/${world.sued}`, {
      name: 'Südsturm AG',
      region: null,
      record_duty: true,
    });
    await send('PATCH', `/app/admin/companies/${world.nord}/departments/${world.office}`, { name: 'Bureau' });
    expect((await entries('company.changed'))[0]!.changes).toEqual([
      { member: 'name', old: 'Südwind Energie AG', new: 'Südsturm AG' },
      { member: 'region', old: 'DE-BY' },
      { member: 'record_duty', old: 'false', new: 'true' },
    ]);
    expect((await entries('department.renamed'))[0]!.changes).toEqual([
      { member: 'name', old: 'Office', new: 'Bureau' },
    ]);
  });

  it('the log vouches for changes of a person', async () => {
    await send('PATCH', ben(), { last_name: 'Kürzer' });
    await world.db.write((tx) => tx.run("UPDATE person_changes SET changes = replace(changes, 'Kurz', 'Lang')"));
    expect(await verify()).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(/record NOT intact: person_changes \d+ was altered/) as unknown as string,
    });
  });

  it('changes of a person are erased with the person, and the log stays intact', async () => {
    await send('PATCH', ben(), { last_name: 'Zwischenname', email: 'zwischen@clockproof.example' });
    await send('PATCH', ben(), { last_name: 'Endname', email: 'ende@clockproof.example' });
    await send('POST', `${ben()}/deactivation`, { employment_end: '2026-11-20' });
    expect(await dump(world.db)).toMatch(/Zwischenname/);
    await send('POST', `${ben()}/erasure`, { confirm_name: 'Ben Endname' });
    expect(await dump(world.db)).not.toMatch(/Zwischenname|Endname|Kurz|zwischen@|ende@/);
    const changes = (await entries('person.changed')).map((entry) => entry.changes);
    expect(changes).toEqual([
      [{ member: 'changed', new: '["last_name","email"]' }],
      [{ member: 'changed', new: '["last_name","email"]' }],
    ]);
    const { exitCode, text } = await verify();
    expect(text).toMatch(/^audit log intact: .*\nrecords intact/);
    expect(exitCode).toBe(0);
  });
});
