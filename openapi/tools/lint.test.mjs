// Every rule of ours in redocly.yaml is shown a document that keeps all of them and then one that breaks just this.
// Redocly lints all of these documents in one process. Run: node --test openapi/tools/
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { contractFolder, readVocabulary } from './contract.mjs';
import { redocly } from './redocly.mjs';
import { uncalledOperations, unusedCodes, unusedPieces } from './unused.mjs';

const { errors, oauth, scopes } = readVocabulary();
const read = (path) => parse(readFileSync(join(contractFolder, path), 'utf8'));

const problem = (code) => ({ value: { error: errors[code].error, code } });
const feed = (document) => document.paths['/birds/{id}'].patch;
const token = (document) => document.paths['/oauth/token'].post;
const json = (message) => message.content['application/json'];
const refusal = (document) => json(feed(document).responses[400]);
const oauthRefusal = (document) => json(token(document).responses[400]).examples.invalid_grant.value;
const flow = (document) => document.components.securitySchemes.personalLink.flows.authorizationCode;
const schemas = (document) => document.components.schemas;
const meal = (document) => schemas(document).Meal.properties;
const birdFed = (document) => document.components.messages.BirdFed;

function sound() {
  const document = read('tools/rules/sound.yaml');
  refusal(document).examples = { invalid_request: problem('invalid_request') };
  json(token(document).responses[400]).examples = {
    invalid_grant: {
      value: { error: 'invalid_grant', error_description: oauth.invalid_grant.error, code: 'invalid_grant' },
    },
  };
  flow(document).scopes = Object.fromEntries(
    Object.entries(scopes).flatMap(([scope, { link, description }]) => (link ? [[scope, description]] : [])),
  );
  return document;
}
const soundEvents = () => read('tools/rules/sound-events.yaml');

function asWebApplication(document) {
  document.components.securitySchemes.session = { type: 'apiKey', in: 'cookie', name: 'session' };
  token(document).security.push({ session: [] });
  for (const operation of [feed(document), token(document)]) operation['x-role'] = 'signed_in';
}

function withLateProblem(document, code) {
  schemas(document).LateProblem = {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/Robin' }],
  };
  const value = { ...problem('invalid_request').value, code, kind: 'robin' };
  Object.assign(refusal(document), {
    schema: { $ref: '#/components/schemas/LateProblem' },
    examples: { [code]: { value } },
  });
}

