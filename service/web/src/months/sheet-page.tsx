/** A month as a document: its records, sign-off and later changes. One's own, or a person's. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { SourceName } from '../clock/source-name.js';
import { monthIn } from '../parts/address-dates.js';
import { plusMonths, useCalendar, useCalendars } from '../parts/calendar.js';
import { Facts } from '../parts/facts.js';
import { FindingGlyph } from '../parts/glyph.js';
import { Icon } from '../parts/icon.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { QrCode } from '../parts/qr-code.js';
import { saveFile } from '../parts/save-file.js';
import { useOwnZone, type Zone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { MonthArrows } from './month-arrows.js';

type Sheet = Schemas['MonthSheet'];

export function SheetPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const calendarOf = useCalendars();
  const search = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const month = monthIn(search) ?? plusMonths(calendar.today.slice(0, 7), -1);
  const id = Number(search.get('person') ?? session.person.id);
  const path = { id, month };
  const queries = useQueryClient();
  const sheet = useQuery({
    queryKey: ['sheet', id, month],
    queryFn: () => ask(client.GET('/app/people/{id}/sheets/{month}', { params: { path } })),
  });
  const signing = useMutation({
    mutationFn: (digest: string) =>
      ask(client.POST('/app/people/{id}/sheets/{month}/sign-offs', { params: { path }, body: { digest } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sheet', id, month] }),
  });
  const saving = useMutation({
    mutationFn: async (kind: 'csv' | 'pdf') => {
      const content = await ask<Blob>(
        kind === 'csv'
          ? client.GET('/app/people/{id}/sheets/{month}/table', { params: { path }, parseAs: 'blob' })
          : client.GET('/app/people/{id}/sheets/{month}/document', { params: { path }, parseAs: 'blob' }),
      );
      saveFile(`${words.sheet_file}-${month}.${kind}`, content);
    },
  });
  return (
    <Page
      title={`${words.sheet_title} ${calendar.month(month)}`}
      beside={
        <span className="period">
          <MonthArrows
            month={month}
            onMove={(sheetMonth) => {
              search.set('month', sheetMonth);
              go(`/time/sheet?${search}`);
            }}
          />
        </span>
      }
      action={
        <span className="period">
          <button type="button" className="button" onClick={() => saving.mutate('csv')}>
            CSV
          </button>
          <button type="button" className="button" onClick={() => saving.mutate('pdf')}>
            PDF
          </button>
          <button type="button" className="button desk-only" onClick={() => window.print()}>
            <Icon name="print" />
            {words.print}
          </button>
        </span>
      }
    >
      <ProblemNotice problem={signing.error ?? saving.error} />
      <QueryState of={sheet} rows={16}>
        {(sheet) => (
          <>
            <p>
              <b>
                <bdi>{sheet.person.name}</bdi>
              </b>{' '}
              {sheet.personnel_number} · <bdi>{sheet.company}</bdi>
            </p>
            {sheet.reopenings.map(({ at, by, reason }) => (
              <p key={at} className="notice warn sheet-reopened">
                {words.sheet_reopened(by, calendarOf(zoneOf(sheet)).day(calendarOf(zoneOf(sheet)).dateOf(at)))}{' '}
                <bdi>{reason}</bdi>
              </p>
            ))}
            <SheetTable sheet={sheet} />
            <SignOffs sheet={sheet} />
            {sheet.can_sign_off && (
              <div className="notice row sheet-sign">
                <span>{id === session.person.id ? words.sheet_sign_hint : words.sheet_approve_hint}</span>
                <button
                  type="button"
                  className="button primary"
                  disabled={signing.isPending}
                  onClick={() => signing.mutate(sheet.digest)}
                >
                  {words.sheet_sign}
                </button>
              </div>
            )}
            <p className="print-only signature">{words.signature}</p>
            <p className="muted sheet-digest">
              {words.sheet_digest} <code>{sheet.digest}</code>
            </p>
            {sheet.proof !== undefined && <RootOfSheet of={sheet.proof} />}
          </>
        )}
      </QueryState>
    </Page>
  );
}

/** Values that a verifier compares with the file of the month. */
function RootOfSheet({ of: { root, revision, ...tokens } }: { readonly of: Schemas['SheetProof'] }): ReactNode {
  const words = useWords();
  const title = words.sheet_root(String(revision));
  return (
    <div className="sheet-root">
      <Facts
        of={[
          [title, <code key="root">{root}</code>],
          [words.proofs_company_token, <code key="company">{tokens.company_token}</code>],
          [words.proofs_person_token, tokens.person_token && <code key="person">{tokens.person_token}</code>],
          [words.proofs_senders, tokens.sender && <code key="sender">{tokens.sender}</code>],
        ]}
      />
      <div className="print-only">
        <QrCode text={root} label={title} />
      </div>
    </div>
  );
}

