/** Many people at once: a file that is shown before anything is written, and invitations for several. */
import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, createBrowser, factorKeysOf, giveCredentials, password } from '../browser.js';
import { type Answer, createWorld, dataKey, type World } from '../world.js';

describe.each(dialects)('an import of people on %s', (dialect) => {
  let world: World;
  let bo: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const boss = await world.hire({
      firstName: 'Bo',
      lastName: 'Chef',
      email: 'bo@clockproof.example',
      personnelNumber: 'N-1',
      role: 'company_admin',
    });
    await giveCredentials(world, [boss, world.people.ada], await factorKeysOf(world, dataKey));
    bo = await world.as(boss);
  });
  afterAll(() => world.close());

  const counts = async () => ({
    people: (await world.db.all('SELECT id FROM people')).length,
    departments: (await world.db.all('SELECT id FROM departments')).length,
    entries: (await world.db.all('SELECT sequence FROM audit_entries')).length,
  });
  const send = (csv: string, options: object = {}, path = 'people-import') =>
    bo.call('POST', `/app/admin/companies/${world.nord}/${path}`, { body: { csv, ...options } });
  const preview = (csv: string, options: object = {}) => send(csv, options, 'people-import/preview');
  const faultsOf = ({ body }: Answer) =>
    (body['rows'] as { line: number; faults: { field?: string; code: string }[] }[]).flatMap(({ line, faults }) =>
      faults.map(({ field, code }) => `${line} ${field} ${code}`),
    );

  it('the preview of an import shows the new people, and writes nothing', async () => {
    const countsBefore = await counts();
    const answer = await preview(
      '\uFEFFVorname;Nachname;E-Mail;Abteilung;Eintritt;Notiz\nLena;Brandt;Lena.Brandt@clockproof.example;office;01.12.2026;x\n',
    );
    expect(answer.body).toEqual({
      ready: true,
      columns: [
        { header: 'Vorname', field: 'first_name' },
        { header: 'Nachname', field: 'last_name' },
        { header: 'E-Mail', field: 'email' },
        { header: 'Abteilung', field: 'department' },
        { header: 'Eintritt', field: 'employment_start' },
        { header: 'Notiz' },
      ],
      new_departments: [],
      faults: [],
      rows: [
        {
          line: 2,
          first_name: 'Lena',
          last_name: 'Brandt',
          email: 'lena.brandt@clockproof.example',
          department: 'office',
          employment_start: '2026-12-01',
          faults: [],
        },
      ],
    });
    expect(await counts()).toEqual(countsBefore);
  });

  const header = 'first_name,last_name,email,personnel_number,department,language,employment_start,employment_end\n';
  const faultyRows = [
    'Lena,Brandt,lena.brandt,X-1,Office,de,2026-12-01,',
    ',Hansen,ole@clockproof.example,N-1,Nowhere,fr,12/01/2026,',
    'Ida,Blum,ADA@clockproof.example,X-1,Office,en,2026-12-01,2026-11-30',
    'Kim,Voss,ida@clockproof.example,X-3,Office,en,2026-12-01,,extra',
    'Pia,Voss,ida@clockproof.example,X-4,Office,en,2026-12-01,',
    `Tim,${'o'.repeat(101)},,,,,2026-12-01,`,
    'Uwe,Bo\u202Edt,,,,,2026-12-01,',
  ].join('\n');
  const faults = [
    '2 email wrong_format',
    '3 first_name missing',
    '3 personnel_number taken',
    '3 department unknown',
    '3 language unknown',
    '3 employment_start wrong_format',
    '4 email taken',
    '4 personnel_number repeated',
    '4 employment_end before_start',
    '5 undefined width',
    '6 email repeated',
    '7 last_name too_long',
    '8 last_name wrong_format',
  ];

  it('an import names every fault with its line and column', async () => {
    const answer = await preview(header + faultyRows);
    expect(answer.body['ready']).toBe(false);
    expect(faultsOf(answer)).toEqual(faults);
  });

  it('an import accepts a thousand people, and names of a hundred characters', async () => {
    const { body } = await preview(header + `${'A'.repeat(100)},B,,,,,2026-12-01,\n`.repeat(1_000));
    expect(body['ready']).toBe(true);
  });

  it('an import accepts a personnel number of another company', async () => {
    await world.db.write((tx) =>
      tx.run("UPDATE people SET personnel_number = 'S-1' WHERE id = :zoe", { zoe: world.people.zoe }),
    );
    expect((await preview(`${header}Eva,Neu,,S-1,,,2026-12-01,\n`)).body['ready']).toBe(true);
  });

  it('an import adds no person if a single line has a fault', async () => {
    const countsBefore = await counts();
    const refusal = await send(`${header}Eva,Good,eva.good@clockproof.example,,Office,,2026-12-01,\n${faultyRows}`);
    expect(refusal).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((refusal.body['details'] as unknown[]).length).toBe(faults.length);
    expect((refusal.body['details'] as unknown[])[0]).toMatchObject({ field: 'line 3: email', code: 'wrong_format' });
    expect(await counts()).toEqual(countsBefore);
  });

  it.each([
    ['no column that is required', 'Vorname;Nachname\nLena;Brandt\n', ['employment_start missing']],
    ['two columns for one value', 'Vorname;Vorname;Nachname;Eintritt\na;b;c;01.12.2026', ['first_name repeated']],
    ['nobody in it', header, ['undefined empty']],
    ['too many people', header + 'A,B,,,,,2026-12-01,\n'.repeat(1_001), ['undefined too_many']],
  ])('an import refuses a file with %s', async (_, csv, expectedFaults) => {
    const { body } = await preview(csv);
    expect(body['ready']).toBe(false);
    expect((body['faults'] as { field?: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)).toEqual(
      expectedFaults,
    );
    expect((await send(csv)).status).toBe(400);
  });

  it('an import adds everyone, with the requested departments and an entry each', async () => {
    const csv = `${header}Eva,Neu,eva.neu@clockproof.example,X-7,Packing,,2026-12-01,\nUlf,Neu,,,packing,de,2027-01-31,2027-01-31\n`;
    expect(faultsOf(await preview(csv))).toEqual(['2 department unknown', '3 department unknown']);
    expect((await preview(csv, { create_departments: true })).body).toMatchObject({
      ready: true,
      new_departments: ['Packing'],
    });
    const countsBefore = await counts();
    const answer = await send(csv, { create_departments: true });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        people: [{ name: 'Eva Neu', email: 'eva.neu@clockproof.example' }, { name: 'Ulf Neu' }],
        new_departments: ['Packing'],
      },
    });
    expect(await counts()).toEqual({
      people: countsBefore.people + 2,
      departments: countsBefore.departments + 1,
      entries: countsBefore.entries + 3,
    });
    const [eva, ulf] = await Promise.all(
      (answer.body['people'] as { id: number }[]).map(({ id }) => bo.call('GET', `/app/admin/people/${id}`)),
    );
    expect(eva!.body).toMatchObject({
      personnel_number: 'X-7',
      department: { name: 'Packing' },
      language: 'en',
      employment_start: '2026-12-01',
      sign_in: 'invited',
      roles: [],
    });
    expect(ulf!.body).toMatchObject({ language: 'de', employment_end: '2027-01-31', sign_in: 'none' });
    // A file that is sent twice adds nobody twice.
    expect(faultsOf(await preview(csv))).toEqual(['2 email taken', '2 personnel_number taken']);
  });

  it('only admins of the company import people', async () => {
    const csv = `${header}A,B,,,,,2026-12-01,\n`;
    const path = `/app/admin/companies/${world.sued}`;
    for (const name of ['people-import', 'people-import/preview'])
      expect((await bo.call('POST', `${path}/${name}`, { body: { csv } })).status).toBe(404);
    const ada = await world.as(world.people.ada);
    const refusal = await ada.call('POST', `/app/admin/companies/${world.nord}/people-import`, { body: { csv } });
    expect(refusal.status).toBe(403);
  });

  it('invitations for several follow an import at once: a link each, or none', async () => {
    const invitedPeople = await bo.call('GET', '/app/admin/people?sign_in=invited&active=true');
    const ids = (invitedPeople.body['data'] as { id: number; email: string }[]).map(({ id }) => id);
    expect(ids).toContain(world.people.ben);
    expect(ids).not.toContain(world.people.ada);
    expect((await send('first_name,last_name,employment_start\nUlf,Ohnepost,2026-11-01\n')).status).toBe(201);
    const peopleWithoutSignIn = await bo.call('GET', '/app/admin/people?sign_in=none');
    const ulf = (peopleWithoutSignIn.body['data'] as { id: number; last_name: string }[]).find(
      (person) => person.last_name === 'Ohnepost',
    )!;
    const invite = (user_ids: readonly number[]) =>
      bo.call('POST', `/app/admin/companies/${world.nord}/invitations`, { body: { user_ids } });
    const countsBefore = await counts();
    const refusal = await invite([world.people.ben, ulf.id, world.people.cem]);
    expect(refusal.body).toMatchObject({
      code: 'invalid_request',
      details: [
        { field: 'user_ids[1]', code: 'missing' },
        { field: 'user_ids[2]', code: 'ended' },
      ],
    });
    expect((await invite([world.people.zoe])).status).toBe(404);
    expect(await counts()).toEqual(countsBefore);
    const userIds = ids.filter((id) => id !== world.people.cem);
    const answer = await invite(userIds);
    expect(answer.status).toBe(201);
    const links = answer.body['data'] as { person: { id: number }; email: string; url: string }[];
    expect(links.map(({ person }) => person.id)).toEqual(userIds);
    expect((await counts()).entries).toBe(countsBefore.entries + userIds.length);
    const ben = links.find(({ person }) => person.id === world.people.ben)!;
    expect(ben.email).toBe('ben@clockproof.example');
    const acceptance = await createBrowser(world.url).call('POST', '/app/invitation/accept', {
      body: { token: ben.url.split('#')[1], password },
    });
    expect(acceptance.status).toBe(200);
  });
});
