import { formatInstant } from '@clockproof/platform/time/instant';
import type { AppHandler } from '../../http/handler.js';
import { Refusal } from '../../store/refusal.js';
import { findExtension } from '../rows.js';
import { listConnectionRows } from './rows.js';

/** Keys have five connections each. */
const maxListed = 100;

export const listConnections: AppHandler<'listConnections'> = async ({ db, path: { id }, at }) => {
  if ((await findExtension(db, id)) === undefined) throw new Refusal('not_found');
  const rows = await listConnectionRows(db, id, at, maxListed);
  const data = rows.map(({ id: connection, opened_at: openedAt, address, agent }) => ({
    id: connection,
    opened_at: formatInstant(openedAt),
    address: address ?? undefined,
    agent: agent ?? undefined,
  }));
  return { status: 200, body: { data } };
};
