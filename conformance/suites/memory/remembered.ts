/** A requirement about everything that the run saw: the memory judges, and this names what it found. */
import type { LieKind } from '../../kit/memory/history.js';
import { ensure } from '../../kit/outcome.js';
import { type Requirement, requirement } from '../../kit/requirement.js';

export const remembered = (id: string, kind: LieKind, says: string, covers: readonly string[] = []): Requirement =>
  requirement({
    id,
    suite: 'memory',
    level: 'must',
    says,
    covers,
    last: true,
    limit: 120,
    async check(world) {
      const lies = world.memory.lies(world.contract).filter((lie) => lie.kind === kind);
      const first = lies.slice(0, 5).map(({ what }) => what);
      ensure(
        lies.length === 0,
        `${first.join('; ')}${lies.length > first.length ? `; and ${lies.length - first.length} more` : ''}`,
      );
    },
  });
