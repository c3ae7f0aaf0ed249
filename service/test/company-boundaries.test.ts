/**
 * What belongs to another company is not there. The operations, their parameters and a valid request come from the
 * contract: an operation that is added is
 * tested without anybody remembering it.
 */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OperationId, operations } from '../src/generated/contract.js';
import { document } from '../src/generated/service-document.js';
import { sendAbsence, sendStamp } from './builders.js';
import { commitTo } from './commitments.js';
import { type Answer, createWorld, type World } from './world.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly properties?: Record<string, Schema>;
  readonly allOf?: Schema[];
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: Schema;
}
interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
}
interface Operation {
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly $ref?: string; readonly content: Record<string, Media> };
}

/** Follows `#/a/b` through the document. */
function resolve<T extends { readonly $ref?: string }>(node: T): T {
  if (node.$ref === undefined) return node;
  return resolve(
    node.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      ) as T,
  );
}

interface Place {
  readonly operation: OperationId;
  readonly location: 'path' | 'query' | 'body';
  readonly name: string;
}

function operationOf(id: OperationId): Operation {
  const { method, path } = operations[id];
  return (document as { paths: Record<string, Record<string, Operation>> }).paths[path]![method]!;
}

function parametersOf(id: OperationId): Parameter[] {
  return (operationOf(id).parameters ?? []).map(resolve);
}

function bodyOf(id: OperationId): Media | undefined {
  const { requestBody } = operationOf(id);
  return requestBody === undefined ? undefined : resolve(requestBody).content['application/json'];
}

function isNumber(schema: Schema): boolean {
  return resolve(schema).type === 'integer';
}

function propertiesOf(schema: Schema): Record<string, Schema> {
  const { properties = {}, allOf = [] } = resolve(schema);
  return Object.assign({}, ...allOf.map(propertiesOf), properties) as Record<string, Schema>;
}

/** Every place of the contract in which a key names somebody or something by number. */
const places: Place[] = (Object.keys(operations) as OperationId[])
  .filter((id) => operations[id].security.some((alternative) => (alternative as readonly string[]).includes('apiKey')))
  .flatMap((operation) => {
    const idParameters = parametersOf(operation)
      .filter(({ name, schema }) => /(^|_)id$/.test(name) && isNumber(schema))
      .map(({ name, in: location }) => ({ operation, location: location as 'path' | 'query', name }));
    const media = bodyOf(operation);
    const inBody =
      media === undefined
        ? []
        : Object.entries(propertiesOf(media.schema))
            .filter(([name, schema]) => /(^|_)id$/.test(name) && isNumber(schema))
            .map(([name]) => ({ operation, location: 'body' as const, name }));
    return [...idParameters, ...inBody];
  });

describe.each(oneDialect)('company boundaries on %s', (dialect) => {
  let world: World;
  /** By parameter: one of the key's own company, one of another company. */
  let ids: Record<string, { readonly ownId: number; readonly foreignId: number }>;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const absence = async (key: string, user_id: number) =>
      (await sendAbsence(world, { user_id, start_date: '2026-12-21', end_date: '2026-12-23' }, { key })).id;
    const entry = async (key: string, user_id: number) => {
      for (const verb of ['in', 'out']) await sendStamp(world, verb, user_id, { key });
      return (await world.db.get<{ id: number }>('SELECT id FROM time_entries WHERE person_id = :user_id', {
        user_id,
      }))!.id;
    };
    const commitment = async (company: number) => (await commitTo(world, company)).id;
    const commitments = { ownId: await commitment(world.nord), foreignId: await commitment(world.sued) };
    ids = {
      '/api/v1/commitments/{id}/anchors': commitments,
      '/api/v1/commitments/{id}/claims': commitments,
      '/api/v1/users/{id}': { ownId: world.people.ada, foreignId: world.people.zoe },
      '/api/v1/time/entries/{id}': {
        ownId: await entry(world.planner.key, world.people.ada),
        foreignId: await entry(world.souther.key, world.people.zoe),
      },
      user_id: { ownId: world.people.ada, foreignId: world.people.zoe },
      company_id: { ownId: world.nord, foreignId: world.sued },
      '/api/v1/absences/{id}': {
        ownId: await absence(world.planner.key, world.people.ada),
        foreignId: await absence(world.souther.key, world.people.zoe),
      },
    };
  });
  afterEach(() => world.close());

  async function ask({ operation, location, name }: Place, id: number): Promise<Answer> {
    const { method, path } = operations[operation];
    const query = parametersOf(operation)
      .filter(
        (parameter) =>
          parameter.in === 'query' &&
          parameter.name !== name &&
          (parameter.required === true || ['from', 'to'].includes(parameter.name)),
      )
      .map((parameter) => `${parameter.name}=${encodeURIComponent(String(parameter.example))}`);
    if (location === 'query') query.push(`${name}=${id}`);
    const media = bodyOf(operation);
    const body = {
      ...((media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? {}) as object),
      ...(location === 'body' ? { [name]: id } : {}),
    };
    return world.call(
      method.toUpperCase(),
      `${location === 'path' ? path.replace(`{${name}}`, String(id)) : path}?${query.join('&')}`,
      { key: world.planner.key, ...(media === undefined ? {} : { body }) },
    );
  }

  it('company boundaries cover every number the contract takes from a key', () => {
    expect(places.map(({ operation, location, name }) => `${operation} ${location} ${name}`)).toEqual(
      expect.arrayContaining([
        'clockIn body user_id',
        'createAbsence body user_id',
        'updateAbsence path id',
        'deleteAbsence path id',
        'getUser path id',
        'getTimeEntry path id',
        'getAbsence path id',
        'listLeaves query user_id',
        'listLeaves query company_id',
        'listUsers query company_id',
        'listEvents query company_id',
      ]),
    );
  });

  it.each(places)(
    '$operation: $location $name of another company is answered like one that does not exist, and changes nothing',
    async (place) => {
      const { ownId, foreignId } = ids[place.location === 'path' ? operations[place.operation].path : place.name]!;
      const state = async () =>
        JSON.stringify([
          await world.db.all('SELECT * FROM absences ORDER BY id'),
          await world.db.all('SELECT * FROM time_entries ORDER BY id'),
          await world.db.all('SELECT * FROM clock_states ORDER BY person_id'),
        ]);
      const stateBefore = await state();
      const [foreignAnswer, unknownAnswer] = [await ask(place, foreignId), await ask(place, 424_242)];
      expect([foreignAnswer.status, { ...foreignAnswer.body, request_id: '' }]).toEqual([
        404,
        { ...unknownAnswer.body, request_id: '' },
      ]);
      expect([unknownAnswer.status, unknownAnswer.body['code']]).toEqual([404, 'not_found']);
      expect(await state()).toBe(stateBefore);
      // The same request about the caller's own company is accepted: only the number was refused above.
      const ownAnswer = await ask(place, ownId);
      expect([place.operation, ownAnswer.status < 400 || ownAnswer.status === 409, ownAnswer.body]).toEqual([
        place.operation,
        true,
        expect.anything(),
      ]);
    },
  );
});
