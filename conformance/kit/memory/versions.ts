/**
 * A record says the same wherever it is shown: two answers with one `updated_at` have the same members, nobody sees an
 * older version after a newer one, and a new version of a record of the kit's own people comes from something that the
 * kit did.
 */
import { at } from '../json.js';
import { type Changes, changedElsewhere } from './changes.js';
import { brief, type History, type Lie, same } from './history.js';
import type { RecordKind, Sighting } from './sightings.js';
import type { Clock } from './time.js';

/** Members that follow other records, or differ with the caller. */
const borrowed: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  absence: ['external_id', 'warnings', 'user_name', 'company_name', 'type_label', 'days'],
  company: ['departments'],
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
  const byRecord = new Map<string, Sighting[]>();
  for (const one of seen) {
    const key = `${one.kind} ${one.id}`;
    byRecord.set(key, [...(byRecord.get(key) ?? []), one]);
  }
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
    const ignored = borrowed[one.kind] ?? [];
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
    const person = kind === 'user' ? history.people.get(Number(id)) : undefined;
    if (person === undefined || from < person.until || changedElsewhere(changes, person.id, person.until + 1, until))
      return [];
    return Object.entries({ ...person.members, company_id: person.companyId }).flatMap(([member, value]) =>
      same(record[member], value)
        ? []
        : [
            {
              kind: 'record' as const,
              what: `user ${id}: ${member} is ${brief(record[member])} in ${where}, and was told as ${brief(value)}`,
            },
          ],
    );
  });
}
