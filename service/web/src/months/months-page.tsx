/** Months: the obstacles to closing one, its sums, closing, export; and the report of findings. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { MadeCorrections, useMadeCorrections } from '../clock/made-corrections.js';
import { monthIn } from '../parts/address-dates.js';
import { plusMonths, useCalendar, useDays } from '../parts/calendar.js';
import { Dialog } from '../parts/dialog.js';
import { Glyph } from '../parts/glyph.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { MonthArrows } from './month-arrows.js';
import { Findings, MonthSums, ReportTable, useMonthReport } from './month-report.js';
import { OpenEntries } from './open-entries.js';
import { ReopenDialog } from './reopen-dialog.js';

type CompanyMonth = Schemas['CompanyMonth'];

export function MonthsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  const [, go] = useLocation();
  const month = monthIn(new URLSearchParams(useSearch())) ?? plusMonths(calendar.today.slice(0, 7), -1);
  const company = session.company.id;
  const year = Number(month.slice(0, 4));
  const months = useQuery({
    queryKey: ['months', company, year],
    queryFn: () =>
      ask(client.GET('/app/admin/companies/{id}/months', { params: { path: { id: company }, query: { year } } })),
  });
  const choose = (newMonth: string) => go(`/company/months?month=${newMonth}`);
  return (
    <Page
      title={words.months_title}
      beside={
        <span className="period">
          <MonthArrows month={month} onMove={choose}>
            <h2 className="month-name">{calendar.month(month)}</h2>
          </MonthArrows>
        </span>
      }
    >
      <div className="toolbar">
        <nav className="chips" aria-label={words.months_year(String(year))}>
          {(months.data?.data ?? []).map((listedMonth) => (
            <button
              key={listedMonth.month}
              type="button"
              className="chip"
              aria-pressed={listedMonth.month === month}
              onClick={() => choose(listedMonth.month)}
            >
              {calendar.monthShort(`${listedMonth.month}-15`)}{' '}
              <span className="hidden">{words.months_states[listedMonth.state]}</span>
              {listedMonth.state === 'closed' && <Glyph name="check" />}
            </button>
          ))}
        </nav>
      </div>
      <QueryState of={months}>
        {({ data }) => {
          const shownMonth = data.find((candidate) => candidate.month === month);
          return shownMonth === undefined ? (
            <p className="empty">{words.months_none}</p>
          ) : (
            <Month key={month} month={shownMonth} company={company} zone={zoneOf(session.company)} />
          );
        }}
      </QueryState>
    </Page>
  );
}

function Month({
  month,
  company,
  zone,
}: {
  readonly month: CompanyMonth;
  readonly company: number;
  readonly zone: Zone;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'close' | 'reopen'>();
  const report = useMonthReport(company, month.month);
  const params = { path: { id: company, month: month.month } };
  const refetch = () => {
    setDialog(undefined);
    void queries.invalidateQueries({ queryKey: ['months'] });
    void queries.invalidateQueries({ queryKey: ['report'] });
  };
  const closing = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/companies/{id}/months/{month}/close', { params })),
    onSuccess: refetch,
    onError: () => setDialog(undefined),
  });
  const isClosed = month.state === 'closed';
  const isOver = month.month < calendar.today.slice(0, 7);
  const obstacles = [month.open_entries > 0, month.waiting_requests > 0, !isOver].filter(Boolean).length;
  const name = calendar.month(month.month);
  // The list of findings also has those that only admins see: no number here, which would differ from it.
  const hasFindings = (report.data ?? []).some((line) => (line.findings ?? 0) > 0);
  return (
    <div className="month-split">
      <ol className="steps">
        <ClearStep
          month={month}
          company={company}
          zone={zone}
          obstacles={obstacles}
          over={isOver}
          hasFindings={hasFindings}
        />
        <Step
          nth={2}
          title={words.months_step_sums}
          isDone={isClosed}
          state={
            isClosed ? words.months_done : report.data === undefined ? '' : words.months_people(report.data.length)
          }
        >
          {report.data !== undefined && <Outstanding lines={report.data} />}
        </Step>
        <CloseStep month={month} zone={zone} obstacles={obstacles} problem={closing.error} onAsk={setDialog} />
        <ExportStep month={month} company={company} />
      </ol>
      <div className="stack">
        <QueryState of={report}>{(lines) => <MonthSums lines={lines} />}</QueryState>
      </div>
      {report.error === null && (
        <QueryState of={report}>{(lines) => <ReportTable lines={lines} name={name} />}</QueryState>
      )}
      <Findings company={company} month={month.month} />
      <CloseDialog
        open={dialog === 'close'}
        name={name}
        lines={report.data}
        loading={closing.isPending}
        onClose={() => setDialog(undefined)}
        onConfirm={() => closing.mutate()}
      />
      {dialog === 'reopen' && (
        <ReopenDialog company={company} month={month.month} onClose={() => setDialog(undefined)} onDone={refetch} />
      )}
    </div>
  );
}

interface StepProps {
  readonly month: CompanyMonth;
  /** The number of obstacles to closing. */
  readonly obstacles: number;
}

