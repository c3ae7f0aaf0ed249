/**
 * The memory of a run: everything that the kit and its peers did, and what follows from it for every answer, feed,
 * delivery, list and page of the audit log. Requirements name what it found; they add no oracle of their own.
 */
import type { Exchange } from '../client.js';
import type { Contract } from '../contract.js';
import { now } from '../pace.js';
import { liesAboutAbsences } from './absences.js';
import { liesAboutAccess } from './access.js';
import { liesAboutAccounts } from './accounts.js';
import { liesAboutTheAuditLog } from './audit.js';
import { changesOf } from './changes.js';
import { liesAboutClocks, possibleStates } from './clocks.js';
import { liesAboutDoors } from './doors.js';
import { liesAboutDeliveries, liesAboutEvents } from './events.js';
import { liesAboutFeatures } from './features.js';
import { type Arrival, type Doing, History, type Lie } from './history.js';
import { liesAboutTheIndex } from './ledger.js';
import { liesAboutLinks } from './links.js';
import { liesAboutFeeds, liesAboutLists, liesAboutRemovals, traversalsOf } from './lists.js';
import { liesAboutOfflineStamps } from './offline.js';
import { liesAboutRefusals } from './refusals.js';
import { liesAboutRepeats, repeatsOf } from './repeats.js';
import { liesAboutResources } from './resources.js';
import { sightings } from './sightings.js';
import { clockOf, liesAboutTime } from './time.js';
import { liesAboutCompanies, liesAboutPeople, liesAboutVersions } from './versions.js';

export interface Recording {
  readonly exchanges: readonly Exchange[];
  readonly doings: readonly Doing[];
  readonly arrivals: readonly Arrival[];
}

export class Memory {
  readonly #exchanges: Exchange[] = [];
  readonly #doings: Doing[] = [];
  readonly #arrivals: Arrival[] = [];
  #judged: { readonly size: number; readonly lies: readonly Lie[] } | undefined;

  /** A request with its answer, or without one. */
  saw(exchange: Exchange): void {
    this.#exchanges.push(exchange);
  }

  /** An operation of the adapter. */
  did(doing: Doing): void {
    this.#doings.push(doing);
  }

  /** An event that reached the kit. */
  received(arrival: Omit<Arrival, 'from' | 'until'>): void {
    const at = now();
    this.#arrivals.push({ ...arrival, from: at, until: at });
  }

  get recording(): Recording {
    return { exchanges: this.#exchanges, doings: this.#doings, arrivals: this.#arrivals };
  }

  /** Judges everything so far. @returns each lie once */
  lies(contract: Pick<Contract, 'operations'>): readonly Lie[] {
    const size = this.#exchanges.length + this.#doings.length + this.#arrivals.length;
    if (this.#judged?.size !== size)
      this.#judged = { size, lies: judge(new History(this.#exchanges, this.#doings, this.#arrivals), contract) };
    return this.#judged.lies;
  }
}

export function judge(history: History, { operations }: Pick<Contract, 'operations'>): readonly Lie[] {
  const permissions = new Map(
    operations.map(({ id, definition }) => [
      id,
      // What a caller made itself may be read with another one.
      [definition['x-scope'], definition['x-own-scope']].filter((scope) => typeof scope === 'string'),
    ]),
  );
  const repeats = repeatsOf(history);
  const repeated = new Set(repeats.keys());
  const clock = clockOf(history);
  const changes = changesOf(history, repeated);
  const states = possibleStates(history, changes);
  const seen = sightings(history, repeated);
  const traversals = traversalsOf(history);
  const lies = [
    ...liesAboutTime(history, clock, repeated),
    ...liesAboutRepeats(history, repeats),
    ...liesAboutVersions(history, seen, changes, clock),
    ...liesAboutResources(history, clock),
    ...liesAboutPeople(history, seen, changes),
    ...liesAboutCompanies(history),
    ...liesAboutAccounts(history, seen, changes, traversals),
    ...liesAboutClocks(history, changes, states, repeated),
    ...liesAboutAbsences(history, changes, seen),
    ...liesAboutLists(history, traversals, seen, changes),
    ...liesAboutFeeds(history, traversals, changes),
    ...liesAboutRemovals(history, traversals, seen, changes, clock),
    ...liesAboutEvents(history, changes, traversals, clock),
    ...liesAboutDeliveries(history),
    ...liesAboutTheAuditLog(history, changes, clock),
    ...liesAboutFeatures(history, changes),
    ...liesAboutRefusals(history, changes, seen, states),
    ...liesAboutAccess(history, permissions, changes.unsettled),
    ...liesAboutLinks(history, clock),
    ...liesAboutDoors(history, changes, states, seen),
    ...liesAboutOfflineStamps(history, changes, traversals),
    ...liesAboutTheIndex(history, traversals, seen),
  ];
  return [...new Map(lies.map((lie) => [`${lie.kind} ${lie.what}`, lie])).values()];
}
