// Every rule of ours is shown a document that keeps all of them and then one that breaks just this. Run: node --test
// openapi/tools/
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDiscriminators } from './discriminators.mjs';
import { eventTypesDocument, eventTypesOf } from './events.mjs';
import { judgeEvents, judgeOpenApi } from './judge.mjs';
import { derivedExamples, withErrorTables } from './problems.mjs';
import { withoutBanner } from './redocly.mjs';
import { everyCodeIsUsed } from './rules/errors.mjs';
import { everyPieceIsUsed } from './rules/pieces.mjs';
import { contractModule, operationsOf } from './typescript.mjs';

const vocabulary = {
  errors: {
    invalid_request: { status: 400, error: 'The form is wrong.', when: 'always' },
    not_found: { status: 404, error: 'Not there.', when: 'never' },
    rate_limited: { status: 429, error: 'Too many.', when: 'often' },
  },
  oauth: { invalid_grant: { status: 400, error: 'The grant is wrong.', when: 'used twice' } },
  scopes: {
    'read:birds': { title: 'Read', description: 'See birds.', link: true, write: false },
    'read:nests': { title: 'Nests', description: 'See nests.', link: false, write: false },
    'write:birds': { title: 'Write', description: 'Feed birds.', link: true, write: true },
  },
};

const problem = (code, error) => ({ summary: error, value: { error, code, request_id: 'req_12345678' } });
const requestId = {
  'X-Request-Id': { description: 'Names it.', schema: { type: 'string', maxLength: 64 }, example: 'req_12345678' },
};

/** What any request can meet, as far as the rules look at it. */
const common = () => {
  const answer = (...names) => ({
    description: 'No.',
    headers: {
      ...requestId,
      ...Object.fromEntries(names.map((name) => [name, { schema: { type: 'string', maxLength: 9 }, example: '1' }])),
    },
  });
  return {
    401: answer('WWW-Authenticate'),
    413: answer(),
    415: answer(),
    429: answer('Retry-After', 'RateLimit', 'RateLimit-Policy'),
    500: answer(),
    503: answer('Retry-After'),
  };
};

/** A document that keeps every rule. */
const sound = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Birds',
    version: '1.0.0',
    description: 'Birds.\n\n<!-- table of errors -->',
    license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  paths: {
    '/birds/{id}': {
      patch: {
        operationId: 'feedBird',
        tags: ['Birds'],
        summary: 'Feed a bird',
        description: 'Gives one bird something that it likes to eat, once.',
        security: [{ apiKey: [] }, { apiKeyHeader: [] }, { personalLink: ['write:birds'] }],
        'x-scope': 'write:birds',
        parameters: [{ $ref: '#/components/parameters/Id' }],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Meal' },
              example: { seeds: 3, on: '2026-02-28' },
            },
          },
        },
        responses: {
          ...common(),
          200: {
            description: 'Fed.',
            headers: requestId,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Bird' },
                example: { kind: 'robin', name: null },
              },
            },
          },
          400: {
            description: 'No.',
            headers: requestId,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Problem' },
                examples: { invalid_request: problem('invalid_request', 'The form is wrong.') },
              },
            },
          },
          429: {
            description: 'Wait.',
            headers: {
              ...requestId,
              ...Object.fromEntries(
                ['Retry-After', 'RateLimit', 'RateLimit-Policy'].map((name) => [
                  name,
                  { schema: { type: 'string', maxLength: 9 }, example: '1' },
                ]),
              ),
            },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Problem' },
                examples: { rate_limited: problem('rate_limited', 'Too many.') },
              },
            },
          },
        },
      },
    },
    '/oauth/token': {
      post: {
        operationId: 'exchangeToken',
        tags: ['Linking'],
        summary: 'Exchange a code',
        description: 'Gives tokens for a code that a person has granted.',
        security: [{ clientBasic: [] }],
        'x-scope': null,
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { $ref: '#/components/schemas/TokenForm' },
              example: { grant_type: 'authorization_code' },
            },
          },
        },
        responses: {
          ...common(),
          200: { description: 'Tokens.', headers: requestId },
          400: {
            description: 'No.',
            headers: requestId,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/OauthProblem' },
                examples: {
                  invalid_grant: {
                    value: { error: 'invalid_grant', error_description: 'The grant is wrong.', code: 'invalid_grant' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: {
      Id: {
        name: 'id',
        in: 'path',
        required: true,
        schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 9 },
        example: 4,
      },
    },
    schemas: {
      Meal: {
        type: 'object',
        additionalProperties: false,
        properties: {
          seeds: { type: 'integer', format: 'int32', minimum: 1, maximum: 99, examples: [3] },
          on: { type: 'string', format: 'date' },
        },
      },
      Bird: {
        oneOf: [{ $ref: '#/components/schemas/Robin' }, { $ref: '#/components/schemas/Wren' }],
        discriminator: { propertyName: 'kind' },
      },
      Robin: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string', const: 'robin' }, name: { type: ['string', 'null'], maxLength: 40 } },
      },
      Wren: {
        type: 'object',
        required: ['kind'],
        properties: {
          kind: { type: 'string', const: 'wren' },
          friends: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/Robin' } },
        },
      },
      TokenForm: { type: 'object', properties: { grant_type: { type: 'string', enum: ['authorization_code'] } } },
      Problem: { type: 'object', properties: { code: { type: 'string', pattern: '^[a-z_]{3,64}$' } } },
      OauthProblem: { type: 'object', properties: { code: { type: 'string', maxLength: 64 } } },
    },
    securitySchemes: {
      personalLink: {
        type: 'oauth2',
        flows: { authorizationCode: { scopes: { 'read:birds': 'See birds.', 'write:birds': 'Feed birds.' } } },
      },
    },
  },
});

