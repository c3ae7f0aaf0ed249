/** The verdicts that the conformance kit publishes hold for the indexer's own code. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { verdictOn } from '../src/api/verdict.js';
import { normaliseRoot } from '../src/ledger/identifiers.js';
import type { ProofRecord } from '../src/store/proof-record.js';

interface Case {
  readonly name: string;
  readonly input: { readonly roots: readonly string[]; readonly root: string | null };
  readonly output: { readonly verdict: string; readonly verified: boolean | null };
}
const file = new URL('../../conformance/vectors/verdicts.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };
const proof = (merkle_root: string): ProofRecord => ({
  tx: 't',
  event_sequence: 0,
  sender: '0x1',
  package: '0x2',
  company_token: 'c',
  period: 'p',
  merkle_root,
  checkpoint: 1,
});

it.each(cases)('verdict: $name', ({ input, output }) => {
  const evidence = {
    proofs: input.roots.map(proof),
    disputed: false,
    disputedBy: [],
    incomplete: false,
    passed: true,
    ledger: 'confirmed',
  } as const;
  const knowledge = { history: 'complete', synced: true, packageKnown: true, senders: [] } as const;
  const root = input.root === null ? undefined : normaliseRoot(input.root);
  expect(verdictOn(evidence, root === undefined ? {} : { merkle_root: root }, knowledge)).toMatchObject(output);
});
