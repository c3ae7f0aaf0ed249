/** The lines of a vacation account, and HR's bookings in it. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { personFor } from '../../people/administered.js';
import type { PersonCaller } from '../../people/caller.js';
import type { PersonRow } from '../../people/rows.js';
import { addVacationBooking } from './vacation-bookings.js';
import { readVacationStatement } from './vacation-statement.js';

function statementFor(
  reader: Reader,
  { person: { language } }: PersonCaller,
  person: PersonRow,
  { year, at }: { readonly year: number; readonly at: Instant },
): Promise<components['schemas']['VacationStatement']> {
  return readVacationStatement(reader, person, year, { today: localDateAt(at, person.time_zone), language });
}

export const showMyVacationStatement: AppHandler<'showMyVacationStatement'> = async ({
  db,
  caller,
  query: { year },
  at,
}) => ({
  status: 200,
  body: await statementFor(db, caller, caller.person, { year, at }),
});

export const showVacationStatement: AppHandler<'showVacationStatement'> = async ({
  db,
  caller,
  path: { id },
  query: { year },
  at,
}) => ({
  status: 200,
  body: await statementFor(db, caller, await personFor(db, caller, id), { year, at }),
});

export const bookVacation: AppHandler<'bookVacation'> = ({
  db,
  caller,
  path: { id },
  body: { kind, days, date, reason },
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    await addVacationBooking(write, person, { kind, days, date, reason, by: caller.person.id });
    const year = Number(date.slice(0, 4));
    return { status: 201, body: await statementFor(write, caller, person, { year, at }) };
  });