function ClearStep({
  month,
  company,
  zone,
  obstacles,
  over,
  hasFindings,
}: StepProps & {
  readonly company: number;
  readonly zone: Zone;
  readonly over: boolean;
  readonly hasFindings: boolean;
}): ReactNode {
  const words = useWords();
  const [correctionIds, setCorrectionIds] = useMadeCorrections();
  const isClosed = month.state === 'closed';
  return (
    <Step
      nth={1}
      title={words.months_step_clear}
      isDone={isClosed || obstacles === 0}
      state={isClosed || obstacles === 0 ? words.months_done : words.months_left(obstacles)}
    >
      <ul className="rows obstacles">
        {!isClosed && !over && <Obstacle bad text={words.months_not_over} />}
        <Obstacle
          bad={!isClosed && month.open_entries > 0}
          text={isClosed || month.open_entries === 0 ? words.months_no_open : words.months_open(month.open_entries)}
          link={[`/team/corrections?month=${month.month}`, words.months_open_several]}
        />
        {!isClosed && month.open_entries > 0 && (
          <OpenEntries
            month={month.month}
            company={company}
            zone={zone}
            count={month.open_entries}
            onMade={setCorrectionIds}
          />
        )}
        <Obstacle
          bad={!isClosed && month.waiting_requests > 0}
          text={
            isClosed || month.waiting_requests === 0
              ? words.months_no_waiting
              : words.months_waiting(month.waiting_requests)
          }
          link={
            month.waiting_requests > 0 ? [`/team/approvals?month=${month.month}`, words.months_waiting_link] : undefined
          }
        />
      </ul>
      <MadeCorrections ids={correctionIds} text={words.correction_made} onUndone={() => setCorrectionIds([])} />
      {hasFindings && <p className="hint">{words.months_findings}</p>}
    </Step>
  );
}

