/** The views of a person and a supervisor, read with their own sessions from the operations that the pages use. */
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { components } from '../../src/generated/app-types.js';
import type { PersonId } from '../../src/store/ids.js';
import type { Phone, Supervisor } from './scene.js';

type Schemas = components['schemas'];

export interface Api {
  get<Body>(path: string): Promise<Body>;
  post(path: string, body?: object): Promise<unknown>;
}

/** The pages' operations in a session. @throws Error with the problem's sentence */
export function appApi(serviceUrl: string, token: string): Api {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(serviceUrl + path, {
      method,
      headers: {
        cookie: `session=${token}`,
        ...(method === 'GET' ? {} : { origin: serviceUrl }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = response.status === 204 ? undefined : ((await response.json()) as unknown);
    if (!response.ok)
      throw new Error((answer as { error?: string } | undefined)?.error ?? `${path}: ${response.status}`);
    return answer;
  };
  return {
    get: async <Body>(path: string) => (await call('GET', path)) as Body,
    post: (path, body) => call('POST', path, body),
  };
}

/** @param timeZone of the company: it decides the day */
export async function readPhone(api: Api, personId: PersonId, timeZone: ZoneName): Promise<Phone> {
  const today = localDateAt(Date.now(), timeZone);
  const [overview, session, entries] = await Promise.all([
    api.get<Schemas['Overview']>('/app/me/overview'),
    api.get<Schemas['Session']>('/app/session'),
    api.get<{ data: readonly Schemas['TimeEntry'][] }>(`/app/me/entries?from=${today}&to=${today}&limit=20`),
  ]);
  const stamps = entries.data
    .flatMap((entry) => entry.stamps ?? [])
    .map(({ action, at, source, proof }) => ({
      action,
      at,
      where: source?.name ?? 'web',
      proven: proof === 'badge' || proof === 'badge_pin',
    }))
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  const { state, since } = overview.clock_state;
  return {
    person_id: personId,
    name: session.person.name,
    state,
    ...(since === undefined || since === null ? {} : { since }),
    worked_minutes: overview.today.worked_minutes,
    target_minutes: overview.today.target_minutes,
    balance_minutes: overview.month.balance_minutes,
    vacation_days: overview.vacation.left_days,
    stamps: stamps.slice(0, 4),
  };
}

const maxShown = 6;

/** @param followedPerson stands first in the list */
export async function readSupervisor(api: Api, name: string, followedPerson: PersonId): Promise<Supervisor> {
  const [states, approvals] = await Promise.all([
    api.get<Schemas['TeamClockStateList']>('/app/team/clock-states?limit=500'),
    api.get<Schemas['ApprovalList']>('/app/approvals?state=waiting&limit=50'),
  ]);
  const isAway = ({ absence }: Schemas['TeamClockState']) => absence?.away === true;
  const count = (state: string) => states.data.filter((row) => row.state === state && !isAway(row)).length;
  const recentStates = [...states.data].sort((a, b) =>
    a.user_id === followedPerson ? -1 : b.user_id === followedPerson ? 1 : a.updated_at < b.updated_at ? 1 : -1,
  );
  const request = approvals.data[0];
  return {
    name,
    counts: {
      in: count('in'),
      on_break: count('on_break'),
      out: count('out'),
      away: states.data.filter(isAway).length,
    },
    people: recentStates.slice(0, maxShown).map((row) => ({
      id: row.user_id,
      name: row.person.name,
      state: row.state,
      ...(sinceOf(row) === undefined ? {} : { since: sinceOf(row)! }),
      ...(row.absence?.away === true ? { away_until: row.absence.end_date } : {}),
    })),
    waiting: approvals.data.length,
    ...(request === undefined ? {} : { request: presentRequest(request) }),
  };
}

/** The beginning of the state: on a break, the beginning of the break. */
function sinceOf({ state, since, break_since: breakSince }: Schemas['TeamClockState']): string | undefined {
  return (state === 'on_break' ? breakSince : undefined) ?? since ?? undefined;
}

function presentRequest({
  id,
  kind,
  person,
  absence,
  correction,
}: Schemas['Approval']): NonNullable<Supervisor['request']> {
  const comment = correction?.reason ?? absence?.comment ?? undefined;
  const day = correction?.entry?.date;
  const ofCorrection = day === undefined ? undefined : { from: day, to: day };
  const span = absence === undefined ? ofCorrection : { from: absence.start_date, to: absence.end_date };
  return {
    id,
    kind,
    name: person.name,
    ...(absence === undefined ? {} : { type: absence.type_label }),
    ...(span === undefined ? {} : { span }),
    ...(comment === undefined ? {} : { comment }),
  };
}
