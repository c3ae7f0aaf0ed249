// Holds the codes that each operation lists against those that its handler can throw: neither may have one that the
// other lacks. What the call graph cannot know stands in refusals.yaml, with its reason.
import { operations, resolve } from './walk.mjs';

/** @returns {Map<string, Set<string>>} codes that an operation lists, by operationId */
export function listedCodes(document) {
  return new Map(
    [...operations(document)].map(({ operation }) => [
      operation.operationId,
      new Set(
        Object.entries(operation.responses ?? {})
          .filter(([status]) => Number(status) >= 400)
          .flatMap(([, response]) => Object.values(resolve(document, response).content ?? {}))
          .flatMap(({ examples }) => Object.keys(examples ?? {})),
      ),
    ]),
  );
}

/**
 * @param {Map<string, Set<string>>} listed codes in the document, by operationId
 * @param {Map<string, Map<string, string>>} thrown codes that the handler reaches, each with the way there
 * @param {ReadonlySet<string>} ofEdge codes that are given before the handler, to any operation
 * @param {{ impossible: Exception[], unreached: Exception[] }} exceptions
 */
export function* differences(listed, thrown, ofEdge, { impossible, unreached }) {
  const used = new Set();
  const isExcepted = (exceptions, id, code) => {
    const exception = exceptions.find(({ codes }) => codes[code]?.includes(id));
    if (exception !== undefined) used.add(`${exceptions === impossible} ${id} ${code}`);
    return exception !== undefined;
  };
  for (const [id, codes] of listed) {
    const reached = thrown.get(id);
    if (reached === undefined) {
      yield { at: id, message: 'no handler of this name was found' };
      continue;
    }
    for (const [code, way] of reached)
      if (!codes.has(code) && !isExcepted(impossible, id, code))
        yield { at: id, message: `throws ${code}, which its document does not list: ${way}` };
    for (const code of codes)
      if (!reached.has(code) && !ofEdge.has(code) && !isExcepted(unreached, id, code))
        yield { at: id, message: `lists ${code}, which nothing on its way throws` };
  }
  for (const [kind, exceptions] of Object.entries({ impossible, unreached }))
    for (const [code, ids] of exceptions.flatMap(({ codes }) => Object.entries(codes)))
      for (const id of ids)
        if (listed.has(id) && !used.has(`${kind === 'impossible'} ${id} ${code}`))
          yield { at: id, message: `refusals.yaml excepts ${code} as ${kind}, which is not needed` };
}

/** Exceptions of operations that no document has. */
export function* strayExceptions({ impossible, unreached }, ids) {
  for (const { codes } of [...impossible, ...unreached])
    for (const id of Object.values(codes).flat())
      if (!ids.has(id)) yield { at: id, message: 'refusals.yaml names an operation that does not exist' };
}
