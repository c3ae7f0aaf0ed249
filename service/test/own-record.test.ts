/**
 * Admins and their own records. Every operation of a role that writes either changes what one's own figures or rights
 * come from, and is walked here, or says why it does not.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { appOperations } from '../src/generated/contract.js';
import { addSuperAdmin, type Browser } from './browser.js';
import { createWorld, type World } from './world.js';

type Operations = typeof appOperations;
type OfAdmins = {
  [Id in keyof Operations]: Operations[Id]['role'] extends 'approver' | 'company_admin' | 'super_admin'
    ? Operations[Id]['method'] extends 'get'
      ? never
      : Id
    : never;
}[keyof Operations];

/** Method, path after `/app/admin/people/{id}`, and body; `{id}` in it is the id of the record that `setup` adds. */
interface Walk {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly setup?: readonly [string, object];
}
const forEveryone = 'a rule of the company for everyone';
const access = 'how somebody signs in; the person gets a notice';
const otherSubjects = 'about no person';
const preview = 'changes nothing';
const requests = 'the rule of requests and corrections refuses it (`authority.ts`)';
const badges = 'the card alone stamps, and each stamp is recorded as one';

const day = '2026-11-23';
const week = {
  valid_from: day,
  minutes: { monday: 1, tuesday: 1, wednesday: 1, thursday: 1, friday: 1, saturday: 0, sunday: 0 },
};
const booking = { kind: 'correction', minutes: 600, date: day, reason: 'A journey that was never stamped' };

