/** A proof of the walk's own, where the ledger takes one: it has to appear in everything that the index says. */
import { at } from '../../kit/json.js';
import { pause, type World } from '../../kit/world.js';
import { anchor } from '../support.js';
import type { Keep } from './walk-door.js';

/** @returns reads what came of it. @throws Skipped the ledger takes no proofs from the kit */
export async function anchorOne(world: World, keep: Keep): Promise<() => Promise<void>> {
  const { indexer } = world;
  await keep(indexer.get('/api/v1/status'));
  const tx = String(at(await anchor(world), 'tx'));
  return async () => {
    for (let times = 0; times < 20; times++) {
      if ((await keep(indexer.get(`/api/v1/verify/${tx}`))).get('verdict') === 'indexed') break;
      await pause(500);
    }
    await keep(indexer.get('/api/v1/status'));
    for (const limit of [500, 2])
      for (let cursor = ''; ; ) {
        const page = await keep(indexer.get(`/api/v1/proofs?limit=${limit}${cursor}`));
        if (page.get('has_more') !== true) break;
        cursor = `&cursor=${String(page.get('next_cursor'))}`;
      }
    await keep(indexer.get(`/api/v1/proofs/${tx}`));
    await keep(indexer.get('/api/v1/status'));
  };
}
