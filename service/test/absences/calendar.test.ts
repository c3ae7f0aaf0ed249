/**
 * Any date, month, year and instant that the documents allow, in every operation that takes one: never a failure of the
 * service, and nothing stored that makes a later report fail. Operations and members are read from the documents.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { calendar } from '@clockproof/platform/time/calendar';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { document as appDocument } from '../../src/generated/app-document.js';
import { document as apiDocument } from '../../src/generated/service-document.js';
import type { Browser } from '../browser.js';
import { type Answer, createWorld, type World } from '../world.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: Schema; readonly example?: object; readonly examples?: Record<string, { value: object }> }
      >
    >;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

type Kind = 'date' | 'date-time' | 'month' | 'year' | 'since';
/** One place of a request that takes a point in time. */
interface Slot {
  readonly kind: Kind;
  readonly in: 'path' | 'query' | 'body';
  /** Path to it, in a body. */
  readonly at: readonly (string | number)[];
  readonly schema: Schema;
}
interface TimedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly slots: readonly Slot[];
  readonly body: object | undefined;
}

function resolve<Node extends { readonly $ref?: string }>(document: Document, node: Node): Node {
  if (node.$ref === undefined) return node;
  let target: unknown = document;
  for (const name of node.$ref.slice(2).split('/')) target = (target as Record<string, unknown>)[name];
  return resolve(document, target as Node);
}

function kindOf(name: string, { format, pattern, type }: Schema): Kind | undefined {
  if (format === 'date' || format === 'date-time') return format;
  if (name === 'month' && pattern !== undefined) return 'month';
  if ((name === 'year' || name === 'from_year') && type === 'integer') return 'year';
  return name === 'updated_since' || name === 'since' ? 'since' : undefined;
}

function slotsOfBody(document: Document, schema: Schema, at: readonly (string | number)[]): Slot[] {
  const { properties = {}, items, ...ownSchema } = resolve(document, schema);
  const kind = kindOf(String(at.at(-1) ?? ''), ownSchema);
  return [
    ...(kind === undefined ? [] : [{ kind, in: 'body', at, schema: ownSchema } as const]),
    ...Object.entries(properties).flatMap(([name, member]) => slotsOfBody(document, member, [...at, name])),
    ...(items === undefined ? [] : slotsOfBody(document, items, [...at, 0])),
  ];
}

function timedOperations(source: unknown): TimedOperation[] {
  const document = source as Document;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => {
        const media = operation.requestBody?.content['application/json'];
        const slots = (operation.parameters ?? [])
          .map((parameter) => resolve(document, parameter))
          .flatMap((parameter): Slot[] => {
            const kind = kindOf(parameter.name, parameter.schema);
            return kind === undefined || parameter.in === 'header'
              ? []
              : [{ kind, in: parameter.in, at: [parameter.name], schema: parameter.schema }];
          });
        return {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          slots: [...slots, ...(media === undefined ? [] : slotsOfBody(document, media.schema, []))],
          body: media?.example ?? Object.values(media?.examples ?? {})[0]?.value,
        };
      })
      .filter(({ slots }) => slots.length > 0),
  );
}

/** Both ends, a leap day and a day on which clocks change: in every run, in every operation. */
const edges = [calendar.firstDate, '2000-02-29', '2026-10-25', calendar.lastDate];
/** Drawn as often as any other day. */
const likelyFaults = [...edges, '1970-01-02', '2026-03-29', '2026-11-01', '2026-11-23', '2100-02-28', '2199-12-30'];
const zones = ['Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Sao_Paulo'];

const someDate = fc.oneof(
  fc.constantFrom(...likelyFaults),
  fc.integer({ min: 0, max: 84_000 }).map((days) => addDays(calendar.firstDate, days)),
);
const timeOfDay = fc.constantFrom('00:00:00Z', '00:30:00Z', '12:00:00Z', '22:59:59.999Z', '23:59:59Z');

