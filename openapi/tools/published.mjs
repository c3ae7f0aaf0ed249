// The documents as they are published: each operation has all its answers. Tools that follow a reference only the first
// time (Redocly's score, prompts cut out of a document) then see the refusals of each operation.
import { resolve } from './walk.mjs';

/** The document with each response written out at its operation, and without components that nothing refers to. */
export function asPublished(document) {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([key, value]) => [
          key,
          value?.responses === undefined ? value : { ...value, responses: writtenOut(document, value.responses) },
        ]),
      ),
    ]),
  );
  return withUsedComponents({ ...document, paths });
}

const writtenOut = (document, responses) =>
  Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, resolve(document, response)]));

function withUsedComponents(document) {
  const { securitySchemes, ...kinds } = document.components;
  const usedNames = new Set();
  const visit = (node) => {
    if (typeof node === 'object' && node !== null) for (const part of Object.values(node)) visit(part);
    // References, and those of a discriminator.
    else if (typeof node === 'string' && node.startsWith('#/components/') && !usedNames.has(node)) {
      usedNames.add(node);
      visit(resolve(document, { $ref: node }));
    }
  };
  visit(document.paths);
  const components = Object.entries(kinds).map(([kind, pieces]) => [
    kind,
    Object.fromEntries(Object.entries(pieces).filter(([name]) => usedNames.has(`#/components/${kind}/${name}`))),
  ]);
  return {
    ...document,
    components: {
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
      ...Object.fromEntries(components.filter(([, pieces]) => Object.keys(pieces).length > 0)),
    },
  };
}
