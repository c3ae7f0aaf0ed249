// The portable profile of OpenAPI 3.1: what survives the conversion to 3.0 and the usual client generators. Each rule
// stands for a tool that failed without it.
import { mediaTypes, operations, parametersAndHeaders, resolve, schemas } from '../walk.mjs';

/** Keywords that 3.0 does not have and that the conversion cannot express. */
const unportable = [
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'contentEncoding',
  'contentMediaType',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$defs',
  '$id',
  '$anchor',
  '$dynamicRef',
  '$comment',
];
const composition = ['allOf', 'anyOf', 'oneOf'];

/** Schemas keep to the profile. */
export function* schemasArePortable(document) {
  for (const { schema, pointer, name } of schemas(document)) {
    if (schema.$ref !== undefined) {
      if (Object.keys(schema).length > 1) yield { at: pointer, message: 'nothing stands beside $ref' };
      continue;
    }
    for (const keyword of unportable)
      if (keyword in schema) yield { at: pointer, message: `${keyword} is not portable` };
    for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'])
      if (keyword in schema) yield { at: pointer, message: `${keyword} is not portable; use an inclusive bound` };
    for (const keyword of composition)
      if (keyword in schema && name === undefined)
        yield { at: pointer, message: `${keyword} only at the root of a named schema` };
    if ((schema.enum ?? []).includes(null))
      yield { at: pointer, message: 'no null in an enum; leave the member out instead' };
    if ('const' in schema && schema.type === undefined)
      yield { at: pointer, message: 'a type stands beside every const' };
    if (composition.some((keyword) => (schema[keyword] ?? []).some((part) => part.type === 'null')))
      yield { at: pointer, message: "null is written as type: [x, 'null']" };
    if (Array.isArray(schema.type) && !(schema.type.length === 2 && schema.type[1] === 'null'))
      yield { at: pointer, message: "a list of types is [x, 'null'] and nothing else" };
    const property = schema.discriminator?.propertyName;
    if (property !== undefined)
      for (const part of schema.oneOf ?? schema.anyOf ?? [])
        if (!(resolve(document, part).required ?? []).includes(property))
          yield { at: pointer, message: `the discriminator ${property} is required in every variant` };
  }
}

/**
 * Generators turn instants and dates into objects, which no pattern or length fits, and copy patterns into source text,
 * where a quote ends the string.
 */
