/**
 * Every read of the contract, with every filter and every page, asked by the people, keys and apps of two companies: no
 * answer holds anything of the other one. What is asked comes from the documents, so that a new read or filter is asked
 * too, or fails here.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { document as appDocument } from '../src/generated/app-document.js';
import { type AppOperationId, appOperations, type OperationId, operations } from '../src/generated/contract.js';
import { document as serviceDocument } from '../src/generated/service-document.js';
import type { Browser } from './browser.js';
import { addApp } from './linking.js';
import { createTwoCompanies, type Tenant, type TwoCompanies } from './two-companies.js';
import { type Answer, createWorld, type World } from './world.js';

interface Schema {
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly properties?: Record<string, Schema>;
  readonly allOf?: Schema[];
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly parameters?: Parameter[];
}
interface Document {
  readonly paths: Record<string, Record<string, Operation> & { readonly parameters?: Parameter[] }>;
}

function resolve<T extends { readonly $ref?: string }>(document: Document, node: T): T {
  if (node.$ref === undefined) return node;
  const target = node.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/')], document);
  return resolve(document, target as T);
}

/** Reads that hold nothing of a company, or nothing that can be asked for: the reason stands beside. */
const exceptions = {
  getStatus: 'the installation',
  connectExtension: 'a WebSocket',
  authorize: 'a page; asks for consent',
  getAuthorizationServerMetadata: 'the installation',
  getTerminalStatus: "one terminal's own, by signature",
  showInstallation: 'the installation',
  showSecondFactor: "the session's own sign-in",
  showConsent: 'asked once, by the browser that began it',
  showAccess: 'the installation',
  listPasskeys: 'nobody here has one',
  previewRecovery: 'a number, for super admins, who read every company',
  showMailChoices: "the session's own, without anybody's name",
  listExtensionEvents: 'what one extension may read, for super admins, who read every company',
  listNotices: "a super admin's own, who reads every company",
  followChanges: 'a stream: what is to be read again, and nothing of it',
} as const satisfies Partial<Record<OperationId | AppOperationId, string>>;

/**
 * Reads whose answers name nobody: days, minutes, holidays, events. What can be seen is that another company's are not found.
 */
const namelessReads: readonly string[] = [
  'listSessions',
  'listLinkedAppActivity',
  'listMyDays',
  'listMyMonths',
  'showMyVacation',
  'listMyHolidays',
  'listDaysOfPerson',
  'listMonthsOfPerson',
  'showVacationOfPerson',
  // Its text is compressed.
  'exportSheetDocument',
  'listHolidays',
  'showVacationPolicy',
  'showFlexitimeLimits',
  'showFlexitimeLimitsOfPerson',
  'showCardKeys',
  'showApprovalRule',
  'showErasure',
  'listEntitlements',
  'showOpeningBalance',
  'listDeliveries',
  'listConnections',
  'showPin',
  'listMyProofs',
  'listOwnProofs',
];

/** Of the long lists; any other has one row a page. */
const pageSizes: Readonly<Record<string, string>> = { listAuditEntries: '40', listEvents: '20', listApprovals: '3' };

interface Read {
  readonly id: string;
  readonly path: string;
  readonly credential: 'key' | 'key or link' | 'link' | 'session';
  readonly rank: number;
  readonly parameters: readonly Parameter[];
}

