import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { findOneTimeLink } from '../../sign-in/rows.js';
import { hashOfSecret } from '../../sign-in/secrets.js';
import type { Visitor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function checkInvitation({ db }: Pick<AppNeeds, 'db'>): Handler<operations['checkInvitation'], Visitor> {
  return async ({ body, at }) => {
    const link = await findOneTimeLink(db, hashOfSecret(body.token), 'invitation', at);
    const person = link && (await findPerson(db, link.person_id!, null));
    if (link === undefined || person === undefined || person.active === 0 || person.email === null)
      throw new Refusal('one_time_link_invalid');
    return {
      status: 200,
      body: {
        first_name: person.first_name,
        email: person.email,
        company_name: person.company_name,
        expires_at: formatInstant(link.expires_at),
      },
    };
  };
}
