/**
 * Two companies with the same life, told apart in any answer: the ids of each lie in a range of their own, and every
 * name and text of each carries its mark.
 */

import { isPostgres } from '@clockproof/platform/database/postgres';
import { formatInstant, hour } from '@clockproof/platform/time/instant';
import type { AddedExtension } from '../src/extensions/extensions.js';
import { addSuperAdmin, type Browser } from './browser.js';
import { commitTo } from './commitments.js';
import { deviceKey, doorOf, newCard, pair } from './door.js';
import { addApp, link, renew } from './linking.js';
import { type Answer, allScopes, type World } from './world.js';

export interface Tenant {
  readonly mark: string;
  /** True if a text holds an id or a name of the company. */
  readonly isIn: (text: string) => boolean;
  readonly company: number;
  readonly department: number;
  /** Works in the department; linked `app` and `otherApp`, the latter no longer. */
  readonly employee: number;
  /** Decides in the department. */
  readonly approver: number;
  readonly admin: number;
  /** An entry of the employee, corrected. */
  readonly entry: number;
  readonly absence: number;
  /** Acts for everyone in the company, and may read everything. */
  readonly extension: string;
  readonly key: string;
  /** An event that was sent to `extension`. */
  readonly delivered: string;
  readonly app: AddedExtension;
  /** A terminal with badges of the employee, the approver and the admin. */
  readonly terminal: string;
  /** An app of no company that the employees of both linked. */
  readonly shared: string;
  /** A link to `app`, with its access token. */
  readonly link: string;
  readonly token: string;
  readonly browsers: { readonly employee: Browser; readonly approver: Browser; readonly admin: Browser };
}

export interface TwoCompanies {
  readonly alba: Tenant;
  readonly bora: Tenant;
  /** An app of no company that the employees of both linked, with its key. */
  readonly shared: AddedExtension;
  /** A super admin of another company. */
  readonly root: Browser;
}

/** Moves the clock through two working weeks and signs everybody in. */
export async function createTwoCompanies(world: World): Promise<TwoCompanies> {
  const rootId = await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' });
  const sharedApp = await addApp(world, 'Shared');
  const alba = await addTenant(world, rootId, sharedApp, { mark: 'Ålba', ascii: 'alba', ids: 3, monday: '2026-11-30' });
  const bora = await addTenant(world, rootId, sharedApp, { mark: 'Børa', ascii: 'bora', ids: 7, monday: '2026-12-07' });
  // There is no server at the address; the attempt is enough.
  await world.deliver();
  const root = await world.as(rootId);
  return { alba: await enter(world, alba, root), bora: await enter(world, bora, root), shared: sharedApp, root };
}

type Staff = Omit<Tenant, 'delivered' | 'token' | 'browsers'> & { readonly refreshToken: string };

interface Kind {
  readonly mark: string;
  readonly ascii: string;
  /** First digit of seven. */
  readonly ids: number;
  readonly monday: string;
}

