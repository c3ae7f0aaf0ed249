/**
 * An evaluation that is switched off hides its values from everyone but the person they are about, whatever the way
 * they would go out; what is confidential stays hidden as well. Two installations that differ in such a value alone
 * answer every read of the pages alike. The
 * reads come from the contract, and so does what each reveals (`x-reveals`): one that is added is tried without anybody
 * remembering it.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { document } from '../src/generated/app-document.js';
import { addRuleOfPerson } from '../src/working-time/change-special-rules.js';
import { setEvaluation } from '../src/working-time/evaluations.js';
import { sendAbsence, sendStamp } from './builders.js';
import { createWorld, type World } from './world.js';

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
const resolve = (parameter: Parameter) =>
  parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)!]!;

/** Reads that answer nothing here, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
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
  downloadOwnProof: 'own, and no month is closed',
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
    if (get === undefined || Object.hasOwn(exceptions, get.operationId)) return [];
    const parameterValues = [...parameters, ...(get.parameters ?? [])]
      .map(resolve)
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
    const filledPath = path.replace('{id}', String(id)).replace('{month}', '2026-12').replace('{period}', '2026-12');
    return [
      {
        operation: get.operationId,
        path: parameterValues.length === 0 ? filledPath : `${filledPath}?${parameterValues.join('&')}`,
      },
    ];
  });
}

type Answers = Record<string, { readonly status: number; readonly body: unknown }>;

type Role = 'colleague' | 'approver' | 'admin' | 'root';

/** A class of values about somebody that an operation declares in the contract (`x-reveals`). */
type Revealed = 'presence' | 'balances' | 'findings' | 'special_rules' | 'absence_kinds';

/** What makes the difference. */
interface Difference {
  readonly value: string;
  readonly reveals: Revealed;
  /** Of December. */
  readonly entry: number;
  readonly arrange: (world: World, differs: boolean) => Promise<void>;
}

async function stamp(world: World, verb: string, time: string, person: 'ada' | 'zoe' = 'ada'): Promise<void> {
  world.set(at(time));
  await sendStamp(world, verb, world.people[person]);
}

async function work(world: World, ...times: readonly [start: string, end: string][]): Promise<void> {
  for (const [start, end] of times) {
    await stamp(world, 'in', start);
    await stamp(world, 'out', end);
  }
}

/** Ada or Zoe is clocked in. */
async function beAtWork(world: World, person: 'ada' | 'zoe'): Promise<void> {
  world.set(at('2026-12-04T08:00:00Z'));
  // Either key was used then.
  for (const { key } of [world.planner, world.souther]) await world.call('GET', '/api/v1/me', { key });
  await stamp(world, 'in', '2026-12-04T08:00:00Z', person);
}

/** Too long a day for somebody who is expectant. */
async function workLong(world: World, person: 'ada' | 'zoe'): Promise<void> {
  await stamp(world, 'in', '2026-12-01T06:00:00Z');
  await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
    addRuleOfPerson(write, {
      companyId: person === 'ada' ? world.nord : world.sued,
      personId: world.people[person],
      kind: 'expectant_or_nursing',
      validFrom: '2026-12-01',
      validTo: null,
      eveningWork: false,
    }),
  );
  await stamp(world, 'out', '2026-12-01T15:30:00Z');
}

async function beSick(world: World, type: 'sickness' | 'sickness_child'): Promise<void> {
  await world.db.write((tx) => tx.run("UPDATE companies SET colleagues_see = 'absences_and_presence'"));
  await sendAbsence(world, { type, start_date: '2026-12-04' });
}

const december = ['2026-12-01T06:00:00Z', '2026-12-01T10:00:00Z'] as const;

const differences: readonly Difference[] = [
  {
    value: 'presence',
    reveals: 'presence',
    entry: 1,
    arrange: (world, differs) => beAtWork(world, differs ? 'ada' : 'zoe'),
  },
  {
    value: 'balances',
    reveals: 'balances',
    entry: 2,
    arrange: (world, differs) =>
      work(world, ['2026-11-30T08:00:00Z', differs ? '2026-11-30T15:00:00Z' : '2026-11-30T16:00:00Z'], [...december]),
  },
  {
    value: 'findings',
    reveals: 'findings',
    entry: 2,
    // The same work, in one of them with too short a rest before the next morning.
    arrange: (world, differs) =>
      work(
        world,
        differs ? ['2026-11-30T18:00:00Z', '2026-11-30T22:00:00Z'] : ['2026-11-30T12:00:00Z', '2026-11-30T16:00:00Z'],
        [...december],
      ),
  },
  {
    value: 'that somebody is expectant',
    reveals: 'special_rules',
    entry: 1,
    arrange: (world, differs) => workLong(world, differs ? 'ada' : 'zoe'),
  },
  {
    value: 'the kind of an absence',
    reveals: 'absence_kinds',
    entry: 1,
    async arrange(world, differs) {
      await work(world, ['2026-12-01T08:00:00Z', '2026-12-01T10:00:00Z']);
      await beSick(world, differs ? 'sickness' : 'sickness_child');
    },
  },
];

