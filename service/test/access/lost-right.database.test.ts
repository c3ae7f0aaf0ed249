/**
 * Rights that end while a request is under way, each ended by the operation that people use for it. That every writing
 * operation asks again stands in `writing-operations.database.test.ts`.
 */
import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '../../src/service.js';
import { addSuperAdmin, type Browser, createBrowser, factorKeysOf, giveCredentials, password } from '../browser.js';
import { addApp, link } from '../linking.js';
import { callAndLoseBeforeWrite, callWhileBodyArrives } from '../lost-right.js';
import { type Answer, allScopes, createWorld, dataKey, type World } from '../world.js';

interface Case {
  readonly call: () => Promise<Answer>;
  readonly end: () => Promise<unknown>;
  readonly refusals: readonly string[];
}

const newPassword = 'another long enough phrase';
const vacation = { type: 'vacation', start_date: '2027-03-01', end_date: '2027-03-02' };

describe.each(dialects)('a right that ends during a request on %s', (dialect) => {
  let world: World;
  /** Another process, where rights are ended. */
  let replica: Service;
  let rootId: number;
  let count = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
    replica = await world.replica();
    rootId = await addSuperAdmin(world);
  });
  afterAll(() => world.close());

  const signInAtReplica = (id: number) => world.as(id, replica);
  const signInRoot = () => signInAtReplica(rootId);
  const expectOk = async (request: Promise<Answer>): Promise<Answer> => {
    const answer = await request;
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
    return answer;
  };
  /** Somebody of a new company who can sign in. */
  async function addMember(role: 'employee' | 'approver' | 'company_admin' | 'super_admin' = 'employee') {
    const root = await signInRoot();
    const body = { name: `Company ${++count}`, time_zone: 'Europe/Berlin', country: 'DE' };
    const companyId = (await expectOk(root.call('POST', '/app/admin/companies', { body }))).body['id'] as number;
    const email = `member${count}@clockproof.example`;
    const id = await world.hire({ companyId, firstName: 'Mia', role, email, employmentStart: '2026-01-01' });
    await giveCredentials(world, [id], await factorKeysOf(world, dataKey));
    return { id, email, companyId, browser: await world.as(id) };
  }
  async function addExtension(more: object = {}) {
    const { id: person, companyId } = await addMember();
    const body = {
      name: `Planner ${count}`,
      mode: 'api',
      scopes: allScopes,
      acting: 'everyone',
      company_id: companyId,
    };
    const answer = await expectOk(
      (await signInRoot()).call('POST', '/app/admin/extensions', { body: { ...body, ...more } }),
    );
    const path = `/app/admin/extensions/${(answer.body['extension'] as { id: string }).id}`;
    const key = answer.body['key'] as string;
    return {
      path,
      key,
      clockIn: () => world.call('POST', '/api/v1/clock/in', { key, body: { user_id: person } }),
      ask: () => world.call('POST', '/api/v1/absences', { key, body: { user_id: person, ...vacation } }),
    };
  }
  async function linkMember() {
    const { id, browser } = await addMember();
    const tokens = await link(world, await addApp(world, `App ${count}`), id, ['write:absences'], browser);
    return {
      browser: await signInAtReplica(id),
      ask: () => world.call('POST', '/api/v1/absences', { key: tokens.access_token, body: vacation }),
    };
  }
  const addHoliday = (browser: Browser, company: number) => () =>
    browser.call('POST', `/app/admin/companies/${company}/holidays`, {
      body: { date: '2026-12-24', kind: 'half_day', name_en: 'Christmas Eve' },
    });
  const signInAs = (email: string) => () =>
    createBrowser(world.url).call('POST', '/app/sign-in', { body: { email, password } });
  const switchBack = async () =>
    expectOk(
      (await signInRoot()).call('PATCH', '/app/admin/access', {
        body: { extensions_write: true, personal_links: true },
      }),
    );

  const cases: Readonly<Record<string, () => Promise<Case>>> = {
    async 'an admin is deactivated'() {
      const [admin, root] = [await addMember('company_admin'), await signInRoot()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () =>
          expectOk(
            root.call('POST', `/app/admin/people/${admin.id}/deactivation`, {
              body: { employment_end: '2026-11-20' },
            }),
          ),
        refusals: ['token_revoked'],
      };
    },
    async 'the access of an admin is reset'() {
      const [admin, root] = [await addMember('company_admin'), await signInRoot()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => expectOk(root.call('DELETE', `/app/admin/people/${admin.id}/second-factor`)),
        refusals: ['token_revoked'],
      };
    },
    async 'an admin loses the role'() {
      const [admin, root] = [await addMember('company_admin'), await signInRoot()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => expectOk(root.call('PUT', `/app/admin/people/${admin.id}/roles`, { body: { roles: [] } })),
        refusals: ['forbidden'],
      };
    },
    async 'a super admin becomes a company admin'() {
      const [admin, root] = [await addMember('super_admin'), await signInRoot()];
      const roles = [{ role: 'company_admin', company_id: admin.companyId }];
      return {
        call: addHoliday(admin.browser, world.nord),
        end: () => expectOk(root.call('PUT', `/app/admin/people/${admin.id}/roles`, { body: { roles } })),
        refusals: ['not_found', 'unavailable'],
      };
    },
    async 'a company is switched off'() {
      const [admin, root] = [await addMember('company_admin'), await signInRoot()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => expectOk(root.call('PATCH', `/app/admin/companies/${admin.companyId}`, { body: { active: false } })),
        refusals: ['token_revoked'],
      };
    },
    async 'a person signs out everywhere else'() {
      const person = await addMember();
      const otherBrowser = await signInAtReplica(person.id);
      return {
        call: () => person.browser.call('POST', '/app/me/absences', { body: vacation }),
        end: () => expectOk(otherBrowser.call('DELETE', '/app/sessions')),
        refusals: ['token_revoked'],
      };
    },
    async 'an extension is deleted'() {
      const [{ path, clockIn }, root] = [await addExtension(), await signInRoot()];
      return { call: clockIn, end: () => expectOk(root.call('DELETE', path)), refusals: ['token_revoked'] };
    },
    async 'a key is replaced at once'() {
      const [{ path, clockIn }, root] = [await addExtension(), await signInRoot()];
      return {
        call: clockIn,
        // Later than the request came.
        end: async () => {
          world.advance(1);
          await expectOk(root.call('POST', `${path}/key`, { body: { overlap_hours: 0 } }));
        },
        refusals: ['token_revoked'],
      };
    },
    async 'a key loses its permission'() {
      const [{ path, ask }, root] = [await addExtension(), await signInRoot()];
      return {
        call: ask,
        end: () => expectOk(root.call('PATCH', path, { body: { scopes: ['write:clock'] } })),
        refusals: ['insufficient_scope'],
      };
    },
    async 'an extension no longer acts for everyone'() {
      const [{ path, clockIn }, root] = [await addExtension(), await signInRoot()];
      return {
        call: clockIn,
        end: () => expectOk(root.call('PATCH', path, { body: { acting: 'personal_link' } })),
        refusals: ['company_mismatch', 'unavailable'],
      };
    },
    async 'writing for people is switched off'() {
      const [{ clockIn }, root] = [await addExtension(), await signInRoot()];
      return {
        call: clockIn,
        end: () => expectOk(root.call('PATCH', '/app/admin/access', { body: { extensions_write: false } })),
        refusals: ['feature_disabled'],
      };
    },
    async 'a person ends a personal link'() {
      const { browser, ask } = await linkMember();
      const [{ id }] = (await expectOk(browser.call('GET', '/app/linked-apps'))).body['data'] as [{ id: string }];
      return {
        call: ask,
        end: () => expectOk(browser.call('DELETE', `/app/linked-apps/${id}`)),
        refusals: ['token_revoked'],
      };
    },
    async 'personal links are switched off'() {
      const [{ ask }, root] = [await linkMember(), await signInRoot()];
      return {
        call: ask,
        end: () => expectOk(root.call('PATCH', '/app/admin/access', { body: { personal_links: false } })),
        refusals: ['token_revoked'],
      };
    },
    async 'somebody who signs in chooses another password'() {
      const { id, email } = await addMember();
      const browser = await signInAtReplica(id);
      const body = { current_password: password, new_password: newPassword };
      return {
        call: signInAs(email),
        end: () => expectOk(browser.call('PUT', '/app/password', { body })),
        refusals: ['credentials_invalid'],
      };
    },
    async 'somebody who signs in is deactivated'() {
      const [{ id, email }, root] = [await addMember(), await signInRoot()];
      return {
        call: signInAs(email),
        end: () =>
          expectOk(
            root.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-20' } }),
          ),
        refusals: ['credentials_invalid'],
      };
    },
    async 'somebody who accepts an invitation is deactivated'() {
      const [{ id }, root] = [await addMember(), await signInRoot()];
      const { body } = await expectOk(root.call('POST', `/app/admin/people/${id}/invitation`));
      const token = (body['url'] as string).split('#')[1]!;
      return {
        call: () =>
          createBrowser(world.url).call('POST', '/app/invitation/accept', { body: { token, password: newPassword } }),
        end: () =>
          expectOk(
            root.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-20' } }),
          ),
        refusals: ['one_time_link_invalid'],
      };
    },
  };

  describe.each(Object.entries(cases))('%s', (_, arrange) => {
    it.each(['while the body arrives', 'before the transaction'])('a request is refused %s', async (moment) => {
      const { call, end, refusals } = await arrange();
      try {
        const countEntries = async () =>
          (await world.db.get<{ n: number }>(
            "SELECT count(*) AS n FROM audit_entries WHERE action <> 'sign_in.refused'",
          ))!.n;
        let entriesBefore = 0;
        const lose = async () => {
          await end();
          entriesBefore = await countEntries();
        };
        const answer =
          moment === 'before the transaction'
            ? await callAndLoseBeforeWrite(world.db, lose, call)
            : await callWhileBodyArrives(lose, call);
        expect(refusals).toContain(answer.body['code']);
        expect(await countEntries()).toBe(entriesBefore);
      } finally {
        await switchBack();
      }
    });
  });
});
