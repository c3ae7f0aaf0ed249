import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant, parseInstant, second } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { pageOf } from '../../http/page.js';
import { actorOf } from '../../people/actor.js';
import { eventId, eventText } from '../../store/events.js';
import type { ExtensionId } from '../../store/ids.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import { findExtension } from '../rows.js';
import { type AttemptRow, findDelivery, type ListedDelivery, listAttempts, listDeliveryRows } from './delivery-rows.js';
import { countRecoverable, repeatDeliveriesSince, repeatDelivery } from './endpoints.js';
import { fixedHeaders } from './send.js';

type Schemas = components['schemas'];

const listedAttempts = 50;

export const listDeliveries: AppHandler<'listDeliveries'> = async ({
  db,
  cursors,
  caller,
  path: { id },
  query: { state, cursor, limit = 100 },
}) => {
  if ((await findExtension(db, id)) === undefined) throw new Refusal('not_found');
  const binding = ['listDeliveries', caller.person.id, id, state];
  const before = cursor === undefined ? undefined : cursors.read<{ before: number }>(binding, cursor).before;
  const page = pageOf(
    await listDeliveryRows(db, id, { state, before, limit: limit + 1 }),
    limit,
    (row) => row,
    (last) => cursors.write(binding, { before: last.sequence }),
  );
  return { status: 200, body: { ...page, data: await present(db, id, page.data) } };
};

export const showDelivery: AppHandler<'showDelivery'> = async ({ db, path: { id, event_id: eventId } }) => {
  if ((await findExtension(db, id)) === undefined) throw new Refusal('not_found');
  const row = await findDelivery(db, id, eventId);
  if (row === undefined) throw new Refusal('not_found');
  const [delivery] = await present(db, id, [row]);
  const [last] = delivery!.attempts;
  const headers = {
    ...fixedHeaders,
    'webhook-id': delivery!.event_id,
    ...(last === undefined ? {} : { 'webhook-timestamp': String(Math.floor(parseInstant(last.at)! / second)) }),
  };
  return {
    status: 200,
    body: {
      delivery: delivery!,
      request: {
        method: 'POST',
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        body: eventText(row),
      },
    },
  };
};

export const resendDelivery: AppHandler<'resendDelivery'> = async ({
  db,
  caller,
  path: { id, event_id: eventId },
  at,
}) => {
  const row = await db.write({ actor: actorOf(caller.person), at }, (write) => repeatDelivery(write, id, eventId));
  const [delivery] = await present(db, id, [row]);
  return { status: 202, body: delivery! };
};

export const previewRecovery: AppHandler<'previewRecovery'> = async ({ db, path: { id }, query, at }) => {
  const deliveries = await countRecoverable(db, id, sinceOf(query), at);
  return { status: 200, body: { deliveries } };
};

export const recoverDeliveries: AppHandler<'recoverDeliveries'> = async ({ db, caller, path: { id }, body, at }) => {
  const since = sinceOf(body);
  const deliveries = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    repeatDeliveriesSince(write, id, since),
  );
  return { status: 202, body: { deliveries } };
};

function sinceOf({ since: text }: { readonly since: string }): Instant {
  const since = parseInstant(text);
  if (since === undefined) throw invalidField('since', 'invalid', 'Write an RFC 3339 instant.');
  return since;
}

async function present(
  reader: Reader,
  id: ExtensionId,
  rows: readonly ListedDelivery[],
): Promise<Schemas['Delivery'][]> {
  const attempts = await listAttempts(reader, id, rows);
  return rows.map((row) => ({
    event_id: eventId({ epoch: row.epoch, place: row.sequence }),
    type: row.type,
    sequence: row.sequence,
    state: row.state,
    created_at: formatInstant(row.created_at),
    next_attempt_at: formatInstant(row.first_attempt_at ?? row.next_attempt_at),
    behind:
      row.first_sequence === null || row.first_epoch === null
        ? undefined
        : eventId({ epoch: row.first_epoch, place: row.first_sequence }),
    attempts: attempts
      .filter(({ sequence }) => sequence === row.sequence)
      .slice(0, listedAttempts)
      .map(presentAttempt),
  }));
}

function presentAttempt({ at, outcome, status, milliseconds, answer }: AttemptRow): Schemas['DeliveryAttempt'] {
  return {
    at: formatInstant(at),
    outcome,
    // The time until an address counts as unreachable would distinguish a closed port from a silent one.
    duration_milliseconds: outcome === 'unreachable' ? undefined : Math.min(60_000, Math.max(0, milliseconds)),
    status: status === null || status < 100 || status > 599 ? undefined : status,
    answer: answer === null || answer === '' ? undefined : answer,
  };
}
