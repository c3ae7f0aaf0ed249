/** Which requirement stands for which statement of the specification and decision of the contract. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Requirement } from '../kit/requirement.js';
import { root } from '../kit/target.js';
import { namesOf, type ProductTest } from '../kit/unprovoked.js';
import { receiverRequirements } from '../roles/receiver.js';
import type { RoleRequirement } from '../roles/role.js';
import { terminalRequirements } from '../roles/terminal/requirements.js';

export interface Statement {
  readonly id: string;
  readonly document: string;
  readonly section: number;
  readonly text: string;
  /** Why no requirement can check it from outside. */
  readonly reason?: string;
  /** The tests of the product that check it instead. */
  readonly checkedBy?: readonly ProductTest[];
}

export const readStatements = (): readonly Statement[] =>
  JSON.parse(readFileSync(join(root, 'specification/statements.json'), 'utf8')) as Statement[];

export const roleRequirements: readonly RoleRequirement[] = [...terminalRequirements, ...receiverRequirements];

/** Markdown, made from the statements and the requirements. */
export function table(
  statements: readonly Statement[],
  requirements: readonly Requirement[],
  roles: readonly RoleRequirement[],
): string {
  const lines = [
    '# What each requirement stands for',
    '',
    'Made by `node conformance/dist/specification/make-table.js`. Every statement of the specification and every decision of the contract, in our own words, with its section and the requirements that check it.',
  ];
  for (const document of new Set(statements.map((statement) => statement.document))) {
    lines.push('', `## ${document}`, '', '| Id | Section | Statement | Requirements |', '|---|---|---|---|');
    for (const { id, section, text, reason, checkedBy } of statements.filter((one) => one.document === document)) {
      const by = requirements.filter(({ covers }) => covers.includes(id)).map((requirement) => requirement.id);
      const instead = `not from outside: ${reason}. The product's own tests check it: ${namesOf(checkedBy)}`;
      lines.push(`| ${id} | ${section} | ${text} | ${reason === undefined ? by.join(', ') : instead} |`);
    }
  }
  lines.push('', '## Requirements', '', '| Id | Level | Sentence | Covers |', '|---|---|---|---|');
  for (const { id, level, says, covers } of requirements)
    lines.push(`| ${id} | ${level} | ${says} | ${covers.join(', ')} |`);
  lines.push('', '## Of terminals and receivers, to which the kit plays the service', '');
  lines.push('| Id | Level | Sentence |', '|---|---|---|');
  for (const { id, level, says } of roles) lines.push(`| ${id} | ${level} | ${says} |`);
  return `${lines.join('\n')}\n`;
}
