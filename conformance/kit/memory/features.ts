/** What is used is said to be switched on, and what is offered is what is taken. */
import { at, isRecord } from '../json.js';
import { actionOf, type Changes } from './changes.js';
import { brief, type History, type Lie, named, type Told } from './history.js';

export function liesAboutFeatures(history: History, changes: Changes): readonly Lie[] {
  return [...ofSwitches(history), ...ofKinds(history, changes)];
}

/** A feature that is off is not used, as long as nobody switches anything. */
function ofSwitches(history: History): readonly Lie[] {
  const switched = history.doings.filter(({ operation }) => /^(changeFeatures|setCompanyActive)$/.test(operation));
  const written = history.steps.filter(
    ({ operation = '', status, caller }) =>
      caller?.personId === undefined &&
      caller !== undefined &&
      status >= 200 &&
      status < 300 &&
      (operation in actionOf || operation === 'createAbsence'),
  );
  const uses: Readonly<Record<string, readonly Told[]>> = {
    people_writes: written,
    extensions_write: written,
    personal_links: history.of(['getMe'], 200),
    terminals: history.of(['openCardSession'], 200),
    webhooks: history.arrivals.filter(({ connection }) => connection === undefined),
    websocket: history.arrivals.filter(({ connection }) => connection !== undefined),
  };
  const said = [
    ...history.of(['getStatus'], 200).map((step) => ({
      where: named(step),
      features: step.answer?.get('features'),
      from: step.from,
      until: step.until,
    })),
    ...history
      .done('readFeatures')
      .map(({ result, from, until }) => ({ where: 'the page of the switches', features: result, from, until })),
  ];
  return said.flatMap(({ where, features, from, until }) =>
    Object.entries(isRecord(features) ? features : {}).flatMap(([name, value]) => {
      const used =
        value === false &&
        uses[name]?.find(
          (one) =>
            !switched.some(
              (other) => other.from < Math.max(until, one.until) && other.until > Math.min(from, one.from),
            ),
        );
      return used ? [{ kind: 'access' as const, what: `${where}: ${name} is off, and is used` }] : [];
    }),
  );
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** A kind of absence is the same wherever it is offered, and what was taken is offered. */
function ofKinds(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const lists = [
    ...history.done('listAbsenceTypes').map(({ given, result, from, until }) => ({
      where: 'the kinds of absence',
      byAdministrators: true,
      companyId: Number(given[0]),
      rows: recordsIn(result),
      from,
      until,
    })),
    ...history.of(['getMe'], 200).map((step) => ({
      where: named(step),
      byAdministrators: false,
      companyId: Number(step.answer?.get('company_id')),
      rows: recordsIn(step.answer?.get('absence_types')),
      from: step.from,
      until: step.until,
    })),
  ];
  const known = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { where, companyId, rows, from } of lists) {
    const lie = (what: string) => lies.push({ kind: 'absence', what: `${where} of company ${companyId}: ${what}` });
    const offered = rows.filter((row) => row['active'] !== false);
    const offers = (key: unknown) => offered.some((row) => row['key'] === key);
    for (const row of rows) {
      const key = `${companyId} ${String(row['key'])}`;
      const before = known.get(key) ?? row;
      for (const member of ['half_day', 'counts_as_vacation'])
        if (before[member] !== row[member])
          lie(`${member} of ${String(row['key'])} is ${brief(row[member])}, before ${brief(before[member])}`);
      known.set(key, before);
    }
    // Nobody takes a kind away while the kit looks.
    const earlier = lists.find((one) => one.byAdministrators && one.companyId === companyId && one.until < from);
    for (const { key, active } of earlier?.rows ?? [])
      if (active === true && !offers(key)) lie(`${brief(key)} is missing, which administrators see`);
    const added = history.done('createAbsenceType').filter(({ given }) => given[0] === companyId);
    for (const { step, record } of changes.absences) {
      const type = record['type'];
      if (step.operation !== 'createAbsence' || record['company_id'] !== companyId) continue;
      if (added.some((one) => at(one.given[1], 'key') === type && one.until > from)) continue;
      const row = offered.find((one) => one['key'] === type);
      if (row === undefined) lie(`${String(type)} is missing, and was taken`);
      else if (record['half_day'] !== undefined && row['half_day'] === false)
        lie(`${String(type)} has no half days, and half a day was taken`);
    }
    for (const { given, until } of added)
      if (until < from && !offers(at(given[1], 'key')))
        lie(`${brief(at(given[1], 'key'))} is missing, which was added`);
  }
  return lies;
}
