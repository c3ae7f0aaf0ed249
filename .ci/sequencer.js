// Test files that are alone begin first: most of them start processes and wait for them, and the shards use the time.
import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const isShard = ({ path }) => /^\d+\.test\.js$/.test(basename(path));

export default class AloneFirst extends Sequencer {
  sort(tests) {
    const [alone, shards] = [tests.filter((test) => !isShard(test)), tests.filter(isShard)];
    return [...super.sort(alone), ...super.sort(shards)];
  }
}
