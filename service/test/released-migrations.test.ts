import type { Migration } from '@clockproof/platform/database/database';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/migrations.js';
import { faultsOf, readLock } from '../tools/migration-lock.js';

const released = readLock();
const added = (id: string): Migration => ({ id, statements: () => ['CREATE TABLE more (id INTEGER)'] });

describe('released migrations', () => {
  it('are unchanged and in their order, and new ones sort after them', () => {
    expect(Object.keys(released).length).toBeGreaterThanOrEqual(29);
    expect(faultsOf(migrations, released)).toEqual([]);
  });

  it('may be followed by new ones that sort after all others', () => {
    expect(faultsOf([...migrations, added('9000-one'), added('9001-two')], released)).toEqual([]);
  });

  const all = migrations.slice(0, Object.keys(released).length);
  it.each<[string, readonly Migration[], string]>([
    [
      'a changed one',
      all.map((migration) => (migration.id === '0040-people' ? added(migration.id) : migration)),
      '0040-people is released and its statements have changed',
    ],
    [
      'one changed for PostgreSQL alone',
      all.map((migration) =>
        migration.id === '0170-webhook-secrets'
          ? {
              id: migration.id,
              statements: (d) => [...migration.statements(d), ...(d.name === 'postgres' ? ['SELECT 1'] : [])],
            }
          : migration,
      ),
      '0170-webhook-secrets is released and its statements have changed',
    ],
    [
      'another order',
      [...all.slice(1, 2), ...all.slice(0, 1), ...all.slice(2)],
      '0000-rate-limits is released as number 1, here stands 0001-installation',
    ],
    ['a missing one', all.slice(0, -1), `${all.at(-1)!.id} is released as number ${all.length}, here stands nothing`],
    [
      'a new one between them',
      [...all.slice(0, -1), added('9000-more'), ...all.slice(-1)],
      `${all.at(-1)!.id} is released as number ${all.length}, here stands 9000-more`,
    ],
    [
      'a new one that sorts before',
      [...all, added('0030-more')],
      '0030-more is new and does not sort after all others',
    ],
    [
      'new ones out of order',
      [...all, added('9001-more'), added('9000-more')],
      '9000-more is new and does not sort after all others',
    ],
    ['an id twice', [...all, all[0]!], '0000-rate-limits is there twice'],
  ])('refuse %s', (_, list, fault) => {
    expect(faultsOf(list, released)).toContain(fault);
  });
});
