/**
 * Generates requests from the published schemas, mostly right and a little wrong, with a seed and with shrinking: a
 * failure names the smallest request that shows it.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from './contract.js';
import { isRecord } from './json.js';
import { Breach, Inconclusive, lostConnection } from './outcome.js';
import { authorizeCalls, fill, queryOf } from './statuses.js';
import type { World } from './world.js';

const junk: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '\u0000',
    '\ud800',
    -1,
    0,
    1.5,
    1e308,
    '2025-02-30',
    [],
    {},
    [[]],
    { a: null },
    'ı',
    '😀',
  ),
  fc.string({ maxLength: 40 }),
  fc.integer(),
);

function anyValue(world: World, document: Operation['document'], definition: unknown, depth = 0): Arbitrary<unknown> {
  const schema = world.contract.schema(document, definition);
  const validValue = rightValue(world, document, schema, depth);
  return fc.oneof({ weight: 6, arbitrary: validValue }, { weight: 1, arbitrary: junk });
}

function rightValue(
  world: World,
  document: Operation['document'],
  schema: Record<string, unknown>,
  depth: number,
): Arbitrary<unknown> {
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const alternatives = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(alternatives))
    return fc.oneof(...alternatives.map((alternative) => anyValue(world, document, alternative, depth + 1)));
  if (Array.isArray(schema['allOf'])) {
    const parts = schema['allOf'].map((part) => world.contract.schema(document, part));
    const properties = Object.assign({}, ...parts.map((part) => part['properties'] ?? {})) as object;
    const requiredNames = parts.flatMap((part) => (part['required'] ?? []) as string[]);
    return rightValue(world, document, { type: 'object', properties, required: requiredNames }, depth);
  }
  const type = [schema['type']].flat()[0];
  if (type === 'integer' || type === 'number') {
    const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 1_000)];
    return fc.oneof(fc.integer({ min, max: Math.min(max, min + 1_000_000) }), fc.constantFrom(min, max));
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(anyValue(world, document, schema['items'], depth + 1), { maxLength: 3 });
  if (type === 'object') {
    const properties = (isRecord(schema['properties']) ? schema['properties'] : {}) as Record<string, unknown>;
    if (depth > 5) return fc.constant({});
    const model = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, anyValue(world, document, property, depth + 1)]),
    );
    const requiredKeys = ((schema['required'] ?? []) as string[]).filter((name) => name in model);
    return fc.record(model, { requiredKeys });
  }
  if (schema['format'] === 'date') return fc.constantFrom('2027-03-01', '2027-12-31', '2026-11-22', '1999-01-01');
  if (schema['format'] === 'date-time')
    return fc.constantFrom('2026-11-22T10:00:00Z', '2027-03-01T00:00:00Z', '1970-01-01T00:00:00Z');
  if (typeof schema['pattern'] === 'string')
    return fc
      .stringMatching(new RegExp(schema['pattern']))
      .map((text) => text.slice(0, Number(schema['maxLength'] ?? 300)));
  return fc.string({
    minLength: Number(schema['minLength'] ?? 0),
    maxLength: Math.min(Number(schema['maxLength'] ?? 60), 60),
  });
}

/** @throws Breach with the smallest request that got an undocumented answer or a 5xx */
export async function fuzz(world: World, part: 'parameters' | 'bodies'): Promise<void> {
  const call = await authorizeCalls(world);
  const operations = world.contract.operations.filter((operation) => {
    if (operation.id === 'connectExtension') return false;
    const body = world.contract.bodySchemaOf(operation);
    return part === 'bodies' ? body?.type === 'application/json' : world.contract.parametersOf(operation).length > 0;
  });
  const failures: string[] = [];
  let inconclusiveError: unknown;
  for (const operation of operations) {
    const parameters = world.contract
      .parametersOf(operation)
      .filter(({ in: place, name }) => (place === 'query' || place === 'path') && name !== 'wait');
    const query = fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => [String(name), anyValue(world, operation.document, schema)]),
      ),
      { requiredKeys: parameters.filter(({ required }) => required === true).map(({ name }) => String(name)) },
    );
    const body = world.contract.bodySchemaOf(operation);
    const request = part === 'bodies' && body !== undefined ? anyValue(world, operation.document, body.schema) : query;
    const property = fc.asyncProperty(request, async (value) => {
      const findingsBefore = world.contract.findings.length;
      const answer = await (part === 'bodies'
        ? call(operation, fill(operation.path) + queryOf(operation), {
            raw: JSON.stringify(value) ?? 'null',
            headers: { 'content-type': 'application/json' },
          })
        : call(operation, pathOf(operation, parameters, value as Record<string, unknown>), {})
      ).catch((error: unknown) => {
        if (!(error instanceof Inconclusive || lostConnection(error))) throw error;
        inconclusiveError = error;
      });
      if (answer === undefined) return;
      if (answer.status >= 500) throw new Error(`${answer.status}`);
      const finding = world.contract.findings[findingsBefore];
      if (finding !== undefined) throw new Error(`${finding.status}: ${finding.what}`);
    });
    const outcome = await fc.check(property, { seed: world.seed, numRuns: 30, endOnFailure: false });
    if (outcome.failed) {
      const [value] = outcome.counterexample ?? [];
      const reason = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : 'failed';
      failures.push(
        `${operation.id} with ${JSON.stringify(value)?.slice(0, 200)}: ${reason} (seed ${outcome.seed}, path ${outcome.counterexamplePath ?? ''})`,
      );
    }
  }
  if (failures.length > 0) throw new Breach(failures.join('; '));
  if (inconclusiveError !== undefined) throw inconclusiveError;
}

function pathOf(
  operation: Operation,
  parameters: readonly Record<string, unknown>[],
  value: Record<string, unknown>,
): string {
  const encode = (parameterValue: unknown) =>
    encodeURIComponent(
      (typeof parameterValue === 'string' ? parameterValue : (JSON.stringify(parameterValue) ?? '')).toWellFormed(),
    );
  const places: Record<string, string> = {};
  const query: string[] = [];
  for (const { name, in: place } of parameters) {
    if (!(String(name) in value)) continue;
    const text = encode(value[String(name)]);
    if (place === 'path') places[String(name)] = text === '' ? '0' : text;
    else query.push(`${String(name)}=${text}`);
  }
  return fill(operation.path, places) + (query.length === 0 ? '' : `?${query.join('&')}`);
}