const feed = (document) => document.paths['/birds/{id}'].patch;
const token = (document) => document.paths['/oauth/token'].post;
const meal = (document) => document.components.schemas.Meal.properties;
const refusal = (document) => feed(document).responses[400].content['application/json'];
const asWebApplication = (document) => {
  document.components.securitySchemes.session = {};
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path)) operation['x-role'] = 'signed_in';
};

/** What is broken, the rule that must notice, and a word of its message. */
const breaks = [
  [
    'an operationId that is not lowerCamelCase',
    (d) => (feed(d).operationId = 'Feed_Bird'),
    'operationsAreDescribed',
    /lowerCamelCase/,
  ],
  ['two tags', (d) => feed(d).tags.push('More'), 'operationsAreDescribed', /one tag/],
  ['no tags', (d) => delete feed(d).tags, 'operationsAreDescribed', /one tag/],
  ['no summary', (d) => (feed(d).summary = ' '), 'operationsAreDescribed', /summary/],
  ['a summary with a full stop', (d) => (feed(d).summary = 'Feeds it.'), 'operationsAreDescribed', /full stop/],
  ['no description', (d) => delete feed(d).description, 'operationsAreDescribed', /description/],
  [
    'no answer for a bad request',
    (d) => {
      for (const status of [400, 401, 413, 415, 429]) delete feed(d).responses[status];
    },
    'operationsAreDescribed',
    /4xx/,
  ],
  ['no answer for success', (d) => delete feed(d).responses[200], 'operationsAreDescribed', /success/],
  [
    'an answer without X-Request-Id',
    (d) => delete feed(d).responses[200].headers,
    'answersCarryTheirHeaders',
    /X-Request-Id/,
  ],
  [
    'a 429 without Retry-After',
    (d) => delete feed(d).responses[429].headers['Retry-After'],
    'answersCarryTheirHeaders',
    /Retry-After/,
  ],
  [
    'a 401 without WWW-Authenticate',
    (d) => (feed(d).responses[401] = { headers: requestId }),
    'answersCarryTheirHeaders',
    /WWW-Authenticate/,
  ],
  ...[400, 401, 413, 415, 429, 500, 503].map((status) => [
    `an operation without ${status}`,
    (d) => delete feed(d).responses[status],
    'commonRefusalsAreListed',
    new RegExp(`${status} is missing`),
  ]),
  ['a pattern beside a date', (d) => (meal(d).on.pattern = '^2'), 'textIsGenerable', /beside format: date/],
  [
    'a length beside an instant',
    (d) => Object.assign(meal(d).on, { format: 'date-time', maxLength: 24 }),
    'textIsGenerable',
    /beside format: date-time/,
  ],
  [
    'a quote in a pattern',
    (d) => (d.components.schemas.Problem.properties.code.pattern = '^"[a-z]{3,64}"$'),
    'textIsGenerable',
    /quotes/,
  ],
  [
    'a schema named by a keyword',
    (d) => (d.components.schemas.Break = { type: 'boolean', description: 'Rest.' }),
    'schemaNamesAreFree',
    /word of a language/,
  ],
  [
    'a schema with the name of a parameter',
    (d) => (d.components.schemas.Id = { type: 'boolean', description: 'Known.' }),
    'schemaNamesAreFree',
    /name of a parameter/,
  ],
  [
    'an instant that is not in UTC',
    (d) => {
      meal(d).on.format = 'date-time';
      feed(d).requestBody.content['application/json'].example.on = '2026-02-28T10:00:00+01:00';
    },
    'examplesAreValid',
    /date-time/,
  ],
  [
    'a request body open to unknown members',
    (d) => delete d.components.schemas.Meal.additionalProperties,
    'requestsAreClosed',
    /additionalProperties/,
  ],
  [
    'a request body without an example',
    (d) => delete feed(d).requestBody.content['application/json'].example,
    'bodiesHaveExamples',
    /without an example/,
  ],
  [
    'a response body without an example',
    (d) => delete feed(d).responses[200].content['application/json'].example,
    'bodiesHaveExamples',
    /without an example/,
  ],
  [
    'a form without an example',
    (d) => delete token(d).requestBody.content['application/x-www-form-urlencoded'].example,
    'bodiesHaveExamples',
    /without an example/,
  ],
  [
    'a parameter without an example',
    (d) => delete d.components.parameters.Id.example,
    'bodiesHaveExamples',
    /without an example/,
  ],
  [
    'an example with a day that does not exist',
    (d) => (feed(d).requestBody.content['application/json'].example.on = '2026-02-30'),
    'examplesAreValid',
    /format "date"/,
  ],
  [
    'an example with an unknown member',
    (d) => (feed(d).requestBody.content['application/json'].example.water = 1),
    'examplesAreValid',
    /additional properties/,
  ],
  [
    'an example that fits no variant',
    (d) => (feed(d).responses[200].content['application/json'].example.kind = 'owl'),
    'examplesAreValid',
    /does not fit/,
  ],
  [
    'a named example behind a reference that is wrong',
    (d) => {
      d.components.examples = { Many: { value: { seeds: 100 } } };
      feed(d).requestBody.content['application/json'] = {
        schema: { $ref: '#/components/schemas/Meal' },
        examples: { many: { $ref: '#/components/examples/Many' } },
      };
    },
    'examplesAreValid',
    /<= 99/,
  ],
  ['a schema whose own example is wrong', (d) => (meal(d).seeds.examples = [0]), 'examplesAreValid', />= 1/],
  [
    'a parameter whose example is wrong',
    (d) => (d.components.parameters.Id.example = '4'),
    'examplesAreValid',
    /integer/,
  ],
  [
    'a header whose example is wrong',
    (d) => (feed(d).responses[200].headers = { 'X-Request-Id': { ...requestId['X-Request-Id'], example: 7 } }),
    'examplesAreValid',
    /string/,
  ],
  [
    'a refusal named by no code',
    (d) => (refusal(d).examples = { nonsense: problem('nonsense', 'No.') }),
    'refusalsSpeakTheVocabulary',
    /no code/,
  ],
  [
    'a refusal whose body has another code',
    (d) => (refusal(d).examples.invalid_request.value.code = 'not_found'),
    'refusalsSpeakTheVocabulary',
    /has the code/,
  ],
  [
    'a refusal with another status than its code',
    (d) => (refusal(d).examples.not_found = problem('not_found', 'Not there.')),
    'refusalsSpeakTheVocabulary',
    /has the status 404/,
  ],
  [
    'a refusal with another sentence',
    (d) => (refusal(d).examples.invalid_request.value.error = 'Bad.'),
    'refusalsSpeakTheVocabulary',
    /sentence/,
  ],
  [
    'a refusal without named examples',
    (d) =>
      (feed(d).responses[400].content['application/json'] = {
        schema: refusal(d).schema,
        example: refusal(d).examples.invalid_request.value,
      }),
    'refusalsSpeakTheVocabulary',
    /named examples/,
  ],
  [
    'a refusal of another form',
    (d) => (refusal(d).schema = { $ref: '#/components/schemas/Robin' }),
    'refusalsSpeakTheVocabulary',
    /is a Problem/,
  ],
  [
    'an OAuth refusal with another sentence',
    (d) =>
      (token(d).responses[400].content['application/json'].examples.invalid_grant.value.error_description = 'Bad.'),
    'refusalsSpeakTheVocabulary',
    /sentence/,
  ],
  [
    'an OAuth refusal with another error',
    (d) => (token(d).responses[400].content['application/json'].examples.invalid_grant.value.error = 'invalid_client'),
    'refusalsSpeakTheVocabulary',
    /has the error/,
  ],
  ['security left to the document', (d) => delete feed(d).security, 'scopesAgreeWithSecurity', /security is missing/],
  ['no x-scope', (d) => delete feed(d)['x-scope'], 'scopesAgreeWithSecurity', /x-scope is missing/],
  ['an unknown permission', (d) => (feed(d)['x-scope'] = 'eat:birds'), 'scopesAgreeWithSecurity', /no permission/],
  [
    'a link that asks for another permission',
    (d) => (feed(d).security[2].personalLink = ['read:birds']),
    'scopesAgreeWithSecurity',
    /personalLink asks/,
  ],
  [
    'a link that asks for one where none is needed',
    (d) => (feed(d)['x-scope'] = null),
    'scopesAgreeWithSecurity',
    /x-scope is null/,
  ],
  [
    'a permission that no link can hold',
    (d) => {
      feed(d)['x-scope'] = 'read:nests';
      feed(d).security[2].personalLink = ['read:nests'];
    },
    'scopesAgreeWithSecurity',
    /cannot be granted/,
  ],
  [
    'a permission without the key header',
    (d) => feed(d).security.splice(1, 1),
    'scopesAgreeWithSecurity',
    /apiKeyHeader/,
  ],
  [
    'a flow that misses a permission',
    (d) => delete d.components.securitySchemes.personalLink.flows.authorizationCode.scopes['read:birds'],
    'scopesAgreeWithSecurity',
    /a link can hold/,
  ],
  [
    'a flow with another text',
    (d) => (d.components.securitySchemes.personalLink.flows.authorizationCode.scopes['read:birds'] = 'Eat birds.'),
    'scopesAgreeWithSecurity',
    /scopes\.yaml/,
  ],
  [
    'an operation of the web application without a role',
    (d) => {
      asWebApplication(d);
      delete feed(d)['x-role'];
    },
    'scopesAgreeWithSecurity',
    /x-role is one of/,
  ],
  [
    'an operation for anyone that asks for a session',
    (d) => {
      asWebApplication(d);
      feed(d)['x-role'] = 'anyone';
    },
    'scopesAgreeWithSecurity',
    /anyone goes with/,
  ],
  ['a schema named Error', (d) => (d.components.schemas.Error = { type: 'object' }), 'documentIsPortable', /not Error/],
  [
    'a schema in another case',
    (d) => (d.components.schemas.robin_red = { type: 'object' }),
    'documentIsPortable',
    /PascalCase/,
  ],
  ['another version of OpenAPI', (d) => (d.openapi = '3.1.1'), 'documentIsPortable', /3\.1\.0/],
  [
    'jsonSchemaDialect',
    (d) => (d.jsonSchemaDialect = 'https://json-schema.org/draft/2020-12/schema'),
    'documentIsPortable',
    /jsonSchemaDialect/,
  ],
  ['webhooks', (d) => (d.webhooks = {}), 'documentIsPortable', /AsyncAPI/],
  ['info.summary', (d) => (d.info.summary = 'Birds'), 'documentIsPortable', /info\.summary/],
  ['license.identifier', (d) => (d.info.license.identifier = 'Apache-2.0'), 'documentIsPortable', /identifier/],
  ['components.pathItems', (d) => (d.components.pathItems = {}), 'documentIsPortable', /path items/],
  [
    'a form with variants',
    (d) => (d.components.schemas.TokenForm = { oneOf: [{ type: 'object' }] }),
    'documentIsPortable',
    /flat/,
  ],
  [
    'a parameter reference with a sibling',
    (d) => (feed(d).parameters[0].description = 'The bird.'),
    'documentIsPortable',
    /beside \$ref/,
  ],
  [
    'a schema reference with a sibling',
    (d) => (d.components.schemas.Wren.properties.friends.items.description = 'A friend.'),
    'schemasArePortable',
    /beside \$ref/,
  ],
  [
    'null in an enum',
    (d) => (meal(d).on = { type: ['string', 'null'], enum: ['now', null] }),
    'schemasArePortable',
    /null in an enum/,
  ],
  [
    'an inline oneOf in a body',
    (d) =>
      (feed(d).responses[200].content['application/json'].schema = { oneOf: [{ $ref: '#/components/schemas/Robin' }] }),
    'schemasArePortable',
    /oneOf only at the root/,
  ],
  [
    'an inline allOf in a member',
    (d) => (meal(d).on = { allOf: [{ type: 'string', maxLength: 3 }] }),
    'schemasArePortable',
    /allOf only at the root/,
  ],
  [
    'an inline anyOf in a member',
    (d) => (meal(d).on = { anyOf: [{ type: 'string', maxLength: 3 }] }),
    'schemasArePortable',
    /anyOf only at the root/,
  ],
  [
    'null as a variant',
    (d) => d.components.schemas.Bird.oneOf.push({ type: 'null' }),
    'schemasArePortable',
    /'null'\]/,
  ],
  [
    'a list of types',
    (d) => (meal(d).on = { type: ['string', 'integer'], maxLength: 3 }),
    'schemasArePortable',
    /list of types/,
  ],
  [
    'a const without a type',
    (d) => delete d.components.schemas.Robin.properties.kind.type,
    'schemasArePortable',
    /const/,
  ],
  [
    'a variant that may lack the discriminator',
    (d) => delete d.components.schemas.Wren.required,
    'schemasArePortable',
    /discriminator/,
  ],
  ['a numeric exclusiveMinimum', (d) => (meal(d).seeds.exclusiveMinimum = 0), 'schemasArePortable', /exclusiveMinimum/],
  ...[
    'if',
    'then',
    'dependentRequired',
    'contentEncoding',
    'patternProperties',
    'prefixItems',
    'unevaluatedProperties',
    '$defs',
  ].map((keyword) => [
    `the keyword ${keyword}`,
    (d) => (d.components.schemas.Robin[keyword] = keyword === 'prefixItems' ? [] : {}),
    'schemasArePortable',
    new RegExp(keyword.replace('$', '\\$')),
  ]),
  ['a string without an end', (d) => (meal(d).on = { type: 'string' }), 'valuesAreBounded', /maxLength/],
  [
    'a string with an open pattern',
    (d) => (meal(d).on = { type: 'string', pattern: '^[a-z]+$' }),
    'valuesAreBounded',
    /anchored pattern/,
  ],
  [
    'a list without an end',
    (d) => delete d.components.schemas.Wren.properties.friends.maxItems,
    'valuesAreBounded',
    /maxItems/,
  ],
  ['a number without a bound', (d) => delete meal(d).seeds.maximum, 'valuesAreBounded', /maximum/],
  ['a number without a format', (d) => delete meal(d).seeds.format, 'valuesAreBounded', /format/],
  [
    'a short text in a request that is no name',
    (d) => (meal(d).cook = { type: 'string', maxLength: 40 }),
    'textsAreNamesOrNotes',
    /format: name/,
  ],
  [
    'a long text in a request that is no note',
    (d) => (meal(d).remark = { type: 'string', maxLength: 1_000 }),
    'textsAreNamesOrNotes',
    /format: note/,
  ],
  [
    'a list of event types that knows another event than the union',
    (d) => {
      d.components.schemas.EventType = { type: 'string', enum: ['bird.seen'] };
      d.components.schemas.KnownEvent = { oneOf: [] };
    },
    'eventTypesAgree',
    /bird\.seen/,
  ],
  ...['Until the end of\n2199. Then no more.', '2199. Then no more.', 'Robins\n- and wrens'].map((text) => [
    `a paragraph that is cut: ${JSON.stringify(text)}`,
    (d) => (meal(d).seeds.description = text),
    'paragraphsStayWhole',
    /is cut before/,
  ]),
];

