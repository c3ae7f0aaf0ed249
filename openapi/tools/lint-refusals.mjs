// Judges which codes the handlers throw: exactly those that their operations list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { graphOf, programOf } from './call-graph.mjs';
import { contractFolder, repository } from './contract.mjs';
import { differences, listedCodes, strayExceptions } from './refusals.mjs';

/** Refused before a handler: `platform/src/http`, and `http/api/problem-dialect.ts` for the words of RFC 6749. */
const ofEveryEdge = [
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
];
const ofOauth = ['invalid_client', 'unsupported_grant_type', 'server_error', 'temporarily_unavailable'];

const apis = [
  {
    room: 'service',
    document: 'service',
    handlers: ['service/src/http/terminal/handlers.ts', 'service/src/http/api/handlers.ts'],
    authentication: ['service/src/http/api/caller.ts', 'createAuthentication'],
    edge: [...ofEveryEdge, ...ofOauth],
  },
  {
    room: 'service',
    document: 'app',
    handlers: ['service/src/http/app/handlers.ts'],
    authentication: ['service/src/http/app/caller.ts', 'createAppAuthentication'],
    edge: ofEveryEdge,
  },
  { room: 'indexer', document: 'indexer', handlers: ['indexer/src/api/handlers.ts'], edge: ofEveryEdge },
];

const exceptions = parse(readFileSync(join(contractFolder, 'refusals.yaml'), 'utf8'));
const findings = [];
const ids = new Set();
let thrownCodes = 0;
const graphs = new Map();

for (const { room, document, handlers, authentication, edge } of apis) {
  if (!graphs.has(room)) {
    const ours = [room, 'platform'].map((name) => join(repository, name, 'src/'));
    const isOurs = (file) => ours.some((folder) => file.startsWith(folder)) && !file.includes('/generated/');
    graphs.set(room, graphOf(programOf(room), isOurs));
  }
  const graph = graphs.get(room);
  const listed = listedCodes(JSON.parse(readFileSync(join(repository, `dist/openapi/${document}.json`), 'utf8')));
  const ofEdge = new Set([
    ...edge,
    ...(authentication === undefined ? [] : graph.reach(graph.find(...authentication)).codes.keys()),
  ]);
  const thrown = new Map();
  const untyped = new Set();
  for (const id of listed.keys()) {
    ids.add(id);
    const handler = handlers.map((file) => graph.find(file, id)).find((found) => found !== undefined);
    if (handler === undefined) continue;
    const reached = graph.reach(handler);
    thrown.set(id, reached.codes);
    thrownCodes += reached.codes.size;
    for (const place of reached.untyped) untyped.add(place);
  }
  for (const place of untyped)
    findings.push({ at: document, message: `a code without a narrow type, so that no one knows it: ${place}` });
  findings.push(...differences(listed, thrown, ofEdge, exceptions));
}
findings.push(...strayExceptions(exceptions, ids));

for (const { at, message } of findings) console.log(`${at}\n    ${message}`);
console.log(
  findings.length === 0
    ? `refusals: ${ids.size} operations list what their handlers throw, ${thrownCodes} codes`
    : `\nrefusals: ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
