import type { components } from '../generated/app-types.js';
import { inLanguage } from '../people/language.js';
import type { Holiday } from './holidays.js';
import type { SpecialRuleRow } from './rows.js';

export function presentSpecialRule(row: SpecialRuleRow): components['schemas']['SpecialRule'] {
  return {
    id: `spr_${row.id}`,
    kind: row.kind,
    valid_from: row.valid_from,
    valid_to: row.valid_to ?? undefined,
    evening_work: row.evening_work === 1,
  };
}

export function presentHoliday({ date, name, half, public: isPublic }: Holiday, language: string) {
  return { date, name: inLanguage(language, name), half_day: half, public_holiday: isPublic };
}
