/**
 * A record is found only under the path of its owner: not under another person, company or extension that the caller
 * may use as well, and not under the caller's own path.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AppOperationId, appOperations } from '../src/generated/contract.js';
import { type CreationOptions, createAuthenticator } from './authenticator.js';
import { addSuperAdmin, type Browser, factorKeysOf, giveCredentials, password } from './browser.js';
import { issueBadge, openDoor } from './door.js';
import { addApp, ask, link } from './linking.js';
import { startReceiver } from './receivers.js';
import { allScopes, createWorld, dataKey, type World } from './world.js';

/** Paths with two ids, and paths of the signed-in person with one. */
const addressedOperations = (Object.entries(appOperations) as [AppOperationId, { readonly path: string }][]).filter(
  ([, { path }]) =>
    /_id\}|\{key\}/.test(path) || /^\/app\/(me|sessions|second-factor|linked-apps|consent)\/.*\{id\}/.test(path),
);

interface Scene {
  readonly world: World;
  readonly root: Browser;
  /** Two people of one company. */
  readonly ada: Browser;
  readonly ben: Browser;
  readonly receiver: string;
}

/** The caller, the path of the record, and a path under which the record must not be found. */
interface Crossing {
  readonly browser: Browser;
  readonly ownPath: string;
  readonly foreignPath: string;
}

const schedule = {
  valid_from: '2026-12-01',
  minutes: { monday: 450, tuesday: 450, wednesday: 450, thursday: 450, friday: 450, saturday: 0, sunday: 0 },
};
const holiday = { kind: 'half_day', name_en: 'Christmas Eve' };
const absenceType = {
  label: 'Sabbatical',
  half_day: false,
  requires_approval: true,
  counts_as_vacation: false,
  away: true,
};

