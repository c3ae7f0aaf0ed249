import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { beginEnrolment } from '../../sign-in/second-factor.js';
import { enrolmentUri, toBase32 } from '../../sign-in/totp.js';
import { isFresh, nameOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function enrolSecondFactor({
  db,
  sealingKeys,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['enrolSecondFactor'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { secret, expiresAt } = await db.write((tx) =>
      beginEnrolment(tx, { personId: person.id, keys: sealingKeys, proven: isFresh(session, at) }, randomBytes, at),
    );
    return {
      status: 200,
      body: {
        secret: toBase32(secret),
        uri: enrolmentUri(secret, person.email ?? nameOf(person)),
        expires_at: formatInstant(expiresAt),
      },
    };
  };
}
