// The portable profile of schemas, as far as an assertion in redocly.yaml cannot say it.
import { follow, isNamed } from './place.mjs';

const composition = ['allOf', 'anyOf', 'oneOf'];

export const referencesAlone = () => ({
  ref(node, { type, report }) {
    if (type.name !== 'PathItem' && Object.keys(node).length > 1) report({ message: 'nothing stands beside $ref' });
  },
});

export const compositionNamed = () => ({
  Schema(schema, context) {
    for (const keyword of composition)
      if (schema[keyword] !== undefined && !isNamed(context))
        context.report({ message: `${keyword} only at the root of a named schema` });
  },
});

export const nullPortable = () => ({
  Schema(schema, { report }) {
    if (schema.enum?.includes(null)) report({ message: 'no null in an enum; leave the member out instead' });
    if (composition.some((keyword) => schema[keyword]?.some((part) => part.type === 'null')))
      report({ message: "null is written as type: [x, 'null']" });
    if (Array.isArray(schema.type) && !(schema.type.length === 2 && schema.type[1] === 'null'))
      report({ message: "a list of types is [x, 'null'] and nothing else" });
  },
});

/** Cursors of lists: a client of Ruby checks `minLength` and `pattern` of null too, on the last page of every list. */
export const cursorsPortable = () => ({
  Schema(schema, { key, report }) {
    if (/^next_/.test(key) && Array.isArray(schema.type) && (schema.minLength ?? schema.pattern) !== undefined)
      report({ message: 'no minLength or pattern beside null' });
  },
});

/** Patterns mean the same in the languages of the usual generators: Ruby and PHP read a pattern as bytes. */
export const patternsPortable = () => ({
  Schema(schema, { report }) {
    if (/[^\x20-\x7E]|\\x[89a-f]|\\[upk]|\(\?[<=!]/i.test(schema.pattern ?? ''))
      report({ message: 'a pattern has ASCII characters and classes alone, and looks neither ahead nor behind' });
  },
});

export const discriminatorRequired = () => ({
  Schema(schema, { resolve, location, report }) {
    const property = schema.discriminator?.propertyName;
    if (property === undefined) return;
    for (const part of schema.oneOf ?? schema.anyOf ?? [])
      if (!follow(resolve, part, location).node?.required?.includes(property))
        report({ message: `the discriminator ${property} is required in every variant` });
  },
});

/** Strings, lists and numbers have bounds, and numbers a format. */
export const valuesBounded = () => ({
  Schema(schema, { report }) {
    const has = (...keywords) => keywords.some((keyword) => schema[keyword] !== undefined);
    const type = [schema.type].flat()[0];
    if (
      type === 'string' &&
      !has('enum', 'const', 'maxLength') &&
      !/^\^.*[^*+]\$$/.test(schema.pattern ?? '') &&
      !['date-time', 'date'].includes(schema.format)
    )
      report({ message: 'a string has an enum, a const, a maxLength or an anchored pattern' });
    if (type === 'array' && !has('maxItems')) report({ message: 'a list has maxItems' });
    if (type !== 'integer' && type !== 'number') return;
    if (!has('enum', 'const') && !(has('minimum') && has('maximum')))
      report({ message: 'a number has minimum and maximum' });
    if (!has('format')) report({ message: 'a number has a format' });
  },
});
