/** Imports people from a file, and creates invitation links for people who have not signed in yet. */
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf, nameOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { importPeople as add, type ImportFile, isReady, planImport } from './import-people.js';
import { invitePeople as invite, refuseInviting } from './people.js';

function fileOf(body: components['schemas']['PeopleImportInput']): ImportFile {
  return { csv: body.csv, createDepartments: body.create_departments ?? false };
}

export function previewPeopleImport({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['previewPeopleImport'], PersonCaller> {
  return async ({ caller, path: { id }, body }) => {
    const plan = await planImport(db, caller, id, fileOf(body));
    return {
      status: 200,
      body: {
        ready: isReady(plan),
        columns: plan.columns.map(({ header, field }) => ({ header, ...(field === undefined ? {} : { field }) })),
        new_departments: [...plan.newDepartments],
        faults: [...plan.faults],
        rows: plan.people.map(({ line, values, faults }) => ({ line, ...values, faults: [...faults] })),
      },
    };
  };
}

export function importPeople({ db }: Pick<AppNeeds, 'db'>): Handler<operations['importPeople'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    const { people, newDepartments } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
      add(write, caller, id, fileOf(body)),
    );
    return {
      status: 201,
      body: {
        people: people.map((person) => ({
          id: person.id,
          name: nameOf(person),
          ...(person.email === null ? {} : { email: person.email }),
        })),
        new_departments: [...newDepartments],
      },
    };
  };
}

export function invitePeople({
  db,
  baseUrl,
  randomBytes,
  sealingKeys: keys,
}: Pick<AppNeeds, 'db' | 'baseUrl' | 'randomBytes' | 'sealingKeys'>): Handler<
  operations['invitePeople'],
  PersonCaller
> {
  return async ({ caller, path: { id: companyId }, body: { user_ids: ids }, at }) => {
    await refuseInviting(db, caller, ids, at);
    const invitations = await db.write({ actor: actorOf(caller.person), at }, (write) =>
      invite(write, caller, { companyId, ids }, { randomBytes, keys }),
    );
    return {
      status: 201,
      body: {
        data: invitations.map(({ person, token, expiresAt, mailed }) => ({
          person: { id: person.id, name: nameOf(person) },
          email: person.email!,
          url: `${baseUrl}/invitation#${token}`,
          expires_at: formatInstant(expiresAt),
          mailed,
        })),
      },
    };
  };
}
