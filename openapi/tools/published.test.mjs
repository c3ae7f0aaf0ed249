import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPublished } from './published.mjs';

const document = {
  paths: {
    '/one': {
      get: {
        operationId: 'one',
        responses: { 404: { $ref: '#/components/responses/Lost' }, 200: { description: 'x' } },
      },
      parameters: [{ $ref: '#/components/parameters/Id' }],
    },
  },
  components: {
    securitySchemes: { key: { type: 'http' } },
    parameters: { Id: { name: 'id' }, Unused: { name: 'other' } },
    responses: { Lost: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } } },
    schemas: {
      Problem: { discriminator: { mapping: { a: '#/components/schemas/Variant' } } },
      Variant: { properties: { again: { $ref: '#/components/schemas/Variant' } } },
      Unused: { type: 'string' },
    },
  },
};

test('each operation has its answers, and what it needs of the components', () => {
  const { paths, components } = asPublished(document);
  assert.deepEqual(paths['/one'].get.responses, { 404: document.components.responses.Lost, 200: { description: 'x' } });
  assert.deepEqual(paths['/one'].parameters, document.paths['/one'].parameters);
  assert.deepEqual(Object.keys(components.schemas), ['Problem', 'Variant']);
  assert.deepEqual(Object.keys(components.parameters), ['Id']);
  assert.equal(components.responses, undefined);
  assert.deepEqual(components.securitySchemes, document.components.securitySchemes);
});
