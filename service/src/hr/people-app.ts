import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { displayZone } from '@clockproof/platform/time/zone';
import { presentAbsences } from '../absences/present.js';
import { hasSubject } from '../access/company-sign-in/rows.js';
import type { Invitation } from '../access/one-time-links.js';
import { findCredential, hasSecondFactor } from '../access/rows.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf, nameOf } from '../people/actor.js';
import { administeredScope, companyFor, personFor } from '../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../people/caller.js';
import type { PersonChange } from '../people/people.js';
import { presentPerson } from '../people/present.js';
import { type RoleGrant, rolesOf } from '../people/roles.js';
import { findDepartment, listOtherAdmins, listPeopleByName, type PersonRow } from '../people/rows.js';
import { requireZone } from '../people/zones.js';
import { ownChangesOf } from '../store/own-changes.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { countBadges, findPin } from '../terminals/badges/rows.js';
import type { EmploymentEnd } from './employment-end.js';
import { eraseRecordsOf, previewErasure } from './erase-person.js';
import {
  addPerson,
  type ChangedPerson,
  changePerson,
  clearSecondFactor,
  deactivateAccount,
  issueInvitation,
  reactivateAccount,
  refuseInviting,
  removeCompanyAccount,
  replaceRoles,
} from './people.js';
import { tryEmploymentEnd } from './preview-employment-end.js';

interface Place {
  readonly name: string;
  readonly id: number;
}

export const listPeople: AppHandler<'listPeople'> = async ({
  db,
  cursors,
  caller,
  query: { company_id: companyId, department_id: departmentId, active, search, sign_in: signIn, cursor, limit = 100 },
}) => {
  const companies =
    companyId === undefined ? administeredScope(caller) : { company: (await companyFor(db, caller, companyId)).id };
  if (
    departmentId !== undefined &&
    companies.company !== undefined &&
    (await findDepartment(db, departmentId, companies.company)) === undefined
  )
    throw new Refusal('not_found');
  const scope = departmentId === undefined ? companies : { ...companies, departments: [departmentId] };
  const binding = ['listPeople', caller.person.id, scope, active, search, signIn];
  const after = cursor === undefined ? undefined : cursors.read<Place>(binding, cursor);
  const rows = await listPeopleByName(db, scope, { active, search, signIn, after, limit: limit + 1 });
  const page = pageOf(
    rows,
    limit,
    (row) => row,
    (last) => cursors.write(binding, { name: last.sort_name, id: last.id } satisfies Place),
  );
  return {
    status: 200,
    body: { ...page, data: await Promise.all(page.data.map((row) => presentAdministered(db, caller, row))) },
  };
};

export const showPerson: AppHandler<'showPerson'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: await presentAdministered(db, caller, await personFor(db, caller, id)),
});

export const createPerson: AppHandler<'createPerson'> = async ({ db, caller, body, at }) => {
  const person = {
    companyId: body.company_id,
    firstName: body.first_name,
    lastName: body.last_name,
    language: body.language ?? caller.person.language,
    employmentStart: body.employment_start,
    email: body.email,
    personnelNumber: body.personnel_number,
    departmentId: body.department_id,
    timeZone: body.time_zone === undefined ? undefined : displayZone(requireZone(body.time_zone)),
    employmentEnd: body.employment_end,
  };
  const presentedPerson = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentAdministered(write, caller, await addPerson(write, caller, person)),
  );
  return { status: 201, body: presentedPerson };
};

export const updatePerson: AppHandler<'updatePerson'> = async ({ db, caller, path: { id }, body, at }) => {
  // The owner of the new address could request a password link.
  if (body.email !== undefined && body.email?.toLowerCase() !== (await personFor(db, caller, id)).email?.toLowerCase())
    requireFreshFactor(caller, at);
  return {
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      presentChanged(write, caller, await changePerson(write, caller, id, changeOf(body))),
    ),
  };
};

function changeOf({ time_zone: zone, ...change }: components['schemas']['PersonChange']): PersonChange {
  if (zone === undefined) return change;
  return { ...change, own_time_zone: zone === null ? null : displayZone(requireZone(zone)) };
}

export const deactivatePerson: AppHandler<'deactivatePerson'> = async ({
  db,
  caller,
  path: { id },
  body: { employment_end: lastDay },
  at,
}) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentChanged(write, caller, await deactivateAccount(write, caller, id, lastDay)),
  ),
});

export const previewEmploymentEnd: AppHandler<'previewEmploymentEnd'> = async ({
  db,
  caller,
  path: { id },
  body: { employment_end: lastDay, deactivate },
  at,
}) => {
  const effect = await tryEmploymentEnd(db, { actor: actorOf(caller.person), at }, caller, { id, lastDay, deactivate });
  return { status: 200, body: await presentEmploymentEnd(db, effect, caller) };
};

async function presentChanged(
  reader: Reader,
  caller: PersonCaller,
  { person, ended }: ChangedPerson,
): Promise<components['schemas']['Person']> {
  return {
    ...(await presentAdministered(reader, caller, person)),
    employment_ended: ended === undefined ? undefined : await presentEmploymentEnd(reader, ended, caller),
  };
}

