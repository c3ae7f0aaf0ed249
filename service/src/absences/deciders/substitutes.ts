/** An approver names substitutes, and removes them. */
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { keepValues } from '../../people/personal-values.js';
import type { PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import {
  deleteSubstitute,
  findSubstitute,
  insertSubstitute,
  listCandidates,
  type SubstituteRow,
} from './substitute-rows.js';

export interface SubstituteDraft {
  readonly substituteId: PersonId;
  /** Both or neither; neither means whenever the approver is away. */
  readonly from?: LocalDate | undefined;
  readonly to?: LocalDate | undefined;
}

/** @throws Refusal `invalid_request` only one day, a past period, or a person who is not in the company */
export async function addSubstitute(
  write: Write,
  approver: PersonRow,
  { substituteId, from, to }: SubstituteDraft,
): Promise<SubstituteRow> {
  const today = localDateAt(write.at, approver.time_zone);
  if ((from === undefined) !== (to === undefined))
    throw invalidField(from === undefined ? 'start_date' : 'end_date', 'missing', 'Name both days, or neither.');
  if (from !== undefined && to! < from) throw invalidField('end_date', 'before_start', 'It ends before it begins.');
  if (to !== undefined && to < today) throw invalidField('end_date', 'in_past', 'The day is over.');
  if (!(await listCandidates(write, approver)).some(({ id }) => id === substituteId))
    throw invalidField('user_id', 'unknown', 'The company has nobody else with this id.');
  await write.lock({ people: [approver.id, substituteId] });
  const row = await insertSubstitute(write, {
    company_id: approver.company_id,
    person_id: approver.id,
    substitute_id: substituteId,
    from_date: from ?? null,
    to_date: to ?? null,
    created_at: write.at,
  });
  await audit(write, 'substitute.named', row);
  return row;
}

/** @throws Refusal `not_found` the approver has named no such substitute */
export async function endSubstitution(write: Write, approver: PersonRow, id: number): Promise<void> {
  const row = await findSubstitute(write, id, { company: approver.company_id, person: approver.id });
  if (row === undefined) throw new Refusal('not_found');
  await write.lock({ people: [row.person_id, row.substitute_id] });
  await deleteSubstitute(write, row.id);
  await audit(write, 'substitute.removed', row);
}

async function audit(
  write: Write,
  action: 'substitute.named' | 'substitute.removed',
  row: SubstituteRow,
): Promise<void> {
  return write.audit({
    companyId: row.company_id,
    action,
    subject: `person ${row.person_id}`,
    details: {
      person: row.substitute_id,
      ...(await keepValues(
        write,
        row.person_id,
        row.from_date === null ? { while_away: true } : { from: row.from_date, to: row.to_date },
      )),
    },
  });
}
