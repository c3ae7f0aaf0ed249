import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { countReadableEvents } from '../../extensions/readable-events.js';
import { findExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { settledPosition } from '../../store/position.js';
import { eventReaderOf } from '../../webhooks/endpoints.js';
import { listConnectionRows } from '../../websocket/rows.js';
import type { PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

/** Keys have five connections each. */
const mostListed = 100;
const mostWaiting = 1_000;

export function listConnections({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listConnections'], PersonCaller> {
  return async ({ path: { id }, at }) => {
    const extension = await findExtension(db, id);
    if (extension === undefined) throw new Refusal('not_found');
    const [rows, { place: upTo }] = await Promise.all([
      listConnectionRows(db, id, at, mostListed),
      settledPosition(db),
    ]);
    const reader = eventReaderOf(extension, at);
    const waitingAfter = new Map<number, Promise<number>>();
    const waitingFor = (after: number) => {
      const counted =
        waitingAfter.get(after) ?? countReadableEvents(db, reader, { after, upTo, since: 0, limit: mostWaiting + 1 });
      waitingAfter.set(after, counted);
      return counted;
    };
    const data = await Promise.all(
      rows.map(async ({ id: connection, opened_at: openedAt, address, agent, acknowledged }) => {
        const waiting = acknowledged === null ? 0 : await waitingFor(acknowledged);
        return {
          id: connection,
          opened_at: formatInstant(openedAt),
          ...(address === null ? {} : { address }),
          ...(agent === null ? {} : { agent }),
          ...(acknowledged === null ? {} : { acknowledged }),
          waiting: Math.min(waiting, mostWaiting),
          waiting_more: waiting > mostWaiting,
        };
      }),
    );
    return { status: 200, body: { data } };
  };
}
