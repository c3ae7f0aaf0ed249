// What the generator derives, on small documents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDiscriminators } from './discriminators.mjs';
import { withEdgeHeaders } from './edge-headers.mjs';
import { eventTypesDocument, eventTypesOf } from './events.mjs';
import { derivedExamples, withErrorTables } from './problems.mjs';
import { withoutBanner } from './redocly.mjs';
import { contractModule, operationsOf } from './typescript.mjs';

const vocabulary = {
  errors: {
    invalid_request: { status: 400, error: 'The form is wrong.', when: 'always' },
    not_found: { status: 404, error: 'Not there.', when: 'never' },
    rate_limited: { status: 429, error: 'Too many.', when: 'often' },
  },
  oauth: {},
  scopes: {
    'read:birds': { title: 'Read', description: 'See birds.', link: true, write: false },
    'read:nests': { title: 'Nests', description: 'See nests.', link: false, write: false },
    'write:birds': { title: 'Write', description: 'Feed birds.', link: true, write: true },
  },
};
const refusal = (code) => ({ content: { 'application/json': { examples: { [code]: {} } } } });
const birds = {
  openapi: '3.1.0',
  info: { title: 'Birds', description: 'Birds.\n\n<!-- table of errors -->' },
  paths: {
    '/birds/{id}': {
      patch: {
        operationId: 'feedBird',
        security: [{ apiKey: [] }, { apiKeyHeader: [] }, { personalLink: ['write:birds'] }],
        'x-scope': 'write:birds',
        responses: { 101: {}, 200: {}, 400: refusal('invalid_request'), 429: { $ref: '#/components/responses/Wait' } },
      },
    },
  },
  components: { responses: { Wait: { ...refusal('rate_limited'), headers: { RateLimit: { example: '1' } } } } },
};

const message = (type, more) => ({
  payload: { type: 'object', properties: { type: { type: 'string', const: type }, ...more } },
});
const events = {
  info: { title: 'Birds', version: '1.0.0' },
  components: {
    messages: { BirdFed: message('bird.fed', { sequence: { type: 'integer' } }), Hello: message('hello') },
    schemas: { KnownEvent: {} },
  },
};

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
  it('puts the headers of every answer on each response but an upgrade', () => {
    const { paths, components } = withEdgeHeaders(birds);
    const { 101: upgrade, 200: success, 400: refusal } = paths['/birds/{id}'].patch.responses;
    assert.equal(upgrade.headers, undefined);
    for (const { headers } of [success, refusal, components.responses.Wait])
      for (const name of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']) assert.ok(name in headers, name);
    assert.deepEqual(components.responses.Wait.headers.RateLimit, { example: '1' });
    assert.ok(components.headers.RequestId.schema);
  });
  it('takes event types only from messages that carry a sequence', () =>
    assert.deepEqual(eventTypesOf(events), ['bird.fed']));
  it('makes a schema of every payload', () =>
    assert.deepEqual(Object.keys(eventTypesDocument(events).components.schemas), ['KnownEvent', 'BirdFed', 'Hello']));
  it('lists operations with method, path, permission and security', () => {
    assert.deepEqual(operationsOf(birds), [
      {
        id: 'feedBird',
        method: 'patch',
        path: '/birds/{id}',
        scope: 'write:birds',
        security: [['apiKey'], ['apiKeyHeader'], ['personalLink']],
      },
    ]);
  });
  it('tells write and link permissions apart in the table', () => {
    const source = contractModule({ ...vocabulary, eventTypes: ['bird.fed'], document: birds });
    assert.match(source, /linkScopes = \["read:birds","write:birds"\]/);
    assert.match(source, /writeScopes = \["write:birds"\]/);
    assert.match(source, /eventTypes = \["bird\.fed"\]/);
  });
  it('puts into the introduction the codes that the operations use, by status', () => {
    const { info, 'x-errors': table } = withErrorTables(birds, {
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
