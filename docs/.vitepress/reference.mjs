// References generated from the contract: errors, permissions, events, and the interactive page of each OpenAPI document.
import { resolve } from '../../openapi/tools/walk.mjs';

const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
const line = (text) => String(text).replace(/\s+/g, ' ').trim();
const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** Operations of a document, with method and path. */
const operationsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation?.operationId !== undefined)
      .map(([method, operation]) => ({ ...operation, call: `${method.toUpperCase()} ${path}` })),
  );

/** Every code has a heading, which `doc_url` of an error leads to. */
export function errorCatalogue({ errors, oauth }, document) {
  const operations = operationsOf(document);
  const givenBy = (code) => operations.filter(({ responses }) => JSON.stringify(responses).includes(`"${code}"`));
  const entry = (level, code, { status, error, when, extra }, shape) => [
    `${level} ${code}`,
    '',
    `**${status}** · ${error}`,
    '',
    line(when ?? ''),
    '',
    json(shape(code, error, extra)),
    '',
    ...(givenBy(code).length === 0 || givenBy(code).length > 12
      ? []
      : [
          `Given by ${givenBy(code)
            .map(({ call }) => `\`${call}\``)
            .join(', ')}.`,
          '',
        ]),
  ];
  const requestId = 'req_5f0c9a6b1e7d4c32';
  return {
    path: 'reference/errors.md',
    title: 'Errors',
    text: [
      '# Errors',
      '',
      'Every code of the API with its status, its sentence and when it is given. Base your logic on the code, never on the sentence. Give `request_id` to the operator when you ask for help.',
      '',
      ...Object.entries(errors).flatMap(([code, facts]) =>
        entry('##', code, facts, (name, error, extra) => ({ error, code: name, request_id: requestId, ...extra })),
      ),
      '## Errors of /oauth',
      '',
      'They have the shape of RFC 6749 section 5.2.',
      '',
      ...Object.entries(oauth)
        .filter(([code]) => errors[code] === undefined)
        .flatMap(([code, facts]) =>
          entry('###', code, facts, (name, error) => ({
            error: name,
            error_description: error,
            code: name,
            request_id: requestId,
          })),
        ),
    ].join('\n'),
  };
}

export function permissionTable(scopes, document) {
  const operations = operationsOf(document);
  return {
    path: 'reference/permissions.md',
    title: 'Permissions',
    text: [
      '# Permissions',
      '',
      'What a key or a personal link may do. A person grants a link only what the app asks for, and may leave each out. Permissions to write are removed from every key while an admin has switched writing off.',
      '',
      table(
        ['Permission', 'What it allows', 'May be granted to a personal link'],
        Object.entries(scopes).map(([scope, { title, description, link }]) => [
          `\`${scope}\``,
          `${title}. ${line(description)}`,
          link ? 'yes' : 'no',
        ]),
      ),
      '',
      '## Which operation needs which',
      '',
      table(
        ['Operation', 'Call', 'Permission'],
        operations.map(({ summary, call, 'x-scope': scope, 'x-own-scope': ownScope }) => [
          summary,
          `\`${call}\``,
          [
            scope === null || scope === undefined ? '–' : `\`${scope}\``,
            ...(ownScope === undefined ? [] : [`\`${ownScope}\` for records that the extension created`]),
          ].join(', or '),
        ]),
      ),
      '',
    ].join('\n'),
  };
}

export function eventReference(document) {
  const { channels } = document;
  const messages = (channel) => Object.values(channels[channel].messages).map((message) => resolve(document, message));
  const entry = ({ name, title, summary, description, examples = [] }) => [
    `### ${name}`,
    '',
    `**${title}.** ${line(summary ?? '')} ${line(description ?? '')}`,
    '',
    ...examples
      .slice(0, 1)
      .flatMap(({ headers, payload }) => [
        ...(headers === undefined
          ? []
          : ['```http', ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`), '```', '']),
        json(payload),
        '',
      ]),
  ];
  return {
    path: 'reference/events.md',
    title: 'Event payloads',
    text: [
      '# Event payloads',
      '',
      document.info.description,
      '',
      '## Messages of a webhook',
      '',
      ...messages('webhook').flatMap(entry),
      '## Messages of the WebSocket',
      '',
      ...messages('connection').flatMap(entry),
    ].join('\n'),
  };
}

/** The interactive page of a document; the theme draws it. */
const reference = (name, title, document, lead) => ({
  path: `reference/${name}.md`,
  title,
  lead,
  text: [
    '---',
    `title: ${title}`,
    'layout: ApiReference',
    `document: /reference/${name}.json`,
    `samples: /reference/${name}-samples.json`,
    `source: /${document}`,
    '---',
    '',
    `# ${title}`,
    '',
    lead,
    '',
    `The document itself: [${document}](../${document}). [Samples](samples.md) show each request in curl, TypeScript and Python.`,
    '',
  ].join('\n'),
});

export const apiReference = [
  reference('api', 'REST API', 'openapi.json', 'Every operation, with a form to try it with your key.'),
  reference('indexer', 'Verification service', 'indexer-openapi.json', 'The API of the independent indexer.'),
];

/**
 * The part of a document that the interactive page needs: it opens in half the time without headers and with one example
 * for each answer; without an example it would invent one from the schema. Examples of optional parameters are left out:
 * the page would fill them in, and the service would refuse the first try because of an unknown cursor.
 */
export function slim(document) {
  const copy = structuredClone(document);
  const { parameters: sharedParameters = {}, responses: sharedResponses = {} } = copy.components;
  delete copy.components.headers;
  const inPaths = Object.values(copy.paths).flatMap((path) => [path, ...Object.values(path)]);
  for (const response of [sharedResponses, ...inPaths.map((part) => part.responses ?? {})].flatMap(Object.values)) {
    delete response.headers;
    Object.values(response.content ?? {}).forEach(leaveOneExample);
  }
  for (const parameter of [sharedParameters, ...inPaths.map((part) => part.parameters ?? [])].flatMap(Object.values)) {
    if (parameter.required || parameter.schema === undefined) continue;
    parameter.schema = { ...resolve(copy, parameter.schema) };
    leaveOutExamples(parameter);
    leaveOutExamples(parameter.schema);
  }
  return copy;
}

function leaveOneExample(media) {
  if (media.examples !== undefined) media.examples = Object.fromEntries(Object.entries(media.examples).slice(0, 1));
}

function leaveOutExamples(node) {
  delete node.example;
  delete node.examples;
}
