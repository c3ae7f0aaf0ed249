/** A request with what it is about, and what speaks against it. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { presentAbsences } from '../../absences/present.js';
import { findAbsence } from '../../absences/rows.js';
import { warningsFor } from '../../absences/warnings.js';
import type { ApprovalRow } from '../../approvals/rows.js';
import { findCorrection } from '../../clocking/correction-rows.js';
import { presentEntry } from '../../clocking/present.js';
import { presentCorrections } from '../../clocking/present-correction.js';
import { findEntry, workWithin } from '../../clocking/rows.js';
import type { components } from '../../generated/app-types.js';
import { closedInSpan } from '../../months/rows.js';
import { listNames } from '../../people/rows.js';

type Schemas = components['schemas'];
type Subject = Pick<Schemas['Approval'], 'absence' | 'correction' | 'entry' | 'conflicts'>;

const nobody = '–';

export async function presentApprovals(
  reader: Reader,
  rows: readonly ApprovalRow[],
  language: string,
  at: Instant,
): Promise<Map<ApprovalRow, Schemas['Approval']>> {
  const names = await listNames(
    reader,
    rows.flatMap((row) => [row.person_id, ...(row.decided_by === null ? [] : [row.decided_by])]),
  );
  const reference = (id: number) => ({ id, name: names.get(id) ?? nobody });
  const shown = new Map<ApprovalRow, Schemas['Approval']>();
  for (const row of rows) {
    const { conflicts, ...subject } = await subjectOf(reader, row, at);
    const closed =
      row.status === 'waiting' &&
      (await closedInSpan(reader, row.company_id, row.from_date.slice(0, 7), row.to_date.slice(0, 7)));
    shown.set(row, {
      id: `apr_${row.id}`,
      kind: row.kind,
      status: row.status,
      person: reference(row.person_id),
      company_id: row.company_id,
      requested_at: formatInstant(row.requested_at),
      ...subject,
      conflicts: closed ? [...conflicts, hint('month_closed', language)] : conflicts,
      ...(row.decided_by === null ? {} : { decided_by: reference(row.decided_by) }),
      ...(row.decided_at === null ? {} : { decided_at: formatInstant(row.decided_at) }),
      ...(row.comment === null ? {} : { decision_comment: row.comment }),
    });
  }
  return shown;

  function overlap(overlaps: boolean): Schemas['Warning'][] {
    return overlaps ? [hint('entry_overlap', language)] : [];
  }

  async function subjectOf(reader: Reader, row: ApprovalRow, at: Instant): Promise<Subject> {
    const waits = row.status === 'waiting';
    switch (row.kind) {
      case 'absence':
      case 'absence_cancellation': {
        const absence = await findAbsence(reader, row.subject_id, row.company_id);
        if (absence === undefined) return { conflicts: [] };
        return {
          absence: (await presentAbsences(reader, [absence])).get(absence)!,
          conflicts: waits && row.kind === 'absence' ? await warningsFor(reader, absence, at) : [],
        };
      }
      case 'correction': {
        const correction = await findCorrection(reader, row.subject_id, row.company_id);
        if (correction === undefined) return { conflicts: [] };
        const overlaps =
          waits &&
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
        const entry = await findEntry(reader, row.subject_id, row.company_id);
        if (entry === undefined) return { conflicts: [] };
        const overlaps =
          waits &&
          entry.end_at !== null &&
          (await workWithin(reader, {
            personId: row.person_id,
            start: entry.start_at,
            end: entry.end_at,
            except: entry.id,
          }));
        return { entry: presentEntry(entry), conflicts: overlap(overlaps) };
      }
    }
  }
}

const hints = {
  entry_overlap: { de: 'Zu dieser Zeit ist schon Arbeit erfasst.', en: 'Other work is recorded at this time.' },
  month_closed: { de: 'Der Monat ist abgeschlossen.', en: 'The month is closed.' },
} as const;

function hint(code: keyof typeof hints, language: string): Schemas['Warning'] {
  return { code, message: language === 'de' || language.startsWith('de-') ? hints[code].de : hints[code].en };
}
