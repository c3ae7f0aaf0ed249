// Schemas that add to another one, put together: readers see every member in one place, generators make one type of it,
// and a comparison with an earlier document sees members that Redocly does not look for behind `allOf`.
import { resolve } from './walk.mjs';

/** The document with each `allOf` of objects as one object. */
export function withWholeObjects(document) {
  const merge = (node) => {
    if (Array.isArray(node)) return node.map(merge);
    if (typeof node !== 'object' || node === null) return node;
    const { allOf, ...rest } = node;
    if (!Array.isArray(allOf))
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, merge(value)]));
    const parts = allOf.map((part) => merge(resolve(document, part)));
    return {
      ...rest,
      type: 'object',
      required: [...new Set(parts.flatMap(({ required = [] }) => required))],
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    };
  };
  return merge(document);
}
