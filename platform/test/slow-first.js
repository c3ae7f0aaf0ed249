/**
 * The files that take longest begin first, so that all workers end together. Jest goes by the last run, which a fresh
 * checkout does not have, or by size. Only the order of files is set here; `--randomize` shuffles the tests of each.
 */
import Sequencer from '@jest/test-sequencer';

const slowest = [
  'service/test/browser/',
  'indexer/test/no-proof-is-missed',
  'indexer/test/bad-nodes',
  'service/test/calendar',
  'service/test/deliveries-under-kills',
  'service/test/audit.',
  'service/test/legal-log',
  'service/test/tenant-lists',
  'service/test/process',
  'service/test/oauth',
  'service/test/reading',
  'service/test/terminals',
  'indexer/test/',
  'service/test/sync',
  'service/test/',
];
const rankOf = ({ path }) => {
  const rank = slowest.findIndex((part) => path.includes(part));
  return rank < 0 ? slowest.length : rank;
};

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const size = ({ path, context }) => context.hasteFS.getSize(path) ?? 0;
    return [...tests].sort((a, b) => rankOf(a) - rankOf(b) || size(b) - size(a));
  }
}