/** What a slot is given on a day. */
function valueFor({ kind, schema }: Slot, date: string, time: string): string | number {
  switch (kind) {
    case 'date':
      return date;
    case 'date-time':
      return `${date}T${time}`;
    case 'since':
      return time === '12:00:00Z' ? date : `${date}T${time}`;
    case 'month':
      return date.slice(0, 7);
    case 'year':
      return Math.min(Math.max(Number(date.slice(0, 4)), schema.minimum!), schema.maximum!);
  }
}

describe.each(oneDialect)('the calendar on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let admin: number;
  beforeAll(async () => {
    world = await createWorld(dialect);
    admin = await newcomer('super_admin');
  });
  afterAll(() => world.close());

  let count = 0;
  const newcomer = (role: 'employee' | 'super_admin' = 'employee') =>
    world.hire({ firstName: 'New', lastName: `Comer ${++count}`, email: `new${count}@clockproof.example`, role });
  const change = (sql: string, parameters: Record<string, string | number> = {}) =>
    world.db.write((tx) => tx.run(sql, parameters));
  const send = (path: string, method: string, body?: object): Promise<Answer> =>
    path.startsWith('/app')
      ? root.call(method, path, body === undefined ? {} : { body })
      : world.call(method, path, { key: world.planner.key, ...(body === undefined ? {} : { body }) });

  /** Everything that a stored date could make fail. */
  async function reports(): Promise<number[]> {
    const paths = [
      `/app/reports/months?company_id=${world.nord}&month=2026-11`,
      `/app/reports/months/export?company_id=${world.nord}&month=2026-11`,
      `/app/reports/findings?company_id=${world.nord}&from=2026-11-01&to=2026-11-30`,
      '/app/me/overview',
      '/app/me/vacation?year=2026',
    ];
    return Promise.all(paths.map(async (path) => (await send(path, 'GET')).status));
  }

  /** A newcomer leaves after the call: with all of them in it, a company would be slower with every call. */
  async function clear(): Promise<void> {
    const remainingIds = [...Object.values(world.people), admin].join();
    const lastDate = calendar.lastDate;
    await world.db.write(async (tx) => {
      for (const table of [
        'approvals',
        'closed_absences',
        'absences',
        'month_balances',
        'closed_month_people',
        'closed_months',
      ])
        await tx.run(`DELETE FROM ${table}`);
      await tx.run(
        `UPDATE people SET active = 0, tracking_start = :lastDate
         WHERE id NOT IN (${remainingIds}) AND (active = 1 OR tracking_start <> :lastDate)`,
        { lastDate },
      );
      await tx.run(
        `UPDATE people SET tracking_start = '2026-11-01', opening_minutes = 0 WHERE id IN (${remainingIds})`,
      );
    });
  }

  /** One call, on somebody whom no other call has touched. @returns its status */
  async function call(
    { method, path, body, slots }: TimedOperation,
    values: readonly (string | number)[],
  ): Promise<number> {
    const isOwnPage = path.startsWith('/app/me');
    // Thousands of requests in one minute would meet the limit of the session.
    world.advance(3_000);
    const person = isOwnPage ? admin : method === 'GET' ? world.people.ada : await newcomer();
    const url = new URL(path, 'http://localhost');
    let filledPath = path;
    const payload = structuredClone(body) as Record<string, unknown> | undefined;
    slots.forEach((slot, index) => {
      const value = values[index]!;
      const name = String(slot.at[0]);
      if (slot.in === 'path') filledPath = filledPath.replace(`{${name}}`, String(value));
      else if (slot.in === 'query') url.searchParams.set(name, String(value));
      else {
        let node = payload as Record<string | number, unknown>;
        for (const step of slot.at.slice(0, -1)) {
          node[step] ??= {};
          node = node[step] as Record<string | number, unknown>;
        }
        node[slot.at.at(-1)!] = value;
      }
    });
    if (payload !== undefined) {
      if ('user_id' in payload) payload['user_id'] = person;
      if ('company_id' in payload) payload['company_id'] = world.nord;
      if ('type' in payload) payload['type'] = 'vacation';
      if ('email' in payload) payload['email'] = `one${++count}@clockproof.example`;
      for (const name of ['department_id', 'personnel_number', 'entry_id', 'half_day', 'external_id', 'time_zone'])
        delete payload[name];
      // Of several at once, each names its own person.
      for (const correction of Array.isArray(payload['corrections'])
        ? (payload['corrections'] as Record<string, unknown>[])
        : []) {
        correction['user_id'] = person;
        delete correction['entry_id'];
      }
    }
    if (/\/absences\/\{id\}$/.test(filledPath)) {
      const wish = { type: 'vacation', start_date: '2026-12-01', end_date: '2026-12-01' };
      const absence = isOwnPage
        ? await send('/app/me/absences', 'POST', wish)
        : await send('/api/v1/absences', 'POST', { ...wish, user_id: person });
      filledPath = filledPath.replace('{id}', String(absence.body['id']));
    }
    filledPath = filledPath
      .replace('companies/{id}', `companies/${world.nord}`)
      .replace('people/{id}', `people/${person}`)
      .replace('extensions/{id}', `extensions/${world.reader.id}`);
    if (/\/reports\//.test(filledPath)) url.searchParams.set('company_id', String(world.nord));
    const { status, body: answer } = await send(filledPath + url.search, method, payload);
    if (status >= 500 && status !== 501)
      throw new Error(`${method} ${filledPath}${url.search} ${JSON.stringify(payload)}: ${JSON.stringify(answer)}`);
    if (method !== 'GET') {
      if (status < 300)
        expect([filledPath, payload, await reports()]).toEqual([filledPath, payload, [200, 200, 200, 200, 200]]);
      await clear();
    }
    return status;
  }

  const operations = [...timedOperations(apiDocument), ...timedOperations(appDocument)];

  it('the calendar rules cover these operations', () => {
    expect(operations.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'listLeaves',
        'createAbsence',
        'closeMonth',
        'setOpeningBalance',
        'deactivatePerson',
        'updatePerson',
        'addSchedule',
        'setEntitlement',
        'correctEntry',
        'listHolidays',
        'listFindings',
        'listMonthReport',
        'listMyDays',
      ]),
    );
    expect(operations.length).toBeGreaterThan(35);
  });

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s never fails because of a time in its input',
    async (_, operation) => {
      root = await world.as(admin);
      const statuses = new Set<number>();
      const callOn = async (zone: string, dates: readonly string[], time: string) => {
        await change('UPDATE companies SET time_zone = :zone', { zone });
        statuses.add(
          await call(
            operation,
            operation.slots.map((slot, index) => valueFor(slot, dates[index % dates.length]!, time)),
          ),
        );
        return !statuses.has(501);
      };
      for (const [index, edge] of edges.entries())
        if (!(await callOn(zones[index % zones.length]!, [edge], index % 2 === 0 ? '00:00:00Z' : '12:00:00Z'))) return;
      // The longest period from each end.
      await callOn(zones[0]!, [calendar.firstDate, addDays(calendar.firstDate, 365)], '00:30:00Z');
      await callOn(zones[1]!, [addDays(calendar.lastDate, -365), calendar.lastDate], '23:59:59Z');
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...zones),
          someDate,
          fc.oneof(fc.constant(0), fc.integer({ min: -1, max: 366 })),
          timeOfDay,
          async (zone, date, days, time) => {
            const end = addDays(date, days);
            await callOn(zone, [date, end < calendar.firstDate || end > calendar.lastDate ? date : end], time);
          },
        ),
        { numRuns: runs(2), seed: 1_970 },
      );
      expect(statuses).not.toEqual(new Set([404]));
    },
  );
});
