// A later document with every kind of addition has no finding; one that takes back has a finding for each change.
// Both are compared once: the comparison is a process of Redocly's.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withdrawals } from './released.mjs';

const text = { type: 'string', maxLength: 20 };
const json = (schema) => ({ 'application/json': { schema } });
const refusal = (...codes) => ({
  description: 'No.',
  content: {
    'application/json': {
      schema: { type: 'object' },
      examples: Object.fromEntries(codes.map((code) => [code, { value: { code } }])),
    },
  },
});
const variant = (type) => ({
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', const: type } },
});
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

const released = {
  openapi: '3.1.0',
  info: { title: 'Birds', version: '1.0.0' },
  components: {
    schemas: {
      Bird: {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'integer' }, name: text, mood: { ...text, 'x-extensible-enum': ['calm', 'shy'] } },
      },
      Feeding: {
        type: 'object',
        additionalProperties: false,
        required: ['grams'],
        properties: {
          grams: { type: 'integer', maximum: 50 },
          food: { type: 'string', enum: ['seed', 'worm'], default: 'seed' },
          default: text,
          note: text,
        },
      },
      Nest: { type: 'object', properties: { nest: text } },
      NestingBird: { allOf: [ref('Bird'), ref('Nest')] },
      Sung: variant('sung'),
      Flown: variant('flown'),
      KnownEvent: { oneOf: [ref('Sung'), ref('Flown')] },
      OtherEvent: { type: 'object' },
      Event: { anyOf: [ref('KnownEvent'), ref('OtherEvent')] },
    },
  },
  paths: {
    '/birds': {
      get: {
        operationId: 'listBirds',
        'x-scope': 'read:birds',
        parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer', maximum: 100 } }],
        responses: {
          200: {
            description: 'Birds.',
            headers: { ETag: { schema: text } },
            content: json({ type: 'array', items: ref('Bird') }),
          },
          400: refusal('invalid_request', 'invalid_cursor'),
        },
      },
      post: {
        operationId: 'feedBirds',
        'x-scope': null,
        requestBody: { required: true, content: json(ref('Feeding')) },
        responses: { 200: { description: 'Fed.', content: json(ref('Bird')) }, 409: refusal('full') },
      },
      delete: { operationId: 'chaseBirds', 'x-scope': 'write:birds', responses: { 204: { description: 'Gone.' } } },
    },
    '/events': {
      get: {
        operationId: 'listEvents',
        'x-scope': null,
        responses: { 200: { description: 'Events.', content: json(ref('Event')) } },
      },
      post: {
        operationId: 'nest',
        'x-scope': 'write:nests',
        'x-own-scope': 'write:birds',
        responses: { 200: { description: 'The bird.', content: json(ref('NestingBird')) } },
      },
    },
  },
};

const changeReleased = (change) => {
  const document = structuredClone(released);
  change(document.paths, document.components.schemas);
  return document;
};

describe('A document that only adds to the released one', () => {
  it('has no finding', async () => {
    const nextVersion = changeReleased((paths, { Bird, Feeding, KnownEvent, ...schemas }) => {
      paths['/nests'] = { get: { ...structuredClone(paths['/birds'].get), operationId: 'listNests' } };
      paths['/birds'].get.parameters.push({ in: 'query', name: 'colour', schema: text });
      paths['/birds'].get.responses[200].headers.Age = { schema: text };
      paths['/birds'].get.responses[410] = refusal('gone');
      paths['/birds'].post.responses[409] = refusal('full', 'asleep');
      paths['/birds'].delete['x-scope'] = null;
      Bird.properties.weight = { type: 'integer' };
      Bird.required.push('weight');
      Bird.properties.mood['x-extensible-enum'].push('hungry');
      Feeding.properties.at = text;
      Feeding.properties.grams.maximum = 80;
      Feeding.properties.food.enum.push('nut');
      schemas.Hatched = variant('hatched');
      KnownEvent.oneOf.push({ ...variant('hatched') });
      paths['/birds'].post.responses[200].content = json(ref('NestingBird'));
    });
    assert.deepEqual(await withdrawals(released, nextVersion), []);
  });
});

describe('A document that takes back what was released', () => {
  const findings = withdrawals(
    released,
    changeReleased((paths, { Bird, Feeding, Nest, KnownEvent }) => {
      delete Nest.properties.nest;
      delete paths['/birds'].delete;
      paths['/birds'].get.parameters = [{ in: 'query', name: 'colour', required: true, schema: text }];
      paths['/birds'].get['x-scope'] = 'read:nests';
      paths['/birds'].get.responses[400] = refusal('invalid_request');
      delete paths['/birds'].get.responses[200].headers.ETag;
      delete paths['/events'].post['x-own-scope'];
      delete paths['/birds'].post.responses[409];
      paths['/birds'].post['x-scope'] = 'write:birds';
      delete Bird.properties.id;
      Bird.required = [];
      Bird.properties.name = { type: ['string', 'null'], maxLength: 20 };
      Bird.properties.mood['x-extensible-enum'] = ['calm'];
      Feeding.properties.grams.maximum = 40;
      Feeding.properties.food.enum = ['seed'];
      Feeding.properties.food.default = 'worm';
      delete Feeding.properties.note;
      Feeding.properties.at = text;
      Feeding.required.push('at');
      KnownEvent.oneOf.pop();
    }),
  );

  for (const [description, rule, place] of [
    ['an operation', 'operation-removed', '~1birds/delete'],
    ['a parameter', 'parameter-removed', '/parameters/'],
    ['a request without a new parameter', 'parameter-became-required', '/parameters/'],
    ['a permission that sufficed', 'permission-changed', '~1birds/get'],
    ['a request without a permission', 'permission-changed', '~1birds/post'],
    ['a permission for own records', 'permission-changed', '~1events/post'],
    ['the code of a refusal', 'code-removed', '~1birds/get/responses/400'],
    ['a response', 'response-removed', '~1birds/post/responses/409'],
    ['a header', 'response-header-removed', 'ETag'],
    ['a member of a response', 'property-removed', '/properties/id'],
    ['that a member is always present', 'required-properties-removed', 'schema'],
    ['that a member is never null', 'schema-type-changed', '/properties/name'],
    ['a documented value', 'value-removed', '/Bird/properties/mood'],
    ['the range of a number in requests', 'schema-constraint-changed', '/properties/grams'],
    ['a value of an enum in requests', 'enum-values-removed', '/properties/food'],
    ['what counts where a request says nothing', 'default-changed', '/Feeding/properties/food'],
    ['a member of requests', 'property-removed', '/properties/note'],
    ['requests without a new member', 'required-properties-added', 'requestBody'],
    ['an event', 'variant-removed', '/oneOf/1'],
    ['a member behind allOf', 'property-removed', '/properties/nest'],
  ])
    it(`is noticed: ${description}`, async () => {
      const reported = await findings;
      assert.ok(
        reported.some((finding) => finding.rule === rule && finding.at.includes(place)),
        `${rule} at ${place} is not among ${JSON.stringify(reported, null, 2)}`,
      );
    });
});
