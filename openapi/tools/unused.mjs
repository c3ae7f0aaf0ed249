// Shared pieces (schemas, parameters, headers, responses, examples) and codes exist because something uses them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { repository } from './contract.mjs';
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

/** The operations that the pages' code calls, as `GET /path`. */
export function readPageCalls() {
  const folder = join(repository, 'service/web/src');
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  return new Set(
    code.flatMap((text) =>
      [...text.matchAll(/client\.([A-Z]+)\(\s*'([^']+)'/g)].map(([, verb, path]) => `${verb} ${path}`),
    ),
  );
}

/** Operations that no page calls by method and path, and why. */
const uncalled = {
  followChanges: 'a stream: api/live.ts opens it as an EventSource',
  approveRequest: 'the pages decide one request as they decide several, by decideRequests',
  rejectRequest: 'the same',
  deleteAbsenceType: 'the page switches a kind of absence off, which works also after it was used',
};

/** The operations of the pages that no page calls: what they do, nobody can do. */
export function uncalledOperations({ paths }, calls) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(
        ([verb, { operationId = verb }]) => !calls.has(`${verb.toUpperCase()} ${path}`) !== operationId in uncalled,
      )
      .flatMap(([, { operationId }]) => operationId ?? []),
  );
}