describe.each(oneDialect)('reads of the pages on %s', (dialect) => {
  /** Two worlds that will differ. */
  let pair: readonly [World, World];
  beforeEach(async () => {
    pair = [await createWorld(dialect), await createWorld(dialect)];
  });
  afterEach(async () => {
    for (const world of pair) await world.close();
  });

  /** What somebody of each role reads: a colleague of Ada, who decides about her, their admin and a super admin. */
  async function readAs(world: World, entry: number, roles: readonly Role[]): Promise<Answers> {
    world.set(at('2026-12-04T10:00:00Z'));
    const answers: Answers = {};
    for (const role of roles) {
      const browser = await world.as(await readerOf(world, role));
      for (const { operation, path } of readsOf(world, entry)) {
        const { status, body } = await browser.call('GET', path);
        const { request_id: _, ...content } = typeof body === 'object' ? body : { text: body };
        answers[`${role}: ${operation} ${path}`] = { status, body: content };
      }
    }
    return answers;
  }
  const readBoth = async (entry: number, roles: readonly Role[]) =>
    [await readAs(pair[0], entry, roles), await readAs(pair[1], entry, roles)] as const;
  const differencesOf = ([first, second]: readonly [Answers, Answers]) =>
    Object.keys(first)
      .filter((read) => JSON.stringify(first[read]) !== JSON.stringify(second[read]))
      .map((read) => ({ read, first: first[read], second: second[read] }));

  it('page reads hide presence, balances and findings from everyone while their evaluations are off', async () => {
    for (const [index, world] of pair.entries()) {
      const differs = index === 0;
      const admin = await world.hire({ companyId: world.sued, firstName: 'Rhea', role: 'super_admin' });
      for (const companyId of [world.nord, world.sued])
        await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
          for (const evaluation of ['presence', 'month_reports', 'findings'] as const)
            await setEvaluation(write, { companyId, evaluation, enabled: false, by: admin });
        });
      await work(
        world,
        differs ? ['2026-11-30T18:00:00Z', '2026-11-30T22:00:00Z'] : ['2026-11-30T12:00:00Z', '2026-11-30T15:00:00Z'],
        [...december],
      );
      await beAtWork(world, differs ? 'ada' : 'zoe');
    }
    expect(differencesOf(await readBoth(2, ['colleague', 'approver', 'admin', 'root']))).toEqual([]);
  });

  it('page reads hide from approvers who is expectant, and from colleagues the kind of an absence', async () => {
    await workLong(pair[0], 'ada');
    await workLong(pair[1], 'zoe');
    expect(differencesOf(await readBoth(1, ['approver']))).toEqual([]);
    await beSick(pair[0], 'sickness');
    await beSick(pair[1], 'sickness_child');
    expect(differencesOf(await readBoth(1, ['colleague']))).toEqual([]);
  });

  // Admins may see all of it.
  it.each(differences)('page reads show $value where the contract says so', async ({ reveals, entry, arrange }) => {
    await arrange(pair[0], true);
    await arrange(pair[1], false);
    const answerPair = await readBoth(entry, ['admin', 'root']);
    const operationOf = (read: string) => read.split(' ')[1]!;
    expect([...new Set(differencesOf(answerPair).map(({ read }) => operationOf(read)))].toSorted()).toEqual(
      Object.values(paths)
        .flatMap(({ get }) => (get?.['x-reveals']?.includes(reveals) === true ? [get.operationId] : []))
        .toSorted(),
    );
    const answeredOperations = new Set(
      Object.entries(answerPair[0]).flatMap(([read, { status }]) => (status === 200 ? [operationOf(read)] : [])),
    );
    expect(readsOf(pair[0], entry).filter(({ operation }) => !answeredOperations.has(operation))).toEqual([]);
  });
});

function readerOf(world: World, role: Role): Promise<number> {
  const office = { departmentId: world.office, employmentStart: '2020-01-01' };
  switch (role) {
    case 'colleague':
      return world.hire({ ...office, firstName: 'Cole' });
    case 'approver':
      return world.hire({ ...office, firstName: 'Lea', role: 'approver' });
    case 'admin':
      return world.hire({ ...office, firstName: 'Tom', role: 'company_admin' });
    case 'root':
      return world.hire({ companyId: world.sued, firstName: 'Rhea', role: 'super_admin' });
  }
}
