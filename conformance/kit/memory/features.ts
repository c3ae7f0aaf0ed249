/** What is used is said to be switched on, and what is offered is what is taken. */
import { at, isRecord } from '../json.js';
import { actionOf, bodyOf, type Changes } from './changes.js';
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

/** A kind of absence is the same wherever it is offered, and what was taken is offered. */
function ofKinds(history: History, changes: Changes): readonly Lie[] {
  const lies: Lie[] = [];
  const lists = [
    ...history.done('listAbsenceTypes').map(({ given, result, from, until }) => ({
      where: 'the kinds of absence',
      companyId: Number(given[0]),
      types: result,
      from,
      until,
    })),
    ...history.of(['getMe'], 200).map((step) => ({
      where: named(step),
      companyId: Number(step.answer?.get('company_id')),
      types: step.answer?.get('absence_types'),
      from: step.from,
      until: step.until,
    })),
  ];
  const known = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { where, companyId, types, from } of lists) {
    const lie = (what: string) => lies.push({ kind: 'absence', what: `${where} of company ${companyId}: ${what}` });
    const rows = Array.isArray(types) ? types.filter(isRecord) : [];
    const offered = rows.filter((row) => row['active'] !== false);
    for (const row of rows) {
      const key = `${companyId} ${String(row['key'])}`;
      const before = known.get(key) ?? row;
      for (const member of ['half_day', 'counts_as_vacation'])
        if (before[member] !== row[member])
          lie(`${member} of ${String(row['key'])} is ${brief(row[member])}, before ${brief(before[member])}`);
      known.set(key, before);
    }
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
      if (until < from && !offered.some((one) => one['key'] === at(given[1], 'key')))
        lie(`${brief(at(given[1], 'key'))} is missing, which was added`);
  }
  return [...lies, ...ofLastDays(history, changes)];
}

/** Who leaves keeps no absence after the last day: what waited is withdrawn, what was approved is cancelled. */
function ofLastDays(history: History, changes: Changes): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const effects = at(step.answer?.json, 'employment_ended.absences');
    const last = String(at(bodyOf(step), 'employment_end'));
    if (!Array.isArray(effects) || step.status !== 200) return [];
    const personId = Number(/\/people\/(\d+)/.exec(step.path)?.[1]);
    const newest = new Map(changes.absences.filter(({ until }) => until < step.from).map((one) => [one.id, one]));
    const approved = new Set(history.done('approveAbsence').map(({ given }) => String(at(given[0], 'id'))));
    return [...newest.values()].flatMap(({ id, personId: owner, record }) => {
      if (owner !== personId || String(record['start_date']) <= last) return [];
      const status = record['status'] === 'waiting' && approved.has(id) ? 'approved' : String(record['status']);
      const wanted = { waiting: 'withdrawn', approved: 'cancelled', cancellation_requested: 'cancelled' }[status];
      const is = effects.find((one) => String(at(one, 'id')) === id);
      if (is !== undefined && at(is, 'end_date') !== undefined && at(is, 'end_date') !== record['end_date'])
        return [
          { kind: 'absence' as const, what: `${named(step)}: the absence ${id} ends ${brief(at(is, 'end_date'))}` },
        ];
      return wanted === at(is, 'outcome')
        ? []
        : [
            {
              kind: 'absence' as const,
              what: `${named(step)}: the ${status} absence ${id} is ${brief(at(is, 'outcome'))} after the last day, expected ${brief(wanted)}`,
            },
          ];
    });
  });
}
