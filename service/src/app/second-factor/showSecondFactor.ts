import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { countPasskeys } from '../../sign-in/passkey-rows.js';
import { countRecoveryCodes, findCredential } from '../../sign-in/rows.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showSecondFactor({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showSecondFactor'], PersonCaller> {
  return async ({ caller: { person } }) => {
    const enrolledAt = (await findCredential(db, person.id))?.totp_enrolled_at ?? null;
    const passkeys = await countPasskeys(db, person.id);
    return {
      status: 200,
      body: {
        enrolled: enrolledAt !== null || passkeys > 0,
        ...(enrolledAt === null ? {} : { enrolled_at: formatInstant(enrolledAt) }),
        passkeys,
        recovery_codes_left: await countRecoveryCodes(db, person.id),
      },
    };
  };
}
