/** Imports people from a file, and creates invitation links for people who have not signed in yet. */

import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { actorOf, nameOf } from '../people/actor.js';
import { addImportedPeople, type ImportFile, isReady, planImport } from './import-people.js';
import { issueInvitations, refuseInviting } from './people.js';

function fileOf(body: components['schemas']['PeopleImportInput']): ImportFile {
  return { csv: body.csv, createDepartments: body.create_departments ?? false };
}

export const previewPeopleImport: AppHandler<'previewPeopleImport'> = async ({ db, caller, path: { id }, body }) => {
  const plan = await planImport(db, caller, id, fileOf(body));
  return {
    status: 200,
    body: {
      ready: isReady(plan),
      columns: [...plan.columns],
      new_departments: [...plan.newDepartments],
      faults: [...plan.faults],
      rows: plan.people.map(({ line, values, faults }) => ({ line, ...values, faults: [...faults] })),
    },
  };
};

export const importPeople: AppHandler<'importPeople'> = async ({ db, caller, path: { id }, body, at }) => {
  const { people, newDepartments } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    addImportedPeople(write, caller, id, fileOf(body)),
  );
  return {
    status: 201,
    body: {
      people: people.map((person) => ({
        id: person.id,
        name: nameOf(person),
        email: person.email ?? undefined,
      })),
      new_departments: [...newDepartments],
    },
  };
};

export const invitePeople: AppHandler<'invitePeople'> = async ({
  db,
  baseUrl,
  randomBytes,
  sealingKeys: keys,
  caller,
  path: { id: companyId },
  body: { user_ids: ids },
  at,
}) => {
  await refuseInviting(db, caller, ids, at);
  const invitations = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    issueInvitations(write, caller, { companyId, ids }, { randomBytes, keys }),
  );
  return {
    status: 201,
    body: {
      data: invitations.map(({ person, token, expiresAt, mailed: isMailed }) => ({
        person: { id: person.id, name: nameOf(person) },
        email: person.email!,
        url: `${baseUrl}/invitation#${token}`,
        expires_at: formatInstant(expiresAt),
        mailed: isMailed,
      })),
    },
  };
};
