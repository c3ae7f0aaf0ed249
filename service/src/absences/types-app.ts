import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { Refusal } from '../store/refusal.js';
import { presentTypeSettings } from './present.js';
import { type AbsenceType, absenceTypesOf, removeAbsenceType, saveAbsenceType } from './types.js';

export const listAbsenceTypes: AppHandler<'listAbsenceTypes'> = async ({
  db,
  cursors,
  caller,
  path: { id },
  query: { cursor, limit = 100 },
}) => {
  const company = await companyFor(db, caller, id);
  const binding = ['listAbsenceTypes', caller.person.id, company.id];
  const from = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const types = (await absenceTypesOf(db, company.id)).slice(from, from + limit + 1);
  return {
    status: 200,
    body: pageOf(
      types,
      limit,
      (type) => presentTypeSettings(type, caller.person.language),
      () => cursors.write(binding, from + limit),
    ),
  };
};

export const createAbsenceType: AppHandler<'createAbsenceType'> = async ({ db, caller, path: { id }, body, at }) => {
  // A company's own kind has the company's own word in every language.
  const type: AbsenceType = {
    key: body.key,
    label: { de: body.label, en: body.label },
    halfDay: body.half_day,
    requiresApproval: body.requires_approval,
    countsAsVacation: body.counts_as_vacation,
    overlapClass: body.away ? 'away' : 'elsewhere',
    target: body.away ? 'credited' : 'kept',
    color: body.color ?? 'usual',
    visibleTo: body.visible_to ?? 'approvers',
    active: true,
  };
  await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    if ((await absenceTypesOf(write, company.id)).some((existingType) => existingType.key === type.key))
      throw new Refusal('value_taken', {
        details: [{ field: 'key', code: 'taken', error: 'There is a kind of this key already.' }],
      });
    await saveAbsenceType(write, company.id, type);
  });
  return { status: 201, body: presentTypeSettings(type, caller.person.language) };
};

export const updateAbsenceType: AppHandler<'updateAbsenceType'> = async ({ db, caller, path: { id, key }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    const before = (await absenceTypesOf(write, company.id)).find((type) => type.key === key);
    if (before === undefined) throw new Refusal('not_found');
    const after = {
      ...before,
      label: body.label === undefined ? before.label : { de: body.label, en: body.label },
      color: body.color ?? before.color,
      visibleTo: body.visible_to ?? before.visibleTo,
      active: body.active ?? before.active,
      halfDay: body.half_day ?? before.halfDay,
      requiresApproval: body.requires_approval ?? before.requiresApproval,
      countsAsVacation: body.counts_as_vacation ?? before.countsAsVacation,
    };
    if (JSON.stringify(after) !== JSON.stringify(before)) await saveAbsenceType(write, company.id, after);
    return { status: 200, body: presentTypeSettings(after, caller.person.language) };
  });

export const deleteAbsenceType: AppHandler<'deleteAbsenceType'> = async ({ db, caller, path: { id, key }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    removeAbsenceType(write, (await companyFor(write, caller, id)).id, key),
  );
  return { status: 204 };
};
