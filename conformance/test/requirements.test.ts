import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
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

  it('every requirement has its own id and its own sentence', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const sentences = [...all.map(({ says }) => says), ...requirements.flatMap(({ covers = [] }) => covers)];
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.filter((sentence) => !/^[A-Za-z0-9`_/].*\.$/.test(sentence))).toEqual([]);
  });

  it('every requirement has a violation, or a reason why there is none', () => {
    const brokenIds = new Set(violations.map(({ breaks }) => breaks));
    expect([...brokenIds, ...withoutViolation.keys()].sort()).toEqual(all.map(({ id }) => id).sort());
    const rows = violations.map(({ breaks, does }) => `${breaks} ${does}`);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
