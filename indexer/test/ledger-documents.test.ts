/**
 * Every question of the index against the schemas that the ledgers' own SDKs ship. Fails when a schema moves under us.
 */
import { describe, expect, it } from '@jest/globals';
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql';
import { createSimulatedNode } from '../simulator/node.js';
import { schemaText, simulatedDialects } from '../simulator/schemas.js';
import { detectDialect, dialectOf } from '../src/ledger/dialect.js';
import {
  chainDocument,
  detectDocument,
  layoutDocument,
  maxPageSizeDocuments,
  oldestDocuments,
  packageDocument,
  pageDocuments,
  probeDocuments,
  retentionDocument,
  transactionDocuments,
  whereaboutsDocuments,
} from '../src/ledger/documents.js';
import { createGraphqlClient } from '../src/ledger/graphql.js';
import { asFetch, createGround } from './world.js';

const schemas = Object.fromEntries(
  simulatedDialects.map((dialect) => [dialect, buildSchema(schemaText(dialect), { assumeValidSDL: true })]),
) as Record<(typeof simulatedDialects)[number], GraphQLSchema>;
const faultsOf = (dialect: (typeof simulatedDialects)[number], document: string) =>
  validate(schemas[dialect], parse(document)).map((error) => error.message);

describe.each(simulatedDialects)('the schema of %s', (dialect) => {
  it.each([
    ['detection', detectDocument],
    ['chain', chainDocument],
    ['layout', layoutDocument],
    ['page', pageDocuments[dialect]],
    ['transaction', transactionDocuments[dialect]],
    ['page size', maxPageSizeDocuments[dialect]],
    ['package', packageDocument(dialect, '0x2')],
    ['oldest', oldestDocuments[dialect]],
    ['transaction and checkpoint', whereaboutsDocuments[dialect]],
    ...(dialect === 'ga' ? [['retention', retentionDocument]] : []),
  ] as [string, string][])('knows every field of the question about %s', (_, document) => {
    expect(faultsOf(dialect, document)).toEqual([]);
    // Both families refuse longer questions.
    expect(Buffer.byteLength(document)).toBeLessThan(5_000);
  });

  it('answers its own probe and refuses those that are tried before it', () => {
    const names = probeDocuments.map(([name]) => name);
    expect(faultsOf(dialect, probeDocuments.find(([name]) => name === dialect)![1])).toEqual([]);
    for (const earlierDialect of names.slice(0, names.indexOf(dialect)))
      expect(faultsOf(dialect, probeDocuments.find(([name]) => name === earlierDialect)![1])).not.toEqual([]);
  });

  it.each([true, false])('is recognised (introspection allowed: %s)', async (introspection) => {
    const node = createSimulatedNode(createGround().chain, { dialect, introspection });
    expect(await detectDialect(createGraphqlClient({ url: 'http://node.example', fetch: asFetch(node) }))).toBe(
      dialect,
    );
  });
});

describe('a question', () => {
  it('never carries anything but an address', () => {
    expect(() => packageDocument('ga', '0x2") { x } #')).toThrow(TypeError);
  });
  it('for checkpoints after a cursor is only put to nodes that know such a filter', () => {
    expect(() => dialectOf(['transaction', 'contents'], ['type'])).toThrow('no known dialect');
  });
});
