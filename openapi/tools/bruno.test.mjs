import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brunoCollection } from './bruno.mjs';

const key = { security: [{ apiKey: [] }], tags: ['Things'], description: 'Says what it does.' };
const answer = (status) => ({ [status]: { description: 'x' }, 400: { description: 'x' } });
const service = {
  paths: {
    '/things/{id}': {
      delete: { ...key, operationId: 'deleteThing', summary: 'Delete a thing', responses: answer(204) },
      get: {
        ...key,
        operationId: 'showThing',
        summary: 'Show a thing',
        parameters: [{ $ref: '#/components/parameters/Id' }, { name: 'limit', in: 'query', example: 100 }],
        responses: answer(200),
      },
    },
    '/things': {
      post: {
        ...key,
        operationId: 'createThing',
        summary: 'Make a thing, or two',
        requestBody: { content: { 'application/json': { example: { user_id: 7, name: 'Box' } } } },
        responses: { ...answer(200), ...answer(201) },
      },
    },
    '/terminal/status': {
      get: { ...key, operationId: 'getTerminalStatus', summary: 'Signed', responses: answer(200) },
    },
    '/me': {
      get: { ...key, operationId: 'getMe', summary: 'Me', security: [{ personalLink: [] }], responses: answer(200) },
    },
  },
  components: { parameters: { Id: { name: 'id', in: 'path', required: true, example: 7 } } },
};
const files = brunoCollection({ service, indexer: { paths: {} } });

test('each operation is a request, the one that deletes last, without those that Bruno cannot make', () => {
  const sequence = (name) => /seq: (\d+)/.exec(files.get(`Things/${name}.bru`))?.[1];
  assert.deepEqual(['Show a thing', 'Make a thing or two', 'Me', 'Delete a thing', 'Signed'].map(sequence), [
    '1',
    '2',
    '3',
    '4',
    undefined,
  ]);
});

test('a request has its address, the body of the example, optional parameters switched off, and what is expected', () => {
  const show = files.get('Things/Show a thing.bru');
  assert.match(show, /url: \{\{baseUrl\}\}\/things\/:id\n {2}body: none\n {2}auth: inherit\n/);
  assert.match(show, /params:query \{\n {2}~limit: 100\n\}/);
  assert.match(show, /params:path \{\n {2}id: \{\{absenceId\}\}\n\}/);
  assert.match(show, /res\.status: eq 200/);
  const make = files.get('Things/Make a thing or two.bru');
  assert.match(make, /body:json \{\n {2}\{\n {4}"user_id": \{\{userId\}\},\n {4}"name": "Box"\n {2}\}\n\}/);
  assert.match(make, /res\.status: in 200, 201/);
});

test('what a person has to allow is marked, and authenticates by OAuth', () => {
  assert.match(files.get('Things/Me.bru'), /tags: \[\n {4}link\n {2}\]/);
  assert.match(files.get('Things/Me.bru'), /auth:oauth2 \{\n {2}grant_type: authorization_code/);
});