async function presentEmploymentEnd(
  reader: Reader,
  { openEntry, absences, entriesAfter }: EmploymentEnd,
  { person: { language } }: PersonCaller,
): Promise<components['schemas']['EmploymentEnd']> {
  const absencesByRow = await presentAbsences(
    reader,
    absences.map(({ before }) => before),
    { language },
  );
  return {
    open_entry:
      openEntry === undefined
        ? undefined
        : {
            id: openEntry.entry.id,
            date: openEntry.entry.date,
            start: formatInstant(openEntry.entry.start_at),
            outcome: openEntry.outcome,
            end: formatInstant(openEntry.entry.end_at!),
          },
    absences: absences.map(({ before, outcome }) => {
      const { id, type_label, start_date, end_date } = absencesByRow.get(before)!;
      return { id, type_label, start_date, end_date, outcome };
    }),
    entries_after: entriesAfter,
  };
}

export const reactivatePerson: AppHandler<'reactivatePerson'> = async ({ db, caller, path: { id }, at }) => ({
  status: 200,
  body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentAdministered(write, caller, await reactivateAccount(write, caller, id)),
  ),
});

export const setRoles: AppHandler<'setRoles'> = async ({ db, caller, path: { id }, body, at }) => {
  requireFreshFactor(caller, at);
  const grants = body.roles.map((role, index) => grantOf(role, `roles[${index}]`));
  return {
    status: 200,
    body: await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      presentAdministered(write, caller, await replaceRoles(write, caller, id, grants)),
    ),
  };
};

function grantOf(
  { role, company_id: companyId, department_ids: departmentIds }: components['schemas']['RoleGrant'],
  field: string,
): RoleGrant {
  if (role === 'super_admin') return { role };
  if (companyId === undefined)
    throw invalidField(`${field}.company_id`, 'missing', 'Say in which company the role holds.');
  if (role === 'company_admin') return { role, companyId };
  if (departmentIds?.length === 0)
    throw invalidField(`${field}.department_ids`, 'out_of_range', 'Name departments, or leave it out for all of them.');
  return { role, companyId, ...(departmentIds === undefined ? {} : { departmentIds }) };
}

export const erasePerson: AppHandler<'erasePerson'> = async ({ db, caller, path: { id }, body, at }) => {
  requireFreshFactor(caller, at);
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    eraseRecordsOf(write, caller, id, { confirmName: body.confirm_name, reason: body.reason }),
  );
  return { status: 204 };
};

export const showErasure: AppHandler<'showErasure'> = async ({ db, caller, path: { id }, at }) => {
  const { person, records, possibleFrom } = await previewErasure(db, caller, id, at);
  return {
    status: 200,
    body: {
      deactivated: person.active === 0,
      possible_from: possibleFrom,
      records: records.map(({ kind, count, first, last, until, clauses }) => ({
        kind,
        count,
        first,
        last,
        keep_until: until,
        rules: [...clauses],
      })),
    },
  };
};

export const invitePerson: AppHandler<'invitePerson'> = async ({
  db,
  baseUrl,
  randomBytes,
  sealingKeys: keys,
  caller,
  path: { id },
  at,
}) => {
  await refuseInviting(db, caller, [id], at);
  const invitation = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    issueInvitation(write, caller, id, { randomBytes, keys }),
  );
  return { status: 201, body: presentInvitation(invitation, baseUrl) };
};

export const resetSecondFactor: AppHandler<'resetSecondFactor'> = async ({
  db,
  baseUrl,
  randomBytes,
  sealingKeys: keys,
  caller,
  path: { id },
  at,
}) => {
  requireFreshFactor(caller, at);
  const invitation = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    clearSecondFactor(write, caller, id, { randomBytes, keys }),
  );
  return { status: 200, body: presentInvitation(invitation, baseUrl) };
};

function presentInvitation(
  { token, expiresAt, mailed: isMailed }: Invitation,
  baseUrl: string,
): components['schemas']['InvitationLink'] {
  return { url: `${baseUrl}/invitation#${token}`, expires_at: formatInstant(expiresAt), mailed: isMailed };
}

export const unlinkCompanySignIn: AppHandler<'unlinkCompanySignIn'> = async ({ db, caller, path: { id }, at }) => {
  requireFreshFactor(caller, at);
  await db.write({ actor: actorOf(caller.person), at }, (write) => removeCompanyAccount(write, caller, id));
  return { status: 204 };
};

/** People as admins see them. */
async function presentAdministered(
  reader: Reader,
  caller: PersonCaller,
  row: PersonRow,
): Promise<components['schemas']['Person']> {
  const credential = await findCredential(reader, row.id);
  return {
    ...presentPerson(row),
    sign_in:
      row.email === null ? 'none' : credential === undefined || credential.password_hash === null ? 'invited' : 'ready',
    second_factor: await hasSecondFactor(reader, row.id),
    company_sign_in: await hasSubject(reader, row.id),
    pin_set: (await findPin(reader, row.id)) !== undefined,
    roles: (await rolesOf(reader, row.id)).map(presentRole),
    badges: await countBadges(reader, row.id),
    last_sign_in_at: formatInstant(credential?.last_sign_in_at),
    own_record: row.id === caller.person.id ? await presentOwnRecord(reader, row) : undefined,
  };
}

async function presentOwnRecord(reader: Reader, row: PersonRow): Promise<components['schemas']['OwnRecord']> {
  const admins = await listOtherAdmins(reader, row);
  return {
    changes: await ownChangesOf(reader, row),
    admins: admins.map((admin) => ({ id: admin.id, name: nameOf(admin) })),
  };
}

function presentRole(grant: RoleGrant): components['schemas']['RoleGrant'] {
  if (grant.role === 'super_admin') return { role: grant.role };
  return {
    role: grant.role,
    company_id: grant.companyId,
    ...(grant.role === 'approver' && grant.departmentIds !== undefined
      ? { department_ids: [...grant.departmentIds] }
      : {}),
  };
}
