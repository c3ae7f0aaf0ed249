// `x-extensible-enum` lists the values of this version of a string that may grow. Clients see an open string; our own
// packages, which are of the same version, see a closed enumeration: a value that the list lacks does not compile, and
// fails in tests.

/** A document in which every list of known values is an `enum`. */
export function withKnownValues(node) {
  if (Array.isArray(node)) return node.map(withKnownValues);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === 'x-extensible-enum' && Array.isArray(value) ? ['enum', value] : [key, withKnownValues(value)],
    ),
  );
}
