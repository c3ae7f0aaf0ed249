import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { chooseLanguage } from '../people/people.js';
import { replacePassword } from './credentials.js';
import { presentSession } from './present-session.js';

export const updateProfile: AppHandler<'updateProfile'> = async ({
  db,
  extensionsEnabled,
  caller,
  body: { language },
  at,
}) => {
  const person =
    language === undefined
      ? caller.person
      : await db.write({ actor: actorOf(caller.person), at }, (write) =>
          chooseLanguage(write, caller.person, language),
        );
  return { status: 200, body: await presentSession(db, { ...caller, person }, extensionsEnabled, at) };
};

export const changePassword: AppHandler<'changePassword'> = async ({
  db,
  passwords,
  cookies,
  randomBytes,
  caller,
  body: { current_password: present, new_password: newPassword },
  at,
}) => {
  const token = await replacePassword({ db, passwords, randomBytes }, caller, { present, newPassword }, at);
  return { status: 204, headers: { 'set-cookie': cookies.setSession(token) } };
};