async function addTenant(
  world: World,
  rootId: number,
  sharedApp: AddedExtension,
  { mark, ascii, ids, monday }: Kind,
): Promise<Staff> {
  await startIdsAt(world, ids * 1_000_000);
  world.set(Date.parse(`${monday}T05:00:00Z`));
  const root = await world.as(rootId);
  const ask = askAs(root);

  const company = numberOf(
    await ask('POST', '/app/admin/companies', {
      name: `${mark} GmbH`,
      time_zone: 'Europe/Berlin',
      country: 'DE',
      region: 'DE-HH',
    }),
  );
  // So that people without an office may ask for everything that a company can show them.
  await ask('PATCH', `/app/admin/companies/${company}`, { colleagues_see: 'absences_and_presence' });
  const department = numberOf(
    await ask('POST', `/app/admin/companies/${company}/departments`, { name: `${mark} yard` }),
  );
  const addPersonNamed = async (name: string) =>
    numberOf(
      await ask('POST', '/app/admin/people', {
        company_id: company,
        department_id: department,
        first_name: name,
        last_name: mark,
        email: `${name}.${ascii}@clockproof.example`.toLowerCase(),
        language: 'en',
        employment_start: '2026-01-01',
      }),
    );
  const [employee, approver, admin, leaver] = [
    await addPersonNamed('Emma'),
    await addPersonNamed('Arno'),
    await addPersonNamed('Ada'),
    await addPersonNamed('Leo'),
  ] as const;
  await ask('PUT', `/app/admin/people/${approver}/roles`, {
    roles: [{ role: 'approver', company_id: company, department_ids: [department] }],
  });
  await ask('PUT', `/app/admin/people/${admin}/roles`, { roles: [{ role: 'company_admin', company_id: company }] });
  const { extension, key } = (
    await ask('POST', '/app/admin/extensions', {
      name: `${mark} roster`,
      mode: 'webhooks',
      webhook_url: 'https://hooks.example/',
      scopes: allScopes,
      acting: 'everyone',
      company_id: company,
      absences_count_as_approved: true,
    })
  ).body as { extension: { id: string }; key: string };
  const app = await addApp(world, `${mark} app`, { companyId: company });
  const otherApp = await addApp(world, `${mark} other`, { companyId: company });
  await ask('POST', `/app/admin/companies/${company}/absence-types`, {
    key: 'sabbatical',
    label: `${mark} sabbatical`,
    half_day: false,
    requires_approval: true,
    counts_as_vacation: false,
    away: true,
  });
  await ask('PUT', `/app/admin/people/${employee}/entitlements/2026`, { days: 30, carried_over_days: 0 });
  await ask('POST', `/app/admin/people/${employee}/vacation-bookings`, {
    kind: 'correction',
    days: 1,
    date: '2026-11-20',
    reason: `${mark} booking`,
  });
  for (const person of [employee, approver])
    await ask('POST', `/app/admin/people/${person}/time-bookings`, {
      kind: 'payout',
      minutes: -60,
      date: monday,
      reason: `${mark} payout`,
    });
  await ask('POST', `/app/admin/people/${employee}/schedules`, {
    valid_from: '2026-12-01',
    minutes: { monday: 450, tuesday: 450, wednesday: 450, thursday: 450, friday: 450, saturday: 0, sunday: 0 },
  });

  await ask('POST', `/app/admin/people/${employee}/special-rules`, { kind: 'minijob', valid_from: '2026-12-01' });
  await ask('POST', `/app/admin/companies/${company}/schedules`, {
    valid_from: '2026-12-01',
    minutes: { monday: 480, tuesday: 480, wednesday: 480, thursday: 480, friday: 480, saturday: 0, sunday: 0 },
  });

  const withKey = async (path: string, body: object): Promise<Answer> =>
    requireSuccess(path, await world.call('POST', `/api/v1/${path}`, { key, body }));
  // A day without a break is a finding; the next day everyone is somewhere else.
  await withKey('clock/in', { user_id: employee });
  await withKey('clock/in', { user_id: leaver });
  world.set(Date.parse(`${monday}T16:30:00Z`));
  const answer = await withKey('clock/out', { user_id: employee });
  const entry = (answer.body['time_entry'] as { id: number }).id;
  await withKey('clock/out', { user_id: leaver });
  world.advance(14 * 3_600_000);
  await withKey('clock/in', { user_id: approver });
  await withKey('clock/in', { user_id: employee });
  await withKey('clock/break/start', { user_id: employee });
  const absence = numberOf(
    await withKey('absences', {
      user_id: employee,
      type: 'vacation',
      start_date: '2026-12-21',
      end_date: '2026-12-22',
      comment: `${mark} alps`,
      external_id: `${mark} 1`,
    }),
  );
  await withKey('absences', { user_id: approver, type: 'training', start_date: '2026-12-21', end_date: '2026-12-22' });
  await withKey('absences', { user_id: leaver, type: 'sickness', start_date: '2026-12-21', end_date: '2026-12-22' });

  const employeeBrowser = await world.as(employee);
  const askAsEmployee = askAs(employeeBrowser);
  await askAsEmployee('POST', '/app/me/absences', {
    type: 'vacation',
    start_date: '2026-12-28',
    end_date: '2026-12-28',
  });
  await askAsEmployee('POST', '/app/me/absences', {
    type: 'sabbatical',
    start_date: '2026-12-29',
    end_date: '2026-12-29',
  });
  await askAsEmployee('POST', '/app/me/corrections', {
    entry_id: entry,
    start: `${monday}T05:00:00Z`,
    end: `${monday}T16:00:00Z`,
    reason: `${mark} train`,
  });
  const decide = askAs(await world.as(approver));
  await decide('POST', '/app/me/substitutes', { user_id: admin });
  const { data } = (await decide('GET', '/app/approvals')).body as {
    data: { id: string; kind: string; absence?: { type: string } }[];
  };
  for (const { id, kind, absence } of data) {
    if (kind === 'correction') await decide('POST', `/app/approvals/${id}/approve`);
    if (absence?.type === 'sabbatical')
      await decide('POST', `/app/approvals/${id}/reject`, { comment: `${mark} busy` });
  }
  await askAsEmployee('POST', '/app/me/corrections', { entry_id: entry, remove: true, reason: `${mark} mistake` });
  const scopes = ['read:time_entries', 'read:leave_entries', 'read:clock_states', 'write:absences'];
  const tokens = await link(world, app, employee, scopes, employeeBrowser);
  await link(world, sharedApp, employee, scopes, employeeBrowser);
  await link(world, otherApp, employee, scopes, employeeBrowser);
  const links = (await askAsEmployee('GET', '/app/linked-apps')).body['data'] as {
    id: string;
    extension: { id: string };
  }[];
  const linkTo = (extension: AddedExtension) => links.find((linkedApp) => linkedApp.extension.id === extension.id)!.id;
  await askAsEmployee('DELETE', `/app/linked-apps/${linkTo(otherApp)}`);
  for (const day of ['2026-12-30', '2026-12-31']) {
    const body = { type: 'home_office', start_date: day, end_date: day, comment: `${mark} home` };
    requireSuccess(
      'an absence by the app',
      await world.call('POST', '/api/v1/absences', { key: tokens.access_token, body }),
    );
  }

  const terminals = { people: [employee, approver, admin], cardsFrom: ids * 100 };
  const terminal = await addEntrances(world, { company, mark, department }, terminals, await world.as(admin));
  const last = askAs(await world.as(rootId));
  await last('POST', `/app/admin/people/${leaver}/deactivation`, { employment_end: monday });
  await last('POST', `/app/admin/people/${leaver}/erasure`, { confirm_name: `Leo ${mark}`, reason: 'Left' });
  const openingBalance = { date: '2026-10-01', balance_minutes: 0 };
  await last('PUT', `/app/admin/people/${admin}/opening-balance`, openingBalance);
  await askAs(await world.as(admin))('POST', `/app/admin/companies/${company}/months/2026-10/close`);

  const id = new RegExp(`(?<![0-9A-Za-z])(?:[a-z]{3}_)?${ids}\\d{6}(?![0-9A-Za-z])`);
  await commitTo(world, company, { person: employee, text: mark });
  return {
    mark,
    isIn: (text) => text.includes(mark) || text.includes(ascii) || id.test(text),
    company,
    department,
    employee,
    approver,
    admin,
    entry,
    absence,
    extension: extension.id,
    key,
    app,
    terminal,
    shared: sharedApp.id,
    link: linkTo(app),
    refreshToken: tokens.refresh_token,
  };
}

