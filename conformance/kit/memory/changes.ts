/**
 * What the kit changed, by the answers to its requests: for each person the stamps, for each absence its states. What
 * others may have changed meanwhile, on pages or at a door, are stretches of time about which the memory knows less.
 */
import { at, isRecord } from '../json.js';
import { type History, jsonOf, numberAt, type Step, type Told } from './history.js';

export type StampAction = 'in' | 'out' | 'break_start' | 'break_end';
export const actionOf: Readonly<Record<string, StampAction>> = {
  clockIn: 'in',
  clockOut: 'out',
  startBreak: 'break_start',
  endBreak: 'break_end',
};
export const stateAfter: Readonly<Record<StampAction, string>> = {
  in: 'in',
  out: 'out',
  break_start: 'on_break',
  break_end: 'in',
};

/** A stamp that was answered with success. */
export interface Stamp extends Told {
  readonly personId: number;
  readonly action: StampAction;
  /** By the service's clock, milliseconds since 1970. */
  readonly at: number;
  /** What the answer shows of them; a door shows none. */
  readonly state: Readonly<Record<string, unknown>> | undefined;
  readonly entry: Readonly<Record<string, unknown>> | undefined;
  readonly step: Step;
}

/** An absence that was written with success. */
export interface AbsenceWrite extends Told {
  readonly id: string;
  readonly personId: number;
  readonly record: Readonly<Record<string, unknown>>;
  readonly step: Step;
  /** Not where a request found everything as it wanted it. */
  readonly changed: boolean;
}

/** Something may have changed that no answer shows. */
export interface Elsewhere extends Told {
  /** The person, if it concerns one only. */
  readonly personId: number | undefined;
}

export interface Changes {
  readonly stamps: readonly Stamp[];
  readonly absences: readonly AbsenceWrite[];
  readonly elsewhere: readonly Elsewhere[];
  /** Extensions and companies that somebody changed, and since when: what is read of them is not known any more. */
  readonly unsettled: ReadonlyMap<string, number>;
  /** Who stands in front of a terminal, by the session. */
  readonly sessions: ReadonlyMap<string, number>;
}

export function changesOf(history: History, repeated: ReadonlySet<Step>): Changes {
  const stamps: Stamp[] = [];
  const absences: AbsenceWrite[] = [];
  const elsewhere: Elsewhere[] = [];
  const unsettled = new Map<string, number>();
  const sessions = sessionsOf(history);
  for (const step of history.steps) {
    const { operation = '', status, answer, from, until } = step;
    if (repeated.has(step)) continue;
    const lost = status === 0 || status >= 500;
    const action = actionOf[operation];
    if (action !== undefined && status === 200) {
      const state = answer?.get('clock_state');
      const entry = answer?.get('time_entry');
      if (isRecord(state) && isRecord(entry))
        stamps.push({
          personId: numberAt(state, 'user_id'),
          action,
          at: Date.parse(String(answer?.get('server_time'))),
          from,
          until,
          state,
          entry,
          step,
        });
    } else if (action !== undefined && lost)
      elsewhere.push({ from, until: Number.POSITIVE_INFINITY, personId: personOf(step) });
    else if (operation === 'createAbsence' || operation === 'updateAbsence' || operation === 'deleteAbsence') {
      const personId = numberAt(answer?.json, 'user_id');
      const record = answer?.json;
      if (status >= 200 && status < 203 && isRecord(record))
        absences.push({
          id: String(record['id']),
          personId,
          record,
          from,
          until,
          step,
          changed:
            operation === 'createAbsence'
              ? status === 201
              : absences.findLast(({ id }) => id === String(record['id']))?.record['updated_at'] !==
                record['updated_at'],
        });
      else if (lost) elsewhere.push({ from, until: Number.POSITIVE_INFINITY, personId: personOf(step) });
    } else if (operation === 'stampAtTerminal' || operation === 'stepCardSession') {
      const personId = sessions.get(String(at(bodyOf(step), 'session')));
      // A stamp that was named beforehand is answered with the last step of the card.
      const stamp = operation === 'stampAtTerminal' && status === 200 ? answer?.json : answer?.get('stamp');
      // Within the repeat lock a stamp is answered with the one before, and nothing changes.
      if (personId !== undefined && isRecord(stamp) && stamp['repeated'] !== true)
        stamps.push({
          personId,
          action: stamp['action'] as StampAction,
          at: Date.parse(String(stamp['server_time'])),
          from,
          until,
          state: undefined,
          entry: undefined,
          step,
        });
      else if (lost && personId !== undefined) elsewhere.push({ from, until: Number.POSITIVE_INFINITY, personId });
    } else if (operation === 'uploadOfflineStamps')
      for (const personId of holdersOf(history, step)) elsewhere.push({ from, until, personId });
  }
  for (const { operation, given, from, until } of history.doings) {
    if (operation === 'changeExtension') soonest(unsettled, String(given[0]), from);
    if (operation === 'setCompanyActive') soonest(unsettled, `company ${String(given[0])}`, from);
    // What every key reads.
    if (operation === 'changeFeatures') soonest(unsettled, '', from);
    const personId = personOfDoing[operation]?.(given);
    if (personId !== undefined) elsewhere.push({ from, until, personId });
  }
  for (const { id, made } of history.people.values()) elsewhere.push({ ...made, personId: id });
  return { stamps, absences, elsewhere, unsettled, sessions };
}

/** Whose cards were stamped without a connection; undefined where nobody but the service can tell. */
function holdersOf(history: History, step: Step): ReadonlySet<number | undefined> {
  const stamps = [at(bodyOf(step), 'stamps') ?? []].flat();
  return new Set(stamps.map((stamp) => history.badges.get(String(at(stamp, 'uid')).toLowerCase())));
}

const personOfDoing: Readonly<Record<string, (given: readonly unknown[]) => number>> = {
  changePerson: ([id]) => Number(id),
  erasePerson: ([person]) => Number(at(person, 'id')),
  addEntry: ([id]) => Number(id),
  approveAbsence: ([absence]) => Number(at(absence, 'user_id')),
};
const soonest = (times: Map<string, number>, what: string, time: number) =>
  times.set(what, Math.min(time, times.get(what) ?? time));

/** Sessions of cards, by the person whose card began them. */
function sessionsOf(history: History): ReadonlyMap<string, number> {
  const sessions = new Map<string, number>();
  for (const step of history.of(['openCardSession'], 200)) {
    const holder = history.badges.get(String(at(bodyOf(step), 'uid')).toLowerCase());
    if (holder !== undefined) sessions.set(String(step.answer?.get('session')), holder);
  }
  return sessions;
}

export const bodyOf = ({ body }: Step): unknown => jsonOf(body);

/** The person a request is about, if the kit knows. */
export function personOf(step: Step): number | undefined {
  const named = at(bodyOf(step), 'user_id');
  return typeof named === 'number' ? named : step.caller?.personId;
}

/** Whether something about a person may have changed in these times, unseen. */
export const changedElsewhere = (changes: Changes, personId: number, from: number, until: number): boolean =>
  changes.elsewhere.some(
    (one) => (one.personId === undefined || one.personId === personId) && one.from <= until && one.until >= from,
  );
