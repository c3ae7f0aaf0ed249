/** The opened day: its records, waiting corrections, and the forms that correct, add, split and strike out. */
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useDays } from '../parts/calendar.js';
import { FindingNotice, Glyph } from '../parts/glyph.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { CorrectionForm } from './correction-form.js';
import { CorrectionNote } from './correction-note.js';
import type { DayRow } from './day-row.js';
import { isCorrectable, stands } from './entries.js';
import { EntryRecord } from './entry-record.js';
import { MadeCorrections } from './made-corrections.js';

export function DayDetail({
  row,
  zone,
  personId,
  closed,
  today,
  onClose,
}: {
  readonly row: DayRow;
  /** Zone of the person's company. */
  readonly zone: Zone;
  /** The person whose day it is; undefined for the signed-in person. Corrections for another person hold at once. */
  readonly personId: number | undefined;
  readonly closed: boolean;
  readonly today: string;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const { duration } = useDays();
  /** The corrections sent last. */
  const [correctionIds, setCorrectionIds] = useState<readonly string[]>([]);
  const isOwn = personId === undefined;
  const waitingCorrections = row.corrections.filter(({ status }) => status === 'waiting');
  const rejectedCorrections = row.corrections.filter(({ status }) => status === 'rejected');
  return (
    <section
      className="day-detail"
      aria-label={words.details}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      {!row.entries.some(stands) && <p className="muted">{row.holiday ?? row.absence ?? words.nothing_recorded}</p>}
      {row.entries.map((entry) => (
        <EntryRecord key={entry.id} entry={entry} zone={zone} personId={personId} />
      ))}
      {row.entries.some(({ status }) => status === 'pending') && (
        <p className="muted">
          {words.entry_pending}{' '}
          {!isOwn && <Link href={`/team/approvals?person=${personId}`}>{words.correction_decide}</Link>}
        </p>
      )}
      {(row.warnings ?? []).map((finding) => (
        <FindingNotice key={`${finding.code}${finding.rule ?? ''}`} of={finding} />
      ))}
      {row.deducted_break_minutes !== undefined && (
        <p className="hint">{words.break_deducted(duration(row.deducted_break_minutes))}</p>
      )}
      {isOwn ? (
        <div role="status">
          {correctionIds.length > 0 && (
            <p className="notice ok">
              <span>
                <Glyph name="check" /> {words.correction_sent}
              </span>
            </p>
          )}
        </div>
      ) : (
        <MadeCorrections ids={correctionIds} text={words.correction_made} onUndone={() => setCorrectionIds([])} />
      )}
      {[...waitingCorrections, ...rejectedCorrections].map((correction) => (
        <CorrectionNote key={correction.id} correction={correction} zone={zone} own={isOwn} />
      ))}
      {closed ? (
        <p className="muted">{isOwn ? words.month_closed_hint : words.month_closed_hint_others}</p>
      ) : (
        row.date <= today && <Forms row={row} zone={zone} personId={personId} onSent={setCorrectionIds} />
      )}
    </section>
  );
}

/** A form for each entry without a waiting correction, and one for time that was not stamped. */
function Forms({
  row: { date, entries, corrections },
  zone,
  personId,
  onSent,
}: {
  readonly row: DayRow;
  readonly zone: Zone;
  readonly personId: number | undefined;
  readonly onSent: (ids: readonly string[]) => void;
}): ReactNode {
  const words = useWords();
  const [adding, setAdding] = useState(false);
  const waitingCorrections = corrections.filter(({ status }) => status === 'waiting');
  const underCorrection = new Set(waitingCorrections.map(({ entry_id: id }) => id));
  const isEmpty = !entries.some(stands) && waitingCorrections.length === 0;
  return (
    <>
      {entries
        .filter((entry) => isCorrectable(entry) && !underCorrection.has(entry.id))
        .map((entry) => (
          <CorrectionForm
            key={`${entry.id} ${entry.updated_at}`}
            entry={entry}
            date={date}
            zone={zone}
            personId={personId}
            onSent={onSent}
          />
        ))}
      {isEmpty || adding ? (
        <CorrectionForm
          entry={undefined}
          date={date}
          zone={zone}
          personId={personId}
          onSent={(ids) => {
            setAdding(false);
            onSent(ids);
          }}
        />
      ) : (
        <button type="button" className="link-button" onClick={() => setAdding(true)}>
          {words.correction_add_more}
        </button>
      )}
    </>
  );
}
