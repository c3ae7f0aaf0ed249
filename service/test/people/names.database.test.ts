/**
 * The one rule for names (`platform/src/text/name.ts`), over every operation that takes one: what the documents mark with
 * `format: name` is refused and normalised alike. A new operation with a name is in the first half by itself; the second
 * half fails until it says where the name can be read again.
 */
// cspell:words JORG jörg María Núñez nunez ilknur İlknur ozturk Öztürk Änne änne
import { readContract } from '@clockproof/platform/http/operations';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { document as appDocument } from '../../src/generated/app-document.js';
import { document as serviceDocument } from '../../src/generated/service-document.js';
import { type CreationOptions, createAuthenticator } from '../authenticator.js';
import { addSuperAdmin, type Browser, createBrowser, password } from '../browser.js';
import { addDoor, deviceKey } from '../door.js';
import { type Answer, createWorld, type World } from '../world.js';

type Body = Record<string, unknown>;
type Operation = Awaited<ReturnType<typeof readContract>>['operations'][number];

const contracts = await Promise.all([serviceDocument, appDocument].map(readContract));

interface Place {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The member with the name, with dots between the members on the way to it. */
  readonly member: string;
  /** Of the document's example. */
  readonly example: Body;
  readonly longest: number;
}

const placesOf = (membersOf: (index: number, operation: Operation) => readonly (readonly string[])[]): Place[] =>
  contracts.flatMap((contract, index) =>
    contract.operations.flatMap((operation) =>
      membersOf(index, operation).map((members) => {
        const { id, method, path } = operation;
        const document = [serviceDocument, appDocument][index] as Body;
        const media = read(document, [
          'paths',
          path,
          method.toLowerCase(),
          'requestBody',
          'content',
          'application/json',
        ]);
        const { example, examples } = media as {
          example?: Body;
          examples?: Record<string, { value?: Body; $ref?: string }>;
        };
        const firstExample = Object.values(examples ?? {})[0];
        const schema = members.reduce(
          (node, member) => resolve(document, (node['properties'] as Body)[member]),
          resolve(document, (media as Body)['schema']),
        );
        return {
          id,
          method,
          path,
          member: members.join('.'),
          example: example ?? firstExample?.value ?? (resolve(document, firstExample) as { value: Body }).value,
          longest: schema['maxLength'] as number,
        };
      }),
    ),
  );

const names = placesOf((_, operation) => operation.names);
/** Long texts, which stand at the top of their requests. */
const notes = placesOf((index, { method, path }) => {
  const document = [serviceDocument, appDocument][index] as Body;
  const operation = read(document, ['paths', path, method.toLowerCase()]) as { requestBody?: { content: Body } };
  const { schema } = (operation.requestBody?.content['application/json'] ?? {}) as { schema?: Body };
  const properties = (schema === undefined ? {} : (resolve(document, schema)['properties'] ?? {})) as Body;
  return Object.keys(properties)
    .filter((member) => resolve(document, properties[member])['format'] === 'note')
    .map((member) => [member]);
});

function resolve(document: Body, node: unknown): Body {
  const { $ref } = node as { $ref?: string };
  return $ref === undefined ? (node as Body) : resolve(document, read(document, $ref.slice(2).split('/')));
}

function read(node: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return node;
  return read((node as Body)[first.replaceAll('~1', '/')], rest);
}

/** A copy of a body in which a member has another value. */
function withName(body: Body, member: string, name: unknown): Body {
  const [first, ...rest] = member.split('.') as [string, ...string[]];
  return { ...body, [first]: rest.length === 0 ? name : withName((body[first] ?? {}) as Body, rest.join('.'), name) };
}

const hiddenCharacters = [
  'Jana\u202eanaJ',
  'Ja\u200bna',
  '\u2066Jana',
  'Ja\u00adna',
  '\u3164',
  'Jana\u2028',
  '\ufeffJana',
];
const blanks = ['', ' ', '\u00a0\u3000'];

