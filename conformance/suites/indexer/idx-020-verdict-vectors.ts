import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../kit/json.js';
import { equal } from '../../kit/outcome.js';
import { requirement } from '../../kit/requirement.js';
import { root } from '../../kit/target.js';
import { anchor, waitForIndexed } from '../support.js';

export default requirement({
  id: 'IDX-020',
  suite: 'indexer',
  level: 'must',
  says: 'The published verdicts hold for a proof that is anchored with the root of the vectors.',
  covers: ['verify with root compares as the anchor service does.'],
  limit: 90,
  async check(world) {
    const { cases } = JSON.parse(readFileSync(join(root, 'vectors/verdicts.json'), 'utf8')) as {
      cases: { name: string; input: { roots: string[]; root: string | null }; output: Record<string, unknown> }[];
    };
    const singleCases = cases.filter(({ input }) => input.roots.length === 1);
    const tx = String(at(await anchor(world, { merkle_root: singleCases[0]!.input.roots[0]! }), 'tx'));
    await waitForIndexed(
      world,
      async () => ((await world.indexer.get(`/api/v1/proofs/${tx}`)).status === 200 ? true : undefined),
      'the proof is indexed',
    );
    for (const { name, input, output } of singleCases) {
      const answer = (
        await world.indexer.get(`/api/v1/verify/${tx}${input.root === null ? '' : `?root=${input.root}`}`)
      ).is(200);
      for (const [member, value] of Object.entries(output))
        equal(answer.get(member), value, `${member} of the case ${name}`);
    }
  },
});