/** By rule: what breaks it, how, and a word of its message where it has more than one. */
const breaks = {
  'rule/operation-id': [
    ['an operationId in another case', (d) => (feed(d).operationId = 'Feed_Bird')],
    ['no operationId', (d) => delete feed(d).operationId],
  ],
  'rule/operation-tag': [
    ['two tags', (d) => feed(d).tags.push('Linking')],
    ['no tags', (d) => delete feed(d).tags],
  ],
  'rule/operation-summary': [
    ['no summary', (d) => delete feed(d).summary],
    ['a blank summary', (d) => (feed(d).summary = ' ')],
    ['a summary with a full stop', (d) => (feed(d).summary = 'Feeds it.')],
  ],
  'rule/operation-description': [
    ['no description', (d) => delete feed(d).description],
    ['a description of blanks', (d) => (feed(d).description = 'It eats.'.padEnd(60))],
  ],
  'operation-2xx-response': [['no answer for success', (d) => delete feed(d).responses[200]]],
  'response-contains-header': [
    ...Object.entries({ 401: 'WWW-Authenticate', 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After' }).map(
      ([status, header]) => [
        `a ${status} without ${header}`,
        (d) => (feed(d).responses[status] = { description: 'No.' }),
        new RegExp(header),
      ],
    ),
  ],
  'rule/parameter-example': [['a parameter without an example', (d) => delete d.components.parameters.Id.example]],
  'rule/header-example': [['a header without an example', (d) => delete d.components.headers.Hint.example]],
  'rule/request-example': [
    ['a request body without an example', (d) => delete json(feed(d).requestBody).example],
    ['a form without an example', (d) => delete Object.values(token(d).requestBody.content)[0].example],
  ],
  'rule/response-example': [['a response body without an example', (d) => delete json(feed(d).responses[200]).example]],
  'rule/examples-named': [['examples that are none', (d) => (refusal(d).examples = {})]],
  'clockproof/examples-valid': [
    [
      'an instant that is not in UTC',
      (d) => {
        meal(d).on.format = 'date-time';
        json(feed(d).requestBody).example.on = '2026-02-28T10:00:00+01:00';
      },
      /date-time/,
    ],
    [
      "an instant of the service's clock without milliseconds",
      (d) => {
        meal(d).on.format = 'date-time';
        json(feed(d).requestBody).example.on = '2026-02-28T10:00:00Z';
      },
      /with milliseconds/,
    ],
    [
      'an example with a day that does not exist',
      (d) => (json(feed(d).requestBody).example.on = '2026-02-30'),
      /format "date"/,
    ],
    [
      'an example with an unknown member',
      (d) => (json(feed(d).requestBody).example.water = 1),
      /additional properties/,
    ],
    ['an example that fits no variant', (d) => (json(feed(d).responses[200]).example.kind = 'owl'), /does not fit/],
    [
      'a named example behind a reference that is wrong',
      (d) => {
        d.components.examples = { Many: { value: { seeds: 100 } } };
        delete json(feed(d).requestBody).example;
        json(feed(d).requestBody).examples = { many: { $ref: '#/components/examples/Many' } };
      },
      /<= 99/,
    ],
    ['a schema whose own example is wrong', (d) => (meal(d).seeds.examples = [0]), />= 1/],
    ['a parameter whose example is wrong', (d) => (d.components.parameters.Id.example = '4'), /integer/],
    ['a header whose example is wrong', (d) => (d.components.headers.Hint.example = 7), /string/],
    ...Object.entries({ name: ' Ann', note: ' ', 'entity-tag': 'W/"1"' }).map(([format, text]) => [
      `an example that is no ${format}`,
      (d) => (meal(d).cook = { type: 'string', format, maxLength: 40, examples: [text] }),
      new RegExp(`format "${format}"`),
    ]),
  ],
  'clockproof/requests-closed': [
    ['a request body open to unknown members', (d) => delete schemas(d).Meal.additionalProperties],
    [
      'a request body with an open variant',
      (d) => (json(feed(d).requestBody).schema = { $ref: '#/components/schemas/Bird' }),
    ],
  ],
  'clockproof/forms-flat': [['a form with variants', (d) => (schemas(d).TokenForm = { oneOf: [{ type: 'object' }] })]],
  'clockproof/texts-named-or-noted': [
    [
      'a short text in a request that is no name',
      (d) => (meal(d).cook = { type: 'string', maxLength: 40 }),
      /format: name/,
    ],
    [
      'a long text in a request that is no note',
      (d) => (meal(d).remarks = { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 1_000 } }),
      /format: note/,
    ],
  ],
  'clockproof/refusals-in-vocabulary': [
    [
      'a refusal named by no code',
      (d) => (refusal(d).examples = { nonsense: problem('invalid_request') }),
      /nonsense is no code/,
    ],
    [
      'a refusal whose body has another code',
      (d) => (refusal(d).examples.invalid_request.value.code = 'not_found'),
      /has the code/,
    ],
    [
      'a refusal with another status than its code',
      (d) => (refusal(d).examples.not_found = problem('not_found')),
      /has the status 404/,
    ],
    ['a refusal with another sentence', (d) => (refusal(d).examples.invalid_request.value.error = 'Bad.'), /sentence/],
    [
      'a refusal without named examples',
      (d) => {
        delete refusal(d).examples;
        refusal(d).example = problem('invalid_request').value;
      },
      /named examples/,
    ],
    [
      'a refusal with an example without a name beside others',
      (d) => (refusal(d).example = problem('invalid_request').value),
      /named examples/,
    ],
    ['a refusal of another form', (d) => (refusal(d).schema = { $ref: '#/components/schemas/Robin' }), /is a Problem/],
    ['a refusal with further members and an unknown code', (d) => withLateProblem(d, 'nonsense'), /no code/],
    ['an OAuth refusal with another sentence', (d) => (oauthRefusal(d).error_description = 'Bad.'), /sentence/],
    ['an OAuth refusal with another error', (d) => (oauthRefusal(d).error = 'invalid_client'), /has the error/],
  ],
  'clockproof/scopes-match-security': [
    ['security left to the document', (d) => delete feed(d).security, /security is/],
    ['no x-scope', (d) => delete feed(d)['x-scope'], /x-scope is missing/],
    ['an unknown scope', (d) => (feed(d)['x-scope'] = 'eat:birds'), /no permission/],
    [
      'a link that asks for another permission',
      (d) => (feed(d).security[2].personalLink = ['read:clock_states']),
      /personalLink asks/,
    ],
    ['a link that asks for one where none is needed', (d) => (feed(d)['x-scope'] = null), /x-scope is null/],
    [
      'a permission that no link can hold',
      (d) => {
        feed(d)['x-scope'] = 'read:users';
        feed(d).security[2].personalLink = ['read:users'];
      },
      /cannot be granted/,
    ],
    ['a permission for own records that is none', (d) => (feed(d)['x-own-scope'] = 'eat:birds'), /x-own-scope is/],
    [
      'a permission for own records that no link asks for',
      (d) => (feed(d)['x-own-scope'] = 'write:absences'),
      /personalLink asks/,
    ],
    ['a permission without the key header', (d) => feed(d).security.splice(1, 1), /apiKeyHeader/],
    ['a flow that misses a permission', (d) => delete flow(d).scopes['read:clock_states'], /a link can hold/],
    ['a flow with another text', (d) => (flow(d).scopes['read:clock_states'] = 'Eat birds.'), /scopes\.yaml/],
    [
      'an operation of the web application without a role',
      (d) => {
        asWebApplication(d);
        delete feed(d)['x-role'];
      },
      /x-role is one of/,
    ],
    [
      'an operation for anyone that asks for a session',
      (d) => {
        asWebApplication(d);
        feed(d)['x-role'] = 'anyone';
      },
      /anyone goes with/,
    ],
    [
      'an operation that reveals something unknown',
      (d) => {
        asWebApplication(d);
        feed(d)['x-reveals'] = ['moods'];
      },
      /x-reveals names/,
    ],
    [
      'a change that reveals something',
      (d) => {
        asWebApplication(d);
        token(d)['x-reveals'] = ['presence'];
      },
      /belongs to a read/,
    ],
  ],
  'rule/openapi-version': [
    ['another version of OpenAPI', (d) => (d.openapi = '3.1.1')],
    ['a later version of OpenAPI', (d) => (d.openapi = '3.2.0')],
  ],
  'rule/root-portable': [
    ['jsonSchemaDialect', (d) => (d.jsonSchemaDialect = 'https://json-schema.org/schema'), /Dialect/],
    ['webhooks', (d) => (d.webhooks = {}), /webhooks/],
  ],
  'rule/info-portable': [['info.summary', (d) => (d.info.summary = 'Birds')]],
  'rule/license-portable': [['license.identifier', (d) => (d.info.license.identifier = 'Apache-2.0')]],
  'rule/components-portable': [['components.pathItems', (d) => (d.components.pathItems = {})]],
  'clockproof/schema-names': [
    ['a schema named Error', (d) => (schemas(d).Error = { type: 'object' }), /word of/],
    ['a schema in another case', (d) => (schemas(d).red_robin = { type: 'object' }), /Pascal/],
    ['a schema named by a keyword', (d) => (schemas(d).Break = { type: 'object' }), /word of/],
    ['a schema named as a parameter', (d) => (schemas(d).Id = { type: 'object' }), /parameter/],
    [
      'a reference to a part of a schema, which the bundle would name by it',
      (d) => (meal(d).peas = { $ref: '#/components/schemas/Meal/properties/seeds' }),
      /Pascal/,
    ],
  ],
  'clockproof/references-alone': [
    ['a parameter reference with a sibling', (d) => (feed(d).parameters[0].description = 'The bird.')],
    ['a schema reference with a sibling', (d) => (schemas(d).Wren.properties.friends.items.description = 'A friend.')],
  ],
  'clockproof/composition-named': [
    [
      'an inline oneOf in a body',
      (d) => (json(feed(d).responses[200]).schema = { oneOf: [{ $ref: '#/components/schemas/Robin' }] }),
      /oneOf/,
    ],
    ...['allOf', 'anyOf'].map((keyword) => [
      `an inline ${keyword} in a member`,
      (d) => (meal(d).on = { [keyword]: [{ type: 'string', maxLength: 3 }] }),
      new RegExp(keyword),
    ]),
  ],
  'clockproof/null-portable': [
    ['null in an enum', (d) => (meal(d).on = { type: ['string', 'null'], enum: ['now', null] }), /enum/],
    ['null as a variant', (d) => schemas(d).Bird.oneOf.push({ type: 'null' }), /is written/],
    ['a list of types', (d) => (meal(d).on = { type: ['string', 'integer'], maxLength: 3 }), /list of types/],
  ],
  'clockproof/cursors-portable': [
    [
      'a minLength beside null',
      (d) => (meal(d).next_cursor = { type: ['string', 'null'], minLength: 1, maxLength: 9 }),
    ],
    [
      'a pattern beside null',
      (d) => (meal(d).next_cursor = { type: ['string', 'null'], pattern: '^[a-z]+$', maxLength: 9 }),
    ],
  ],
  'clockproof/patterns-portable': [
    ...['^[^\\x7F-\\x9F]+$', '^\\p{L}+$', '^[äöü]+$', '^(?!x)y+$'].map((pattern) => [
      `the pattern ${pattern}`,
      (d) => (meal(d).on = { type: 'string', pattern, maxLength: 9 }),
    ]),
  ],
  'clockproof/discriminator-required': [
    ['a variant that may lack the discriminator', (d) => delete schemas(d).Wren.required],
  ],
  'rule/const-type': [['a const without a type', (d) => delete schemas(d).Robin.properties.kind.type]],
  'rule/portable-keywords': [
    ...['if', 'then', 'dependentRequired', 'patternProperties', 'unevaluatedProperties', '$defs'].map((keyword) => [
      `the keyword ${keyword}`,
      (d) => (schemas(d).Robin[keyword] = {}),
      new RegExp(`"${keyword.replace('$', '\\$')}"`),
    ]),
    ['a position in a list', (d) => (schemas(d).Robin.prefixItems = []), /prefixItems/],
    ['an exclusive bound', (d) => (meal(d).seeds.exclusiveMinimum = 0), /exclusiveMinimum/],
    ['an encoding', (d) => (meal(d).on.contentEncoding = 'base64'), /contentEncoding/],
  ],
  'rule/date-plain': [
    ['a pattern beside a date', (d) => (meal(d).on.pattern = '^2')],
    ['a length beside an instant', (d) => Object.assign(meal(d).on, { format: 'date-time', maxLength: 24 })],
  ],
  'rule/pattern-without-quotes': [
    ['a quote in a pattern', (d) => (schemas(d).Problem.properties.code.pattern = '^"[a-z]{3,64}"$')],
  ],
  'clockproof/values-bounded': [
    ['a string without an end', (d) => (meal(d).on = { type: 'string' }), /maxLength/],
    [
      'a string with an open pattern',
      (d) => (meal(d).on = { type: 'string', pattern: '^[a-z]+$' }),
      /anchored pattern/,
    ],
    ['a list without an end', (d) => delete schemas(d).Wren.properties.friends.maxItems, /maxItems/],
    ['a number without a bound', (d) => delete meal(d).seeds.maximum, /maximum/],
    ['a number without a format', (d) => delete meal(d).seeds.format, /format/],
  ],
  'clockproof/paragraphs-whole': [
    ...['Until the end of\n2199. Then no more.', '2199. Then no more.', 'Robins\n- and wrens'].map((text) => [
      `a paragraph that is cut: ${JSON.stringify(text)}`,
      (d) => (meal(d).seeds.description = text),
    ]),
  ],
  'clockproof/event-types-agree': [
    [
      'a list of event types that knows another event than the union',
      (d) =>
        Object.assign(schemas(d), { EventType: { type: 'string', enum: ['bird.seen'] }, KnownEvent: { oneOf: [] } }),
      /bird\.seen/,
    ],
  ],
};

