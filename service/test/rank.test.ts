/**
 * A company admin and a super admin of the same company. An admin who can let people in, shut them out or give them roles
 * could sign in as them: only a super admin does that to a super admin.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AppOperationId, appOperations } from '../src/generated/contract.js';
import { addSuperAdmin, type Browser } from './browser.js';
import { createWorld, type World } from './world.js';

type Body = object | ((people: { readonly rhea: number; readonly ada: number }) => object);

/** What a company admin may not do to a super admin. */
const refusedOperations: Partial<Record<AppOperationId, Body | undefined>> = {
  updatePerson: { last_name: 'Fall' },
  deactivatePerson: { employment_end: '2026-11-30' },
  reactivatePerson: undefined,
  erasePerson: { confirm_name: 'Rhea Root', reason: 'Asked for' },
  invitePerson: undefined,
  resetSecondFactor: undefined,
  createProofLink: undefined,
  unlinkCompanySignIn: undefined,
  resetPin: undefined,
  setRoles: { roles: [] },
};

/** Of a company, with people in the body. */
const inCompany: Partial<Record<AppOperationId, Body>> = {
  invitePeople: ({ rhea, ada }) => ({ user_ids: [ada, rhea] }),
};

/** What the company keeps about people lets nobody in: it is the same for everybody. */
const allowedOperations: readonly AppOperationId[] = [
  'addSchedule',
  'removeSchedule',
  'addSpecialRule',
  'removeSpecialRule',
  'setApprovalRule',
  'setEntitlement',
  'bookVacation',
  'bookTime',
  'cancelTimeBooking',
  'setFlexitimeLimitsOfPerson',
  'setOpeningBalance',
  'previewEmploymentEnd',
  'handOutProof',
];

describe.each(oneDialect)('a company admin and a super admin on %s', (dialect) => {
  let world: World;
  let rhea: number;
  let admin: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    rhea = await addSuperAdmin(world, { companyId: world.nord });
    const tom = await world.hire({ firstName: 'Tom', email: 'tom@clockproof.example', role: 'company_admin' });
    admin = await world.as(tom);
  });
  afterAll(() => world.close());

  const changes = (Object.entries(appOperations) as [AppOperationId, { method: string; path: string; role: string }][])
    .filter(([, { method, path }]) => method !== 'get' && path.startsWith('/app/admin/people/{id}'))
    .map(([id]) => id);

  it('all operations on one person are judged by rank', () => {
    expect([...Object.keys(refusedOperations), ...allowedOperations].sort()).toEqual(changes.sort());
  });

  const countEntries = () => world.db.get('SELECT count(*) AS entries FROM audit_entries');

  it.each(Object.entries({ ...refusedOperations, ...inCompany }) as [AppOperationId, Body | undefined][])(
    '%s on a super admin is forbidden to a company admin and changes nothing',
    async (id, body) => {
      const { method, path } = appOperations[id];
      const entriesBefore = await countEntries();
      const answer = await admin.call(
        method.toUpperCase(),
        path.replace('{id}', String(id in inCompany ? world.nord : rhea)),
        { body: typeof body === 'function' ? body({ rhea, ada: world.people.ada }) : body },
      );
      expect([id, answer.status, answer.body['code']]).toEqual([id, 403, 'forbidden']);
      expect(await countEntries()).toEqual(entriesBefore);
    },
  );

  it('a company admin makes nobody a super admin', async () => {
    const path = `/app/admin/people/${world.people.ada}/roles`;
    const answer = await admin.call('PUT', path, { body: { roles: [{ role: 'super_admin' }] } });
    expect([answer.status, answer.body['code']]).toEqual([403, 'forbidden']);
  });
});