/** Open to everybody who decides requests, also to a substitute without a role; forbidden to everyone else. */
const forDeciders = ['listApprovals', 'listUnresolvedStamps'];
const ranks = ['anyone', 'password_passed', 'signed_in', 'approver', 'company_admin', 'super_admin'];
const exceptionIds = new Set<string>(Object.keys(exceptions));
const reads: Read[] = [
  ...Object.entries(operations).map(([id, { method, path, security }]) => {
    const schemes = (security as readonly (readonly string[])[]).flat();
    const credential = !schemes.includes('personalLink') ? 'key' : schemes.includes('apiKey') ? 'key or link' : 'link';
    return { id, method, path, credential, rank: 0, document: serviceDocument as Document } as const;
  }),
  ...Object.entries(appOperations).map(
    ([id, { method, path, role }]) =>
      ({
        id,
        method,
        path,
        credential: 'session',
        rank: ranks.indexOf(role),
        document: appDocument as Document,
      }) as const,
  ),
]
  .filter(({ id, method }) => method === 'get' && !exceptionIds.has(id))
  .map(({ document, ...read }) => {
    const { parameters = [], get } = document.paths[read.path]!;
    return {
      ...read,
      parameters: [...parameters, ...(get?.parameters ?? [])]
        .map((parameter) => resolve(document, parameter))
        .map((parameter) => ({ ...parameter, schema: resolve(document, parameter.schema) })),
    };
  });

/** A value of a company for every parameter that a read can take. */
const values: Readonly<Record<string, (tenant: Tenant) => string | number>> = {
  company_id: ({ company }) => company,
  department_id: ({ department }) => department,
  user_id: ({ employee }) => employee,
  actor_id: ({ extension }) => extension,
  active: () => 'true',
  without_end: () => 'false',
  search: ({ mark }) => mark,
  action: () => 'absence.requested',
  from: () => '2026-11-25',
  to: () => '2027-01-31',
  month: () => '2026-12',
  date: () => '2026-12-31',
  year: () => 2026,
  absence: ({ absence }) => absence,
  include_open: () => 'true',
  updated_since: () => '2026-01-01',
  since: () => '2026-11-01',
  // The beginning of the feed.
  after: ({ delivered }) => `${delivered.slice(0, 'evt_'.length + 8)}${'0'.repeat(14)}`,
  wait: () => 0,
  types: () => 'clock.in,leave.approved',
  revision: () => 1,
  hide: () => 'figures',
};
/** The id in the path. */
const pathIds: Readonly<Record<string, (tenant: Tenant) => string | number>> = {
  '/api/v1/users/{id}': ({ employee }) => employee,
  '/api/v1/time/entries/{id}': ({ entry }) => entry,
  '/api/v1/absences/{id}': ({ absence }) => absence,
  '/app/linked-apps/{id}': ({ link }) => link,
  '/app/admin/terminals/{id}': ({ terminal }) => terminal,
  '/app/me/entries/{id}': ({ entry }) => entry,
  '/app/entries/{id}': ({ entry }) => entry,
  '/app/people/{id}': ({ employee }) => employee,
  '/app/admin/people/{id}': ({ employee }) => employee,
  '/app/admin/companies/{id}': ({ company }) => company,
  '/app/admin/extensions/{id}': ({ app }) => app.id,
  '/app/admin/extensions/{id}/links': ({ shared }) => shared,
  '/app/admin/extensions/{id}/deliveries': ({ extension }) => extension,
  '/app/admin/extensions/{id}/deliveries/{event_id}': ({ extension }) => extension,
};

/** One way to ask: parameters with their values, by name. */
type Ask = Readonly<Record<string, string | number>>;

