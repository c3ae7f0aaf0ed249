// Ways through a bundled document.

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

/** `{ operation, pointer }` of every operation. */
export function* operations(document) {
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(item))
      if (methods.has(method)) yield { operation, pointer: `/paths/${toPointerPart(path)}/${method}` };
}
