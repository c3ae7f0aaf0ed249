/** Common parts of the handlers of a terminal: the switch, the confirmation, and the form of a card's answer. */

import { toHex } from '@clockproof/platform/bytes/encoding';
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readPeopleAccess } from '../extensions/rows.js';
import type { components } from '../generated/service-types.js';
import { Refusal } from '../store/refusal.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { TerminalRow } from './rows.js';
import type { CardAnswerWithStamp } from './stamp-at-terminal.js';

/** @throws Refusal `feature_disabled` time clock terminals are switched off */
export async function refuseWithoutTerminals(reader: Reader): Promise<void> {
  if ((await readPeopleAccess(reader)).terminals === 0) throw new Refusal('feature_disabled');
}

/** @throws Refusal `feature_disabled`, `terminal_not_confirmed` */
export async function refuseUnconfirmed(reader: Reader, terminal: TerminalRow): Promise<void> {
  await refuseWithoutTerminals(reader);
  if (terminal.confirmed_at === null) throw new Refusal('terminal_not_confirmed');
}

/**
 * For operations that need a person at the door. @throws Refusal `feature_disabled`, `terminal_not_confirmed`,
 * `terminal_stopped`
 */
export async function refuseDoor(reader: Reader, terminal: TerminalRow): Promise<void> {
  await refuseUnconfirmed(reader, terminal);
  if (terminal.key_copied_at !== null) throw new Refusal('terminal_stopped');
}

export function needDataKey(dataKey: DataKey | undefined): DataKey {
  if (dataKey === undefined) throw new Refusal('feature_disabled', { reason: 'badges need DATA_KEY' });
  return dataKey;
}

/** @throws Refusal the decision of the session, after its audit entry is stored */
export function presentCardAnswer(answer: CardAnswerWithStamp): components['schemas']['CardAnswer'] {
  if ('refused' in answer) throw new Refusal(answer.refused);
  if ('issued' in answer) {
    if (answer.pin === undefined) return { result: 'issued' };
    const { session, choosesPin } = answer.pin;
    return {
      session,
      result: 'issued',
      choose_pin: true,
      first_name: choosesPin.firstName,
      language: choosesPin.language,
    };
  }
  if ('apdu' in answer) return { session: answer.session, apdu: toHex(answer.apdu) };
  const { firstName, language, state, since, recorded, pinRequired, actions, forgotten } = answer.proved;
  return {
    session: answer.session,
    result: 'proved',
    first_name: firstName,
    language,
    state,
    since: formatInstant(since),
    recorded: recorded === undefined ? undefined : { action: recorded.action, at: formatInstant(recorded.at) },
    actions: [...actions],
    clock_out_missing: forgotten ? true : undefined,
    pin_required: pinRequired,
    stamp: answer.stamp,
  };
}