/** With every filter alone, on top of what the read needs: a period, or the feed of changes. */
function asksOf({ id, path, parameters }: Read, tenant: Tenant): Ask[] {
  const valuesFor = ({ name, in: location, schema }: Parameter): readonly (string | number)[] => {
    if (location === 'path') {
      if (name === 'month' || name === 'period') return ['2026-11'];
      if (name === 'event_id') return [tenant.delivered];
      const value = pathIds[path] ?? pathIds[path.slice(0, path.indexOf('{id}') + 4)];
      if (name !== 'id' || value === undefined) throw new Error(`${id}: no value for {${name}} in ${path}`);
      return [value(tenant)];
    }
    if (schema.enum !== undefined) return schema.enum;
    const value = values[name];
    if (value === undefined) throw new Error(`${id}: no value for the parameter ${name}`);
    return [value(tenant)];
  };
  const inputs = parameters.filter(
    (parameter) => parameter.in !== 'header' && !['limit', 'cursor'].includes(parameter.name),
  );
  const withValue = (names: readonly string[]): Ask =>
    Object.fromEntries(
      inputs
        .filter((parameter) => names.includes(parameter.name))
        .map((parameter) => [parameter.name, valuesFor(parameter)[0]!]),
    );
  const requiredNames = inputs
    .filter(({ required, in: location, name }) => required === true || location === 'path' || name === 'include_open')
    .map((parameter) => parameter.name);
  const isFeed = inputs.some((parameter) => parameter.name === 'updated_since');
  const hasPeriod = inputs.some((parameter) => parameter.name === 'from');
  const bases = isFeed
    ? [
        [...requiredNames, 'updated_since'],
        [...requiredNames, ...(hasPeriod ? ['from', 'to'] : [])],
      ]
    : [requiredNames];
  return bases.flatMap((base) => [
    withValue(base),
    ...inputs
      .filter(
        (parameter) => !base.includes(parameter.name) && !['updated_since', 'from', 'to'].includes(parameter.name),
      )
      .flatMap((parameter) => valuesFor(parameter).map((value) => ({ ...withValue(base), [parameter.name]: value }))),
  ]);
}

/** What a key reads itself. */
const readsOfKeys = reads.filter(({ credential }) => credential === 'key' || credential === 'key or link');

interface Caller {
  readonly name: string;
  /** Undefined: every company. */
  readonly of: Tenant | undefined;
  get(path: string): Promise<Answer>;
}

