// A node of the contract and the place it is written at, across files.

/**
 * The node at a place, or the target of its reference.
 * @param resolve Redocly's, of the visitor
 * @param {{ source: { absoluteRef: string } }} location where `node` is written
 * @returns {{ node: any, location: any }} the node and where that is written
 */
export function follow(resolve, node, location) {
  return node?.$ref === undefined ? { node, location } : resolve(node, location.source.absoluteRef);
}

/** Whether a schema has a name in the bundle: something refers to it, or it stands under components. */
export const isNamed = ({ rawNode, location }) =>
  rawNode.$ref !== undefined || /^#\/components\/schemas\/[^/]+$/.test(location.pointer);

/** Collects by name what a bundle holds under components, as `{ node, location }`. */
export function collectComponents() {
  const componentsByKind = { Schema: new Map(), Parameter: new Map() };
  const keep =
    (kind) =>
    (nodes, { location }) => {
      for (const [name, node] of Object.entries(nodes))
        componentsByKind[kind].set(name, { node, location: location.child([name]) });
    };
  const visitors = {
    NamedSchemas: keep('Schema'),
    NamedParameters: keep('Parameter'),
    ref({ $ref }, { type }, target) {
      if (target.location !== undefined) componentsByKind[type.name]?.set($ref.split('/').at(-1), target);
    },
  };
  return { schemas: componentsByKind.Schema, parameters: componentsByKind.Parameter, visitors };
}
