import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { PasskeyRow } from '../../sign-in/passkey-rows.js';

export function presentPasskey({ id, name, created_at, last_used_at }: PasskeyRow): components['schemas']['Passkey'] {
  return {
    id,
    name,
    created_at: formatInstant(created_at),
    ...(last_used_at === null ? {} : { last_used_at: formatInstant(last_used_at) }),
  };
}