export function* textIsGenerable(document) {
  for (const { schema, pointer } of schemas(document)) {
    if (['date-time', 'date'].includes(schema.format))
      for (const keyword of ['pattern', 'minLength', 'maxLength'])
        if (keyword in schema)
          yield { at: pointer, message: `${keyword} does not stand beside format: ${schema.format}` };
    if (/["']/.test(schema.pattern ?? '')) yield { at: pointer, message: 'a pattern holds no quotes; use a format' };
  }
}

/** Words that are keywords or built-in types of the languages clients are generated for, in lower case. */
const reserved = new Set(
  `abstract any array as assert async await boolean break byte case catch char class const continue date default def defer delete do double else
  enum error except exception export extends false final finally float fn for from func function global goto if implements import in int
  integer interface is lambda let list long loop map match module mut namespace native new nil none nonlocal not null number object operator or
  package pass print private protected public raise range record ref return self set short static str string struct super switch symbol
  synchronized this throw throws trait transient true try type typeof union unsafe use var void volatile where while with yield`.split(
    /\s+/,
  ),
);

/**
 * A schema is a class in a generated client: its name is no word of a language, and no parameter, response or header
 * has it too, since some generators write all of them into one space of names.
 */
export function* schemaNamesAreFree(document) {
  const { schemas: named = {}, parameters = {} } = document.components ?? {};
  for (const name of Object.keys(named)) {
    const at = `/components/schemas/${name}`;
    if (reserved.has(name.toLowerCase()))
      yield { at, message: `${name} is a word of a language that clients are generated for` };
    if (name in parameters) yield { at, message: `${name} is also the name of a parameter` };
  }
}

/** Strings, lists and numbers have bounds, and numbers a format. */
export function* valuesAreBounded(document) {
  const has = (schema, ...keywords) => keywords.some((keyword) => keyword in schema);
  for (const { schema, pointer } of schemas(document)) {
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (
      type === 'string' &&
      !has(schema, 'enum', 'const', 'maxLength') &&
      !/^\^.*[^*+]\$$/.test(schema.pattern ?? '') &&
      !['date-time', 'date'].includes(schema.format)
    )
      yield { at: pointer, message: 'a string has an enum, a const, a maxLength or an anchored pattern' };
    if (type === 'array' && !has(schema, 'maxItems')) yield { at: pointer, message: 'a list has maxItems' };
    if (
      (type === 'integer' || type === 'number') &&
      !has(schema, 'enum', 'const') &&
      !(has(schema, 'minimum') && has(schema, 'maximum'))
    )
      yield { at: pointer, message: 'a number has minimum and maximum' };
    if ((type === 'integer' || type === 'number') && !has(schema, 'format'))
      yield { at: pointer, message: 'a number has a format' };
  }
}

/** The longest name: first and last name of a person with a blank between them. */
const longestName = 201;
/** Secrets, addresses and files keep rules that a format cannot say. */
const ruledElsewhere = /(?:password|token|_ur[il]s?|csv)$/;

/** A text that a client is free to choose keeps the rule for names, or for what people write to each other (platform/src/text/name.ts). */
export function* textsAreNamesOrNotes(document) {
  const seen = new Set();
  const within = function* (node, pointer) {
    const schema = resolve(document, node);
    if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
    seen.add(schema);
    const free =
      !['enum', 'const', 'format'].some((keyword) => keyword in schema) && !/^\^.*\$$/.test(schema.pattern ?? '');
    if ([schema.type].flat().includes('string') && free)
      yield {
        at: pointer,
        message: `a text in a request has format: ${(schema.maxLength ?? 0) <= longestName ? 'name' : 'note'}`,
      };
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      if (!ruledElsewhere.test(name)) yield* within(member, `${pointer}/properties/${name}`);
    for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), schema.items])
      yield* within(part, pointer);
  };
  for (const { media, type, pointer, of } of mediaTypes(document))
    if (of === 'request' && type.endsWith('json')) yield* within(media.schema, `${pointer}/schema`);
}

/** The rest of the document keeps to the profile. */
export function* documentIsPortable(document) {
  if (document.openapi !== '3.1.0') yield { at: '/openapi', message: 'the documents are OpenAPI 3.1.0' };
  if (document.jsonSchemaDialect !== undefined)
    yield { at: '/jsonSchemaDialect', message: 'jsonSchemaDialect is not portable' };
  if (document.webhooks !== undefined)
    yield { at: '/webhooks', message: 'events are described by the AsyncAPI document' };
  if (document.info?.summary !== undefined) yield { at: '/info', message: 'info.summary is not portable' };
  if (document.info?.license?.identifier !== undefined)
    yield { at: '/info/license', message: 'license.identifier is not portable; give the url' };
  if (document.components?.pathItems !== undefined)
    yield { at: '/components/pathItems', message: 'path items are written in place' };
  for (const name of Object.keys(document.components?.schemas ?? {}))
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name) || name === 'Error')
      yield {
        at: `/components/schemas/${name}`,
        message: 'a schema has a name in PascalCase, and not Error, which generators use themselves',
      };
  for (const { media, type, pointer } of mediaTypes(document))
    if (
      type === 'application/x-www-form-urlencoded' &&
      composition.some((keyword) => keyword in resolve(document, media.schema))
    )
      yield { at: pointer, message: 'a form is one flat object' };
  const references = [...parametersAndHeaders(document)].map(({ node, pointer }) => ({ node, pointer }));
  for (const { operation, pointer } of operations(document)) {
    for (const [index, parameter] of (operation.parameters ?? []).entries())
      references.push({ node: parameter, pointer: `${pointer}/parameters/${index}` });
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      references.push({ node: response, pointer: `${pointer}/responses/${status}` });
  }
  for (const { node, pointer } of references)
    if (node.$ref !== undefined && Object.keys(node).length > 1)
      yield { at: pointer, message: 'nothing stands beside $ref' };
}
