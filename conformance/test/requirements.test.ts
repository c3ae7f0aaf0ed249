import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { root } from '../kit/target.js';
import { invisible, type ProductTest, testsOfReasons } from '../kit/unprovoked.js';
import { receiverRequirements } from '../roles/receiver.js';
import type { RoleRequirement } from '../roles/role.js';
import { terminalRequirements } from '../roles/terminal/requirements.js';
import { violations, withoutViolation } from '../violations/rows.js';

describe('requirements', () => {
  let requirements: readonly Requirement[] = [];
  let all: readonly RoleRequirement[] = [];
  beforeAll(async () => {
    requirements = await allRequirements();
    all = [...requirements, ...terminalRequirements, ...receiverRequirements];
  });

  it('leave to the tests of the product only checks that a test there makes', () => {
    expect(invisible.filter(({ checkedBy }) => checkedBy.length === 0)).toEqual([]);
    const isThere = ({ file, test }: ProductTest): boolean => {
      const path = join(root, '..', file);
      if (!existsSync(path)) return false;
      const text = readFileSync(path, 'utf8');
      // As the title of a test, or as the first member of a row that becomes one.
      return [`'${test}'`, `"${test}"`].some((title) =>
        ['(', '[', '(\n    ', '[\n      '].some((before) => text.includes(before + title)),
      );
    };
    expect(testsOfReasons.filter((pointer) => !isThere(pointer))).toEqual([]);
  });

  it('have ids of their own, and sentences that no other requirement has', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const sentences = [...all.map(({ says }) => says), ...requirements.flatMap(({ covers = [] }) => covers)];
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.filter((sentence) => !/^[A-Za-z0-9`_/].*\.$/.test(sentence))).toEqual([]);
  });

  it('have a violation each, or a reason why there is none', () => {
    const broken = new Set(violations.map(({ breaks }) => breaks));
    expect([...broken, ...withoutViolation.keys()].sort()).toEqual(all.map(({ id }) => id).sort());
    const rows = violations.map(({ breaks, does }) => `${breaks} ${does}`);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
