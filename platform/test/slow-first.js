/**
 * The files that take longest begin first, so that all workers end together. Jest goes by the last run, which a fresh
 * checkout does not have, or by size. Only the order of files is set here; `--randomize` shuffles the tests of each.
 */
import Sequencer from '@jest/test-sequencer';

// Those that wait, for browsers and processes, stand between those that calculate.
const slowest = [
  'service/test/browser/company.',
  'service/test/writing-operations',
  'service/test/browser/admin',
  'indexer/test/no-proof-is-missed',
  'service/test/absences/calendar',
  'indexer/test/bad-nodes',
  'service/test/extensions/deliveries-under-kills',
  'service/test/browser/forms',
  'service/test/absences/absences.',
  'service/test/tenant-lists',
  'service/test/store/audit.',
  'service/test/browser/profile',
  'service/test/access/oauth',
  'service/test/clock/legal-log',
  'service/test/process',
  'service/test/browser/signing-in',
  'service/test/reading',
  'service/test/terminals/terminals',
  'indexer/test/kills',
  'service/test/browser/',
  'terminal-agent/test/agent.',
  'service/src/working-time/minute-model',
  'terminal-agent/test/browser/',
  'indexer/test/',
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
