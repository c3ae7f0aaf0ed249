import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { inLanguage } from '../people/language.js';
import { defined } from '../store/defined.js';
import { datesOfOwn, holidaysIn, ownHolidayOn } from '../working-time/holidays.js';
import { type CompanyHolidayRow, listCompanyHolidays } from '../working-time/rows.js';
import { addCompanyHoliday, changeCompanyHoliday, removeCompanyHoliday } from './company-holidays.js';

export const listHolidays: AppHandler<'listHolidays'> = async ({ db, caller, path: { id }, query: { year } }) => {
  const company = await companyFor(db, caller, id);
  const ownHolidays = await listCompanyHolidays(db, company.id);
  const publicHolidays = holidaysIn(company.country, company.region, company.local_holidays).ofYear(year);
  const { language } = caller.person;
  const dates = new Set([...publicHolidays.map(({ date }) => date), ...datesOfOwn(ownHolidays, year)]);
  const names = new Map(publicHolidays.map(({ date, name }) => [date, name]));
  const data = [...dates].sort().map((date): components['schemas']['HolidaySetting'] => {
    const row = ownHolidayOn(ownHolidays, date);
    if (row === undefined) return { date, name: inLanguage(language, names.get(date)!), kind: 'public_holiday' };
    const name = inLanguage(language, { de: row.name_de, en: row.name_en });
    return { date, name, kind: row.kind, company_holiday: presentCompanyHoliday(row) };
  });
  return { status: 200, body: { data } };
};

export const addHoliday: AppHandler<'addHoliday'> = async ({ db, caller, path: { id }, body, at }) => {
  const { date, kind, yearly = false, name_de: nameDe, name_en: nameEn } = body;
  const row = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    addCompanyHoliday(write, caller, id, { date, kind, yearly, nameDe, nameEn }),
  );
  return { status: 201, body: presentCompanyHoliday(row) };
};

export const changeHoliday: AppHandler<'changeHoliday'> = async ({
  db,
  caller,
  path: { id, holiday_id: holidayId },
  body,
  at,
}) => {
  const { name_de, name_en, ...changes } = body;
  const names = defined({ nameDe: name_de, nameEn: name_en });
  const row = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    changeCompanyHoliday(write, caller, id, numberIn(holidayId, 'hol'), { ...changes, ...names }),
  );
  return { status: 200, body: presentCompanyHoliday(row) };
};

export const removeHoliday: AppHandler<'removeHoliday'> = async ({
  db,
  caller,
  path: { id, holiday_id: holidayId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    removeCompanyHoliday(write, caller, id, numberIn(holidayId, 'hol')),
  );
  return { status: 204 };
};

function presentCompanyHoliday(row: CompanyHolidayRow): components['schemas']['CompanyHoliday'] {
  const { id, date, kind, yearly, last_date, name_de, name_en } = row;
  return {
    id: `hol_${id}`,
    date,
    kind,
    yearly: yearly === 1,
    last_date: last_date ?? undefined,
    name_de,
    name_en,
  };
}
