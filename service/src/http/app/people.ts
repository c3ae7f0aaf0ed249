import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { isTimeZone, localDateAt } from '@clockproof/platform/time/local-date';
import { blockBadge } from '../../badges/badges.js';
import { countBadges, findPin, listActiveBadges } from '../../badges/rows.js';
import { erasePerson as eraseData } from '../../erasure/erase-person.js';
import type { components, operations } from '../../generated/app-types.js';
import { changePerson } from '../../months/change-person.js';
import { endLinks } from '../../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import {
  addPerson,
  deactivatePerson as deactivate,
  type PersonChange,
  reactivatePerson as reactivate,
} from '../../people/people.js';
import { presentPerson } from '../../people/present.js';
import { changeRoles, type RoleGrant, rolesOf } from '../../people/roles.js';
import { findDepartment, findPerson, listPeopleByName, type PersonRow } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { createInvitation } from '../../sign-in/one-time-links.js';
import { findCredential, hasSecondFactor, markAllEnded } from '../../sign-in/rows.js';
import { removeSecondFactor } from '../../sign-in/second-factor.js';
import { invalid, pageOf } from '../shared/page.js';
import { companyFor, personFor } from './administered.js';
import { actorOf, administeredScope, nameOf, type PersonCaller, requireFreshFactor } from './caller.js';
import type { AppNeeds } from './needs.js';
import { presentRole } from './sessions.js';

interface Place {
  readonly last: string;
  readonly first: string;
  readonly id: number;
}

export function listPeople({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listPeople'], PersonCaller> {
  return async ({
    caller,
    query: { company_id: asked, department_id: departmentId, active, search, cursor, limit = 100 },
  }) => {
    const companies =
      asked === undefined ? administeredScope(caller) : { company: (await companyFor(db, caller, asked)).id };
    if (
      departmentId !== undefined &&
      companies.company !== undefined &&
      (await findDepartment(db, departmentId, companies.company)) === undefined
    )
      throw new Refusal('not_found');
    const scope = departmentId === undefined ? companies : { ...companies, departments: [departmentId] };
    const binding = ['listPeople', caller.person.id, scope, active, search];
    const after = cursor === undefined ? undefined : cursors.read<Place>(binding, cursor);
    const rows = await listPeopleByName(db, scope, { active, search, after, limit: limit + 1 });
    const page = pageOf(
      rows,
      limit,
      (row) => row,
      (last) => cursors.write(binding, { last: last.last_name, first: last.first_name, id: last.id } satisfies Place),
    );
    return {
      status: 200,
      body: { ...page, data: await Promise.all(page.data.map((row) => presentAdministered(db, row))) },
    };
  };
}

export function showPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showPerson'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentAdministered(db, await personFor(db, caller, id)),
  });
}

export function createPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createPerson'], PersonCaller> {
  return ({ caller, body, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, body.company_id);
      if (body.time_zone !== undefined && !isTimeZone(body.time_zone))
        throw invalid('time_zone', 'There is no such time zone.', 'unknown');
      const id = await addPerson(
        tx,
        {
          companyId: company.id,
          firstName: body.first_name,
          lastName: body.last_name,
          role: 'employee',
          language: body.language ?? caller.person.language,
          employmentStart: body.employment_start,
          ...(body.email === undefined ? {} : { email: body.email }),
          ...(body.personnel_number === undefined ? {} : { personnelNumber: body.personnel_number }),
          ...(body.department_id === undefined ? {} : { departmentId: body.department_id }),
          ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
          ...(body.employment_end === undefined ? {} : { employmentEnd: body.employment_end }),
        },
        actorOf(caller),
        at,
      );
      return { status: 201, body: await presentAdministered(tx, await personFor(tx, caller, id)) };
    });
}

export function updatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updatePerson'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      // Whoever sets the address that somebody signs in with could take their place.
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (body.time_zone !== undefined && body.time_zone !== null && !isTimeZone(body.time_zone))
        throw invalid('time_zone', 'There is no such time zone.', 'unknown');
      return {
        status: 200,
        body: await presentAdministered(
          tx,
          await changePerson(tx, id, person.company_id, changeOf(body), actorOf(caller), at),
        ),
      };
    });
}

function changeOf(body: components['schemas']['PersonChange']): PersonChange {
  return {
    ...(body.first_name === undefined ? {} : { firstName: body.first_name }),
    ...(body.last_name === undefined ? {} : { lastName: body.last_name }),
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.personnel_number === undefined ? {} : { personnelNumber: body.personnel_number }),
    ...(body.department_id === undefined ? {} : { departmentId: body.department_id }),
    ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
    ...(body.language === undefined ? {} : { language: body.language }),
    ...(body.employment_start === undefined ? {} : { employmentStart: body.employment_start }),
    ...(body.employment_end === undefined ? {} : { employmentEnd: body.employment_end }),
  };
}

/**
 * If the process stops before the commit the person works on as before; after it every door is shut: pages, apps,
 * terminals.
 */
