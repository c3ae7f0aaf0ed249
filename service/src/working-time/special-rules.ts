/**
 * People and times with working-time rules of their own by law, as data of a person and their company. Pure.
 *
 * Expectancy and nursing are data about health (GDPR Art. 9): for the person and for admins only. Others read
 * evaluations without it, see {@link Confidentiality}.
 */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';

export type SpecialRuleKind = Tables['special_rules']['kind'];
export type ShortRestBranch = NonNullable<Tables['companies']['short_rest_branch']>;

/** `validTo`: the last day, null until further notice. */
export interface SpecialRule {
  readonly kind: SpecialRuleKind;
  readonly validFrom: LocalDate;
  readonly validTo: LocalDate | null;
  /** Work until 22:00 is approved for the expectant or nursing person (MuSchG §28). */
  readonly eveningWork: boolean;
}

/** The facts beside the country that decide the rules for a person. */
export interface Circumstances {
  readonly specialRules: readonly SpecialRule[];
  /** The branch by which the company may shorten rest periods (ArbZG §5 (2)). */
  readonly shortRestBranch: ShortRestBranch | null;
  /** Everyone in the company has to be recorded within a week (MiLoG §17 (1) with SchwarzArbG §2a). */
  readonly recordDuty: boolean;
}

type RuleRow = Pick<Tables['special_rules'], 'kind' | 'valid_from' | 'valid_to' | 'evening_work'>;
export type CompanyFacts = Pick<Tables['companies'], 'short_rest_branch' | 'record_duty'>;

/** @param rows of one person */
export const circumstancesOf = (
  { short_rest_branch, record_duty }: CompanyFacts,
  rows: readonly RuleRow[],
): Circumstances => ({
  specialRules: rows.map(({ kind, valid_from, valid_to, evening_work }) => ({
    kind,
    validFrom: valid_from,
    validTo: valid_to,
    eveningWork: evening_work === 1,
  })),
  shortRestBranch: short_rest_branch,
  recordDuty: record_duty === 1,
});

/** `confidential`: for the person and admins. `general`: for everyone else, also devices that others see. */
export type Confidentiality = 'confidential' | 'general';

export const isConfidential = (kind: SpecialRuleKind): boolean => kind === 'expectant_or_nursing';

/** The circumstances as far as a reader may know of them. */
export function circumstancesFor(circumstances: Circumstances, confidentiality: Confidentiality): Circumstances {
  if (confidentiality === 'confidential') return circumstances;
  return { ...circumstances, specialRules: circumstances.specialRules.filter(({ kind }) => !isConfidential(kind)) };
}

/** The rule of a kind that applies on a date, if there is one. */
export function ruleOn(
  { specialRules }: Pick<Circumstances, 'specialRules'>,
  kind: SpecialRuleKind,
  date: LocalDate,
): SpecialRule | undefined {
  return specialRules.find(
    (rule) => rule.kind === kind && rule.validFrom <= date && (rule.validTo === null || rule.validTo >= date),
  );
}

export const mustBeRecorded = (circumstances: Circumstances, date: LocalDate): boolean =>
  circumstances.recordDuty || ruleOn(circumstances, 'minijob', date) !== undefined;
