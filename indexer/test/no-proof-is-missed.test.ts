/**
 * The promise of the index, tried on ledgers that behave as badly as real ones: at all times everything up to the
 * watermark is stored, and in the end everything is.
 */

import { createHash } from 'node:crypto';
import { type DialectName, oneDialect } from '@clockproof/platform/testing/databases';
import { runs as runsOf } from '@clockproof/platform/testing/runs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createFaults, type FaultRates } from '../simulator/faults.js';
import { createRandom } from '../simulator/random.js';
import { type SimulatedDialect, simulatedDialects } from '../simulator/schemas.js';
import { publishedDigest } from '../src/store/index-digest.js';
import type { ProofRecord } from '../src/store/proof-record.js';
import { canonicalJson } from '../src/store/proof-record.js';
import { readTotals } from '../src/store/proofs.js';
import { readDigest } from '../src/store/streams.js';
import {
  Crash,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  grow,
  storedProofs,
  watermark,
} from './world.js';

const seeds = Array.from({ length: runsOf(2) }, (_, index) => index + 1);
/** On one database every seed with every dialect, on another each seed with one of them. */
const seedsOf = (driver: DialectName, dialect: SimulatedDialect) =>
  seeds.filter((seed) => oneDialect.includes(driver) || simulatedDialects[seed % simulatedDialects.length] === dialect);
const runs = oneDialect
  .flatMap((driver) => simulatedDialects.map((dialect) => seedsOf(driver, dialect).length))
  .reduce((sum, count) => sum + count, 0);
const rates: FaultRates = {
  status: 0.1,
  html: 0.03,
  graphqlErrors: 0.03,
  partial: 0.03,
  network: 0.03,
  emptyPage: 0.05,
  brokenCursor: 0.03,
  nulls: 0.002,
};
/** The faults injected in all runs of this file: a test that injects nothing proves nothing. One test alone may. */
const faultCounts: Record<string, number> = {};
let passedCount = 0;
afterAll(() => {
  if (passedCount < runs) return;
  expect(Object.keys(faultCounts).sort()).toEqual([...Object.keys(rates), 'crashes'].sort());
  expect(Object.values(faultCounts).filter((count) => count < 3)).toEqual([]);
});

/** RFC 6962 §2.1, as the recursive definition stands there. */
function treeHash(leaves: readonly string[]): Buffer {
  const sha256 = (...parts: (string | Buffer)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
  if (leaves.length === 0) return sha256('');
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0]!);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

describe.each(oneDialect)('on %s', (driver) => {
  describe.each(simulatedDialects)('a ledger that speaks %s', (dialect) => {
    it.each(seedsOf(driver, dialect))('loses nothing to lag, faults and crashes (seed %i)', async (seed) => {
      const home = await createHome(driver);
      const ground = createGround(seed);
      const random = createRandom(seed * 7919);
      const faults = createFaults(createRandom(seed * 104729), rates);
      let isCalm = false;
      const world = createWorld(ground, home.db, {
        dialect,
        lag: () => (isCalm ? 0 : random.between(0, 3)),
        faults: {
          ...faults,
          get rates() {
            return isCalm ? {} : rates;
          },
        },
      });
      grow(ground, 60 + random.between(0, 150));
      let crashes = 0;
      let lowest = -1;
      const growUntil = 220 + random.between(0, 60);
      try {
        for (let life = 0; life < 400 && ground.chain.head < growUntil; life++) {
          const stop = new AbortController();
          const follower = world.follower({
            pageSize: random.between(2, 30),
            random: random.next,
            onStep: () => {
              if (!random.chance(0.06)) return;
              crashes++;
              stop.abort();
              throw new Crash('the process dies here');
            },
            sleep: async () => {
              grow(ground, random.between(0, 4));
              if (ground.chain.head >= growUntil) stop.abort();
            },
          });
          await follower.run(stop.signal);
          const reachedCheckpoint = await watermark(home.db);
          expect(reachedCheckpoint).toBeGreaterThanOrEqual(lowest);
          lowest = reachedCheckpoint;
          const storedTexts = new Set((await storedProofs(home.db)).map((proof) => JSON.stringify(proof)));
          expect(
            expectedProofs(ground, reachedCheckpoint).filter((proof) => !storedTexts.has(JSON.stringify(proof))),
          ).toEqual([]);
        }
        isCalm = true;
        const follower = world.follower();
        for (let pass = 0; pass < 3; pass++) await follower.pass();

        const expectedTexts = expectedProofs(ground);
        expect(await storedProofs(home.db)).toEqual(expectedTexts);
        expect(expectedTexts.length).toBeGreaterThan(200);
        expect(await watermark(home.db)).toBe(ground.chain.head);
        expect(await readTotals(home.db)).toMatchObject({
          proofs: expectedTexts.length,
          rejected: 0,
          alarms: 0,
          gap_repairs: 0,
        });
        expect(publishedDigest(await readDigest(home.db))).toEqual({
          checkpoint: ground.chain.head,
          root: treeHash(expectedTexts.map((proof: ProofRecord) => canonicalJson({ ...proof }))).toString('hex'),
        });
        for (const [kind, count] of [...Object.entries(faults.injected), ['crashes', crashes] as const])
          faultCounts[kind] = (faultCounts[kind] ?? 0) + count;
        passedCount++;
      } finally {
        await home.close();
      }
    });
  });
});
