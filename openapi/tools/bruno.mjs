// A collection for Bruno (https://www.usebruno.com) from the documents: one request per operation, in an order in which
// each finds what an earlier one made. With an address and a key set, everything in it can be sent.
import { resolve } from './walk.mjs';

/** No single requests, and why. */
export const unsupportedOperations = [
  [
    /^(getTerminalStatus|openCardSession|stepCardSession|stampAtTerminal|getTerminalInfo|chooseTerminalPin|endTerminalSession|uploadOfflineStamps)$/,
    'each request is signed with the private key of a terminal',
  ],
  [/^pairTerminal$/, 'the answer is of use only to a program that can sign'],
  [/^connectExtension$/, 'a WebSocket, which the AsyncAPI document describes'],
  [/^authorize$/, 'a page for people, which Bruno opens by itself for `getMe`'],
];
/** A request by hand would leave an untrue word about the ledger that no later one takes back. */
const anchoring = [/^(claimCommitment|reportAnchor)$/, 'the anchor service alone says what it wrote to the ledger'];
const omissions = [...unsupportedOperations, anchoring];
const isOmitted = ({ operationId }) => omissions.some(([pattern]) => pattern.test(operationId));

/** Values of an answer that later requests use. */
const rememberedValues = {
  listUsers: { companyId: 'res.body.data[0].company_id', userId: 'res.body.data[0].id' },
  createAbsence: { absenceId: 'res.body.id' },
  getAbsence: { absenceVersion: 'res.headers.etag' },
  listTimeEntries: { entryId: 'res.body.data[0].id' },
  listProofs: { tx: 'res.body.data[0].tx', companyToken: 'res.body.data[0].company_token' },
};
/** Somebody who is not clocked in, so that the stamps after it fit. */
const scripts = {
  listClockStates: `bru.setVar('userId', res.body.data.find(({ state }) => state === 'out').user_id);`,
};
const parameters = {
  'getUser path id': '{{userId}}',
  'getTimeEntry path id': '{{entryId}}',
  'path id': '{{absenceId}}',
  'path tx': '{{tx}}',
  'path token': '{{companyToken}}',
  'listCompanyPeriods query from': '{{month}}',
  'listCompanyPeriods query to': '{{month}}',
  'query from': '{{monthAgo}}',
  'query to': '{{today}}',
  'query since': '{{monthAgo}}',
  'query user_id': '{{userId}}',
  'query company_id': '{{companyId}}',
  'header Idempotency-Key': '{{$guid}}',
  'header If-Match': '{{absenceVersion}}',
};
/** Optional ones that a first request needs. */
const wantedParameters = new Set(['query from', 'query to', 'header Idempotency-Key']);
const members = { user_id: '{{userId}}', start_date: '{{later}}', end_date: '{{later}}', external_id: '{{$guid}}' };

const order = ['Status', 'People', 'Clock', 'Time', 'Absences', 'Events', 'Linking'];

/**
 * @param {{ service: object, indexer: object }} documents as published
 * @returns {Map<string, string>} the text of each file, by its path in the collection
 */
export function brunoCollection({ service, indexer }) {
  const files = new Map([
    ['bruno.json', `${JSON.stringify({ version: '1', name: 'Clockproof', type: 'collection' }, null, 2)}\n`],
    ['collection.bru', collectionFile],
    ['environments/Local.bru', environment],
  ]);
  const usedOperations = operationsIn(service).filter((operation) => !isOmitted(operation));
  const tags = [...new Set([...order, ...usedOperations.map(({ tag }) => tag)])].filter((tag) =>
    usedOperations.some((o) => o.tag === tag),
  );
  const folders = tags.map((tag) => [
    tag,
    usedOperations.filter((operation) => operation.tag === tag),
    service,
    'baseUrl',
  ]);
  folders.push(['Verification service', inOrder(operationsIn(indexer)), indexer, 'indexerUrl']);
  for (const [index, [folder, operations, document, base]] of folders.entries()) {
    files.set(`${folder}/folder.bru`, block('meta', { name: folder, seq: index + 1 }));
    for (const [at, operation] of sortOperations(operations).entries())
      files.set(`${folder}/${fileName(operation.summary)}.bru`, request(operation, at + 1, document, base));
  }
  return files;
}

const operationsIn = (document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation?.operationId !== undefined)
      .map(([method, operation]) => ({ ...operation, path, method, tag: operation.tags[0] })),
  );
/** A list of proofs names transactions that the others ask for. */
const inOrder = (operations) => [
  ...operations.filter(({ path }) => !path.includes('{')),
  ...operations.filter(({ path }) => path.includes('{')),
];
/** A record is made, read, changed, and removed last; people have their break before they leave. */
const isLast = ({ method, operationId }) => method === 'delete' || operationId === 'clockOut';
const sortOperations = (operations) => [
  ...operations.filter((operation) => !isLast(operation)),
  ...operations.filter(isLast),
];
const fileName = (summary) => summary.replace(/[^\p{L}\p{N} -]/gu, '');

const block = (name, entries) =>
  `${name} {\n${Object.entries(entries)
    .map(([key, value]) => `  ${key}: ${value}\n`)
    .join('')}}\n`;
const textBlock = (name, text) => `${name} {\n${text.trim().replace(/^(?=.)/gm, '  ')}\n}\n`;

