/** More breaches of the verification service. */
import { answer, status, type Violation } from './violation.js';

const side = 'indexer';
export const indexerViolations: readonly Violation[] = [
  {
    id: 'I21',
    breaks: 'IDX-012',
    side,
    does: 'verifies what is new only with the wrong sender',
    reply: answer(/GET .*\/proofs\/\w+$/, 200, (json) => {
      json['sender'] = `0x${'0'.repeat(64)}`;
    }),
  },
  {
    id: 'I22',
    breaks: 'IDX-013',
    side,
    does: 'shows one of two conflicting roots twice',
    reply: answer(/GET .*\/companies\/[^/]+\/proofs$/, 200, (json) => {
      const data = json['data'] as Record<string, unknown>[];
      for (const one of data) one['merkle_root'] = data[0]!['merkle_root'];
    }),
  },
  {
    id: 'I23',
    breaks: 'IDX-016',
    side,
    does: 'never limits an address',
    reply: status(/GET .*v1\/status$/, 429, 200),
  },
  {
    id: 'I24',
    breaks: 'IDX-018',
    side,
    does: 'gives a digest that is none',
    reply: answer(/GET .*v1\/status$/, 200, (json) => {
      if (json['index_digest'] !== undefined) Object.assign(json['index_digest'] as object, { root: 'none' });
    }),
  },
  {
    id: 'I25',
    breaks: 'IDX-020',
    side,
    does: 'compares roots as text',
    reply: (reply, { path }) => {
      if (!/\/verify\//.test(path) || !/root=[^&]*[A-F]/.test(path)) return;
      reply.body = reply.body
        .replace('"verdict":"match"', '"verdict":"mismatch"')
        .replace('"verified":true', '"verified":false');
    },
  },
  {
    id: 'I26',
    breaks: 'IDX-021',
    side,
    does: 'says not_found before it has asked the ledger',
    reply: (reply, { path }, memory) => {
      if (!/\/verify\//.test(path) || memory.has(path)) return;
      memory.set(path, { ...reply });
      reply.body = JSON.stringify({ tx: 'x', verdict: 'unknown', verified: null, reason: 'not_found', proofs: [] });
    },
  },
];
