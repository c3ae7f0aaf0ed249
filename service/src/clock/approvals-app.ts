import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { createFindClash } from '../absences/clash.js';
import { decideAbsence } from '../absences/decide-absence.js';
import { absenceAtDecision } from '../absences/decided-absence.js';
import { approverScope, personOfRequest } from '../absences/deciders/approver-scope.js';
import { requireAuthority, undecidableApprovers } from '../absences/deciders/authority.js';
import { presentAbsences } from '../absences/present.js';
import { findAbsence } from '../absences/rows.js';
import { warningsFor } from '../absences/warnings.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { numberIn } from '../http/prefixed-id.js';
import { type ApprovalRow, findApproval, findApprovalAnywhere, listApprovalRows } from '../inbox/approval-rows.js';
import { actorOf, personReference } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { inLanguage } from '../people/language.js';
import { createZoneOf, findPerson, listNames } from '../people/rows.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Store } from '../store/write.js';
import { closedInSpan } from '../working-time/closed-month-rows.js';
import { findCorrection } from './correction-rows.js';
import { decideCorrection } from './corrections.js';
import { decidePendingEntry, overlapsWork } from './decide-pending-entry.js';
import { presentCorrections } from './present-correction.js';
import { findEntry, workWithin } from './rows.js';
import { presentEntry } from './time-entry.js';
import { entryInVersion } from './versions.js';

export const listApprovals: AppHandler<'listApprovals'> = async ({
  db,
  cursors,
  caller,
  query: {
    state = 'waiting',
    kind,
    company_id: companyId,
    department_id: departmentId,
    user_id: personId,
    month,
    cursor,
    limit = 100,
  },
  at,
}) => {
  const authority = await requireAuthority(db, caller.person, at);
  const callerScope = await approverScope(db, caller, { companyId, departmentId }, authority);
  if (personId !== undefined) await personOfRequest(db, caller, personId, at);
  const scope = personId === undefined ? callerScope : { ...callerScope, person: personId };
  const binding = ['listApprovals', caller.person.id, state, kind, month, scope];
  const afterId = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
  const rows = await listApprovalRows(db, scope, {
    state,
    kind,
    month,
    exceptPeople: [caller.person.id, ...(await undecidableApprovers(db, authority, caller.person))],
    afterId,
    limit: limit + 1,
  });
  const approvalsByRow = await presentApprovals(db, rows, caller.person.language, at);
  return {
    status: 200,
    body: pageOf(rows, limit, approvalsByRow, (last) => cursors.write(binding, last.id)),
  };
};

/** A decision about one request. The room that owns the subject carries it out. */
interface Decision {
  readonly caller: PersonCaller;
  readonly id: string;
  readonly outcome: 'approved' | 'rejected';
  readonly comment: string | undefined;
  readonly at: Instant;
}

/** @throws Refusal `not_found`, `own_request`, `already_decided`; otherwise as the owning room */
function decideRequest(
  db: Store,
  { caller, id, outcome, comment, at }: Decision,
): Promise<components['schemas']['Approval']> {
  return db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const approval = await findApprovalAnywhere(write, numberIn(id, 'apr'));
    if (approval === undefined) throw new Refusal('not_found');
    await personOfRequest(write, caller, approval.person_id, at);
    if (approval.person_id === caller.person.id) throw new Refusal('own_request');
    if (approval.status !== 'waiting') throw new Refusal('already_decided');
    const decision = { id: approval.subject_id, comment, at };
    switch (approval.kind) {
      case 'absence':
        await decideAbsence(write, {
          ...decision,
          decision: outcome === 'approved' ? 'approve' : 'reject',
          decider: caller.person,
        });
        break;
      case 'absence_cancellation':
        await decideAbsence(write, {
          ...decision,
          decision: outcome === 'approved' ? 'grant_cancellation' : 'decline_cancellation',
          decider: caller.person,
        });
        break;
      case 'correction':
        await decideCorrection(write, { ...decision, by: caller.person, decision: outcome });
        break;
      case 'offline_stamp':
        await decidePendingEntry(write, { ...decision, by: caller.person, decision: outcome });
        break;
    }
    const decidedRow = (await findApproval(write, approval.id, { company: approval.company_id }))!;
    return (await presentApprovals(write, [decidedRow], caller.person.language, at)).get(decidedRow)!;
  });
}

export const approveRequest: AppHandler<'approveRequest'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: await decideRequest(db, { caller, id, outcome: 'approved', comment: body?.comment, at }),
});

export const rejectRequest: AppHandler<'rejectRequest'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: await decideRequest(db, { caller, id, outcome: 'rejected', comment: body.comment, at }),
});

/**
 * One transaction for each decision: if the process stops in between, the requests behind it still wait, and repeating
 * the call decides them alone.
 */
export const decideRequests: AppHandler<'decideRequests'> = async ({
  db,
  caller,
  body: { ids, outcome, comment },
  at,
}) => {
  if (outcome === 'rejected' && comment === undefined)
    throw invalidField('comment', 'required', 'A rejection needs a reason.');
  const data: components['schemas']['DecisionResult'][] = [];
  for (const id of ids) data.push({ id, ...(await decideOrRefuse(db, { caller, id, outcome, comment, at })) });
  return { status: 200, body: { data } };
};

