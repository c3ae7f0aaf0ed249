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
  readonly refused: readonly string[];
}

const another = 'another long enough phrase';
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

  const elsewhere = (id: number) => world.as(id, replica);
  const root = () => elsewhere(rootId);
  const done = async (asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked;
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
    return answer;
  };
  /** Somebody of a new company who can sign in. */
  async function member(role: 'employee' | 'approver' | 'company_admin' | 'super_admin' = 'employee') {
    const asRoot = await root();
    const company = { name: `Company ${++count}`, time_zone: 'Europe/Berlin', country: 'DE' };
    const companyId = (await done(asRoot.call('POST', '/app/admin/companies', { body: company }))).body['id'] as number;
    const email = `member${count}@clockproof.example`;
    const id = await world.hire({ companyId, firstName: 'Mia', role, email, employmentStart: '2026-01-01' });
    await giveCredentials(world, [id], await factorKeysOf(world, dataKey));
    return { id, email, companyId, browser: await world.as(id) };
  }
  async function extension(more: object = {}) {
    const { id: person, companyId } = await member();
    const body = {
      name: `Planner ${count}`,
      mode: 'api',
      scopes: allScopes,
      acting: 'everyone',
      company_id: companyId,
    };
    const added = await done((await root()).call('POST', '/app/admin/extensions', { body: { ...body, ...more } }));
    const path = `/app/admin/extensions/${(added.body['extension'] as { id: string }).id}`;
    const key = added.body['key'] as string;
    return {
      path,
      key,
      clockIn: () => world.call('POST', '/api/v1/clock/in', { key, body: { user_id: person } }),
      ask: () => world.call('POST', '/api/v1/absences', { key, body: { user_id: person, ...vacation } }),
    };
  }
  async function linked() {
    const { id, browser } = await member();
    const tokens = await link(world, await addApp(world, `App ${count}`), id, ['write:absences'], browser);
    return {
      browser: await elsewhere(id),
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
    done((await root()).call('PATCH', '/app/admin/access', { body: { extensions_write: true, personal_links: true } }));

  const cases: Readonly<Record<string, () => Promise<Case>>> = {
    async 'an admin is deactivated'() {
      const [admin, asRoot] = [await member('company_admin'), await root()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () =>
          done(
            asRoot.call('POST', `/app/admin/people/${admin.id}/deactivation`, {
              body: { employment_end: '2026-11-20' },
            }),
          ),
        refused: ['token_revoked'],
      };
    },
    async 'the access of an admin is reset'() {
      const [admin, asRoot] = [await member('company_admin'), await root()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => done(asRoot.call('DELETE', `/app/admin/people/${admin.id}/second-factor`)),
        refused: ['token_revoked'],
      };
    },
    async 'an admin loses the role'() {
      const [admin, asRoot] = [await member('company_admin'), await root()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => done(asRoot.call('PUT', `/app/admin/people/${admin.id}/roles`, { body: { roles: [] } })),
        refused: ['forbidden'],
      };
    },
    async 'a super admin becomes a company admin'() {
      const [admin, asRoot] = [await member('super_admin'), await root()];
      const roles = [{ role: 'company_admin', company_id: admin.companyId }];
      return {
        call: addHoliday(admin.browser, world.nord),
        end: () => done(asRoot.call('PUT', `/app/admin/people/${admin.id}/roles`, { body: { roles } })),
        refused: ['not_found', 'unavailable'],
      };
    },
    async 'a company is switched off'() {
      const [admin, asRoot] = [await member('company_admin'), await root()];
      return {
        call: addHoliday(admin.browser, admin.companyId),
        end: () => done(asRoot.call('PATCH', `/app/admin/companies/${admin.companyId}`, { body: { active: false } })),
        refused: ['token_revoked'],
      };
    },
    async 'a person signs out everywhere else'() {
      const somebody = await member();
      const other = await elsewhere(somebody.id);
      return {
        call: () => somebody.browser.call('POST', '/app/me/absences', { body: vacation }),
        end: () => done(other.call('DELETE', '/app/sessions')),
        refused: ['token_revoked'],
      };
    },
    async 'an extension is deleted'() {
      const [{ path, clockIn }, asRoot] = [await extension(), await root()];
      return { call: clockIn, end: () => done(asRoot.call('DELETE', path)), refused: ['token_revoked'] };
    },
    async 'a key is replaced at once'() {
      const [{ path, clockIn }, asRoot] = [await extension(), await root()];
      return {
        call: clockIn,
        // Later than the request came.
        end: async () => {
          world.advance(1);
          await done(asRoot.call('POST', `${path}/key`, { body: { overlap_hours: 0 } }));
        },
        refused: ['token_revoked'],
      };
    },
    async 'a key loses its permission'() {
      const [{ path, ask }, asRoot] = [await extension(), await root()];
      return {
        call: ask,
        end: () => done(asRoot.call('PATCH', path, { body: { scopes: ['write:clock'] } })),
        refused: ['insufficient_scope'],
      };
    },
    async 'an extension no longer acts for everyone'() {
      const [{ path, clockIn }, asRoot] = [await extension(), await root()];
      return {
        call: clockIn,
        end: () => done(asRoot.call('PATCH', path, { body: { acting: 'personal_link' } })),
        refused: ['company_mismatch', 'unavailable'],
      };
    },
    async 'writing for people is switched off'() {
      const [{ clockIn }, asRoot] = [await extension(), await root()];
      return {
        call: clockIn,
        end: () => done(asRoot.call('PATCH', '/app/admin/access', { body: { extensions_write: false } })),
        refused: ['feature_disabled'],
      };
    },
    async 'a person ends a personal link'() {
      const { browser, ask } = await linked();
      const [{ id }] = (await done(browser.call('GET', '/app/linked-apps'))).body['data'] as [{ id: string }];
      return {
        call: ask,
        end: () => done(browser.call('DELETE', `/app/linked-apps/${id}`)),
        refused: ['token_revoked'],
      };
    },
    async 'personal links are switched off'() {
      const [{ ask }, asRoot] = [await linked(), await root()];
      return {
        call: ask,
        end: () => done(asRoot.call('PATCH', '/app/admin/access', { body: { personal_links: false } })),
        refused: ['token_revoked'],
      };
    },
    async 'somebody who signs in chooses another password'() {
      const { id, email } = await member();
      const browser = await elsewhere(id);
      const body = { current_password: password, new_password: another };
      return {
        call: signInAs(email),
        end: () => done(browser.call('PUT', '/app/password', { body })),
        refused: ['credentials_invalid'],
      };
    },
    async 'somebody who signs in is deactivated'() {
      const [{ id, email }, asRoot] = [await member(), await root()];
      return {
        call: signInAs(email),
        end: () =>
          done(asRoot.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-20' } })),
        refused: ['credentials_invalid'],
      };
    },
    async 'somebody who accepts an invitation is deactivated'() {
      const [{ id }, asRoot] = [await member(), await root()];
      const { body } = await done(asRoot.call('POST', `/app/admin/people/${id}/invitation`));
      const token = (body['url'] as string).split('#')[1]!;
      return {
        call: () =>
          createBrowser(world.url).call('POST', '/app/invitation/accept', { body: { token, password: another } }),
        end: () =>
          done(asRoot.call('POST', `/app/admin/people/${id}/deactivation`, { body: { employment_end: '2026-11-20' } })),
        refused: ['one_time_link_invalid'],
      };
    },
  };

  describe.each(Object.entries(cases))('%s', (_, arrange) => {
    it.each(['while the body arrives', 'before the transaction'])('a request is refused %s', async (moment) => {
      const { call, end, refused } = await arrange();
      try {
        const written = async () =>
          (await world.db.get<{ n: number }>(
            "SELECT count(*) AS n FROM audit_entries WHERE action <> 'sign_in.refused'",
          ))!.n;
        let before = 0;
        const lose = async () => {
          await end();
          before = await written();
        };
        const answer =
          moment === 'before the transaction'
            ? await callAndLoseBeforeWrite(world.db, lose, call)
            : await callWhileBodyArrives(lose, call);
        expect(refused).toContain(answer.body['code']);
        expect(await written()).toBe(before);
      } finally {
        await switchBack();
      }
    });
  });
});
