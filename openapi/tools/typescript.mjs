// The tables of the contract as TypeScript: error codes, scopes, event types and operations, so that a forgotten one is
// a compile error.

import ts from 'typescript';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Every operation of a document: `{ id, method, path, scope, ownScope?, role?, security }`, in the document's order. */
export function operationsOf(document) {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method];
        return {
          id: operation.operationId,
          method,
          path,
          scope: operation['x-scope'] ?? null,
          ...(operation['x-own-scope'] === undefined ? {} : { ownScope: operation['x-own-scope'] }),
          ...(operation['x-role'] === undefined ? {} : { role: operation['x-role'] }),
          security: (operation.security ?? document.security ?? []).map((requirement) => Object.keys(requirement)),
        };
      }),
  );
}

const literal = (value) => JSON.stringify(value);
const table = (name, entries) =>
  `export const ${name} = {\n${entries.map(([key, value]) => `  ${literal(key)}: ${literal(value)},`).join('\n')}\n} as const;\n`;

function operationTable(name, type, document, scopeType) {
  const entries = operationsOf(document).map(({ id, ...operation }) => `  ${id}: ${literal(operation)},`);
  const role = entries.some((entry) => entry.includes('"role"')) ? '; readonly role?: string' : '';
  const ownMember = entries.some((entry) => entry.includes('"ownScope"')) ? `; readonly ownScope?: ${scopeType}` : '';
  return `export const ${name} = {\n${entries.join('\n')}\n} as const satisfies Record<string, { readonly method: string; readonly path: string; readonly scope: ${scopeType} | null; readonly security: readonly (readonly string[])[]${role}${ownMember} }>;\nexport type ${type} = keyof typeof ${name};\n`;
}

/** The module `contract.ts` of a package. `app` adds the operations of the web application. */
export function contractModule({ errors, oauth, scopes, eventTypes, document, app }) {
  const answers = (codes) => Object.entries(codes).map(([code, { status, error }]) => [code, { status, error }]);
  return [
    '// Made by make generate from the contract.\n',
    `${table('errors', answers(errors))}export type ErrorCode = keyof typeof errors;\n`,
    `${table('oauthErrors', answers(oauth))}export type OauthErrorCode = keyof typeof oauthErrors;\n`,
    `export const scopes = ${literal(Object.keys(scopes))} as const;\nexport type Scope = (typeof scopes)[number];\n`,
    `/** Permissions that a personal link can hold. */\nexport const linkScopes = ${literal(Object.keys(scopes).filter((scope) => scopes[scope].link))} as const satisfies readonly Scope[];\n`,
    `/** Permissions that every key loses when the write feature is switched off. */\nexport const writeScopes = ${literal(Object.keys(scopes).filter((scope) => scopes[scope].write))} as const satisfies readonly Scope[];\n`,
    `export const eventTypes = ${literal(eventTypes)} as const;\nexport type EventType = (typeof eventTypes)[number];\n`,
    operationTable('operations', 'OperationId', document, 'Scope'),
    ...(app ? [operationTable('appOperations', 'AppOperationId', app, 'Scope')] : []),
  ].join('\n');
}

/** The module `scope-texts.ts`: what a person reads who links an app. */
export function scopeTextsModule(scopes) {
  const linkScopes = Object.entries(scopes).filter(([, { link }]) => link);
  const texts = (language) => Object.fromEntries(linkScopes.map(([scope, { consent }]) => [scope, consent[language]]));
  return `// Made by make generate from openapi/scopes.yaml.\nexport const scopeTexts = ${literal({ de: texts('de'), en: texts('en') })} as const;\n`;
}

/** The module `scope-labels.<language>.ts`: what an admin reads about the permissions of a key. */
export function scopeLabelsModule(scopes, language) {
  const labels = Object.fromEntries(Object.entries(scopes).map(([scope, { admin }]) => [scope, admin[language]]));
  return `// Made by make generate from openapi/scopes.yaml.\nexport const scopeLabels = ${literal(labels)};\n`;
}

/** The bundled document as a module. It is parsed at start: a string costs the compiler nothing. */
export function documentModule(name, document) {
  return `// Made by make generate from the contract: openapi/${name}.yaml with everything it refers to.\nexport const document: object = JSON.parse(${literal(JSON.stringify(document))});\n`;
}

/** Names of the schemas that requests are made of. */
function requestSchemas({ paths = {}, components }) {
  const foundNames = new Set();
  const collect = (value) => {
    if (value === null || typeof value !== 'object') return;
    const name = /^#\/components\/schemas\/(.+)$/.exec(value.$ref)?.[1];
    if (name !== undefined && !foundNames.has(name)) {
      foundNames.add(name);
      collect(components.schemas[name]);
    }
    Object.values(value).forEach(collect);
  };
  for (const item of Object.values(paths)) for (const method of methods) collect(item[method]?.requestBody);
  return foundNames;
}

/**
 * An optional member of an answer or event may be written as undefined, which JSON leaves out: `{ name }` needs no
 * condition. Members of requests are either there or not (`exactOptionalPropertyTypes`), for they become updates.
 */
export function withUndefined(nodes, document) {
  const requestedSchemas = requestSchemas(document);
  const undefinedType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
  const visit = (node) => {
    if (ts.isPropertySignature(node)) {
      const name = node.name.text;
      if (name === 'parameters' || name === 'requestBody' || requestedSchemas.has(name)) return node;
    }
    const visitedNode = ts.visitEachChild(node, visit, undefined);
    if (!ts.isPropertySignature(visitedNode) || visitedNode.questionToken === undefined) return visitedNode;
    const { modifiers, name, questionToken, type } = visitedNode;
    if (type.kind === ts.SyntaxKind.NeverKeyword) return visitedNode;
    const union = ts.factory.createUnionTypeNode([type, undefinedType]);
    return ts.factory.updatePropertySignature(visitedNode, modifiers, name, questionToken, union);
  };
  return nodes.map((node) => ts.visitNode(node, visit));
}
