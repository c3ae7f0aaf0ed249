import { describe, expect, it } from '@jest/globals';
import { Contract } from '../kit/contract.js';
import { junit } from '../report/write.js';

const document = {
  openapi: '3.1.0',
  'x-errors': { not_found: { status: 404 } },
  paths: {
    '/api/v1/things/{id}': {
      get: {
        operationId: 'getThing',
        responses: {
          '200': {
            headers: { 'X-Request-Id': { required: true, schema: { type: 'string', minLength: 4 } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          '404': { content: { 'application/json': { schema: { type: 'object' }, examples: { not_found: {} } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Base: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      Thing: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { properties: { tags: { type: 'array', items: { $ref: '#/components/schemas/Base' } } } },
        ],
      },
    },
  },
};
const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1234' };

function findings(status: number, body: unknown, more: Record<string, string> = {}): string[] {
  const contract = new Contract(document, { paths: {} });
  const operation = contract.operationAt('service', 'GET', '/api/v1/things/7?x=1')!;
  contract.judge(operation, { status, headers: { ...headers, ...more }, text: JSON.stringify(body) });
  return contract.findings.map(({ kind, what }) => `${kind}: ${what}`);
}

describe('the contract check of an answer', () => {
  it('an answer that matches the documents has no finding', () => {
    expect(findings(200, { id: 1, tags: [{ id: 2 }] })).toEqual([]);
  });
  it('an answer has a finding for a status, a deep member, a type, a header and a media type', () => {
    expect(findings(418, {})).toEqual(['status: status 418 is not documented']);
    expect(findings(200, { id: 1, tags: [{ id: 2, colour: 'red' }] })).toEqual([
      'member: /tags/0/colour is not documented',
    ]);
    expect(findings(200, { id: '1' })).toEqual(['body: /id must be integer']);
    expect(findings(200, { id: 1 }, { 'x-powered-by': 'x' })).toEqual([
      'header: the header x-powered-by is not documented',
    ]);
    expect(findings(200, { id: 1 }, { 'x-request-id': 'r' })[0]).toMatch(/^header: X-Request-Id/);
    expect(findings(200, { id: 1 }, { 'content-type': 'text/html' })).toEqual([
      'media: the media type text/html is not documented',
    ]);
  });
  it('an answer has a finding for an undocumented code, and for a code with another status', () => {
    expect(findings(404, { code: 'not_found' }, { 'x-request-id': 'req_1' })).toEqual([
      'header: the header x-request-id is not documented',
    ]);
    expect(findings(404, { code: 'gone' }).at(-1)).toBe('code: the code gone is not documented with 404');
  });
});

describe('the JUnit report', () => {
  it('the JUnit report is XML for any answer of a deployment', () => {
    const result = {
      id: 'A-1',
      suite: 'time',
      level: 'must',
      says: 'x < y',
      outcome: 'failed',
      message: '"\u0000<&',
      milliseconds: 5,
    } as const;
    const coverage = {
      operations: 0,
      operationsCalled: 0,
      statuses: 0,
      statusesProvoked: 0,
      missing: [],
      codes: 0,
      codesProvoked: 0,
      codesMissing: [],
      answers: 0,
    };
    const report = {
      service: '',
      indexer: '',
      version: '',
      kit: '1.2.0',
      documents: [],
      seed: 1,
      startedAt: '',
      milliseconds: 1,
      results: [result],
      findings: [],
      coverage,
      notRemoved: [],
    };
    expect(junit(report)).toContain('<failure message="&quot;\ufffd&lt;&amp;"/>');
    expect(junit(report)).toContain('name="A-1 x &lt; y"');
  });
});