function request(operation, seq, document, base) {
  const kinds = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement));
  const auth = kinds.includes('apiKey')
    ? 'inherit'
    : kinds.includes('personalLink')
      ? 'oauth2'
      : kinds.includes('clientBasic')
        ? 'basic'
        : 'none';
  const operationParameters = (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .map((parameter) => ({ ...parameter, key: `${parameter.in} ${parameter.name}` }));
  const of = (place) => operationParameters.filter((parameter) => parameter.in === place);
  const lines = (place) =>
    Object.fromEntries(
      of(place).map(({ key, name, required, example }) => [
        `${required || wantedParameters.has(key) ? '' : '~'}${name}`,
        parameters[`${operation.operationId} ${key}`] ?? parameters[key] ?? [example].flat().join(','),
      ]),
    );
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = type === undefined ? 'none' : type.endsWith('json') ? 'json' : 'formUrlEncoded';
  const query = Object.entries(lines('query'));
  const on = query.filter(([name]) => !name.startsWith('~')).map(([name, value]) => `${name}=${value}`);
  const url = `{{${base}}}${operation.path.replace(/\{(\w+)\}/g, ':$1')}${on.length > 0 ? `?${on.join('&')}` : ''}`;
  const successes = Object.keys(operation.responses).filter((status) => /^2/.test(status));
  const isLink = auth === 'oauth2' || auth === 'basic';
  return [
    `meta {\n  name: ${operation.summary}\n  type: http\n  seq: ${seq}\n${isLink ? '  tags: [\n    link\n  ]\n' : ''}}\n`,
    block(operation.method, { url, body, auth }),
    ...(query.length > 0 ? [block('params:query', Object.fromEntries(query))] : []),
    ...(of('path').length > 0 ? [block('params:path', lines('path'))] : []),
    ...(of('header').length > 0 ? [block('headers', lines('header'))] : []),
    ...(auth === 'oauth2' ? [block('auth:oauth2', linking)] : []),
    ...(auth === 'basic' ? [block('auth:basic', { username: '{{clientId}}', password: '{{clientSecret}}' })] : []),
    ...(body === 'json' ? [textBlock('body:json', bodyText(media))] : []),
    ...(body === 'formUrlEncoded' ? [block('body:form-urlencoded', exampleOf(media))] : []),
    ...(rememberedValues[operation.operationId] === undefined
      ? []
      : [block('vars:post-response', rememberedValues[operation.operationId])]),
    block('assert', { 'res.status': `${successes.length > 1 ? 'in' : 'eq'} ${successes.join(', ')}` }),
    ...(scripts[operation.operationId] === undefined
      ? []
      : [textBlock('script:post-response', scripts[operation.operationId])]),
    textBlock('docs', `${operation.description.trim()}\n\n\`${operation.operationId}\``),
  ].join('\n');
}

const exampleOf = ({ example, examples }) => example ?? Object.values(examples)[0].value;
/** Placeholders of numbers stand without quotes. */
const bodyText = (media) =>
  JSON.stringify(
    Object.fromEntries(Object.entries(exampleOf(media)).map(([name, value]) => [name, members[name] ?? value])),
    null,
    2,
  ).replace('"{{userId}}"', '{{userId}}');

const linking = {
  grant_type: 'authorization_code',
  callback_url: '{{redirectUri}}',
  authorization_url: '{{baseUrl}}/oauth/authorize',
  access_token_url: '{{baseUrl}}/oauth/token',
  refresh_token_url: '{{baseUrl}}/oauth/token',
  client_id: '{{clientId}}',
  client_secret: '{{clientSecret}}',
  scope: '{{scope}}',
  state: '{{$guid}}',
  pkce: true,
  credentials_placement: 'basic_auth_header',
  credentials_id: 'clockproof',
  token_placement: 'header',
  token_header_prefix: 'Bearer',
  auto_fetch_token: true,
  auto_refresh_token: true,
};

const collectionFile = [
  block('auth', { mode: 'bearer' }),
  block('auth:bearer', { token: '{{apiKey}}' }),
  textBlock(
    'script:pre-request',
    `
const day = (offset) => {
  const date = new Date(Date.now() + offset * 86400000);
  // A Wednesday, so that a later absence is on a working day.
  if (offset > 0) date.setUTCDate(date.getUTCDate() + ((10 - date.getUTCDay()) % 7));
  return date.toISOString().slice(0, 10);
};
bru.setVar('today', day(0));
bru.setVar('monthAgo', day(-30));
bru.setVar('month', day(-30).slice(0, 7));
bru.setVar('later', day(150));
`,
  ),
  textBlock(
    'docs',
    `
# Clockproof

Choose the environment *Local*, set \`baseUrl\` and the secret \`apiKey\`, and send the requests of a folder from the top: later ones use what earlier ones returned. Stamps and absences are recorded for a real person of the company, so use a company for tests.

*Linking* needs an extension with personal links: set \`clientId\`, \`clientSecret\` and \`redirectUri\`. *Show the linked person* then opens the page on which a person agrees.

Not in this collection: ${omissions.map(([, reason]) => reason).join('; ')}.
`,
  ),
].join('\n');

const environment = `${block('vars', {
  baseUrl: 'http://localhost:8080',
  indexerUrl: 'http://localhost:8090',
  redirectUri: 'http://localhost:3000/callback',
  scope: 'read:clock_states',
})}vars:secret [
  apiKey,
  clientId,
  clientSecret
]
`;
