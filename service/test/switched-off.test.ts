/**
 * An evaluation that is switched off hides its values from everyone but the person they are about, whatever the way
 * they would go out; what is confidential stays hidden as well. Two installations that differ in such a value alone
 * answer every read of the pages alike. The
 * reads come from the contract, and so does what each reveals (`x-reveals`): one that is added is tried without anybody
 * remembering it.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, describe, expect, it } from '@jest/globals';
import { document } from '../src/generated/app-document.js';
import { addRuleOfPerson } from '../src/working-time/change-special-rules.js';
import { type Evaluation, setEvaluation } from '../src/working-time/evaluations.js';
import { addSuperAdmin, type Browser, factorKeysOf, giveCredentials, signIn } from './browser.js';
import { hire } from './builders.js';
import { createWorld, dataKey, type World } from './world.js';

const at = (text: string) => parseInstant(text)!;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface Read {
  readonly operationId: string;
  readonly 'x-reveals'?: readonly Revealed[];
  readonly parameters?: readonly Parameter[];
}
const { paths, components } = document as {
  paths: Record<string, { readonly get?: Read; readonly parameters?: readonly Parameter[] }>;
  components: { parameters: Record<string, Parameter> };
};
const resolved = (parameter: Parameter) =>
  parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)!]!;

/** Reads that answer nothing here, each with the reason. */
const apart: Readonly<Record<string, string>> = {
  followChanges: 'a stream, see access/live.database.test.ts',
  showConsent: 'there is no request for consent',
  listLinkedAppActivity: 'own, and there is no app',
  listMyEntryHistory: 'own, and there is no entry',
  showTerminal: 'there is no terminal; it shows no person',
  showIssuing: 'there is no terminal; it shows who gets a badge',
  showDelivery: 'there is no delivery: extensions are bound by their permissions',
  listDeliveries: 'the extension has no webhooks',
  previewRecovery: 'the extension has no webhooks',
  showCardKeys: 'there is no card key',
};

/** All reads of the pages about Ada and her company, in December. */
function readsOf(world: World, entry: number): { readonly operation: string; readonly path: string }[] {
  const query: Readonly<Record<string, string | number>> = {
    from: '2026-12-01',
    to: '2026-12-31',
    year: 2026,
    month: '2026-12',
    company_id: world.nord,
    include_open: 'true',
  };
  return Object.entries(paths).flatMap(([path, { get, parameters = [] }]) => {
    if (get === undefined || Object.hasOwn(apart, get.operationId)) return [];
    const asked = [...parameters, ...(get.parameters ?? [])]
      .map(resolved)
      .filter(
        (parameter) => parameter.in === 'query' && (parameter.required === true || parameter.name === 'include_open'),
      )
      .map(({ name }) => `${name}=${query[name]}`);
    const id = path.includes('/companies/')
      ? world.nord
      : path.includes('/extensions/')
        ? world.planner.id
        : path.includes('/entries/')
          ? entry
          : world.people.ada;
    const filled = path.replace('{id}', String(id)).replace('{month}', '2026-12');
    return [{ operation: get.operationId, path: asked.length === 0 ? filled : `${filled}?${asked.join('&')}` }];
  });
}

type Answers = Record<string, { readonly status: number; readonly body: unknown }>;

type Role = 'colleague' | 'approver' | 'admin' | 'root';
const everyone: readonly Role[] = ['colleague', 'approver', 'admin', 'root'];

/** A class of values about somebody that an operation declares in the contract (`x-reveals`). */
type Revealed = 'presence' | 'balances' | 'findings' | 'special_rules' | 'absence_kinds';

/** What makes the difference. */
interface Difference {
  readonly value: string;
  readonly revealed: Revealed;
  /** The switch that hides the value; without one it is always hidden. */
  readonly evaluation?: Evaluation;
  readonly from: readonly Role[];
  /** Of December. */
  readonly entry: number;
  readonly arrange: (world: World, differs: boolean) => Promise<void>;
}

async function stamp(world: World, verb: string, time: string, who: 'ada' | 'zoe' = 'ada'): Promise<void> {
  world.set(at(time));
  const { key } = who === 'ada' ? world.planner : world.souther;
  const answer = await world.call('POST', `/api/v1/clock/${verb}`, { key, body: { user_id: world.people[who] } });
  expect(answer.status).toBe(200);
}

