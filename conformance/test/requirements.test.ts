import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { root } from '../kit/target.js';
import { type ProductTest, testsOfReasons } from '../kit/unprovoked.js';
import { readStatements, roleRequirements, table } from '../specification/table.js';
import { violations, withoutViolation } from '../violations/rows.js';

describe('requirements', () => {
  const statements = readStatements();
  let requirements: readonly Requirement[] = [];
  beforeAll(async () => {
    requirements = await allRequirements();
  });

  it('stand for every statement and decision, but for those that have a reason', () => {
    const covered = new Set(requirements.flatMap(({ covers }) => covers));
    const without = statements.filter(({ id, reason }) => covered.has(id) === (reason !== undefined));
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('leave nothing to the tests of the product but what a test there checks', () => {
    const left = statements.filter(({ reason }) => reason !== undefined);
    expect(left.filter(({ checkedBy = [] }) => checkedBy.length === 0).map(({ id }) => id)).toEqual([]);
    const pointers = [...left.flatMap(({ checkedBy = [] }) => checkedBy), ...testsOfReasons];
    const isThere = ({ file, test }: ProductTest): boolean => {
      const path = join(root, '..', file);
      if (!existsSync(path)) return false;
      const text = readFileSync(path, 'utf8');
      // As the title of a test, or as the first member of a row that becomes one.
      return [`'${test}'`, `"${test}"`].some((title) =>
        ['(', '[', '(\n    ', '[\n      '].some((before) => text.includes(before + title)),
      );
    };
    expect(pointers.filter((pointer) => !isThere(pointer))).toEqual([]);
  });

  it('cover only statements that exist', () => {
    const known = new Set(statements.map(({ id }) => id));
    expect(known.size).toBe(statements.length);
    for (const { id, covers } of requirements) expect([id, covers.filter((one) => !known.has(one))]).toEqual([id, []]);
  });

  it('have ids of their own, and one sentence each', () => {
    const all = [...requirements, ...roleRequirements];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, says } of all) expect([id, /^[A-Za-z`_/].*\.$/.test(says)]).toEqual([id, true]);
    for (const { covers } of requirements) {
      expect(covers.length).toBeGreaterThan(0);
    }
  });

  it('stand in the table that is published', () => {
    expect(readFileSync(join(root, 'specification/table.md'), 'utf8')).toBe(
      table(statements, requirements, roleRequirements),
    );
  });

  it('have a violation each, or a reason why there is none', () => {
    const broken = new Set(violations.map(({ breaks }) => breaks));
    const all = [...requirements, ...roleRequirements].map(({ id }) => id);
    expect([...broken, ...withoutViolation.keys()].sort()).toEqual(all.sort());
    const rows = violations.map(({ breaks, does }) => `${breaks} ${does}`);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