function CloseStep({
  month,
  zone,
  obstacles,
  problem,
  onAsk,
}: StepProps & {
  readonly zone: Zone;
  readonly problem: unknown;
  readonly onAsk: (what: 'close' | 'reopen') => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const isClosed = month.state === 'closed';
  return (
    <Step
      nth={3}
      title={words.months_step_close}
      isDone={isClosed}
      state={isClosed ? words.months_done : obstacles > 0 ? words.months_needs : ''}
    >
      <ProblemNotice problem={problem} />
      <p>
        {isClosed && month.closed_at !== undefined
          ? words.months_closed_on(calendar.day(calendar.dateOf(month.closed_at)), month.closed_by?.name)
          : words.months_close_text(calendar.month(month.month))}
      </p>
      {month.commitment !== undefined && <Ledger of={month.commitment} />}
      {month.reopen_reason !== undefined && !isClosed && (
        <p className="note warn">
          <Glyph name="warning" />
          <span>
            {words.months_reopened}: <bdi>{month.reopen_reason}</bdi>
          </span>
        </p>
      )}
      <div className="toolbar">
        {isClosed ? (
          <Button variant="default" onClick={() => onAsk('reopen')}>
            {words.months_reopen}
          </Button>
        ) : (
          <Button
            aria-disabled={obstacles > 0}
            {...(obstacles > 0 ? { 'data-disabled': true } : {})}
            aria-describedby={obstacles > 0 ? 'close-needs' : undefined}
            onClick={() => obstacles === 0 && onAsk('close')}
          >
            {words.months_close}
          </Button>
        )}
        {!isClosed && obstacles > 0 && (
          <span id="close-needs" className="hint">
            {words.months_left(obstacles)}
          </span>
        )}
      </div>
    </Step>
  );
}

/** The state of the month on the ledger. */
function Ledger({ of: { state, overdue, revision } }: { readonly of: Schemas['MonthCommitment'] }): ReactNode {
  const words = useWords();
  const isBad = state === 'contradicted' || overdue;
  return (
    <p className={isBad ? 'note warn' : 'hint'}>
      <Glyph name={isBad ? 'warning' : state === 'anchored' ? 'check' : 'out'} />{' '}
      <span>
        {words.months_on_ledger}: {words.proofs_states[state] ?? state} · {words.months_revision(revision)}
        {overdue && <> · {words.months_overdue}</>}
      </span>
    </p>
  );
}

function ExportStep({ month, company }: { readonly month: CompanyMonth; readonly company: number }): ReactNode {
  const words = useWords();
  const exporting = useMutation({
    mutationFn: () =>
      ask<Blob>(
        client.GET('/app/reports/months/export', {
          params: { query: { month: month.month, company_id: company } },
          parseAs: 'blob',
        }),
      ),
    onSuccess: (content) => saveFile(`${words.months_file}-${month.month}.csv`, content),
  });
  return (
    <Step nth={4} title={words.months_step_export} state={month.state === 'closed' ? '' : words.months_preliminary}>
      <ProblemNotice problem={exporting.error} />
      <div className="toolbar">
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          {words.months_csv}
        </Button>
        <Button variant="default" onClick={() => window.print()}>
          {words.months_print}
        </Button>
      </div>
    </Step>
  );
}

function CloseDialog({
  open,
  name,
  lines,
  loading,
  onClose,
  onConfirm,
}: {
  readonly open: boolean;
  /** The name of the month. */
  readonly name: string;
  readonly lines: readonly Schemas['PersonMonth'][] | undefined;
  readonly loading: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <Dialog open={open} onClose={onClose} title={words.months_close_title(name)}>
      <div className="stack">
        <p>{words.months_close_text(name)}</p>
        {lines !== undefined && <MonthSums lines={lines} />}
        <div className="end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words.cancel}
          </Button>
          <Button loading={loading} onClick={onConfirm}>
            {words.months_close}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Step({
  nth,
  title,
  state,
  isDone = false,
  children,
}: {
  readonly nth: number;
  readonly title: string;
  readonly state: string;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <li className="step" data-done={isDone ? '' : undefined}>
      <span className="step-number" aria-hidden="true">
        {isDone ? <Glyph name="check" /> : nth}
      </span>
      <div className="panel step-body">
        <h3>
          {title} <small>{state}</small>
        </h3>
        {children}
      </div>
    </li>
  );
}

function Obstacle({
  bad,
  text,
  link,
}: {
  readonly bad: boolean;
  readonly text: string;
  readonly link?: readonly [string, string] | undefined;
}): ReactNode {
  return (
    <li data-tone={bad ? 'warn' : undefined}>
      <Glyph name={bad ? 'warning' : 'check'} />
      <span className="grow">{text}</span>
      {bad && link !== undefined && (
        <Link href={link[0]} className="link">
          {link[1]} ›
        </Link>
      )}
    </li>
  );
}

/** The balances that stand out: the largest on either side. */
function Outstanding({ lines }: { readonly lines: readonly Schemas['PersonMonth'][] }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const outliers = [...lines]
    .filter(({ balance }) => Math.abs(balance.balance_minutes) >= 10 * 60)
    .sort((a, b) => Math.abs(b.balance.balance_minutes) - Math.abs(a.balance.balance_minutes))
    .slice(0, 4);
  if (outliers.length === 0) return <p className="hint">{words.months_no_outstanding}</p>;
  return (
    <div className="toolbar">
      {outliers.map(({ person, balance }) => (
        <Link key={person.id} href={`/company/people/${person.id}?tab=time`} className="badge" data-tone="warn">
          <Glyph name="warning" /> <bdi>{person.name}</bdi> {calendar.signed(balance.balance_minutes)}
        </Link>
      ))}
    </div>
  );
}
