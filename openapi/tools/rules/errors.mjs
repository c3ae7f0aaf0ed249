// Refusals speak the vocabulary of errors.yaml, word for word.

import { codesOf, codesOfNoOperation } from '../problems.mjs';
import { operations, resolve } from '../walk.mjs';
import { examplesOf } from './examples.mjs';

/** The examples of a refusal are named by codes; code, status and sentence are those of the vocabulary. */
export function* refusalsSpeakTheVocabulary(document, { errors, oauth }) {
  for (const { operation, pointer: of } of operations(document))
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      if (Number(status) < 400) continue;
      const response = resolve(document, reference);
      for (const [type, media] of Object.entries(response.content ?? {})) {
        if (!type.endsWith('json')) continue;
        const at = `${of}/responses/${status}`;
        const schema = problemKind(document, media.schema);
        if (schema === undefined) {
          yield {
            at,
            message:
              'the body of a refusal is a Problem, a schema that adds to it by allOf, or, under /oauth, an OauthProblem',
          };
          continue;
        }
        const examples = examplesOf(document, media, at);
        if (examples.length === 0 || examples.some(({ name }) => name === undefined))
          yield { at, message: 'a refusal lists its codes as named examples' };
        for (const { name, value } of examples) {
          if (name === undefined) continue;
          const word = schema === 'Problem' ? errors[name] : oauth[name];
          if (word === undefined) yield { at, message: `${name} is no code of errors.yaml` };
          else {
            if (value.code !== name) yield { at, message: `the example ${name} has the code ${value.code}` };
            if (word.status !== Number(status)) yield { at, message: `${name} has the status ${word.status}` };
            const sentence = schema === 'Problem' ? value.error : value.error_description;
            if (sentence !== word.error) yield { at, message: `the sentence of ${name} is not that of errors.yaml` };
            if (schema === 'OauthProblem' && value.error !== name)
              yield { at, message: `the example ${name} has the error ${value.error}` };
          }
        }
      }
    }
}

/** Which of the two forms of a refusal a schema has; a named schema may add members to one by allOf. */
function problemKind(document, schema) {
  const name = schema?.$ref?.split('/').at(-1);
  if (name === 'Problem' || name === 'OauthProblem') return name;
  return (resolve(document, schema)?.allOf ?? [])
    .map((part) => problemKind(document, part))
    .find((kind) => kind !== undefined);
}

/**
 * Codes of the vocabulary that no operation of any document answers with, but for those that no operation lists.
 */
export function* everyCodeIsUsed(documents, { errors }) {
  const used = new Set([...documents.flatMap((document) => [...codesOf(document)]), ...codesOfNoOperation]);
  for (const code of Object.keys(errors))
    if (!used.has(code)) yield { at: `errors.yaml/${code}`, message: 'no operation answers with this code' };
}
