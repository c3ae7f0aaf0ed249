// Shared pieces (schemas, parameters, headers, responses, examples) and codes exist because something uses them.
import { posix } from 'node:path';
import { codesOf, codesOfNoOperation } from './problems.mjs';
import { commonResponses } from './refusals.mjs';

/** Maps of named pieces. Examples of refusals hold every code; the generator refers to the headers of every answer. */
const isShared = (path) =>
  /^openapi\/(?:schemas|parameters|headers|responses|examples)\//.test(path) &&
  !/^openapi\/(?:examples\/(?:oauth-)?problems|headers\/edge)\.yaml$/.test(path);

/**
 * @param {Map<string, unknown>} files parsed YAML by path from the root of the repository
 * @returns the shared pieces that nothing refers to, as `<path>#/<name>`
 */
export function unusedPieces(files) {
  const usedResponses = new Set(commonResponses.map((name) => `openapi/responses/problems.yaml#/${name}`));
  const collect = (path, node) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') {
        const [file, pointer = ''] = value.split('#');
        usedResponses.add(
          `${file === '' ? path : posix.join(posix.dirname(path), file)}#/${pointer.split('/')[1] ?? ''}`,
        );
      } else collect(path, value);
    }
  };
  for (const [path, content] of files) collect(path, content);
  return [...files]
    .filter(([path]) => isShared(path))
    .flatMap(([path, content]) => Object.keys(content ?? {}).map((name) => `${path}#/${name}`))
    .filter((piece) => !usedResponses.has(piece));
}

/** The codes that no operation of any document answers with, but for those that no operation lists. */
export function unusedCodes(documents, { errors }) {
  const usedCodes = new Set([...documents.flatMap((document) => [...codesOf(document)]), ...codesOfNoOperation]);
  return Object.keys(errors).filter((code) => !usedCodes.has(code));
}