function SheetTable({ sheet }: { readonly sheet: Sheet }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(sheet));
  const isOver = sheet.month < calendar.today.slice(0, 7);
  return (
    <div className="month-frame">
      <table className="sheet">
        <thead>
          <tr>
            <th scope="col">{words.day_word}</th>
            <th scope="col">{words.time_word}</th>
            <th scope="col" className="number">
              {words.worked}
            </th>
            <th scope="col" className="number">
              {words.due}
            </th>
            <th scope="col">{words.details}</th>
          </tr>
        </thead>
        <tbody>
          {sheet.days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{calendar.day(day.date)}</th>
              <td>
                {sheet.entries
                  .filter((entry) => entry.date === day.date)
                  .map((entry) => (
                    <EntryOfSheet key={entry.id} entry={entry} zone={zoneOf(sheet)} />
                  ))}
              </td>
              <td className="number">{calendar.duration(day.worked_minutes)}</td>
              <td className="number">{calendar.duration(day.target_minutes)}</td>
              <td>
                <bdi>{[day.holiday, day.absence].filter((text) => text !== undefined).join(', ')}</bdi>
                {day.deducted_break_minutes !== undefined && (
                  <small className="sheet-note">
                    {words.break_deducted(calendar.duration(day.deducted_break_minutes))}
                  </small>
                )}
                {(day.warnings ?? []).map(({ code, message, rule }) => (
                  <small key={code} className="sheet-note">
                    <FindingGlyph code={code} /> {message} {rule}
                  </small>
                ))}
                {sheet.corrections
                  .filter(({ date }) => date === day.date)
                  .map(({ entry_id, at, by, change, reason }) => (
                    <small key={`${String(entry_id)} ${at}`} className="sheet-note">
                      {words.changes[change]}: <bdi>{by}</bdi>
                      {reason !== undefined && (
                        <>
                          {' '}
                          (<bdi>{reason}</bdi>)
                        </>
                      )}
                    </small>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
        {sheet.balance !== undefined && (
          <tfoot>
            <tr>
              {/* The days show today and the days to come as well. */}
              <th scope="row">{isOver ? words.sheet_sum : words.sheet_sum_yesterday}</th>
              <td>
                {words.balance} {calendar.signed(sheet.balance.balance_minutes)}
              </td>
              <td className="number">{calendar.duration(sheet.balance.worked_minutes)}</td>
              <td className="number">{calendar.duration(sheet.balance.target_minutes)}</td>
              <td>± {calendar.signed(sheet.balance.difference_minutes)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function EntryOfSheet({ entry, zone }: { readonly entry: Schemas['TimeEntry']; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const proofs: Readonly<Record<string, string | undefined>> = words.proofs;
  const times = calendar.times(entry.start, entry.end, '');
  return (
    <div className="sheet-entry">
      {entry.status === 'rejected' ? <s>{times}</s> : <b>{times}</b>}{' '}
      {entry.status === 'pending' && words.sheet_pending}
      {entry.status === 'rejected' && words.changes.rejected}
      {(entry.stamps ?? []).map((stamp) => (
        <small key={`${stamp.action}${stamp.at}`} className="sheet-note">
          {calendar.clock(stamp.at)} {words.stamp_actions[stamp.action]},{' '}
          {stamp.corrected === true ? (
            words.by_correction
          ) : stamp.source === undefined ? null : (
            <SourceName source={stamp.source} />
          )}
          {stamp.proof !== undefined && `, ${proofs[stamp.proof] ?? stamp.proof}`}
        </small>
      ))}
    </div>
  );
}

function SignOffs({ sheet }: { readonly sheet: Sheet }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(sheet));
  return (
    <section aria-label={words.sheet_sign_offs}>
      <h2>{words.sheet_sign_offs}</h2>
      {sheet.sign_offs.length === 0 && <p className="muted">{words.sheet_unsigned}</p>}
      <ul className="bullets">
        {sheet.sign_offs.map(({ role, by, at, valid, changes }) => (
          <li key={`${role} ${at}`}>
            {words.sheet_roles[role]}: <bdi>{by.name}</bdi>, {calendar.day(calendar.dateOf(at))} {calendar.clock(at)}
            {!valid && (
              <>
                {' – '}
                <b>{words.sheet_void}</b>
                <ul>
                  {changes.map((change) => (
                    <li key={change.date}>
                      {calendar.day(change.date)}:{' '}
                      {words.sheet_change(
                        `${calendar.duration(change.worked_before)} / ${calendar.duration(change.target_before)}`,
                        `${calendar.duration(change.worked_now)} / ${calendar.duration(change.target_now)}`,
                      )}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
