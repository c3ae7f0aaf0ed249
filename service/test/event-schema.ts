/** Events against the contract, each against the schema of its type. Clients also accept types they do not know. */
import type { Reader } from '@clockproof/platform/database/database';
import { eventText } from '../src/events/events.js';
import { events } from '../src/generated/service-events.js';
import type { Tables } from '../src/generated/tables.js';

/** What is wrong with an event of this version; undefined if nothing. */
export function eventFault(event: unknown): string | undefined {
  const { id, type } = event as { readonly id?: string; readonly type: string };
  const validate = events[type];
  if (validate === undefined) return `${id} is of no type of this version: ${type}`;
  if (validate(event)) return undefined;
  return `${id} ${type}: ${validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ')}`;
}

/** What is wrong with the events stored in a database: each is what the contract says, and its row says the same. */
export async function storedEventFaults(reader: Reader): Promise<string[]> {
  const rows = await reader.all<Tables['events']>('SELECT * FROM events ORDER BY sequence');
  return rows.flatMap((row) => {
    const event = JSON.parse(eventText(row)) as Record<string, unknown>;
    const differs = (event['company_id'] ?? 0) !== row.company_id;
    return eventFault(event) ?? (differs ? `${row.sequence} differs from its row` : []);
  });
}