describe.each(dialects)('names on %s', (dialect) => {
  let world: World;
  const emptyWorlds: World[] = [];
  let root: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    root = await world.as(await addSuperAdmin(world));
  });
  afterAll(async () => {
    await world.close();
    for (const emptyWorld of emptyWorlds) await emptyWorld.close();
  });

  const send = ({ id, method, path }: Place, body: Body): Promise<Answer> => {
    const target = path
      .replace('{key}', 'vacation')
      .replace(
        /\{[a-z_]+\}/g,
        path.includes('/extensions/') ? world.planner.id : path.includes('/terminals/') ? 'trm_1' : '1',
      );
    if (id === 'pairTerminal') return world.call(method, target, { body });
    if (path.startsWith('/api/')) return world.call(method, target, { body, key: world.planner.key });
    return root.call(method, target, { body });
  };

  it('names appear in these operations', () => {
    expect(names.map(({ id, member }) => `${id} ${member}`).sort()).toMatchInlineSnapshot(`
[
  "addHoliday name_de",
  "addHoliday name_en",
  "addPasskey name",
  "addTerminal location",
  "addTerminal name",
  "changeHoliday name_de",
  "changeHoliday name_en",
  "createAbsenceType label",
  "createCompany name",
  "createDepartment name",
  "createExtension name",
  "createPerson first_name",
  "createPerson last_name",
  "createPerson personnel_number",
  "erasePerson confirm_name",
  "pairTerminal device",
  "renameDepartment name",
  "renamePasskey name",
  "setUp company.name",
  "setUp first_name",
  "setUp last_name",
  "updateAbsenceType label",
  "updateCompany name",
  "updateExtension name",
  "updatePerson first_name",
  "updatePerson last_name",
  "updatePerson personnel_number",
  "updateTerminal location",
  "updateTerminal name",
]
`);
  });

  it.each(notes)('a note is more than blanks: $id $member', async (place) => {
    for (const text of [' ', '\u00a0', '\u200b', ' \n ', '\u3164', '\u202e'])
      expect(await send(place, withName(place.example, place.member, text))).toMatchObject({
        status: 400,
        body: {
          code: 'invalid_request',
          details: expect.arrayContaining([expect.objectContaining({ field: place.member, code: 'wrong_format' })]),
        },
      });
  });

  it.each(names)('a name with hidden characters is refused: $id $member', async (place) => {
    for (const name of hiddenCharacters) {
      const { status, body } = await send(place, withName(place.example, place.member, name));
      expect([name, status, body]).toMatchObject([
        name,
        400,
        {
          code: 'invalid_request',
          details: expect.arrayContaining([expect.objectContaining({ field: place.member, code: 'wrong_format' })]),
        },
      ]);
    }
    for (const name of blanks)
      expect(await send(place, withName(place.example, place.member, name))).toMatchObject({
        status: 400,
        body: {
          details: expect.arrayContaining([expect.objectContaining({ field: place.member, code: 'too_short' })]),
        },
      });
    const longName = '👩'.repeat(place.longest + 1);
    expect(await send(place, withName(place.example, place.member, longName))).toMatchObject({
      status: 400,
      body: { details: expect.arrayContaining([expect.objectContaining({ field: place.member, code: 'too_long' })]) },
    });
    for (const control of ['\u0000', '\u001b', '\u0085'])
      expect(await send(place, withName(place.example, place.member, `Ja${control}na`))).toMatchObject({
        status: 400,
        body: {
          details: expect.arrayContaining([
            expect.objectContaining({ field: place.member, code: 'forbidden_character' }),
          ]),
        },
      });
    for (const line of ['\t', '\n'])
      expect(await send(place, withName(place.example, place.member, `Ja${line}na`))).toMatchObject({
        status: 400,
        body: {
          details: expect.arrayContaining([expect.objectContaining({ field: place.member, code: 'wrong_format' })]),
        },
      });
  });

  it.each(names)('a name has its format in the document: $id $member', ({ id, member, example, longest }) => {
    const contract = contracts.find(({ operations }) => operations.some((operation) => operation.id === id))!;
    const operation = contract.operations.find((candidate) => candidate.id === id)!;
    const parts = { path: {}, query: {}, header: {} };
    const fault = (name: string) => {
      const [firstFault] = contract.faultsIn(operation, { ...parts, requestBody: withName(example, member, name) });
      return firstFault?.field === member ? firstFault.code : undefined;
    };
    expect(fault('Ja\u200bna')).toBe('wrong_format');
    expect(fault('👩'.repeat(longest))).toBeUndefined();
    expect(fault('👩'.repeat(longest + 1))).toBe('too_long');
  });

  /** What is sent is composed of two characters, with blanks of other kinds; and that is how it is read again. */
  const sentName = (text: string) => ` \u00a0${text} Zoe\u0308 \u3000 👩\u200d💻 `;
  const storedName = (text: string) => `${text} Zo\u00eb 👩\u200d💻`;
  const create = async (path: string, body: Body) => {
    const answer = await root.call('POST', path, { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const change = async (path: string, body: Body, method = 'PATCH') => {
    const answer = await root.call(method, path, { body });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const company = (name: string) => ({ name, time_zone: 'Europe/Berlin', country: 'DE' });
  let count = 0;
  const person = (fields: Body) => ({
    company_id: world.nord,
    first_name: 'Uwe',
    last_name: 'Name',
    language: 'de',
    employment_start: '2026-01-01',
    ...fields,
    email: `name.${++count}@clockproof.example`,
  });
  const extension = (name: string) => ({ name, mode: 'api', scopes: ['read:users'], acting: 'personal_link' });
  const absenceType = (key: string, label: string) => ({
    key,
    label,
    half_day: false,
    requires_approval: true,
    counts_as_vacation: false,
    away: true,
  });
  const nord = () => `/app/admin/companies/${world.nord}`;
  const setUp = async (fields: Body) => {
    const world = await createWorld(dialect);
    emptyWorlds.push(world);
    const token = world.service.setUpLink!.split('#')[1]!;
    const answer = await createBrowser(world.url).call('POST', '/app/set-up', {
      body: {
        token,
        first_name: 'Maren',
        last_name: 'Claasen',
        email: 'maren@clockproof.example',
        password,
        company: company('Westwerk KG'),
        ...fields,
      },
    });
    expect(answer.status).toBe(201);
    const row = await world.db.get<Body>(
      'SELECT p.first_name, p.last_name, c.name AS company FROM people p JOIN companies c ON c.id = p.company_id ORDER BY p.id DESC LIMIT 1',
    );
    return row;
  };

  let keys = 0;
  const addPasskey = async (name: string) => {
    const creation = await root.call('POST', '/app/second-factor/passkeys/creation');
    const credential = createAuthenticator(`key ${++keys}`).create(creation.body['public_key'] as CreationOptions, {});
    return (await create('/app/second-factor/passkeys', { name, credential }))['passkey'] as Body;
  };

  const addTerminal = async (fields: Body) => {
    const body = { company_id: world.nord, name: `Gate ${++count}`, location: 'Hamburg', ...fields };
    return (await create('/app/admin/terminals', body))['terminal'] as Body;
  };
  const terminalPath = async () => `/app/admin/terminals/${String((await addTerminal({}))['id'])}`;

  const addHoliday = (fields: Body) => {
    const date = `2027-03-${String(++count).padStart(2, '0')}`;
    return create(`${nord()}/holidays`, { date, name_de: 'Fest', name_en: 'Feast', kind: 'day_off', ...fields });
  };

  /** By operation and member: sends the name, and reads it as the operation stored it. */
  const readBack: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'setUp first_name': async (name) => (await setUp({ first_name: name }))!['first_name'],
    'setUp last_name': async (name) => (await setUp({ last_name: name }))!['last_name'],
    'setUp company.name': async (name) => (await setUp({ company: company(name) }))!['company'],
    'createCompany name': async (name) => (await create('/app/admin/companies', company(name)))['name'],
    'updateCompany name': async (name) => (await change(`/app/admin/companies/${world.sued}`, { name }))['name'],
    'createDepartment name': async (name) => (await create(`${nord()}/departments`, { name }))['name'],
    'renameDepartment name': async (name) => (await change(`${nord()}/departments/${world.office}`, { name }))['name'],
    ...Object.fromEntries(
      ['name_de', 'name_en'].flatMap((member) => [
        [`addHoliday ${member}`, async (name: string) => (await addHoliday({ [member]: name }))[member]],
        [
          `changeHoliday ${member}`,
          async (name: string) =>
            (await change(`${nord()}/holidays/${String((await addHoliday({}))['id'])}`, { [member]: name }))[member],
        ],
      ]),
    ),
    'createAbsenceType label': async (name) =>
      (await create(`${nord()}/absence-types`, absenceType('one', name)))['label'],
    'updateAbsenceType label': async (name) => {
      await create(`${nord()}/absence-types`, absenceType('two', 'Two'));
      return (await change(`${nord()}/absence-types/two`, { label: name }))['label'];
    },
    ...Object.fromEntries(
      ['first_name', 'last_name', 'personnel_number'].flatMap((member) => [
        [
          `createPerson ${member}`,
          async (name: string) => (await create('/app/admin/people', person({ [member]: name })))[member],
        ],
        [
          `updatePerson ${member}`,
          async (name: string) => (await change(`/app/admin/people/${world.people.ben}`, { [member]: name }))[member],
        ],
      ]),
    ),
    async 'erasePerson confirm_name'(name) {
      const { id } = await create('/app/admin/people', person({ first_name: name, last_name: 'Fort' }));
      await root.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-20' } });
      const { status } = await root.call('POST', `/app/admin/people/${id}/erasure`, {
        body: { confirm_name: ` ${name}\u2003Fort` },
      });
      expect(status).toBe(204);
      return storedName('erasePerson confirm_name');
    },
    'createExtension name': async (name) =>
      ((await create('/app/admin/extensions', extension(name)))['extension'] as Body)['name'],
    'updateExtension name': async (name) =>
      (await change(`/app/admin/extensions/${world.reader.id}`, { name }))['name'],
    'addPasskey name': async (name) => (await addPasskey(name))['name'],
    async 'renamePasskey name'(name) {
      const { id } = await addPasskey('Key');
      return (await change(`/app/second-factor/passkeys/${id}`, { name }))['name'];
    },
    'addTerminal name': async (name) => (await addTerminal({ name }))['name'],
    'addTerminal location': async (name) => (await addTerminal({ location: name }))['location'],
    'updateTerminal name': async (name) => (await change(await terminalPath(), { name }))['name'],
    'updateTerminal location': async (name) => (await change(await terminalPath(), { location: name }))['location'],
    async 'pairTerminal device'(name) {
      const door = await addDoor(world);
      const { status } = await world.call('POST', '/api/v1/terminal/pair', {
        body: { code: door.code, public_key: deviceKey('names').publicKey, device: name },
      });
      expect(status).toBe(201);
      return (await world.db.get<Body>('SELECT device FROM terminals WHERE id = :id', { id: door.terminalId }))![
        'device'
      ];
    },
  };

  it.each(names)('a name is stored composed and with single blanks: $id $member', async ({ id, member }) => {
    const readName = readBack[`${id} ${member}`];
    expect(await readName?.(sentName(`${id} ${member}`))).toBe(storedName(`${id} ${member}`));
  });

  it.each([
    ['company', '/app/admin/companies', company],
    ['department', () => `${nord()}/departments`, (name: string) => ({ name })],
    ['extension', '/app/admin/extensions', extension],
  ] as const)('names of a %s differ in more than case, width, blanks and variants', async (_, path, body) => {
    const target = typeof path === 'string' ? path : path();
    await create(target, body('Straßenbau Nord ❤️'));
    for (const name of ['STRASSENBAU NORD ❤', 'straßenbau  nord\u00a0❤️', 'Ｓtraßenbau Nord ❤️'])
      expect(await root.call('POST', target, { body: body(name) })).toMatchObject({
        status: 409,
        body: { code: 'value_taken', details: [{ field: 'name', code: 'taken' }] },
      });
    await create(target, body('Straßenbau Nord ❤️ 2'));
  });

  it('people are found as they are sorted: without case, marks and word order', async () => {
    const people = [
      ['Jörg', 'Weiß', 'Ä-17', 'jorg@weiss.example'],
      ['İlknur', 'Yıldız', 'N_8', 'ilknur@clockproof.example'],
      ['Änne', 'Öztürk', 'N-9', 'aenne@clockproof.example'],
      ['José María', 'Núñez', 'N-10', 'jose@clockproof.example'],
    ] as const;
    const ids = new Map<unknown, string>();
    for (const [first_name, last_name, personnel_number, email] of people)
      ids.set(
        (await create('/app/admin/people', { ...person({ first_name, last_name, personnel_number }), email }))['id'],
        last_name,
      );
    const find = async (search: string) => {
      const { body } = await root.call('GET', `/app/admin/people?search=${encodeURIComponent(search)}&limit=500`);
      return (body['data'] as Body[]).flatMap(({ id }) => ids.get(id) ?? []);
    };
    for (const [search, lastName] of [
      ['WEISS', 'Weiß'],
      ['weiß jörg ', 'Weiß'],
      ['JORG@WEI', 'Weiß'],
      ['ä-17', 'Weiß'],
      ['YILDIZ', 'Yıldız'],
      ['ilknur yıl', 'Yıldız'],
      ['n_8', 'Yıldız'],
      ['ozturk', 'Öztürk'],
      ['Öztürk Änne', 'Öztürk'],
      ['A\u0308nne', 'Öztürk'],
      ['nunez', 'Núñez'],
      ['Jose Nu', 'Núñez'],
      ['n_9', undefined],
      ['weiß änne', undefined],
    ] as const)
      expect([search, await find(search)]).toEqual([search, lastName === undefined ? [] : [lastName]]);
  });
});