const operations = {
  setApprovalRule: [{ method: 'PUT', path: '/approval-rule', body: { approval: 'never' } }],
  addSchedule: [{ method: 'POST', path: '/schedules', body: week }],
  removeSchedule: [
    { method: 'DELETE', path: '/schedules/{id}', setup: ['/schedules', { ...week, valid_from: '2026-12-01' }] },
  ],
  addSpecialRule: [{ method: 'POST', path: '/special-rules', body: { kind: 'minijob', valid_from: day } }],
  removeSpecialRule: [
    { method: 'DELETE', path: '/special-rules/{id}', setup: ['/special-rules', { kind: 'young', valid_from: day }] },
  ],
  setEntitlement: [{ method: 'PUT', path: '/entitlements/2026', body: { days: 99, carried_over_days: 0 } }],
  bookVacation: [
    { method: 'POST', path: '/vacation-bookings', body: { kind: 'correction', days: 50, date: day, reason: 'None' } },
  ],
  bookTime: [{ method: 'POST', path: '/time-bookings', body: booking }],
  cancelTimeBooking: [
    {
      method: 'POST',
      path: '/time-bookings/{id}/cancellation',
      body: { date: day, reason: 'Twice' },
      setup: ['/time-bookings', { ...booking, kind: 'payout', minutes: -600 }],
    },
  ],
  setFlexitimeLimitsOfPerson: [{ method: 'PUT', path: '/flexitime-limits', body: { lower_minutes: -6000 } }],
  setOpeningBalance: [{ method: 'PUT', path: '/opening-balance', body: { date: '2026-11-01', balance_minutes: 6000 } }],
  updatePerson: [
    { method: 'PATCH', path: '', body: { first_name: 'Eva', department_id: null } },
    { method: 'PATCH', path: '', body: { employment_start: '2026-02-01' } },
    { method: 'PATCH', path: '', body: { employment_end: '2027-12-31' } },
  ],
  setRoles: [{ method: 'PUT', path: '/roles', body: { roles: [{ role: 'company_admin', company_id: 1 }] } }],
  previewEmploymentEnd: [
    { method: 'POST', path: '/employment-end-preview', body: { employment_end: '2026-11-30', deactivate: false } },
  ],
  deactivatePerson: [{ method: 'POST', path: '/deactivation', body: { employment_end: '2026-11-22' } }],
  setEntitlements: 'leaves out the admin who sets them; see below',
  previewEntitlements: preview,
  carryOverVacation: forEveryone,
  previewVacationCarryOver: preview,

  correctEntry: requests,
  correctEntries: requests,
  previewCorrections: preview,
  undoCorrections: requests,
  recordAbsence: requests,
  cancelAbsenceOfPerson: requests,
  changeAbsenceOfPerson: requests,
  nameSubstitute: 'a substitute does not decide the requests of whom they stand in for',
  removeSubstitute: 'a substitute does not decide the requests of whom they stand in for',

  createPerson: 'adds somebody else; addresses are unique',
  importPeople: 'adds people and changes none; addresses are unique',
  previewPeopleImport: preview,
  reactivatePerson: 'nobody who left signs in',
  erasePerson: 'nobody who left signs in',
  invitePerson: access,
  invitePeople: access,
  resetSecondFactor: access,
  unlinkCompanySignIn: access,
  resetPin: access,
  handOutProof: 'what they can download themselves',
  createProofLink: 'nobody who left signs in',
  setCompanySignIn: 'gives roles by a claim of the provider, to everyone',

  createCompany: otherSubjects,
  updateCompany: forEveryone,
  createDepartment: otherSubjects,
  deleteDepartment: 'a department with people stays',
  renameDepartment: otherSubjects,
  setFlexitimeLimits: forEveryone,
  setVacationPolicy: forEveryone,
  switchEvaluation: forEveryone,
  setPayrollSettings: forEveryone,
  addHoliday: forEveryone,
  removeHoliday: forEveryone,
  changeHoliday: forEveryone,
  addCompanySchedule: forEveryone,
  removeCompanySchedule: forEveryone,
  createAbsenceType: forEveryone,
  deleteAbsenceType: forEveryone,
  updateAbsenceType: forEveryone,
  closeMonth: forEveryone,
  reopenMonth: forEveryone,

  changeCardKeys: otherSubjects,
  rotateCardKeys: otherSubjects,
  addTerminal: otherSubjects,
  removeTerminal: otherSubjects,
  updateTerminal: otherSubjects,
  renewPairingCode: otherSubjects,
  confirmTerminal: otherSubjects,
  resumeTerminal: otherSubjects,
  startIssuing: badges,
  cancelIssuing: badges,
  blockBadge: badges,
  unblockBadge: badges,
  returnBadge: badges,

  createExtension: 'acts as itself, and every entry names it',
  updateExtension: 'acts as itself, and every entry names it',
  deleteExtension: otherSubjects,
  rotateKey: otherSubjects,
  endPreviousKey: otherSubjects,
  rotateWebhookSecret: otherSubjects,
  pingExtension: otherSubjects,
  resendDelivery: otherSubjects,
  recoverDeliveries: otherSubjects,
  endExtensionLink: otherSubjects,
  updateAccess: otherSubjects,
} as const satisfies Readonly<Record<OfAdmins, readonly Walk[] | string>>;

const walks = Object.entries(operations as Readonly<Record<string, readonly Walk[] | string>>).flatMap(([id, value]) =>
  typeof value === 'string' ? [] : value.map((walk) => [id, walk] as const),
);