/** Two terminals, and two badges of each person. @returns the first terminal, at which a badge is being issued */
async function addEntrances(
  world: World,
  { company, mark, department }: Pick<Tenant, 'company' | 'mark' | 'department'>,
  { people, cardsFrom }: { readonly people: readonly number[]; readonly cardsFrom: number },
  admin: Browser,
): Promise<string> {
  const ask = askAs(admin);
  const add = async (name: string) => {
    const body = {
      company_id: company,
      name,
      location: `${mark} yard`,
      department_ids: [department],
      issuing_allowed: true,
    };
    return (await ask('POST', '/app/admin/terminals', body)).body as { code: string; terminal: { id: string } };
  };
  const { code, terminal } = await add(`${mark} gate`);
  await add(`${mark} hall`);
  const seed = `entrance of ${mark}`;
  const { body } = requireSuccess('pairing', await pair(world, code, deviceKey(seed).publicKey));
  const path = `/app/admin/terminals/${terminal.id}`;
  await ask('POST', `${path}/confirmation`, { fingerprint: body['fingerprint'] });
  const door = doorOf(world, terminal.id, seed);
  let card = cardsFrom;
  for (const person of [...people, ...people]) {
    await ask('POST', `${path}/issuing`, { user_id: person });
    requireSuccess('issuing', await door.hold(newCard(`04${String(++card).padStart(12, '0')}`)));
  }
  // Stamps of a clock that is ahead: two wait, two are rejected.
  const uid = `04${String(cardsFrom + 1).padStart(12, '0')}`;
  const stamps = [1, 2, 3, 4].map((number) => ({
    ...{ number, uid, action: 'in' },
    at: formatInstant(world.now() + number * hour),
  }));
  requireSuccess('offline stamps', await door.send('POST', '/api/v1/terminal/offline', { stamps }));
  const unresolvedStamps = (await ask('GET', '/app/unresolved-stamps')).body['data'] as { id: string }[];
  const rejectedIds = unresolvedStamps.slice(0, 2).map((stamp) => stamp.id);
  await ask('POST', '/app/unresolved-stamps/reject', { ids: rejectedIds, comment: `${mark} clock` });
  const { data } = (await ask('GET', '/app/admin/badges')).body as { data: { id: string }[] };
  await ask('POST', `/app/admin/badges/${data[0]!.id}/return`);
  await ask('POST', `/app/admin/badges/${data[2]!.id}/block`);
  await ask('POST', `${path}/issuing`, { user_id: people[0] });
  return terminal.id;
}