const differences: readonly Difference[] = [
  {
    value: 'presence',
    revealed: 'presence',
    evaluation: 'presence',
    from: everyone,
    entry: 1,
    // Somebody of either company is clocked in.
    async arrange(world, differs) {
      // Either key was used then.
      world.set(at('2026-12-04T08:00:00Z'));
      for (const { key } of [world.planner, world.souther]) await world.call('GET', '/api/v1/me', { key });
      await stamp(world, 'in', '2026-12-04T08:00:00Z', differs ? 'ada' : 'zoe');
    },
  },
  {
    value: 'balances',
    revealed: 'balances',
    evaluation: 'month_reports',
    from: everyone,
    entry: 2,
    async arrange(world, differs) {
      await stamp(world, 'in', '2026-11-30T08:00:00Z');
      await stamp(world, 'out', differs ? '2026-11-30T15:00:00Z' : '2026-11-30T16:00:00Z');
      await stamp(world, 'in', '2026-12-01T08:00:00Z');
      await stamp(world, 'out', '2026-12-01T10:00:00Z');
    },
  },
  {
    value: 'findings',
    revealed: 'findings',
    evaluation: 'findings',
    from: everyone,
    entry: 2,
    // The same work, in one of them with too short a rest before the next morning.
    async arrange(world, differs) {
      await stamp(world, 'in', differs ? '2026-11-30T18:00:00Z' : '2026-11-30T12:00:00Z');
      await stamp(world, 'out', differs ? '2026-11-30T22:00:00Z' : '2026-11-30T16:00:00Z');
      await stamp(world, 'in', '2026-12-01T06:00:00Z');
      await stamp(world, 'out', '2026-12-01T10:00:00Z');
    },
  },
  {
    value: 'that somebody is expectant',
    revealed: 'special_rules',
    from: ['colleague', 'approver'],
    entry: 1,
    // Too long a day for one who is.
    async arrange(world, differs) {
      await stamp(world, 'in', '2026-12-01T06:00:00Z');
      await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
        addRuleOfPerson(write, {
          companyId: differs ? world.nord : world.sued,
          personId: differs ? world.people.ada : world.people.zoe,
          kind: 'expectant_or_nursing',
          validFrom: '2026-12-01',
          validTo: null,
          eveningWork: false,
        }),
      );
      await stamp(world, 'out', '2026-12-01T15:30:00Z');
    },
  },
  {
    value: 'the kind of an absence',
    revealed: 'absence_kinds',
    from: ['colleague'],
    entry: 1,
    async arrange(world, differs) {
      await stamp(world, 'in', '2026-12-01T08:00:00Z');
      await stamp(world, 'out', '2026-12-01T10:00:00Z');
      await world.db.write((tx) => tx.run("UPDATE companies SET colleagues_see = 'absences_and_presence'"));
      const type = differs ? 'sickness' : 'sickness_child';
      const body = { user_id: world.people.ada, type, start_date: '2026-12-04', end_date: '2026-12-04' };
      expect((await world.call('POST', '/api/v1/absences', { key: world.planner.key, body })).status).toBe(201);
    },
  },
];

describe.each(oneDialect)('the pages, read by everyone but the person, on %s', (dialect) => {
  const worlds: World[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  async function answers(
    { evaluation, entry, arrange }: Difference,
    differs: boolean,
    enabled: boolean,
    readers: readonly Role[],
  ): Promise<Answers> {
    const world = await createWorld(dialect);
    worlds.push(world);
    const cast = await addCast(world);
    if (evaluation !== undefined)
      for (const companyId of [world.nord, world.sued])
        await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
          setEvaluation(write, { companyId, evaluation, enabled, by: cast.root }),
        );
    await arrange(world, differs);
    world.set(at('2026-12-04T10:00:00Z'));
    const found: Answers = {};
    for (const who of readers) {
      const browser: Browser = await signIn(world, cast[who]);
      for (const { operation, path } of readsOf(world, entry)) {
        const { status, body } = await browser.call('GET', path);
        const { request_id: _, ...shown } = typeof body === 'object' ? body : { text: body };
        found[`${who}: ${operation} ${path}`] = { status, body: shown };
      }
    }
    return found;
  }

  it.each(differences)('hides $value from $from', async (difference) => {
    const one = await answers(difference, true, false, difference.from);
    const other = await answers(difference, false, false, difference.from);
    const differing = Object.keys(one).filter((read) => JSON.stringify(one[read]) !== JSON.stringify(other[read]));
    expect(differing.map((read) => ({ read, one: one[read], other: other[read] }))).toEqual([]);
  });

  it.each(differences)('shows $value where the contract says so', async (difference) => {
    const one = await answers(difference, true, true, everyone);
    const other = await answers(difference, false, true, everyone);
    const revealing = new Set(
      Object.keys(one).flatMap((read) =>
        JSON.stringify(one[read]) === JSON.stringify(other[read]) ? [] : [read.split(' ')[1]!],
      ),
    );
    expect([...revealing].toSorted()).toEqual(
      Object.values(paths)
        .flatMap(({ get }) => (get?.['x-reveals']?.includes(difference.revealed) === true ? [get.operationId] : []))
        .toSorted(),
    );
    const answered = new Set(
      Object.entries(one).flatMap(([read, { status }]) => (status === 200 ? [read.split(' ')[1]!] : [])),
    );
    expect(readsOf(worlds[0]!, difference.entry).filter(({ operation }) => !answered.has(operation))).toEqual([]);
  });
});

/** A colleague of Ada, who decides about her, an admin of the company and a super admin. */
async function addCast(world: World): Promise<Readonly<Record<Role, number>>> {
  const add = (firstName: string, role: 'employee' | 'approver' | 'company_admin') =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      hire(write, {
        companyId: world.nord,
        departmentId: world.office,
        firstName,
        email: `${firstName}@clockproof.example`,
        role,
        employmentStart: '2020-01-01',
      }),
    );
  const [colleague, approver, admin] = [
    await add('Cole', 'employee'),
    await add('Lea', 'approver'),
    await add('Tom', 'company_admin'),
  ];
  const root = await addSuperAdmin(world);
  await giveCredentials(world, [colleague, approver, admin], await factorKeysOf(world, dataKey));
  return { colleague, approver, admin, root };
}