describe.each(oneDialect)('the own record of an admin on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let rootId: number;
  let eva: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    rootId = await addSuperAdmin(world);
    eva = await admin('Eva');
  });
  afterEach(() => world.close());

  async function admin(firstName: string): Promise<number> {
    const email = `${firstName.toLowerCase()}@clockproof.example`;
    const id = await world.hire({
      firstName,
      email,
      role: 'company_admin',
      departmentId: world.office,
      employmentStart: '2026-01-01',
    });
    return id;
  }
  const record = () => `/app/admin/people/${eva}`;
  const company = () => `/app/admin/companies/${world.nord}`;
  async function step(browser: Browser, { method, path, body, setup }: Walk) {
    const id = setup === undefined ? '' : (await root.call('POST', record() + setup[0], { body: setup[1] })).body['id'];
    const { status, body: answer } = await browser.call(method, record() + path.replace('{id}', String(id)), {
      ...(body === undefined ? {} : { body }),
    });
    return [status, answer['code']];
  }
  const ownEntries = () =>
    world.db.all<{ action: string }>(
      `SELECT action FROM audit_entries WHERE details LIKE '%"own_record":true%' ORDER BY sequence`,
    );
  const readEvaluations = async (browser: Browser) =>
    (await browser.call('GET', '/app/evaluations')).body as { one_admin: boolean; own_changes: { action: string }[] };

  it.each(walks)('the own record of an admin is not changed by the admin alone: %s', async (_id, walk) => {
    root = await world.as(rootId);
    const browser = await world.as(eva);
    expect(await step(browser, walk)).toEqual([403, 'own_request']);
    expect(await ownEntries()).toEqual([]);
  });

  it('the own record of an admin names who can change it, and accepts name and address', async () => {
    const browser = await world.as(eva);
    expect((await browser.call('GET', record())).body['own_record']).toEqual({ changes: 'refused', admins: [] });
    const max = await admin('Max');
    expect((await browser.call('GET', record())).body['own_record']).toMatchObject({
      admins: [{ id: max, name: 'Max Test' }],
    });
    expect((await (await world.as(max)).call('GET', record())).body['own_record']).toBeUndefined();
    const body = { first_name: 'Evi', personnel_number: 'N 1', department_id: world.office };
    expect((await browser.call('PATCH', record(), { body })).status).toBe(200);
  });

  it('setting the days of many keeps the own days of the admin, and carries them over', async () => {
    root = await world.as(rootId);
    await root.call('PUT', `${record()}/entitlements/2026`, { body: { days: 30, carried_over_days: 0 } });
    const browser = await world.as(eva);
    const daysOf = async (year: number) =>
      ((await browser.call('GET', `${record()}/entitlements`)).body['data'] as { year: number; days: number }[]).find(
        (row) => row.year === year,
      )?.days;
    for (const selection of [{}, { department_id: world.office }, { user_ids: [eva] }]) {
      const answer = await browser.call('POST', `${company()}/entitlements`, {
        body: { year: 2026, days: 40, ...selection },
      });
      expect(answer.status).toBe(200);
      expect(answer.body['data']).toContainEqual(expect.objectContaining({ error: 'own_request' }));
    }
    expect(await daysOf(2026)).toBe(30);
    expect((await browser.call('POST', `${company()}/vacation-carry-over`, { body: { from_year: 2026 } })).status).toBe(
      200,
    );
    expect(await daysOf(2027)).toBe(30);
    expect(await ownEntries()).toEqual([]);
  });

  it('the only admin changes their own record where a super admin allows it, marked each time', async () => {
    const ownBrowser = await world.as(eva);
    const allow = (browser: Browser) => browser.call('PATCH', company(), { body: { one_admin: true } });
    expect((await allow(ownBrowser)).status).toBe(403);
    root = await world.as(rootId);
    expect((await allow(root)).body['one_admin']).toBe(true);
    const { ada } = world.people;
    const max = await admin('Max');
    const activate = (active: 0 | 1) =>
      world.db.write((tx) => tx.run('UPDATE people SET active = :active WHERE id = :max', { active, max }));
    for (const [, walk] of walks) {
      // Another admin ends it.
      await activate(1);
      expect(await step(ownBrowser, walk)).toEqual([403, 'own_request']);
      await activate(0);
      if (walk.path !== '/deactivation') expect((await step(ownBrowser, walk))[0]).toBeLessThan(300);
    }
    const actions = (await ownEntries()).map(({ action }) => action);
    // A preview leaves nothing, and the role of an admin stays out of the last walk.
    expect(actions).toHaveLength(walks.length - 2);
    const colleague = await world.as(ada);
    const { one_admin: oneAdmin, own_changes: changes } = await readEvaluations(colleague);
    expect(oneAdmin).toBe(true);
    expect(changes.map(({ action }) => action)).toEqual(actions.reverse());
    expect((await readEvaluations(root)).own_changes).toEqual([]);
  });

  it("another admin changes an admin's record, unmarked", async () => {
    const entriesBefore = await ownEntries();
    root = await world.as(rootId);
    for (const [, walk] of walks) expect((await step(root, walk))[0]).toBeLessThan(300);
    expect(await ownEntries()).toEqual(entriesBefore);
  });
});