export function deactivatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deactivatePerson'], PersonCaller> {
  return ({ caller, path: { id }, body: { employment_end: lastDay }, at }) =>
    db.write(async (tx) => {
      await lockPeopleAccess(tx);
      const { company_id: companyId, role } = await personFor(tx, caller, id);
      if (reachesFurther(role, caller.person.role)) throw new Refusal('forbidden');
      await voidConsents(tx, { personId: id }, at);
      // Links first: whoever ends one holds its row before asking for a place in the order of commit.
      await endLinks(tx, { personId: id }, 'person_left', actorOf(caller), at);
      await markAllEnded(tx, id, '', at);
      const person = await deactivate(tx, id, companyId, lastDay, actorOf(caller), at);
      for (const badge of await listActiveBadges(tx, id)) await blockBadge(tx, badge, companyId, actorOf(caller), at);
      return { status: 200, body: await presentAdministered(tx, person) };
    });
}

export function reactivatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['reactivatePerson'], PersonCaller> {
  return ({ caller, path: { id }, at }) =>
    db.write(async (tx) => {
      const { company_id: companyId } = await personFor(tx, caller, id);
      return {
        status: 200,
        body: await presentAdministered(tx, await reactivate(tx, id, companyId, actorOf(caller), at)),
      };
    });
}

export function setRoles({ db }: Pick<AppNeeds, 'db'>): Handler<operations['setRoles'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const grants = body.roles.map((role, index) => grantOf(role, `roles[${index}]`));
    // Nobody gives or takes what reaches further than their own role.
    const givesMore = caller.person.role !== 'super_admin' && grants.some((grant) => grant.role === 'super_admin');
    return db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      if (givesMore || reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      return {
        status: 200,
        body: await presentAdministered(tx, await changeRoles(tx, id, person.company_id, grants, actorOf(caller), at)),
      };
    });
  };
}

function grantOf(
  { role, company_id: companyId, department_ids: departmentIds }: components['schemas']['RoleGrant'],
  field: string,
): RoleGrant {
  if (role === 'super_admin') return { role };
  if (companyId === undefined) throw invalid(`${field}.company_id`, 'Say in which company the role holds.', 'missing');
  if (role === 'company_admin') return { role, companyId };
  if (departmentIds?.length === 0)
    throw invalid(`${field}.department_ids`, 'Name departments, or leave it out for all of them.', 'out_of_range');
  return { role, companyId, ...(departmentIds === undefined ? {} : { departmentIds }) };
}

export function erasePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['erasePerson'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    // If the process stops before the commit everything of the person is there, after it nothing.
    await db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (body.confirm_name !== nameOf(person))
        throw invalid('confirm_name', 'Type the name of the person as it is shown.', 'mismatch');
      await eraseData(tx, { personId: id, scope: { company: person.company_id }, actor: actorOf(caller), at });
    });
    return { status: 204 };
  };
}

export function invitePerson({
  db,
  baseUrl,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'baseUrl' | 'randomBytes'>): Handler<operations['invitePerson'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const { token, expiresAt } = await db.write(async (tx) => {
      const person = await findPerson(tx, id, administeredScope(caller));
      if (person === undefined) throw new Refusal('not_found');
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (
        person.active === 0 ||
        (person.employment_end !== null && person.employment_end < localDateAt(at, person.time_zone))
      )
        throw new Refusal('employment_ended');
      return createInvitation(
        tx,
        { personId: person.id, companyId: person.company_id },
        actorOf(caller),
        randomBytes,
        at,
      );
    });
    return { status: 201, body: { url: `${baseUrl}/invitation#${token}`, expires_at: formatInstant(expiresAt) } };
  };
}

/** Whoever sets another's password could act as them: only a super admin may do so for a super admin. */
export function reachesFurther(theirs: PersonCaller['person']['role'], own: PersonCaller['person']['role']): boolean {
  return theirs === 'super_admin' && own !== 'super_admin';
}

export function resetSecondFactor({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['resetSecondFactor'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    await db.write(async (tx) => {
      const person = await findPerson(tx, id, administeredScope(caller));
      if (person === undefined) throw new Refusal('not_found');
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      await removeSecondFactor(tx, { personId: person.id, companyId: person.company_id }, actorOf(caller), at);
    });
    return { status: 204 };
  };
}

/** People as admins see them. */
export async function presentAdministered(reader: Reader, row: PersonRow): Promise<components['schemas']['Person']> {
  const credential = await findCredential(reader, row.id);
  return {
    ...presentPerson(row),
    sign_in:
      row.email === null ? 'none' : credential === undefined || credential.password_hash === null ? 'invited' : 'ready',
    second_factor: await hasSecondFactor(reader, row.id),
    pin_set: (await findPin(reader, row.id)) !== undefined,
    roles: (await rolesOf(reader, row.id)).map(presentRole),
    badges: await countBadges(reader, row.id),
    ...(credential === undefined || credential.last_sign_in_at === null
      ? {}
      : { last_sign_in_at: formatInstant(credential.last_sign_in_at) }),
  };
}
