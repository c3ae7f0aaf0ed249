/**
 * A record says the same wherever it is shown: two answers with one `updated_at` have the same members, nobody sees an
 * older version after a newer one, and a new version of a record of the kit's own people comes from something that the
 * kit did.
 */
import { at } from '../json.js';
import { type Changes, changedElsewhere } from './changes.js';
import { brief, groupedBy, type History, type Lie, named, rowsOf, same } from './history.js';
import { isOf, isPage } from './pages.js';
import type { RecordKind, Sighting } from './sightings.js';
import type { Clock } from './time.js';

/** Members that follow other records, or differ with the caller. */
const borrowed: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  absence: ['external_id', 'warnings', 'user_name'],
  company: ['departments', 'active'],
};
/** The fraction is left out at a whole second: texts do not sort. */
const instantOf = (one: Sighting) => Date.parse(versionOf(one));
const versionOf = ({ record }: Sighting) => String(record['updated_at'] ?? '');

export function liesAboutVersions(
  history: History,
  seen: readonly Sighting[],
  changes: Changes,
  clock: Clock,
): readonly Lie[] {
  const lies: Lie[] = [];
  const byRecord = groupedBy(seen, ({ kind, id }) => `${kind} ${id}`);
  for (const [key, sightings] of byRecord) {
    lies.push(...differences(key, sightings), ...goneBack(key, sightings));
    const personId = personOf(sightings[0]!);
    if (personId !== undefined && history.people.has(personId))
      lies.push(...ofNobody(key, personId, sightings, changes, clock));
  }
  return lies;
}

function differences(key: string, sightings: readonly Sighting[]): readonly Lie[] {
  const lies: Lie[] = [];
  const first = new Map<string, Sighting>();
  for (const one of sightings) {
    const before = first.get(versionOf(one));
    if (before === undefined) {
      first.set(versionOf(one), one);
      continue;
    }
    // A page speaks the language of its reader.
    const worded = [before, one].some(({ step }) => step !== undefined && isPage(step)) ? ['type_label'] : [];
    const ignored = [...(borrowed[one.kind] ?? []), ...worded];
    for (const member of new Set([...Object.keys(before.record), ...Object.keys(one.record)]))
      if (!ignored.includes(member) && !same(before.record[member], one.record[member]))
        lies.push({
          kind: one.kind === 'proof' ? 'index' : 'record',
          what: `${key} of ${versionOf(one) || 'all times'}: ${member} is ${brief(before.record[member])} in ${before.where} and ${brief(one.record[member])} in ${one.where}`,
        });
  }
  return lies;
}

function goneBack(key: string, sightings: readonly Sighting[]): readonly Lie[] {
  const fresh = sightings.filter((one) => one.fresh);
  const ended = [...fresh].sort((a, b) => a.until - b.until);
  const lies: Lie[] = [];
  let next = 0;
  let newest: Sighting | undefined;
  for (const one of [...fresh].sort((a, b) => a.from - b.from)) {
    while (next < ended.length && ended[next]!.until < one.from) {
      if (newest === undefined || instantOf(ended[next]!) > instantOf(newest)) newest = ended[next]!;
      next += 1;
    }
    if (newest !== undefined && instantOf(newest) > instantOf(one))
      lies.push({
        kind: 'record',
        what: `${key}: ${one.where} shows the version of ${versionOf(one)} after ${newest.where} showed that of ${versionOf(newest)}`,
      });
  }
  return lies;
}

/** Versions that nothing explains. */
function ofNobody(
  key: string,
  personId: number,
  sightings: readonly Sighting[],
  changes: Changes,
  clock: Clock,
): readonly Lie[] {
  const known = new Set<number>();
  for (const stamp of changes.stamps) if (stamp.personId === personId) known.add(stamp.at);
  for (const write of changes.absences)
    if (write.personId === personId) known.add(Date.parse(String(write.record['updated_at'])));
  const unexplained = new Map<string, Sighting>();
  for (const one of sightings) {
    const instant = Date.parse(versionOf(one));
    const elsewhere = changes.elsewhere.some(
      (other) =>
        (other.personId === undefined || other.personId === personId) && clock.within(instant, other.from, other.until),
    );
    if (!known.has(instant) && !elsewhere) unexplained.set(versionOf(one), one);
  }
  return [...unexplained].map(([version, one]) => ({
    kind: one.kind === 'clock state' || one.kind === 'entry' ? ('clock' as const) : ('record' as const),
    what: `${key} changed at ${version} (${one.where}), and nothing that the kit did explains it`,
  }));
}