describe('our rules for OpenAPI documents', () => {
  it('find nothing in a sound document', () => assert.deepEqual(judgeOpenApi(sound(), vocabulary), []));
  it('find nothing in lists and samples', () => {
    const document = sound();
    document.info.description +=
      '\n\nSteps:\n1. look\n2. feed,\n   then wait\n\n- robins\n- wrens\n\n```\na\n7. b\n```\n';
    assert.deepEqual(judgeOpenApi(document, vocabulary), []);
  });
  it('find nothing in a sound document of the web application', () => {
    const document = sound();
    asWebApplication(document);
    assert.deepEqual(judgeOpenApi(document, vocabulary), []);
  });
  for (const [title, spoil, rule, message] of breaks)
    it(`notice ${title}`, () => {
      const document = structuredClone(sound());
      spoil(document);
      const found = judgeOpenApi(document, vocabulary);
      assert.ok(
        found.some((finding) => finding.rule === rule && message.test(finding.message)),
        JSON.stringify(found, null, 1),
      );
    });
  it('name every rule in at least one of these cases', () => {
    const rules = [
      'operationsAreDescribed',
      'answersCarryTheirHeaders',
      'commonRefusalsAreListed',
      'requestsAreClosed',
      'bodiesHaveExamples',
      'examplesAreValid',
      'refusalsSpeakTheVocabulary',
      'scopesAgreeWithSecurity',
      'documentIsPortable',
      'schemaNamesAreFree',
      'schemasArePortable',
      'textIsGenerable',
      'valuesAreBounded',
      'textsAreNamesOrNotes',
      'paragraphsStayWhole',
      'eventTypesAgree',
    ];
    assert.deepEqual([...new Set(breaks.map(([, , rule]) => rule))].sort(), rules.sort());
  });
  it('notice a shared piece that nothing refers to, and follow references between folders and within a file', () => {
    const files = new Map([
      ['openapi/paths/birds/bird.yaml', { get: { schema: { $ref: '../../schemas/bird.yaml#/Bird' } } }],
      ['openapi/schemas/bird.yaml', { Bird: { items: { $ref: '#/Egg' } }, Egg: {}, Feather: {} }],
      ['asyncapi/messages/fed.yaml', { payload: { $ref: '../../openapi/schemas/meal.yaml#/Meal/properties/seeds' } }],
      ['openapi/schemas/meal.yaml', { Meal: {} }],
    ]);
    assert.deepEqual(
      [...everyPieceIsUsed(files, (path) => path.includes('/schemas/'))].map(({ at }) => at),
      ['openapi/schemas/bird.yaml#/Feather'],
    );
  });
  it('notice a code that nothing answers with', () => {
    assert.deepEqual(
      [...everyCodeIsUsed([sound()], vocabulary)].map(({ at }) => at),
      ['errors.yaml/not_found'],
    );
  });
});