const eventBreaks = {
  'clockproof/message-examples-valid': [
    ['a message without an example', (d) => delete birdFed(d).examples, /without an/],
    ['an example without a payload', (d) => delete birdFed(d).examples[0].payload, /without a payload/],
    ['an example with an impossible instant', (d) => (birdFed(d).examples[0].payload.at = 'yesterday'), /date-time/],
    [
      'an example in whole seconds',
      (d) => (birdFed(d).examples[0].payload.at = '2026-11-23T06:58:40Z'),
      /with milliseconds/,
    ],
    ['an example that misses a member', (d) => delete birdFed(d).examples[0].payload.sequence, /sequence/],
  ],
  'clockproof/events-named': [
    ['a message not named by its type', (d) => (birdFed(d).name = 'birdFed'), /bird\.fed/],
    ['two messages of one type', (d) => (d.components.messages.Again = birdFed(d)), /two messages/],
  ],
  'clockproof/event-types-agree': [
    [
      'a list of types that lacks the type of an event',
      (d) => (schemas(d).EventType.enum = ['bird.seen']),
      /EventType has/,
    ],
    ['a union of events that lacks one', (d) => (schemas(d).KnownEvent.oneOf = []), /KnownEvent has/],
  ],
  'clockproof/titles-make-classes': [
    [
      'a title that makes no class name',
      (d) => (schemas(d).BirdFedEvent.title = 'Bird fed (event)'),
      /Bird fed \(event\)/,
    ],
    ['an enumeration without a title', (d) => delete schemas(d).EventType.title, /needs a title/],
    [
      'two schemas with one title',
      (d) => (d.components.messages.Hello.payload.title = 'Bird fed event'),
      /has the title/,
    ],
  ],
  'rule/portable-keywords': [['a payload that breaks the profile', (d) => (schemas(d).BirdFedEvent.if = {})]],
};

