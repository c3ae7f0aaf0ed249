// From errors.yaml: the example bodies, and the tables of codes in the documents' introductions.
import { stringify } from 'yaml';
import { resolve } from './walk.mjs';

const notice = '# Written by tools/generate.mjs from errors.yaml. Change it there.\n';

/** `[path, content]` of the files of examples that follow from errors.yaml, paths relative to `openapi/`. */
export function derivedExamples({ errors, oauth }) {
  const yaml = (value) => notice + stringify(value, { lineWidth: 0 });
  return [
    ['examples/problems.yaml', yaml(problemExamples(errors))],
    ['examples/oauth-problems.yaml', yaml(oauthProblemExamples(oauth))],
  ];
}

/** @returns examples of `Problem`, named by their code */
function problemExamples(errors) {
  return Object.fromEntries(
    Object.entries(errors).map(([code, { error, extra }]) => [
      code,
      { summary: error, value: { error, code, request_id: 'req_5f0c9a6b1e7d4c32', ...extra } },
    ]),
  );
}

/** @returns examples of `OauthProblem`, named `oauth_<code>`, since components share one space of names */
function oauthProblemExamples(oauth) {
  return Object.fromEntries(
    Object.entries(oauth).map(([code, { error }]) => [
      `oauth_${code}`,
      { summary: error, value: { error: code, error_description: error, code, request_id: 'req_5f0c9a6b1e7d4c32' } },
    ]),
  );
}

/** Answers of paths and of connections: no operation lists them. */
export const codesOfNoOperation = ['method_not_allowed', 'request_timeout', 'headers_too_large'];

/** Codes that an operation of the document can answer with: the names of all examples of refusals. */
export function codesOf(document) {
  const codes = new Set();
  for (const item of Object.values(document.paths ?? {}))
    for (const operation of Object.values(item))
      for (const [status, response] of Object.entries(operation?.responses ?? {}))
        if (Number(status) >= 400)
          for (const media of Object.values(resolve(document, response).content ?? {}))
            for (const name of Object.keys(media.examples ?? {})) codes.add(name);
  return codes;
}

/**
 * Puts the table of codes into the introduction and, for programs, as `x-errors` beside it. The table holds the codes
 * that the document's operations use, and those of no operation. `Problem.code` lists them for generators.
 */
export function withErrorTables(document, { errors, oauth }) {
  const usedCodes = new Set([...codesOf(document), ...codesOfNoOperation]);
  const usedErrors = Object.fromEntries(Object.entries(errors).filter(([code]) => usedCodes.has(code)));
  const description = document.info.description
    .replace('<!-- table of errors -->', table(usedErrors))
    .replace('<!-- table of oauth errors -->', table(oauth));
  const tables = {
    'x-errors': rows(usedErrors),
    ...(document.info.description.includes('<!-- table of oauth errors -->') ? { 'x-oauth-errors': rows(oauth) } : {}),
  };
  const components = withKnownCodes(document.components, Object.keys(usedErrors));
  return { ...document, info: { ...document.info, description }, ...tables, components };
}

function withKnownCodes(components, codes) {
  const Problem = components?.schemas?.Problem;
  if (Problem?.properties?.code === undefined) return components;
  const code = { ...Problem.properties.code, 'x-extensible-enum': [...codes].sort() };
  const schemas = { ...components.schemas, Problem: { ...Problem, properties: { ...Problem.properties, code } } };
  return { ...components, schemas };
}

const rows = (errors) =>
  Object.fromEntries(Object.entries(errors).map(([code, { status, error, when }]) => [code, { status, error, when }]));

function table(errors) {
  const lines = Object.entries(errors)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, error, when }]) => `| ${status} | \`${code}\` | ${error} | ${when} |`);
  return ['| Status | `code` | `error` | When |', '|---|---|---|---|', ...lines].join('\n');
}

/** Says in every description which permission the operation needs: renderers show no `x-scope`. */
export function withPermissions(document) {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([key, value]) => [key, withPermission(value)])),
    ]),
  );
  return { ...document, paths };
}

function withPermission(operation) {
  const scope = operation?.['x-scope'];
  if (typeof scope !== 'string') return operation;
  const ownScope = operation['x-own-scope'];
  const alternative = ownScope === undefined ? '' : `, or \`${ownScope}\` for records that the extension created`;
  return { ...operation, description: `${operation.description}\n\nPermission: \`${scope}\`${alternative}.` };
}