export function personOf({ kind, record }: Sighting): number | undefined {
  if (kind === 'company' || kind === 'proof') return undefined;
  const id = at(record, kind === 'user' ? 'id' : 'user_id');
  return typeof id === 'number' ? id : undefined;
}

/** What the kit told the service about its people, where their rows show it. */
export function liesAboutPeople(history: History, seen: readonly Sighting[], changes: Changes): readonly Lie[] {
  return seen.flatMap(({ kind, id, record, where, from, until }) => {
    const owner = kind === 'absence' ? history.people.get(Number(record['user_id'])) : undefined;
    if (owner?.displayName !== undefined && record['user_name'] !== owner.displayName)
      return [
        {
          kind: 'record' as const,
          what: `absence ${id}: user_name is ${brief(record['user_name'])} in ${where}, of ${owner.displayName}`,
        },
      ];
    const person = kind === 'user' ? history.people.get(Number(id)) : undefined;
    if (
      person === undefined ||
      from < person.until ||
      changedElsewhere(changes, person.id, person.until + 1, until) ||
      history.erasedAt(person.id) !== undefined
    )
      return [];
    const { employment_start: first, employment_end: last } = person.members;
    const today = String(record['updated_at']).slice(0, 10);
    const told: [string, unknown][] = [
      ...Object.entries(person.members),
      ['company_id', person.companyId],
      ['department.id', person.departmentId],
    ];
    if (person.displayName !== undefined) told.push(['display_name', person.displayName]);
    const zone = history.companies.get(person.companyId)?.members['time_zone'];
    if (zone !== undefined) told.push(['time_zone', zone]);
    // On the edges of an employment it depends on the hour.
    if (String(first ?? '') < today && (last === undefined || String(last) > plusDays(today, 1)))
      told.push(['active', true]);
    return told.flatMap(([member, value]) =>
      same(at(record, member), value)
        ? []
        : [
            {
              kind: 'record' as const,
              what: `user ${id}: ${member} is ${brief(at(record, member))} in ${where}, and was told as ${brief(value)}`,
            },
          ],
    );
  });
}

const plusDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

/** What the kit told the service about its companies. */
export function liesAboutCompanies(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  for (const step of history.of(['listCompanies'], 200))
    for (const row of rowsOf(step)) {
      const known = history.companies.get(Number(row['id']));
      if (known === undefined || step.from < known.until || !known.settled) continue;
      const lie = (what: string) =>
        lies.push({ kind: 'record', what: `${named(step)}: company ${String(row['id'])}: ${what}` });
      for (const [member, value] of Object.entries({ ...known.members, active: true }))
        if (!same(row[member], value)) lie(`${member} is ${brief(row[member])}, and was told as ${brief(value)}`);
      const shown = (row['departments'] ?? []) as readonly unknown[];
      for (const { id, name } of known.departments)
        if (!shown.some((one) => at(one, 'name') === name && (id === undefined || at(one, 'id') === id)))
          lie(`the department ${name} is missing`);
      for (const made of history.steps.filter(
        (one) => isOf(one, 'departments') && one.status === 201 && one.until < step.from,
      ))
        if (
          made.path.includes(`/${String(row['id'])}/`) &&
          !shown.some((one) => at(one, 'id') === made.answer?.get('id'))
        )
          lie(`the department ${brief(made.answer?.json)} is missing`);
      if (shown.length !== known.departments.length)
        lie(`it has ${shown.length} departments, told were ${known.departments.length}`);
    }
  return lies;
}
