/** A stamp at the door in the view of an integration, through the API. */
import type { PersonId } from '../src/store/ids.js';

export interface ClockEvent {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly clock_state: { readonly user_id: number } };
}

interface Stamp {
  readonly action: string;
  readonly proof?: string;
  readonly source?: { readonly id: string };
}

/** @throws Error the person's newest stamp is another, or does not name the badge and the terminal */
export async function requireBadgeStamp(
  serviceUrl: string,
  key: string,
  expected: { readonly personId: PersonId; readonly action: string; readonly terminalId: string },
): Promise<void> {
  const since = new Date(Date.now() - 120_000).toISOString();
  const path = `/api/v1/time/entries?updated_since=${since}&user_id=${expected.personId}`;
  const { data: entries } = (await get(serviceUrl, path, key)) as { data: { stamps: Stamp[] }[] };
  // In order of change. The person may have clocked in elsewhere: each stamp has a source and a proof of its own.
  const entry = entries.at(-1);
  const newestStamp = entry?.stamps.at(-1);
  if (
    newestStamp?.action !== expected.action ||
    newestStamp.proof !== 'badge' ||
    newestStamp.source?.id !== expected.terminalId
  )
    throw new Error(`the stamp does not show the badge: ${JSON.stringify(entry)}`);
}

/** @returns the events after a position, and the one of the person's stamp. @throws Error that is not among them */
export async function pullStampEvent(
  serviceUrl: string,
  key: string,
  { position, personId, action }: { readonly position: string; readonly personId: PersonId; readonly action: string },
): Promise<{ readonly events: readonly ClockEvent[]; readonly event: ClockEvent }> {
  const path = `/api/v1/events?after=${position}&limit=500`;
  const { data: events } = (await get(serviceUrl, path, key)) as { data: ClockEvent[] };
  const event = events.find(({ type, data }) => type === `clock.${action}` && data.clock_state.user_id === personId);
  if (event === undefined) throw new Error(`no event clock.${action} came: ${JSON.stringify(events)}`);
  return { events, event };
}

/** The newest position of the events that the key may see, and the last of the events before it. */
export async function lastPosition(
  serviceUrl: string,
  key: string,
): Promise<{ readonly position: string; readonly lastEvents: readonly unknown[] }> {
  let query = '';
  let lastEvents: readonly unknown[] = [];
  for (;;) {
    const page = (await get(serviceUrl, `/api/v1/events?limit=500${query}`, key)) as {
      data: readonly unknown[];
      next_after: string;
      has_more: boolean;
    };
    query = `&after=${page.next_after}`;
    lastEvents = [...lastEvents, ...page.data].slice(-4);
    if (!page.has_more) return { position: page.next_after, lastEvents };
  }
}

async function get(serviceUrl: string, path: string, key: string): Promise<unknown> {
  const response = await fetch(serviceUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${JSON.stringify(body)}`);
  return body;
}
