// Validators of everything that goes over the wire, from a bundled document: as source text for the packages, so that
// no process compiles schemas when it starts, or compiled in memory for a document that a test makes up.
import Ajv2020 from 'ajv/dist/2020.js';
import codegen from 'ajv/dist/compile/codegen/index.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { operations, resolve } from './walk.mjs';

const { _ } = codegen;
const components = '#/components/schemas/';

/** What a validator does not need. */
const prose = new Set(['description', 'examples', 'title', 'deprecated', 'discriminator']);

/**
 * A schema without its prose, its references into the document as references to the schema of that name.
 * @param ofNames whether the members of the node are names of properties rather than keywords
 */
function linked(node, ofNames = false) {
  if (Array.isArray(node)) return node.map((part) => linked(part));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => ofNames || !prose.has(key))
      .map(([key, value]) => {
        if (ofNames || key !== '$ref') return [key, linked(value, !ofNames && key === 'properties')];
        if (!value.startsWith(components)) throw new Error(`The reference ${value} leads to no schema.`);
        const [name, ...path] = value.slice(components.length).split('/');
        return [key, path.length === 0 ? name : `${name}#/${path.join('/')}`];
      }),
  );
}

/**
 * The schemas of an operation's requests, the body before the parameters: what is wrong is told in this order. They
 * describe `{ path, query, header, requestBody }`.
 */
function requestSchemas(document, operation) {
  const schemas = [];
  const { required = false, content = {} } = resolve(document, operation.requestBody) ?? {};
  const schema = (content['application/json'] ?? content['application/x-www-form-urlencoded'])?.schema;
  if (schema !== undefined)
    schemas.push({ type: 'object', properties: { requestBody: schema }, required: required ? ['requestBody'] : [] });
  const group = (place, closed) => {
    const parameters = (operation.parameters ?? [])
      .map((parameter) => resolve(document, parameter))
      .filter((parameter) => parameter.in === place)
      .map((parameter) => (place === 'header' ? { ...parameter, name: parameter.name.toLowerCase() } : parameter));
    return {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
      required: parameters.filter((parameter) => parameter.required === true).map((parameter) => parameter.name),
      additionalProperties: !closed,
    };
  };
  schemas.push({
    type: 'object',
    properties: { path: group('path', true), query: group('query', true), header: group('header', false) },
    required: ['path', 'query', 'header'],
  });
  return schemas;
}

/** The schemas of an answer: its headers by name in lower case, none but the documented ones, and a body of each type. */
function responseSchemas(document, response) {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
    name.toLowerCase(),
    resolve(document, header),
  ]);
  return {
    headers: {
      type: 'object',
      properties: Object.fromEntries(headers.map(([name, header]) => [name, header.schema])),
      required: headers.filter(([, header]) => header.required === true).map(([name]) => name),
      additionalProperties: false,
    },
    bodies: Object.fromEntries(
      Object.entries(response.content ?? {})
        .filter(([type, media]) => type === 'application/json' && media.schema !== undefined)
        .map(([type, media]) => [type, media.schema]),
    ),
  };
}

/** Every schema once under a name, however often it stands in the document. */
function createRegistry(ajv) {
  const names = new Map();
  return {
    names,
    add(schema) {
      const bare = linked(schema);
      const text = JSON.stringify(bare);
      if (!names.has(text)) {
        names.set(text, `v${names.size}`);
        ajv.addSchema(bare, names.get(text));
      }
      return names.get(text);
    },
  };
}

function createAjv(document, formats, code) {
  const ajv = new Ajv2020.default({
    strict: false,
    validateSchema: false,
    // A function for each named schema instead of a copy at each place.
    inlineRefs: false,
    formats,
    ...(code === undefined ? {} : { code }),
  });
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) ajv.addSchema(linked(schema), name);
  return ajv;
}

/** `{ requests: { [operationId]: names } }`, in the order in which they are asked. */
function registerRequests(document, registry) {
  return Object.fromEntries(
    [...operations(document)].map(({ operation }) => [
      operation.operationId,
      requestSchemas(document, operation).map(registry.add),
    ]),
  );
}

/** `{ ['operationId status']: { headers: name, bodies: { [media type]: name } } }` */
function registerResponses(document, registry) {
  return Object.fromEntries(
    [...operations(document)].flatMap(({ operation }) =>
      Object.entries(operation.responses ?? {}).map(([status, reference]) => {
        const { headers, bodies } = responseSchemas(document, resolve(document, reference));
        return [
          `${operation.operationId} ${status}`,
          {
            headers: registry.add(headers),
            bodies: Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, registry.add(schema)])),
          },
        ];
      }),
    ),
  );
}

/** @returns validators compiled here and now; `formats` as Ajv takes them */
export function compileValidators(document, formats) {
  const ajv = createAjv(document, formats);
  const registry = createRegistry(ajv);
  const validator = (name) => ajv.getSchema(name);
  const requests = registerRequests(document, registry);
  const responses = registerResponses(document, registry);
  return {
    requests: Object.fromEntries(Object.entries(requests).map(([id, names]) => [id, names.map(validator)])),
    responses: Object.fromEntries(
      Object.entries(responses).map(([key, { headers, bodies }]) => [
        key,
        {
          headers: validator(headers),
          bodies: Object.fromEntries(Object.entries(bodies).map(([type, name]) => [type, validator(name)])),
        },
      ]),
    ),
  };
}

/** `{ [type]: name }` of the events that the document describes. */
function registerEvents(document, registry) {
  return Object.fromEntries(
    document.components.schemas.KnownEvent.oneOf.map((part) => [
      resolve(document, part).properties.type.const,
      registry.add(part),
    ]),
  );
}

const tables = {
  requests: [registerRequests, 'RequestValidators'],
  responses: [registerResponses, 'ResponseValidators'],
  events: [registerEvents, 'EventValidators'],
};

/** The module `<name>-requests.ts`, `<name>-responses.ts` or `<name>-events.ts` of a package. */
export function validatorModule(document, what) {
  // Only their names count here; the package brings the formats themselves.
  const named = { type: 'string', validate: () => true };
  const number = { type: 'number', validate: () => true };
  const formats = {
    ...Object.fromEntries(
      ['date', 'date-time', 'email', 'uri', 'uri-reference', 'entity-tag', 'name'].map((name) => [name, named]),
    ),
    ...Object.fromEntries(['int32', 'int64', 'double'].map((name) => [name, number])),
  };
  const ajv = createAjv(document, formats, { source: true, esm: true, formats: _`formats` });
  const registry = createRegistry(ajv);
  const [register, type] = tables[what];
  const table = register(document, registry);
  const names = [...registry.names.values()];
  const code = standaloneCode
    .default(ajv, Object.fromEntries(names.map((name) => [name, name])))
    .replace('"use strict";', '')
    .replaceAll(/export const (v\d+) =/g, 'const $1 =')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'ucs2length')
    .replaceAll('require("ajv/dist/runtime/equal").default', 'equal');
  if (code.includes('require(')) throw new Error('the validators need something that validation-runtime does not have');
  const literal = JSON.stringify(table, null, 1).replaceAll(/(\[|: |, ?|\n *)"(v\d+)"/g, '$1$2');
  return [
    '// @ts-nocheck',
    '// Made by make generate from the contract.',
    `import type { ${type} } from '@clockproof/platform/http/contract';`,
    "import { equal, formats, ucs2length } from '@clockproof/platform/http/validation-runtime';",
    code,
    `export const ${what}: ${type} = ${literal};`,
    '',
  ].join('\n');
}
