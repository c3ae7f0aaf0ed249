// Every body has an example, and every example is true.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { mediaTypes, parametersAndHeaders, resolve, schemas, toPointerPart } from '../walk.mjs';

/** A validator of values against any place of a document, formats included. */
export function schemaChecker(document) {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  const instant = ajv.formats['date-time'].validate;
  ajv.addFormat('date-time', (text) => text.endsWith('Z') && instant(text));
  ajv.addFormat('entity-tag', /^(?:\*|"[A-Za-z0-9_-]{1,64}")$/);
  // Every character of an example can be seen in the document; the rule itself is the service's.
  ajv.addFormat('name', /^\S(?:.*\S)?$/u);
  ajv.addFormat('note', /\S/);
  ajv.addSchema(document, 'contract');
  const compiled = new Map();
  return (pointer, value) => {
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
      compiled.set(pointer, validate);
    }
    return validate(value)
      ? []
      : validate.errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  };
}

/** `{ name, value, pointer }` of the examples of a media type, parameter or header. */
export function examplesOf(document, node, pointer) {
  const own =
    node.example === undefined ? [] : [{ name: undefined, value: node.example, pointer: `${pointer}/example` }];
  const named = Object.entries(node.examples ?? {}).map(([name, example]) => ({
    name,
    value: resolve(document, example).value,
    pointer: `${pointer}/examples/${toPointerPart(name)}`,
  }));
  return [...own, ...named];
}

/** Every request and response body, parameter and header shows at least one example. */
export function* bodiesHaveExamples(document) {
  for (const { media, pointer } of mediaTypes(document))
    if (examplesOf(document, media, pointer).length === 0) yield { at: pointer, message: 'a body without an example' };
  for (const { node, pointer } of parametersAndHeaders(document))
    if (examplesOf(document, node, pointer).length === 0)
      yield { at: pointer, message: 'a parameter or header without an example' };
}

/** The same of requests alone. */
export function* requestsHaveExamples(document) {
  for (const finding of bodiesHaveExamples(document)) if (!finding.at.includes('/responses/')) yield finding;
}

/** Every example of a body, parameter, header or schema is valid by its schema, formats included. */
export function* examplesAreValid(document) {
  const check = schemaChecker(document);
  for (const { media, pointer } of mediaTypes(document))
    yield* against(`${pointer}/schema`, examplesOf(document, media, pointer));
  for (const { node, pointer } of parametersAndHeaders(document))
    yield* against(`${pointer}/schema`, examplesOf(document, node, pointer));
  for (const { schema, pointer } of schemas(document))
    yield* against(
      pointer,
      (schema.examples ?? []).map((value, index) => ({ value, pointer: `${pointer}/examples/${index}` })),
    );

  function* against(schema, examples) {
    for (const { value, pointer } of examples)
      for (const fault of check(schema, value))
        yield { at: pointer, message: `the example does not fit its schema: ${fault}` };
  }
}
