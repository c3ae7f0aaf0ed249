/** Special rules of people, by admins. The audit log names the rule by its id, never its kind: it outlives the person's data. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { CompanyId, PersonId, SpecialRuleId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { deleteSpecialRule, listSpecialRuleRows, type SpecialRuleRow, saveSpecialRule } from './rows.js';
import type { SpecialRuleKind } from './special-rules.js';

/** More than any person needs. */
const maxSpecialRules = 100;

interface Whose {
  readonly companyId: CompanyId;
  readonly personId: PersonId;
}

export interface NewSpecialRule extends Whose {
  readonly kind: SpecialRuleKind;
  readonly validFrom: LocalDate;
  /** The last day; null until further notice. */
  readonly validTo: LocalDate | null;
  readonly eveningWork: boolean;
}

/**
 * Replaces the one of the same kind that begins on the same day. Row and audit entry are written together.
 * @throws Refusal `invalid_request` it ends before it begins, or the person has too many
 */
export async function addRuleOfPerson(write: Write, rule: NewSpecialRule): Promise<SpecialRuleRow> {
  const { companyId, personId, kind, validFrom, validTo, eveningWork } = rule;
  if (validTo !== null && validTo < validFrom)
    throw invalidField('valid_to', 'before_start', 'The last day lies before the first.');
  if (eveningWork && kind !== 'expectant_or_nursing')
    throw invalidField('evening_work', 'not_allowed', 'Only for expectant and nursing people.');
  // A month that is being closed counts findings.
  await write.lock({ people: [personId] });
  if ((await listSpecialRuleRows(write, personId)).length >= maxSpecialRules)
    throw invalidField('kind', 'too_many', `A person has at most ${maxSpecialRules} special rules.`);
  const row = await saveSpecialRule(write, {
    company_id: companyId,
    person_id: personId,
    kind,
    valid_from: validFrom,
    valid_to: validTo,
    evening_work: eveningWork ? 1 : 0,
  });
  await write.audit({
    companyId,
    action: 'special_rule.set',
    subject: `person ${personId}`,
    details: { special_rule: row.id },
  });
  return row;
}

/** As if it had never applied. @throws Refusal `not_found` */
export async function removeRuleOfPerson(
  write: Write,
  { companyId, personId, id }: Whose & { readonly id: SpecialRuleId },
): Promise<void> {
  await write.lock({ people: [personId] });
  if ((await deleteSpecialRule(write, { id, personId })) === 0) throw new Refusal('not_found');
  await write.audit({
    companyId,
    action: 'special_rule.removed',
    subject: `person ${personId}`,
    details: { special_rule: id },
  });
}
