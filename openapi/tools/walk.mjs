// Ways through a bundled document. A pointer is the JSON pointer of a node; findings name it, so that a reader finds
// the place.

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

export const toPointerPart = (key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1');
const fromPointerPart = (key) => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** Follows local references until something that is none. */
export function resolve(document, node) {
  return node?.$ref === undefined ? node : resolve(document, at(document, node.$ref));
}

function at(document, reference) {
  if (!reference.startsWith('#/')) throw new Error(`The reference ${reference} leads out of the bundle.`);
  return reference
    .slice(2)
    .split('/')
    .reduce((node, key) => node?.[fromPointerPart(decodeURIComponent(key))], document);
}

/** `{ operation, method, path, pointer }` of every operation. */
export function* operations(document) {
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(item))
      if (methods.has(method)) yield { operation, method, path, pointer: `/paths/${toPointerPart(path)}/${method}` };
}

/** `{ media, type, pointer, of, status? }` of every media type of a request or response, each where it is written. */
export function* mediaTypes(document) {
  const contents = function* (content, pointer, of, status) {
    for (const [type, media] of Object.entries(content ?? {}))
      yield { media, type, pointer: `${pointer}/content/${toPointerPart(type)}`, of, status };
  };
  for (const { operation, pointer } of operations(document)) {
    if (operation.requestBody?.content)
      yield* contents(operation.requestBody.content, `${pointer}/requestBody`, 'request');
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      yield* contents(response.content, `${pointer}/responses/${status}`, 'response', Number(status));
  }
  for (const [name, body] of Object.entries(document.components?.requestBodies ?? {}))
    yield* contents(body.content, `/components/requestBodies/${toPointerPart(name)}`, 'request');
  for (const [name, response] of Object.entries(document.components?.responses ?? {}))
    yield* contents(response.content, `/components/responses/${toPointerPart(name)}`, 'response');
}

/** `{ node, pointer }` of every parameter and header, each where it is written. */
export function* parametersAndHeaders(document) {
  const own = function* (map, pointer) {
    for (const [key, node] of Object.entries(map ?? {}))
      if (node.$ref === undefined) yield { node, pointer: `${pointer}/${toPointerPart(key)}` };
  };
  yield* own(document.components?.parameters, '/components/parameters');
  yield* own(document.components?.headers, '/components/headers');
  for (const [path, item] of Object.entries(document.paths ?? {}))
    yield* own(item.parameters, `/paths/${toPointerPart(path)}/parameters`);
  for (const { operation, pointer } of operations(document)) {
    yield* own(operation.parameters, `${pointer}/parameters`);
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      yield* own(response.headers, `${pointer}/responses/${status}/headers`);
  }
  for (const [name, response] of Object.entries(document.components?.responses ?? {}))
    yield* own(response.headers, `/components/responses/${toPointerPart(name)}/headers`);
}

const maps = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const singles = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
];

/**
 * `{ schema, pointer, name? }` of every schema and its parts, references not followed. Only the root of a component has
 * a `name`.
 */
export function* schemas(document) {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    yield* within(schema, `/components/schemas/${toPointerPart(name)}`, name);
  for (const [name, message] of Object.entries(document.components?.messages ?? {}))
    for (const part of ['payload', 'headers'])
      if (message[part]) yield* within(message[part], `/components/messages/${toPointerPart(name)}/${part}`);
  for (const { media, pointer } of mediaTypes(document))
    if (media.schema) yield* within(media.schema, `${pointer}/schema`);
  for (const { node, pointer } of parametersAndHeaders(document))
    if (node.schema) yield* within(node.schema, `${pointer}/schema`);
}

function* within(schema, pointer, name) {
  if (typeof schema !== 'object' || schema === null) return;
  yield { schema, pointer, ...(name === undefined ? {} : { name }) };
  for (const key of maps)
    for (const [member, part] of Object.entries(schema[key] ?? {}))
      yield* within(part, `${pointer}/${key}/${toPointerPart(member)}`);
  for (const key of lists)
    for (const [index, part] of (schema[key] ?? []).entries()) yield* within(part, `${pointer}/${key}/${index}`);
  for (const key of singles) yield* within(schema[key], `${pointer}/${key}`);
}
