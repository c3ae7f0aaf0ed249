/** The settings of a company's payroll export. */
import type { Reader } from '@clockproof/platform/database/database';
import { type AbsenceType, absenceTypesOf } from '../../absences/types.js';
import type { components } from '../../generated/app-types.js';
import { inLanguage } from '../../people/language.js';
import type { CompanyId } from '../../store/ids.js';
import { type DetailCode, invalidField } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { findPayrollSettings, savePayrollSettingsRow } from './rows.js';
import type { WageType } from './surcharges.js';

export type PayrollColumn = components['schemas']['PayrollColumn'];

export interface PayrollSettings {
  readonly wageTypes: readonly WageType[];
  readonly columns: readonly PayrollColumn[];
  readonly decimalMark: 'point' | 'comma';
}

type Names = Readonly<Record<'work' | 'night' | 'sunday' | 'holiday', string>>;
const words: { readonly de: Names; readonly en: Names } = {
  de: { work: 'Arbeitsstunden', night: 'Nachtarbeit', sunday: 'Sonntagsarbeit', holiday: 'Feiertagsarbeit' },
  en: { work: 'Hours worked', night: 'Night work', sunday: 'Sunday work', holiday: 'Work on public holidays' },
};

/** The settings until a company sets its own. Night is that of ArbZG section 2 (3). */
export function standardSettings(types: readonly AbsenceType[], language: string): PayrollSettings {
  const names = inLanguage(language, words);
  return {
    wageTypes: [
      { code: 'WORK', name: names.work, counts: 'work' },
      { code: 'NIGHT', name: names.night, counts: 'surcharge', days: 'all', from: '23:00', to: '06:00' },
      { code: 'SUNDAY', name: names.sunday, counts: 'surcharge', days: 'sundays' },
      { code: 'HOLIDAY', name: names.holiday, counts: 'surcharge', days: 'public_holidays' },
      ...types
        .filter(({ overlapClass }) => overlapClass === 'away')
        .slice(0, 90)
        .map(
          ({ key, label }): WageType => ({
            code: key,
            name: inLanguage(language, label),
            counts: 'absence',
            absence_type: key,
          }),
        ),
    ],
    columns: ['personnel_number', 'name', 'month', 'wage_type', 'wage_type_name', 'quantity', 'unit'],
    decimalMark: 'comma',
  };
}

/** A number as a company's files write it. */
export function withMark(text: string, mark: PayrollSettings['decimalMark']): string {
  return mark === 'comma' ? text.replace('.', ',') : text;
}

/** The company's own settings, or else the standard ones in a language. */
export async function readPayrollSettings(
  reader: Reader,
  companyId: CompanyId,
  language: string,
): Promise<PayrollSettings & { readonly standard: boolean }> {
  const row = await findPayrollSettings(reader, companyId);
  if (row === undefined)
    return { standard: true, ...standardSettings(await absenceTypesOf(reader, companyId), language) };
  return {
    standard: false,
    wageTypes: JSON.parse(row.wage_types) as WageType[],
    columns: JSON.parse(row.columns) as PayrollColumn[],
    decimalMark: row.decimal_mark,
  };
}

/** @throws Refusal `invalid_request` a wage type says more or less than its kind needs, or a code is there twice */
export async function savePayrollSettings(
  write: Write,
  companyId: CompanyId,
  settings: PayrollSettings,
): Promise<void> {
  await write.lock({ company: companyId });
  const absenceKeys = new Set((await absenceTypesOf(write, companyId)).map(({ key }) => key));
  for (const [index, type] of settings.wageTypes.entries()) {
    const fault = faultOf(type, absenceKeys, settings.wageTypes.slice(0, index));
    if (fault !== undefined) throw invalidField(`wage_types[${index}].${fault[0]}`, fault[1], fault[2]);
  }
  await savePayrollSettingsRow(write, {
    company_id: companyId,
    wage_types: JSON.stringify(settings.wageTypes),
    columns: JSON.stringify(settings.columns),
    decimal_mark: settings.decimalMark,
  });
  await write.audit({
    companyId,
    action: 'payroll_settings.set',
    subject: `company ${companyId}`,
    details: { wage_types: settings.wageTypes.map(({ code }) => code), columns: [...settings.columns] },
  });
}

type Fault = readonly [member: string, code: DetailCode, sentence: string];

/** Pure. */
export function faultOf(
  type: WageType,
  absenceTypes: ReadonlySet<string>,
  precedingTypes: readonly WageType[],
): Fault | undefined {
  const { counts, days, dates, from, to } = type;
  if (precedingTypes.some(({ code }) => code === type.code)) return ['code', 'repeated', 'The code is there twice.'];
  const surplusMember = (['days', 'dates', 'from', 'to', 'begun_before_midnight', 'absence_type'] as const).find(
    (member) =>
      type[member] !== undefined && (member === 'absence_type' ? counts !== 'absence' : counts !== 'surcharge'),
  );
  if (surplusMember !== undefined)
    return [surplusMember, 'not_allowed', 'It does not belong to this kind of wage type.'];
  if (counts === 'surcharge' && days === undefined) return ['days', 'required', 'A surcharge needs its days.'];
  if (counts === 'absence' && (type.absence_type === undefined || !absenceTypes.has(type.absence_type)))
    return ['absence_type', 'unknown', 'The company has no such kind of absence.'];
  if ((days === 'dates') !== (dates !== undefined))
    return ['dates', days === 'dates' ? 'required' : 'not_allowed', 'Dates belong to the days `dates`.'];
  if ((from === undefined) !== (to === undefined))
    return [from === undefined ? 'from' : 'to', 'required', 'A time of day has a beginning and an end.'];
  if (from !== undefined && from === to) return ['to', 'out_of_range', 'The time of day ends when it begins.'];
  return undefined;
}
