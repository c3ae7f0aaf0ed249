/** Compares the service's clock with the kit's: every instant that an answer calls now lies within its request. */
import { today } from '../dates.js';
import { at } from '../json.js';
import { actionOf } from './changes.js';
import { type History, type Lie, named } from './history.js';

/** Clocks of several processes differ, and are set. Milliseconds. */
const tolerance = 2_000;

export interface Clock {
  /** Milliseconds by which the service's clock is ahead. */
  readonly ahead: number;
  /** Whether an instant of the service may have been within these times of the kit. */
  within(instant: number, from: number, until: number): boolean;
}

export function clockOf({ ahead }: History): Clock {
  return {
    ahead,
    within: (instant, from, until) => instant >= from + ahead - tolerance && instant <= until + ahead + tolerance,
  };
}

export function liesAboutTime(history: History, clock: Clock, repeated: ReadonlySet<unknown>): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const { operation = '', status, answer, from, until } = step;
    if (answer === undefined || repeated.has(step) || answer.get('repeated') === true) return [];
    const now = ['server_time', 'last_index_time'].flatMap((member) => {
      const value = answer.get(member);
      return typeof value === 'string' ? [[member, value] as const] : [];
    });
    if (actionOf[operation] !== undefined && status === 200)
      now.push(['clock_state.updated_at', String(answer.get('clock_state.updated_at'))]);
    if (operation === 'createAbsence' && status === 201)
      for (const member of ['created_at', 'updated_at']) now.push([member, String(at(answer.json, member))]);
    return now.flatMap(([member, value]) => {
      const instant = Date.parse(value);
      const right =
        member === 'last_index_time' ? instant <= until + clock.ahead + tolerance : clock.within(instant, from, until);
      return right
        ? []
        : [{ kind: 'time' as const, what: `${named(step)}: ${member} ${value} is not the time of the request` }];
    });
  });
}

/** The date in a company at a time of the kit. */
export const dayOf = (history: History, companyId: number, time: number): string =>
  today(String(history.companies.get(companyId)?.members['time_zone'] ?? 'UTC'), time);