const soundEvents = () => ({
  asyncapi: '3.0.0',
  info: { title: 'Birds', version: '1.0.0' },
  components: {
    messages: {
      BirdFed: {
        name: 'bird.fed',
        payload: { $ref: '#/components/schemas/BirdFedEvent' },
        examples: [{ payload: { type: 'bird.fed', sequence: 1, at: '2026-11-23T06:58:40Z' } }],
      },
      Hello: {
        name: 'hello',
        payload: {
          type: 'object',
          title: 'Hello message',
          properties: { type: { type: 'string', const: 'hello' } },
        },
        examples: [{ payload: { type: 'hello' } }],
      },
    },
    schemas: {
      EventType: { type: 'string', title: 'Event type', enum: ['bird.fed'] },
      KnownEvent: { title: 'Known event', oneOf: [{ $ref: '#/components/schemas/BirdFedEvent' }] },
      BirdFedEvent: {
        type: 'object',
        title: 'Bird fed event',
        required: ['type', 'sequence', 'at'],
        properties: {
          type: { type: 'string', const: 'bird.fed' },
          sequence: { type: 'integer', format: 'int64', minimum: 1, maximum: 99 },
          at: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
});

describe('a refusal with further members', () => {
  const extended = (code) => {
    const document = sound();
    document.components.schemas.LateProblem = {
      allOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/Robin' }],
    };
    refusal(document).schema = { $ref: '#/components/schemas/LateProblem' };
    refusal(document).examples = { [code]: problem(code, 'The form is wrong.') };
    refusal(document).examples[code].value.kind = 'robin';
    return judgeOpenApi(document, vocabulary);
  };
  it('may add them to Problem by allOf', () => assert.deepEqual(extended('invalid_request'), []));
  it('is held against the vocabulary all the same', () =>
    assert.ok(extended('nonsense').some(({ rule }) => rule === 'refusalsSpeakTheVocabulary')));
});

describe('our rules for AsyncAPI documents', () => {
  const fed = (document) => document.components.messages.BirdFed;
  const cases = [
    ['a message without an example', (d) => delete fed(d).examples, 'messageExamplesAreValid', /without an example/],
    ['an example without a payload', (d) => delete fed(d).examples[0].payload, 'messageExamplesAreValid', /no payload/],
    [
      'an example with an impossible instant',
      (d) => (fed(d).examples[0].payload.at = 'yesterday'),
      'messageExamplesAreValid',
      /date-time/,
    ],
    [
      'an example that misses a member',
      (d) => delete fed(d).examples[0].payload.sequence,
      'messageExamplesAreValid',
      /sequence/,
    ],
    ['a message not named by its type', (d) => (fed(d).name = 'birdFed'), 'eventsAreNamedByTheirType', /bird\.fed/],
    [
      'two messages of one type',
      (d) => (d.components.messages.Again = fed(d)),
      'eventsAreNamedByTheirType',
      /two messages/,
    ],
    [
      'a list of types that lacks the type of an event',
      (d) => (d.components.schemas.EventType.enum = ['bird.seen']),
      'eventTypesAgree',
      /other types/,
    ],
    [
      'a union of events that lacks one',
      (d) => (d.components.schemas.KnownEvent.oneOf = []),
      'eventTypesAgree',
      /other types/,
    ],
    [
      'a title that makes no class name',
      (d) => (d.components.schemas.BirdFedEvent.title = 'Bird fed (event)'),
      'titlesMakeClassNames',
      /Bird fed \(event\)/,
    ],
    [
      'an enumeration without a title',
      (d) => delete d.components.schemas.EventType.title,
      'titlesMakeClassNames',
      /needs a title/,
    ],
    [
      'two schemas with one title',
      (d) => (d.components.messages.Hello.payload.title = 'Bird fed event'),
      'titlesMakeClassNames',
      /has the title/,
    ],
    [
      'a payload that breaks the profile',
      (d) => (d.components.schemas.BirdFedEvent.if = {}),
      'schemasArePortable',
      /if/,
    ],
  ];
  it('find nothing in a sound document', () => assert.deepEqual(judgeEvents(soundEvents()), []));
  for (const [title, spoil, rule, message] of cases)
    it(`notice ${title}`, () => {
      const document = structuredClone(soundEvents());
      spoil(document);
      const found = judgeEvents(document);
      assert.ok(
        found.some((finding) => finding.rule === rule && message.test(finding.message)),
        JSON.stringify(found, null, 1),
      );
    });
});

describe('the generator', () => {
  it('derives the table of a union whose variants name themselves by one word', () => {
    const variant = (word) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string', const: word } },
    });
    const union = { oneOf: [{ $ref: '#/components/schemas/Robin' }, { $ref: '#/components/schemas/Wren' }] };
    const schemas = { Bird: union, Robin: variant('robin'), Wren: variant('wren') };
    const birdOf = (more) =>
      withDiscriminators({ components: { schemas: { ...schemas, ...more } } }).components.schemas.Bird;
    assert.deepEqual(birdOf({}).discriminator, {
      propertyName: 'kind',
      mapping: { robin: '#/components/schemas/Robin', wren: '#/components/schemas/Wren' },
    });
    assert.equal(birdOf({ Wren: variant('robin') }).discriminator, undefined);
    assert.equal(birdOf({ Wren: { ...variant('wren'), required: [] } }).discriminator, undefined);
  });
  it('takes event types only from messages that carry a sequence', () =>
    assert.deepEqual(eventTypesOf(soundEvents()), ['bird.fed']));
  it('makes a schema of every payload', () =>
    assert.deepEqual(Object.keys(eventTypesDocument(soundEvents()).components.schemas), [
      'EventType',
      'KnownEvent',
      'BirdFedEvent',
      'BirdFed',
      'Hello',
    ]));
  it('lists operations with method, path, permission and security', () => {
    assert.deepEqual(operationsOf(sound())[0], {
      id: 'feedBird',
      method: 'patch',
      path: '/birds/{id}',
      scope: 'write:birds',
      security: [['apiKey'], ['apiKeyHeader'], ['personalLink']],
    });
  });
  it('tells write and link permissions apart in the table', () => {
    const source = contractModule({ ...vocabulary, eventTypes: ['bird.fed'], document: sound() });
    assert.match(source, /linkScopes = \["read:birds","write:birds"\]/);
    assert.match(source, /writeScopes = \["write:birds"\]/);
    assert.match(source, /eventTypes = \["bird\.fed"\]/);
  });
  it('puts into the introduction the codes that the operations use, by status', () => {
    const { info, 'x-errors': table } = withErrorTables(sound(), {
      ...vocabulary,
      errors: { ...vocabulary.errors, method_not_allowed: { status: 405, error: 'Not so.', when: 'wrong method' } },
    });
    assert.deepEqual(Object.keys(table), ['invalid_request', 'rate_limited', 'method_not_allowed']);
    assert.match(
      info.description,
      /\| 400 \| `invalid_request` \| The form is wrong\. \| always \|\n\| 405 [^\n]*\n\| 429 /,
    );
  });
  it('gives an example of a refusal its further members', () => {
    const [[, content]] = derivedExamples({
      errors: { taken: { status: 409, error: 'Taken.', when: 'so', extra: { id: 7 } } },
      oauth: {},
    });
    assert.match(
      content,
      /taken:\n {2}summary: Taken\.\n {2}value:\n {4}error: Taken\.\n {4}code: taken\n {4}request_id: req_\w+\n {4}id: 7\n/,
    );
  });
  it("takes Redocly's banner out and leaves the rest", () => {
    assert.equal(withoutBanner('\n    ╔═══╗\n    ║ x ║\n    ║   ║\n    ╚═══╝\n\nall is well\n'), 'all is well\n');
  });
});