async function enter(world: World, { refreshToken, ...staff }: Staff, root: Browser): Promise<Tenant> {
  const { employee, approver, admin, app } = staff;
  const { body } = await renew(world, app, refreshToken);
  const deliveries = await askAs(root)('GET', `/app/admin/extensions/${staff.extension}/deliveries?limit=1`);
  return {
    ...staff,
    delivered: (deliveries.body['data'] as { event_id: string }[])[0]!.event_id,
    token: body['access_token'] as string,
    browsers: {
      employee: await world.as(employee),
      approver: await world.as(approver),
      admin: await world.as(admin),
    },
  };
}

/** The next row of every table with numbers for ids gets the first id above. */
async function startIdsAt({ db }: World, first: number): Promise<void> {
  if (!isPostgres(db.dialect)) {
    const tables = await db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'");
    await db.write(async (tx) => {
      await tx.run('DELETE FROM sqlite_sequence');
      for (const { name } of tables)
        await tx.run('INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :first)', { name, first });
    });
  } else {
    const tables = await db.all<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'id' AND is_identity = 'YES'",
    );
    for (const { name } of tables)
      await db.write((tx) => tx.run(`ALTER TABLE ${name} ALTER COLUMN id RESTART WITH ${first + 1}`));
  }
}

function askAs(browser: Browser): (method: string, path: string, body?: object) => Promise<Answer> {
  return async (method, path, body) =>
    requireSuccess(`${method} ${path}`, await browser.call(method, path, body === undefined ? {} : { body }));
}

function requireSuccess(subject: string, answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${subject}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

function numberOf({ body }: Answer): number {
  return body['id'] as number;
}
