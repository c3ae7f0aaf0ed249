// What requests may hold.
import { follow } from './place.mjs';

/** JSON requests refuse members they do not know. Forms do not: RFC 6749 section 3.2 asks to ignore those. */
export const requestsClosed = () => ({
  RequestBody: {
    MediaType({ schema }, { key, resolve, location, report }) {
      if (!key.endsWith('json')) return;
      const body = follow(resolve, schema, location);
      const variants = body.node?.oneOf?.map((part) => follow(resolve, part, body.location).node) ?? [body.node];
      if (variants.some((variant) => variant?.additionalProperties !== false))
        report({ message: 'a request body says additionalProperties: false' });
    },
  },
});

export const formsFlat = () => ({
  MediaType({ schema }, { key, resolve, location, report }) {
    const form = key === 'application/x-www-form-urlencoded' ? follow(resolve, schema, location).node : undefined;
    if (form?.allOf ?? form?.anyOf ?? form?.oneOf) report({ message: 'a form is one flat object' });
  },
});

/** The longest name: first and last name of a person with a blank between them. */
const longestName = 201;
/** Secrets, addresses and files keep rules that a format cannot say. */
const exceptions = /(?:password|token|_ur[il]s?|csv)$/;

/** A text that a client may choose is a name, or a note as people write to each other (platform/src/text/name.ts). */
export function textsNamedOrNoted() {
  const seenSchemas = new Set();
  const visit = (part, at, { resolve, report }) => {
    const { node: schema, location } = follow(resolve, part, at);
    if (typeof schema !== 'object' || schema === null || seenSchemas.has(schema)) return;
    seenSchemas.add(schema);
    const isFree =
      !['enum', 'const', 'format'].some((keyword) => keyword in schema) && !/^\^.*\$$/.test(schema.pattern ?? '');
    if ([schema.type].flat().includes('string') && isFree) {
      const format = (schema.maxLength ?? 0) <= longestName ? 'name' : 'note';
      report({ message: `a text in a request has format: ${format}`, location });
    }
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      if (!exceptions.test(name)) visit(member, location.child(['properties', name]), { resolve, report });
    for (const keyword of ['allOf', 'oneOf', 'anyOf', 'items'])
      for (const inner of [schema[keyword] ?? []].flat()) visit(inner, location.child([keyword]), { resolve, report });
  };
  return {
    RequestBody: {
      MediaType({ schema }, context) {
        if (context.key.endsWith('json')) visit(schema, context.location.child(['schema']), context);
      },
    },
  };
}
