// One request per operation in curl, TypeScript and Python, made from the examples of a document, so that they never
// differ from it. Addresses, keys and ids are environment variables, which each sample reads itself.
import { unsupportedOperations } from './bruno.mjs';
import { curl, python, typescript, Variable } from './sample-languages.mjs';
import { resolve } from './walk.mjs';

/** Operations that take more than one request: the path of their program on the documentation site. */
const programs = {
  terminal: ['guides/build-a-terminal.md', 'Requests of a terminal are signed: the guide has a program that signs.'],
  connectExtension: ['guides/receive-events.md', 'A WebSocket: the guide has a program that stays connected.'],
  authorize: ['guides/link-an-app.md', 'A page for the browser of a person: the guide has a program that opens it.'],
};
const programOf = ({ operationId }) =>
  unsupportedOperations.some(([pattern]) => pattern.test(operationId))
    ? (programs[operationId] ?? programs.terminal)
    : undefined;

/** Variables in place of the values of examples: by the name of the parameter's component, and by member of a body. */
const ofParameters = {
  PersonId: 'USER_ID',
  EntryId: 'ENTRY_ID',
  AbsenceId: 'ABSENCE_ID',
  ProofPeriod: 'MONTH',
  CommitmentInPath: 'COMMITMENT_ID',
  IdempotencyKey: 'IDEMPOTENCY_KEY',
  TransactionInPath: 'TX',
  CompanyTokenPath: 'COMPANY_TOKEN',
  ExpectedRoot: 'ROOT',
};
const ofMembers = {
  user_id: 'USER_ID',
  code: 'CODE',
  code_verifier: 'CODE_VERIFIER',
  redirect_uri: 'REDIRECT_URI',
  token: 'TOKEN',
};
/** What each holds, for readers. */
export const meanings = {
  BASE_URL: 'address of the installation, such as `http://localhost:8080`',
  INDEXER_URL: 'address of the verification service, such as `http://localhost:8090`',
  API_KEY: 'key of the extension, `cpk_…`',
  MONTH: 'a closed month, such as `2026-10`',
  ACCESS_TOKEN: 'access token of a personal link, `cpa_…`',
  CLIENT_ID: 'client ID of the extension',
  CLIENT_SECRET: 'key of the extension, `cpk_…`',
  USER_ID: 'id of the person',
  ENTRY_ID: 'id of the time entry',
  ABSENCE_ID: 'id of the absence',
  COMMITMENT_ID: 'id of a commitment',
  IDEMPOTENCY_KEY: 'a value of your own for this attempt, such as the id of a shift',
  CODE: 'code that came to the redirect address, `cpc_…`',
  CODE_VERIFIER: 'verifier of the code challenge',
  REDIRECT_URI: 'redirect address of the extension',
  TOKEN: 'refresh or access token of the link',
  TX: 'digest of the transaction',
  COMPANY_TOKEN: 'token that stands for the company on the ledger',
  ROOT: 'Merkle root that you expect',
};
/** Optional parameters without which a list is refused, or a request is not what one wants to see. */
const wantedParameters = new Set(['query from', 'query to', 'query root', 'header Idempotency-Key']);

/**
 * @param document as published
 * @param base the variable that holds the address of the service
 * @returns {Record<string, { variables: string[], curl: string, typescript: string, python: string } | { guide: string, note: string }>}
 * by operationId, in the order of the document
 * @throws Error a value has no variable or no example
 */
export function samplesOf(document, base) {
  const samples = {};
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item)) {
      if (operation?.operationId === undefined) continue;
      const program = programOf(operation);
      samples[operation.operationId] =
        program === undefined
          ? sampleOf(requestOf(document, base, path, method, operation))
          : { guide: program[0], note: program[1] };
    }
  return samples;
}

/** The example request: values are texts, numbers and so on, or variables. */
function requestOf(document, base, path, method, operation) {
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const variable = ofParameters[parameter.$ref?.split('/').at(-1)];
    const { name, in: place, required, example } = resolve(document, parameter);
    return { name, place, required, value: variable === undefined ? example : new Variable(variable) };
  });
  const usedParameters = parameters.filter(
    ({ required, place, name }) => required || wantedParameters.has(`${place} ${name}`),
  );
  for (const { name, place, value } of usedParameters)
    if (value === undefined || (place === 'path' && !(value instanceof Variable)))
      throw new Error(`${operation.operationId}: no value for ${name}`);
  const of = (place) => usedParameters.filter((parameter) => parameter.place === place);
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = media && (media.example ?? Object.values(media.examples)[0].value);
  const bodyValues =
    example &&
    Object.entries(example).map(([name, value]) => [
      name,
      ofMembers[name] === undefined ? value : new Variable(ofMembers[name]),
    ]);
  const credential = credentialOf(operation);
  const values = [...of('path'), ...of('query'), ...of('header')].map(({ value }) => value);
  return {
    base: new Variable(base),
    /** Their names, in the order of use. */
    variables: [
      base,
      ...(credential === 'basic' ? ['CLIENT_ID', 'CLIENT_SECRET'] : credential === undefined ? [] : [credential.name]),
      ...[...values, ...(bodyValues ?? []).map(([, value]) => value)]
        .filter((value) => value instanceof Variable)
        .map(({ name }) => name),
    ],
    method: method.toUpperCase(),
    path: path
      .split(/\{(\w+)\}/)
      .map((part, index) => (index % 2 === 0 ? part : of('path').find(({ name }) => name === part).value)),
    query: of('query').map(({ name, value }) => [name, value]),
    headers: of('header').map(({ name, value }) => [name, value]),
    credential,
    form: type?.endsWith('urlencoded') ?? false,
    body: bodyValues,
  };
}

function credentialOf({ security = [] }) {
  const kinds = security.flatMap((requirement) => Object.keys(requirement));
  if (kinds.includes('apiKey')) return new Variable('API_KEY');
  if (kinds.includes('personalLink')) return new Variable('ACCESS_TOKEN');
  return kinds.includes('clientBasic') ? 'basic' : undefined;
}

const sampleOf = (request) => ({
  variables: request.variables,
  curl: curl(request),
  typescript: typescript(request),
  python: python(request),
});