async function call(browser: Browser, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await browser.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

let count = 0;
/** A day of December that no other row of the table uses. */
const nextDay = () => `2026-12-${String(++count).padStart(2, '0')}`;

/** A record below `/app/admin/{parents}/{id}`: the super admin may use both parents. */
const childRecord =
  (parents: 'people' | 'companies', list: string, body: () => object, suffix = '') =>
  async ({ root, world }: Scene): Promise<Crossing> => {
    const [parent, otherParent] =
      parents === 'people' ? [world.people.ben, world.people.ada] : [world.sued, world.nord];
    const record = await call(root, 'POST', `/app/admin/${parents}/${parent}/${list}`, body());
    const path = (id: number) => `/app/admin/${parents}/${id}/${list}/${record['id'] ?? record['key']}${suffix}`;
    return { browser: root, ownPath: path(parent), foreignPath: path(otherParent) };
  };
/** A record of Ben's, which Ada names under her own path. */
const ofBen =
  (path: string, record: (scene: Scene) => Promise<unknown>, suffix = '') =>
  async (scene: Scene): Promise<Crossing> => {
    const id = await record(scene);
    return { browser: scene.ada, ownPath: `${path}/${id}${suffix}`, foreignPath: `${path}/${id}${suffix}` };
  };

const correction = async ({ ben }: Scene) => {
  const day = new Date(Date.parse('2026-11-20T08:00:00Z') - ++count * 86_400_000).toISOString();
  const body = { start: day, end: day.replace('T08', 'T12'), reason: 'A journey' };
  return (await call(ben, 'POST', '/app/me/corrections', body))['id'];
};
const absence = async ({ ben }: Scene) => {
  const day = nextDay();
  return (await call(ben, 'POST', '/app/me/absences', { type: 'home_office', start_date: day, end_date: day }))['id'];
};
const passkey = async ({ ben }: Scene) => {
  const creation = await call(ben, 'POST', '/app/second-factor/passkeys/creation');
  const credential = createAuthenticator(`Key ${++count}`).create(creation['public_key'] as CreationOptions);
  await call(ben, 'POST', '/app/second-factor/passkeys', { name: 'Key', credential });
  return lastOf(await call(ben, 'GET', '/app/second-factor/passkeys'));
};
const linkedApp = async ({ world, ben }: Scene) => {
  const app = await addApp(world, `App ${++count}`);
  await link(world, app, world.people.ben, ['read:time_entries'], ben);
  const { data } = (await call(ben, 'GET', '/app/linked-apps')) as {
    data: { id: string; extension: { id: string } }[];
  };
  return data.find(({ extension }) => extension.id === app.id)!.id;
};
const session = async ({ world, ben }: Scene) => {
  await world.as(world.people.ben);
  const { data } = (await call(ben, 'GET', '/app/sessions')) as { data: { id: string; current: boolean }[] };
  return data.find(({ current }) => !current)!.id;
};
const consent = async ({ world, ben }: Scene) => {
  const id = await ask(ben, await addApp(world, `App ${++count}`));
  await call(ben, 'GET', `/app/consent/${id}`);
  return id;
};
const substitute = async ({ world, ben }: Scene) =>
  (await call(ben, 'POST', '/app/me/substitutes', { user_id: world.people.ada }))['id'];
const badge = async ({ world, ben }: Scene) => {
  const door = await openDoor(world, `Gate ${++count}`);
  await issueBadge(world, door, world.people.ben, `04${String(count).padStart(12, '0')}`);
  return lastOf(await call(ben, 'GET', '/app/me/badges'));
};
const entry = async ({ world, ben }: Pick<Scene, 'world' | 'ben'>) => {
  await call(ben, 'POST', '/app/me/clock/in');
  world.advance(60_000);
  await call(ben, 'POST', '/app/me/clock/out');
  return (await world.db.get<{ id: number }>('SELECT max(id) AS id FROM time_entries'))!.id;
};
const lastOf = (list: Record<string, unknown>) => (list['data'] as { id: string }[]).at(-1)!.id;

/** Two extensions, the first of which was sent an event. */
const delivery =
  (suffix = '') =>
  async ({ world, root, ben, receiver }: Scene): Promise<Crossing> => {
    const add = async () => {
      const body = {
        ...{ name: `Hook ${++count}`, mode: 'webhooks', webhook_url: receiver, scopes: allScopes },
        ...{ acting: 'everyone', company_id: world.nord },
      };
      return ((await call(root, 'POST', '/app/admin/extensions', body))['extension'] as { id: string }).id;
    };
    const extension = await add();
    await entry({ world, ben });
    await world.deliver();
    const { data } = await call(root, 'GET', `/app/admin/extensions/${extension}/deliveries`);
    const event = (data as { event_id: string }[])[0]!.event_id;
    const path = (id: string) => `/app/admin/extensions/${id}/deliveries/${event}${suffix}`;
    return { browser: root, ownPath: path(extension), foreignPath: path(await add()) };
  };

const table: Partial<Record<AppOperationId, (scene: Scene) => Promise<Crossing>>> = {
  renameDepartment: childRecord('companies', 'departments', () => ({ name: `Yard ${++count}` })),
  deleteDepartment: childRecord('companies', 'departments', () => ({ name: `Yard ${++count}` })),
  changeHoliday: childRecord('companies', 'holidays', () => ({ ...holiday, date: nextDay() })),
  removeHoliday: childRecord('companies', 'holidays', () => ({ ...holiday, date: nextDay() })),
  removeCompanySchedule: childRecord('companies', 'schedules', () => schedule),
  updateAbsenceType: childRecord('companies', 'absence-types', () => ({ ...absenceType, key: `leave_${++count}` })),
  deleteAbsenceType: childRecord('companies', 'absence-types', () => ({ ...absenceType, key: `leave_${++count}` })),
  removeSchedule: childRecord('people', 'schedules', () => schedule),
  removeSpecialRule: childRecord('people', 'special-rules', () => ({ kind: 'minijob', valid_from: '2026-12-01' })),
  cancelTimeBooking: childRecord(
    'people',
    'time-bookings',
    () => ({ kind: 'payout', minutes: -60, date: '2026-11-23', reason: 'Paid out' }),
    '/cancellation',
  ),
  showDelivery: delivery(),
  resendDelivery: delivery('/resend'),
  async endExtensionLink({ world, root, ben }) {
    const [app, otherApp] = [await addApp(world, `App ${++count}`), await addApp(world, `App ${++count}`)];
    await link(world, app, world.people.ben, ['read:time_entries'], ben);
    const id = lastOf(await call(root, 'GET', `/app/admin/extensions/${app.id}/links`));
    const path = (extension: string) => `/app/admin/extensions/${extension}/links/${id}`;
    return { browser: root, ownPath: path(app.id), foreignPath: path(otherApp.id) };
  },
  endSession: ofBen('/app/sessions', session),
  renamePasskey: ofBen('/app/second-factor/passkeys', passkey),
  removePasskey: ofBen('/app/second-factor/passkeys', passkey, '/removal'),
  endLinkedApp: ofBen('/app/linked-apps', linkedApp),
  listLinkedAppActivity: ofBen('/app/linked-apps', linkedApp, '/activity'),
  showConsent: ofBen('/app/consent', consent),
  decideConsent: ofBen('/app/consent', consent),
  listMyEntryHistory: ofBen('/app/me/entries', entry, '/history'),
  withdrawCorrection: ofBen('/app/me/corrections', correction, '/withdrawal'),
  blockMyBadge: ofBen('/app/me/badges', badge, '/block'),
  withdrawMyAbsence: ofBen('/app/me/absences', absence),
  changeMyAbsence: ofBen('/app/me/absences', absence),
  removeSubstitute: ofBen('/app/me/substitutes', substitute),
};
const bodies: Partial<Record<AppOperationId, object>> = {
  renameDepartment: { name: 'Workshop' },
  changeHoliday: { name_en: 'Silent night' },
  updateAbsenceType: { label: 'Year off' },
  renamePasskey: { name: 'Blue key' },
  removePasskey: { password },
  decideConsent: { decision: 'allow', scopes: ['read:time_entries'] },
  changeMyAbsence: { comment: 'At the lake' },
  cancelTimeBooking: { date: '2026-11-23', reason: 'Twice' },
};

describe.each(oneDialect)('a record under a wrong path on %s', (dialect) => {
  let scene: Scene;
  const endings: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const world = await createWorld(dialect, { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    const receiver = await startReceiver();
    endings.push(
      () => world.close(),
      () => receiver.close(),
    );
    const { ada, ben } = world.people;
    await giveCredentials(world, [ada, ben], await factorKeysOf(world, dataKey));
    const root = await world.as(await addSuperAdmin(world));
    const roles = [{ role: 'approver', company_id: world.nord, department_ids: [world.office] }];
    for (const person of [ada, ben]) await call(root, 'PUT', `/app/admin/people/${person}/roles`, { roles });
    scene = {
      world,
      root,
      ada: await world.as(ada),
      ben: await world.as(ben),
      receiver: `http://127.0.0.1:${receiver.port}/`,
    };
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });

  /** No write commits without an entry in the audit log, or the word that there is nothing to enter. */
  const countWrites = () =>
    scene.world.db.get(
      'SELECT (SELECT count(*) FROM audit_entries) AS entries, (SELECT count(*) FROM events) AS events',
    );

  it.each(addressedOperations.map(([id]) => id))('%s answers 404 and changes nothing', async (id) => {
    const { browser, ownPath, foreignPath } = await table[id]!(scene);
    const method = appOperations[id].method.toUpperCase();
    const body = bodies[id];
    const writesBefore = await countWrites();
    const refusal = await browser.call(method, foreignPath, { body });
    expect([id, refusal.status, refusal.body['code']]).toEqual([id, 404, 'not_found']);
    expect(await countWrites()).toEqual(writesBefore);
    // The owner's same request is accepted.
    const answer = await (ownPath === foreignPath ? scene.ben : browser).call(method, ownPath, { body });
    expect([id, answer.status < 300 ? 'accepted' : answer.body]).toEqual([id, 'accepted']);
  });
});
