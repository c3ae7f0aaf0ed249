// A union whose variants name themselves by one word needs no table of its own: OpenAPI's is derived here. AsyncAPI has
// no such table, and the shared schemas could not hold one.
import { resolve } from './walk.mjs';

/**
 * @param {object} document a bundled OpenAPI document
 * @returns the document with `discriminator` on each named `oneOf` of references whose variants require the same member
 * with a constant
 */
export function withDiscriminators(document) {
  const schemas = Object.fromEntries(
    Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
      const discriminator = schema.discriminator ?? discriminatorOf(document, schema);
      return [name, discriminator === undefined ? schema : { ...schema, discriminator }];
    }),
  );
  return { ...document, components: { ...document.components, schemas } };
}

function discriminatorOf(document, { oneOf = [] }) {
  if (oneOf.length === 0 || oneOf.some(({ $ref }) => $ref === undefined)) return undefined;
  const variants = oneOf.map((part) => resolve(document, part));
  const propertyName = (variants[0].required ?? []).find((member) =>
    variants.every(({ required = [], properties }) => required.includes(member) && constant(properties, member)),
  );
  if (propertyName === undefined) return undefined;
  const words = variants.map(({ properties }) => constant(properties, propertyName));
  if (new Set(words).size < words.length) return undefined;
  return { propertyName, mapping: Object.fromEntries(words.map((word, index) => [word, oneOf[index].$ref])) };
}

const constant = (properties, member) => properties?.[member]?.const;