async function decideOrRefuse(db: Store, decision: Decision): Promise<{ readonly refusal?: string }> {
  try {
    await decideRequest(db, decision);
    return {};
  } catch (error) {
    // The session ended or its rights changed. This refuses the whole call, not one request.
    if (!(error instanceof Refusal) || ['token_revoked', 'unavailable'].includes(error.code)) throw error;
    if (error.code === 'already_decided' && (await isOwnDecision(db, decision))) return {};
    return { refusal: error.code };
  }
}

/** Whether the caller repeats a decision whose answer was lost. */
async function isOwnDecision(reader: Reader, { caller, id, outcome }: Decision): Promise<boolean> {
  const approval = await findApprovalAnywhere(reader, numberIn(id, 'apr'));
  return approval?.status === outcome && approval.decided_by === caller.person.id;
}

/** A request with its subject and its conflicts. */
type Schemas = components['schemas'];
type Subject = Pick<Schemas['Approval'], 'absence' | 'correction' | 'entry' | 'conflicts' | 'clash'>;

async function presentApprovals(
  reader: Reader,
  rows: readonly ApprovalRow[],
  language: string,
  at: Instant,
): Promise<Map<ApprovalRow, Schemas['Approval']>> {
  const names = await listNames(
    reader,
    rows.flatMap((row) => [row.person_id, row.decided_by, row.decided_for].filter((id) => id != null)),
  );
  const reference = (id: number) => personReference(id, names);
  const findClash = createFindClash(reader);
  const zoneOf = createZoneOf(reader);
  const approvalsByRow = new Map<ApprovalRow, Schemas['Approval']>();
  for (const row of rows) {
    const { conflicts, ...subject } = await subjectOf(reader, row, at);
    const person = await findPerson(reader, row.person_id, { company: row.company_id });
    const isMonthClosed =
      row.status === 'waiting' &&
      (await closedInSpan(reader, row.company_id, row.from_date.slice(0, 7), row.to_date.slice(0, 7)));
    approvalsByRow.set(row, {
      id: `apr_${row.id}`,
      kind: row.kind,
      status: row.status,
      person: reference(row.person_id),
      department:
        person?.department_id == null ? undefined : { id: person.department_id, name: person.department_name! },
      company_id: row.company_id,
      time_zone: await zoneOf(row.company_id),
      requested_at: formatInstant(row.requested_at),
      ...subject,
      conflicts: isMonthClosed ? [...conflicts, hint('month_closed', language)] : conflicts,
      decided_by: row.decided_by === null ? undefined : reference(row.decided_by),
      decided_for: row.decided_for === null ? undefined : reference(row.decided_for),
      decided_at: formatInstant(row.decided_at),
      decision_comment: row.comment ?? undefined,
    });
  }
  return approvalsByRow;

  function overlap(overlaps: boolean): Schemas['Warning'][] {
    return overlaps ? [hint('entry_overlap', language)] : [];
  }

  async function subjectOf(reader: Reader, row: ApprovalRow, at: Instant): Promise<Subject> {
    const isWaiting = row.status === 'waiting';
    switch (row.kind) {
      case 'absence':
      case 'absence_cancellation': {
        const absence = await findAbsence(reader, row.subject_id, { company: row.company_id });
        if (absence === undefined) return { conflicts: [] };
        const decidedAbsence = absenceAtDecision(absence, row.subject);
        const isUndecidedAbsence = isWaiting && row.kind === 'absence';
        const clash = isUndecidedAbsence ? await findClash(absence) : undefined;
        return {
          absence: (await presentAbsences(reader, [decidedAbsence], { language })).get(decidedAbsence)!,
          conflicts: isUndecidedAbsence ? await warningsFor(reader, absence, at, language) : [],
          clash,
        };
      }
      case 'correction': {
        const correction = await findCorrection(reader, row.subject_id, { company: row.company_id });
        if (correction === undefined) return { conflicts: [] };
        const overlaps =
          isWaiting &&
          correction.start_at !== null &&
          (await workWithin(reader, {
            personId: row.person_id,
            start: correction.start_at,
            end: correction.end_at!,
            except: correction.entry_id,
          }));
        return {
          correction: (await presentCorrections(reader, [correction])).get(correction)!,
          conflicts: overlap(overlaps),
        };
      }
      case 'offline_stamp': {
        const entry = await findEntry(reader, row.subject_id, { company: row.company_id });
        if (entry === undefined) return { conflicts: [] };
        const overlaps = isWaiting && entry.status === 'pending' && (await overlapsWork(reader, entry));
        const entryVersion = row.subject === null ? entry : await entryInVersion(reader, entry, Number(row.subject));
        return { entry: presentEntry(entryVersion), conflicts: overlap(overlaps) };
      }
    }
  }
}

const hints = {
  entry_overlap: { de: 'Zu dieser Zeit ist schon Arbeit erfasst.', en: 'Other work is recorded at this time.' },
  month_closed: { de: 'Der Monat ist abgeschlossen.', en: 'The month is closed.' },
} as const;

function hint(code: keyof typeof hints, language: string): Schemas['Warning'] {
  return { code, message: inLanguage(language, hints[code]) };
}