describe.each(oneDialect)('reads of two companies on %s', (dialect) => {
  let world: World;
  let cast: TwoCompanies;
  let requests = 0;
  beforeAll(async () => {
    world = await createWorld(dialect, { resolveHost: async () => [] });
    cast = await createTwoCompanies(world);
  });
  afterAll(() => world.close());

  /** A session has 600 requests a minute. */
  function count(): void {
    if (++requests % 400 === 0) world.advance(minute);
  }
  const withKey = (name: string, of: Tenant | undefined, key: string): Caller => ({
    name,
    of,
    get(path) {
      count();
      return world.call('GET', path, { key });
    },
  });
  const withBrowser = (name: string, of: Tenant | undefined, browser: Browser): Caller => ({
    name,
    of,
    get(path) {
      count();
      return browser.call('GET', path);
    },
  });

  function callersOf({ id, credential, rank }: Read): Caller[] {
    const tenants = [cast.alba, cast.bora];
    const keys = [
      ...tenants.map((owner) => withKey(`the key of ${owner.mark}`, owner, owner.key)),
      withKey('the key of the installation', undefined, world.auditor.key),
    ];
    const links = tenants.map((owner) => withKey(`the personal link of ${owner.mark}`, owner, owner.token));
    if (credential === 'key') return keys;
    if (credential === 'link') return links;
    if (credential === 'key or link') return [...keys, ...links];
    const rankOf = { employee: 2, approver: 3, admin: 4 } as const;
    return [
      ...tenants.flatMap((tenant) =>
        (['employee', 'approver', 'admin'] as const)
          .filter((role) => rankOf[role] >= (forDeciders.includes(id) ? rankOf.approver : rank))
          .map((role) => withBrowser(`the ${role} of ${tenant.mark}`, tenant, tenant.browsers[role])),
      ),
      withBrowser('the super admin', undefined, cast.root),
    ];
  }

  /** Everything that an ask answers, page by page. */
  async function walk(read: Read, ask: Ask, caller: Caller): Promise<{ status: number; text: string; pages: number }> {
    let text = '';
    let cursor: string | undefined;
    let pages = 0;
    const isPaged = read.parameters.some((parameter) => parameter.name === 'cursor');
    do {
      const path = Object.entries(ask).reduce((at, [name, value]) => at.replace(`{${name}}`, String(value)), read.path);
      const query = new URLSearchParams(
        Object.entries(ask)
          .filter(([name]) => !read.path.includes(`{${name}}`))
          .map(([name, value]): [string, string] => [name, String(value)]),
      );
      if (isPaged) query.set('limit', pageSizes[read.id] ?? '1');
      if (cursor !== undefined) query.set('cursor', cursor);
      const answer = await caller.get(`${path}?${query}`);
      text += JSON.stringify(answer.body);
      pages++;
      if (answer.status !== 200) return { status: answer.status, text, pages };
      cursor = (answer.body['next_cursor'] as string | null | undefined) ?? undefined;
    } while (cursor !== undefined);
    return { status: 200, text, pages };
  }

  it('the reads of two companies are drawn from the documents, with every filter', () => {
    const queries = reads.flatMap((read) =>
      asksOf(read, cast.alba).map((ask) => [read.id, ...Object.keys(ask)].join(' ')),
    );
    expect(queries).toEqual(
      expect.arrayContaining([
        'listUsers updated_since',
        'listTimeEntries updated_since',
        'listLeaves updated_since',
        'listLeaves from to user_id',
        'listClockStates company_id',
        'listEvents',
        'listRemovedUsers since',
        'listApprovals kind',
        'listAuditEntries from to actor_id',
      ]),
    );
    // What is declared to stand apart is there, and names no read that is asked.
    expect(Object.keys(exceptions).filter((id) => !(id in operations) && !(id in appOperations))).toEqual([]);
    expect(namelessReads.filter((id) => !reads.some((read) => read.id === id))).toEqual([]);
  });

  it.each(reads)('$id answers each company with its own records, and the installation with both', async (read) => {
    const tenants = [cast.alba, cast.bora] as const;
    const otherTenant = (tenant: Tenant) => tenants.find((candidate) => candidate !== tenant)!;
    const leaks: string[] = [];
    const faults: string[] = [];
    /** By filter: whose rows a caller of the company, and one of the installation, saw. */
    const marksByFilter = new Map<string, Set<string>>();
    let pages = 0;
    for (const tenant of tenants) {
      const othersAsks = asksOf(read, otherTenant(tenant)).map((ask) => JSON.stringify(ask));
      for (const ask of asksOf(read, tenant)) {
        const filter = Object.keys(ask).join(' ');
        const marks = marksByFilter.get(filter) ?? new Set();
        marksByFilter.set(filter, marks);
        const isSameForBoth = othersAsks.includes(JSON.stringify(ask));
        for (const caller of callersOf(read)) {
          // The same request in both rounds: the people of a company send it in their own.
          if (isSameForBoth && caller.of === otherTenant(tenant)) continue;
          const answer = await walk(read, ask, caller);
          pages = Math.max(pages, answer.pages);
          const label = `${caller.name}: ${read.id} ${JSON.stringify(ask)}`;
          if (caller.of === undefined) {
            if (![200, 404].includes(answer.status))
              faults.push(`${label}: ${answer.status} ${answer.text.slice(0, 200)}`);
            for (const owner of tenants) if (owner.isIn(answer.text)) marks.add(`installation ${owner.mark}`);
            continue;
          }
          if (otherTenant(caller.of).isIn(answer.text)) leaks.push(label);
          const isTheirs = read.path.includes('{id}') || 'company_id' in ask;
          const allowedStatuses = caller.of === tenant || !isTheirs ? [200, 404] : [404];
          if (!allowedStatuses.includes(answer.status))
            faults.push(`${label}: ${answer.status} ${answer.text.slice(0, 200)}`);
          if (
            caller.of === tenant &&
            answer.status === 200 &&
            (namelessReads.includes(read.id) || tenant.isIn(answer.text))
          )
            marks.add(tenant.mark);
        }
      }
    }
    expect(leaks).toEqual([]);
    expect(faults).toEqual([]);
    const tenantMarks = tenants.map((tenant) => tenant.mark);
    const installationMarks = tenants.map((tenant) => `installation ${tenant.mark}`);
    const isPersonal = read.credential === 'link' || read.path.startsWith('/app/me/') || personal.includes(read.id);
    for (const [filter, marks] of marksByFilter) {
      const expectedMarks = [
        ...(read.rank === ranks.indexOf('super_admin') ? [] : tenantMarks),
        ...(isPersonal || namelessReads.includes(read.id) ? [] : installationMarks),
      ];
      expect([read.id, filter, [...marks].sort()]).toEqual([read.id, filter, expectedMarks.sort()]);
    }
    if (read.parameters.some((parameter) => parameter.name === 'cursor'))
      expect([read.id, pages > 1]).toEqual([read.id, true]);
  });

  /** What a key reads itself, by its setting: nobody, the people who linked it, everyone. */
  // Only the people who linked it are a matter of SQL.
  describe.each(
    oneDialect.includes(dialect) ? (['everyone', 'linked_people', 'nothing'] as const) : (['linked_people'] as const),
  )('a key that reads %s', (reads) => {
    let keys: { readonly caller: Caller; readonly linkedPeople: readonly number[] }[];
    beforeAll(async () => {
      const { alba, bora, shared } = cast;
      const keyOf = async (of: Tenant | undefined) =>
        (
          await addApp(world, `Reads ${reads} ${of?.mark ?? ''}`, {
            keyReads: reads,
            ...(of === undefined ? {} : { companyId: of.company }),
          })
        ).key;
      const isLinked = reads === 'linked_people';
      keys = [
        {
          caller: withKey('the key of no company', undefined, isLinked ? shared.key : await keyOf(undefined)),
          linkedPeople: [alba.employee, bora.employee],
        },
        {
          caller: withKey('the key of Ålba', alba, isLinked ? alba.app.key : await keyOf(alba)),
          linkedPeople: [alba.employee],
        },
      ];
    });

    it.each(readsOfKeys)('a key reads only the people of its setting in $id', async (read) => {
      // Each once, also where both companies are asked alike.
      const asks = new Map(
        [cast.alba, cast.bora].flatMap((tenant) => asksOf(read, tenant)).map((ask) => [JSON.stringify(ask), ask]),
      );
      for (const { caller, linkedPeople } of keys) {
        const people = new Set<number>();
        let rows = 0;
        for (const ask of asks.values()) {
          const { status, text } = await walk(read, ask, caller);
          expect([read.id, ask, [200, 404].includes(status)]).toEqual([read.id, ask, true]);
          if (caller.of !== undefined) expect(cast.bora.isIn(text)).toBe(false);
          if (status !== 200) continue;
          for (const [, id] of text.matchAll(
            ['listUsers', 'getUser'].includes(read.id) ? /\{"id":(\d+),/g : /"user_id":(\d+)/g,
          ))
            people.add(Number(id));
          rows += [...text.matchAll(/\{"(?:id|user_id|key)":/g)].length;
        }
        const sortedPeople = [...people].sort();
        if (reads === 'nothing') expect([read.id, rows]).toEqual([read.id, 0]);
        else if (['listCompanies', 'listCompanyAbsenceTypes'].includes(read.id))
          expect([read.id, rows > 0]).toEqual([read.id, true]);
        else if (reads === 'linked_people')
          expect([read.id, sortedPeople, rows > 0]).toEqual(
            aboutNobody(read) ? [read.id, [], false] : [read.id, [...linkedPeople].sort(), true],
          );
        else
          expect([
            read.id,
            rows > 0,
            read.path.includes('{id}') || aboutNobody(read) || sortedPeople.length > linkedPeople.length,
          ]).toEqual([read.id, true, true]);
      }
    });
  });
});

/** Nobody knows any more whose the removed records were; a commitment is about a company. */
const aboutNobody = ({ id }: Read) => id.startsWith('listRemoved') || id === 'listCommitments';

/** About the caller alone. */
const personal: readonly string[] = [
  'showEvaluations',
  'showSession',
  'listSessions',
  'listLinkedApps',
  'listLinkedAppActivity',
  'listAppActivity',
  'listTeamAbsences',
];