const soundChanges = [
  ['a sound document', () => undefined],
  [
    'lists and samples',
    (d) => (d.info.description = 'Steps:\n1. look\n2. feed,\n   then wait\n\n- robins\n- wrens\n\n```\na\n7. b\n```\n'),
  ],
  ['a sound document of the web application', asWebApplication],
  ['a refusal that adds members to Problem by allOf', (d) => withLateProblem(d, 'invalid_request')],
];

/** What Redocly finds in each document, in their order. */
async function lint(documents, ...more) {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-lint-'));
  try {
    const files = documents.map((document, index) => {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(document));
      return file;
    });
    const { answer } = await redocly(['lint', ...files, '--config=redocly.yaml', '--format=json', ...more]);
    const reports = answer.split(/(?<=^\})(?=\{)/m).map((report) => JSON.parse(report).problems);
    assert.equal(reports.length, documents.length);
    return reports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const casesOf = (rules, make) =>
  Object.entries(rules).flatMap(([rule, changes]) =>
    changes.map(([title, change, word = /./]) => ({ rule, title, change, word, make })),
  );

describe('the rules of redocly.yaml', () => {
  const soundCases = [
    ...soundChanges.map(([title, change]) => ({ title, change, make: sound })),
    { title: 'a sound document of events', change: () => undefined, make: soundEvents },
  ];
  const brokenCases = [...casesOf(breaks, sound), ...casesOf(eventBreaks, soundEvents)];
  const reports = new Map();
  before(async () => {
    const cases = [...soundCases, ...brokenCases];
    const documents = cases.map(({ change, make }) => {
      const document = make();
      change(document);
      return document;
    });
    for (const [index, report] of (await lint(documents)).entries()) reports.set(cases[index], report);
  });
  for (const soundCase of soundCases)
    it(`find nothing in ${soundCase.title}`, () => assert.deepEqual(reports.get(soundCase), []));
  for (const item of brokenCases)
    it(`notice ${item.title}`, () => {
      const report = reports.get(item);
      assert.ok(
        report.some(({ ruleId, message }) => ruleId === item.rule && item.word.test(message)),
        JSON.stringify(report, null, 1),
      );
    });
  it('are each broken by at least one of these documents', () => {
    const { rules, oas3_1Rules, async3Rules } = read('redocly.yaml');
    const ownRules = Object.keys({ ...rules, ...oas3_1Rules, ...async3Rules }).filter((rule) => rule.includes('/'));
    const untriedRules = ownRules.filter((rule) => !(rule in breaks || rule in eventBreaks));
    assert.deepEqual(untriedRules, []);
  });
  it('notice an answer that would lack the headers of every answer', async () => {
    const [report] = await lint([sound()], '--skip-preprocessor=clockproof/headers-of-every-answer');
    for (const header of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'])
      assert.ok(
        report.some(({ ruleId, message }) => ruleId === 'response-contains-header' && message.includes(`"${header}"`)),
      );
  });
});

describe('what nothing uses', () => {
  it('is a shared piece without a reference between folders or within a file', () => {
    const files = new Map([
      ['openapi/paths/birds/bird.yaml', { get: { schema: { $ref: '../../schemas/bird.yaml#/Bird' } } }],
      ['openapi/schemas/bird.yaml', { Bird: { items: { $ref: '#/Egg' } }, Egg: {}, Feather: {} }],
      ['asyncapi/messages/fed.yaml', { payload: { $ref: '../../openapi/schemas/meal.yaml#/Meal/properties/seeds' } }],
      ['openapi/schemas/meal.yaml', { Meal: {} }],
    ]);
    assert.deepEqual(unusedPieces(files), ['openapi/schemas/bird.yaml#/Feather']);
  });
  it('is a code that no operation answers with', () => {
    const vocabulary = { errors: { invalid_request: {}, not_found: {}, method_not_allowed: {} } };
    assert.deepEqual(unusedCodes([sound()], vocabulary), ['not_found']);
  });
  it('is an operation that no page calls, and an excuse for one that a page calls', () => {
    const paths = {
      '/app/birds': { parameters: [], get: { operationId: 'listBirds' }, post: { operationId: 'addBird' } },
      '/app/changes': { get: { operationId: 'followChanges' } },
    };
    assert.deepEqual(uncalledOperations({ paths }, new Set(['GET /app/birds'])), ['addBird']);
    assert.deepEqual(
      uncalledOperations({ paths }, new Set(['GET /app/birds', 'POST /app/birds', 'GET /app/changes'])),
      ['followChanges'],
    );
  });
});
