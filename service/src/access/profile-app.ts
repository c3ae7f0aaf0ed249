import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { chooseLanguage } from '../people/people.js';
import { changePassword as change } from './credentials.js';
import type { AccessNeeds } from './needs.js';
import { presentSession } from './present-session.js';

export function updateProfile({
  db,
  extensionsEnabled,
}: Pick<AccessNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['updateProfile'], PersonCaller> {
  return async ({ caller, body: { language }, at }) => {
    const person =
      language === undefined
        ? caller.person
        : await db.write({ actor: actorOf(caller.person), at }, (write) =>
            chooseLanguage(write, caller.person, language),
          );
    return { status: 200, body: await presentSession(db, { ...caller, person }, extensionsEnabled, at) };
  };
}

export function changePassword({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AccessNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<
  operations['changePassword'],
  PersonCaller
> {
  return async ({ caller, body: { current_password: present, new_password: wanted }, at }) => {
    const token = await change({ db, passwords, randomBytes }, caller, { present, wanted }, at);
    return { status: 204, headers: { 'set-cookie': cookies.setSession(token) } };
  };
}
