// Refusals speak the vocabulary of errors.yaml, word for word.
import { readVocabulary } from '../contract.mjs';
import { follow } from './place.mjs';

/** The examples of a refusal are named by codes; code, status and sentence are those of the vocabulary. */
export function refusalsInVocabulary() {
  const { errors, oauth } = readVocabulary();
  return {
    Responses(responses, { resolve, location, report }) {
      for (const [status, reference] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const response = follow(resolve, reference, location);
        for (const [type, { schema, example, examples = {} }] of Object.entries(response.node?.content ?? {})) {
          if (!type.endsWith('json')) continue;
          const say = (message) => report({ message, location: location.child([status]) });
          const kind = problemKind(resolve, schema, response.location);
          if (kind === undefined) {
            say('the body of a refusal is a Problem, or adds to it by allOf, or is, under /oauth, an OauthProblem');
            continue;
          }
          if (example !== undefined || Object.keys(examples).length === 0)
            say('a refusal lists its codes as named examples');
          for (const [name, example] of Object.entries(examples)) {
            const { code, error, error_description } = follow(resolve, example, response.location).node?.value ?? {};
            const word = (kind === 'Problem' ? errors : oauth)[name];
            if (word === undefined) {
              say(`${name} is no code of errors.yaml`);
              continue;
            }
            if (code !== name) say(`the example ${name} has the code ${code}`);
            if (word.status !== Number(status)) say(`${name} has the status ${word.status}`);
            if ((kind === 'Problem' ? error : error_description) !== word.error)
              say(`the sentence of ${name} is not that of errors.yaml`);
            if (kind === 'OauthProblem' && error !== name) say(`the example ${name} has the error ${error}`);
          }
        }
      }
    },
  };
}

/** Which of the two forms of a refusal a schema has; a named schema may add members to one by allOf. */
function problemKind(resolve, schema, at) {
  const name = schema?.$ref?.split('/').at(-1);
  if (name === 'Problem' || name === 'OauthProblem') return name;
  const { node, location } = follow(resolve, schema, at);
  return (node?.allOf ?? []).map((part) => problemKind(resolve, part, location)).find((kind) => kind !== undefined);
}
