/** The lines of a sheet as they are printed and exported: one per entry, one for each day without any. Pure. */
import { hour, type Instant, minute, parseInstant } from '@clockproof/platform/time/instant';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { stringify } from 'csv-stringify/sync';
import type { components } from '../../generated/app-types.js';
import type { Permit } from '../../working-time/evaluations.js';
import type { PresentedSheet } from './present.js';

type Schemas = components['schemas'];

export interface SheetLine {
  readonly date: string;
  readonly start: string;
  readonly end: string;
  readonly breaks: string;
  /** The minutes of the whole day, on its first line only. */
  readonly worked: number | undefined;
  readonly target: number | undefined;
  /** The minutes of breaks that nobody took and `worked` leaves out, on the day's first line only. */
  readonly deducted: number | undefined;
  readonly absence: string;
  readonly holiday: string;
  /** Empty on a day without an entry. */
  readonly status: Schemas['TimeEntry']['status'] | '';
  readonly stamps: string;
  readonly warnings: readonly string[];
  readonly corrections: readonly string[];
}

/**
 * `07:58`, or `2026-10-02 06:02` on another day than the line's: a night shift ends on the next. When clocks are set
 * back, times that come twice have their offset: `02:15 GMT+2`.
 */
export function clockTime(timeZone: ZoneName): (instant: string, date: string) => string {
  const withOffset = new Intl.DateTimeFormat('en-CA', { timeZone, timeZoneName: 'shortOffset' });
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  // Clocks are set back by an hour, or by half of one.
  const comesTwice = (at: Instant) =>
    [-hour, -30 * minute, 30 * minute, hour].some((by) => format.format(at + by) === format.format(at));
  return (instant, date) => {
    const at = parseInstant(instant)!;
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
    const offset = comesTwice(at)
      ? ` ${withOffset.formatToParts(at).find(({ type }) => type === 'timeZoneName')!.value}`
      : '';
    const time = `${parts.get('hour')}:${parts.get('minute')}${offset}`;
    return day === date ? time : `${day} ${time}`;
  };
}

/** The texts of a stamp at a time of day and of a change of an entry. */
export interface SheetWording {
  stamp(stamp: Schemas['Stamp'], at: string): string;
  change(change: string): string;
}

const codes: SheetWording = { stamp: stampText, change: (change) => change };

/** @param wording for people; a table for programs has the codes of the contract */
export function linesOf(sheet: PresentedSheet, wording = codes): SheetLine[] {
  const time = clockTime(sheet.time_zone);
  return sheet.days.flatMap((day): SheetLine[] => {
    const entries = sheet.entries.filter((entry) => entry.date === day.date);
    const lines = entries.length === 0 ? [undefined] : entries;
    return lines.map((entry, index) => ({
      date: day.date,
      start: entry === undefined ? '' : time(entry.start, day.date),
      end: entry?.end === undefined ? '' : time(entry.end, day.date),
      breaks: (entry?.breaks ?? [])
        .map(({ start, end }) => `${time(start, day.date)}-${end === undefined ? '' : time(end, day.date)}`)
        .join(' '),
      worked: index === 0 ? day.worked_minutes : undefined,
      target: index === 0 ? day.target_minutes : undefined,
      deducted: index === 0 ? day.deducted_break_minutes : undefined,
      absence: index === 0 ? (day.absence ?? '') : '',
      holiday: index === 0 ? (day.holiday ?? '') : '',
      status: entry?.status ?? '',
      stamps: (entry?.stamps ?? []).map((stamp) => wording.stamp(stamp, time(stamp.at, day.date))).join(', '),
      warnings:
        index === 0
          ? (day.warnings ?? []).map(({ message, rule }) => (rule === undefined ? message : `${rule}: ${message}`))
          : [],
      corrections: sheet.corrections
        .filter(({ entry_id }) => entry_id === entry?.id)
        .map(
          ({ change, by, reason }) => `${wording.change(change)}: ${by}${reason === undefined ? '' : ` (${reason})`}`,
        ),
    }));
  });
}

function stampText({ action, source, proof, corrected: isCorrected }: Schemas['Stamp'], at: string): string {
  const from =
    isCorrected === true ? 'corrected' : source === undefined ? '' : [source.kind, source.name].join(' ').trim();
  return `${action} ${at} ${from}${proof === undefined ? '' : ` (${proof})`}`.trim();
}

/** RFC 4180 with the byte order mark; text that a spreadsheet would take for a formula gets an apostrophe in front. */
const csvFormat = {
  bom: true,
  header: true,
  columns: [
    'personnel_number',
    'name',
    'date',
    'start',
    'end',
    'breaks',
    'worked_minutes',
    'target_minutes',
    'absence',
    'holiday',
    'status',
    'stamps',
    'warnings',
    'corrections',
    'deducted_break_minutes',
  ],
  delimiter: ';',
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
  escape_formulas: true,
} as const;

export function sheetTable(_permit: Permit<'sheet_exports'>, sheet: PresentedSheet): string {
  const rows = linesOf(sheet).map(({ worked: workedMinutes, target, warnings, corrections, ...line }) => [
    sheet.personnel_number,
    sheet.person.name,
    line.date,
    line.start,
    line.end,
    line.breaks,
    workedMinutes,
    target,
    line.absence,
    line.holiday,
    line.status,
    line.stamps,
    warnings.join(' '),
    corrections.join(', '),
    line.deducted,
  ]);
  return stringify(rows, csvFormat);
}
