import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { type ExtensionRow, endOfKey, liveKeys } from '../../extensions/rows.js';
import type { components } from '../../generated/app-types.js';
import type { Scope } from '../../generated/contract.js';
import { countLinks } from '../../oauth/rows.js';

export async function presentExtension(
  reader: Reader,
  row: ExtensionRow,
  at: Instant,
): Promise<components['schemas']['Extension']> {
  const keys = await liveKeys(reader, row.id, at);
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    mode: row.mode,
    scopes: JSON.parse(row.scopes) as Scope[],
    acting: row.acting,
    ...(row.company_id === null ? {} : { company_id: row.company_id }),
    absences_count_as_approved: row.is_leading === 1,
    linking: row.linkable === 1,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    link_lifetime_days: row.link_days,
    ...(row.webhook_url === null ? {} : { webhook_url: row.webhook_url }),
    keys: keys.slice(0, 2).map((key, index) => ({
      prefix: `cpk_${key.lookup}`,
      current: index === 0,
      created_at: formatInstant(key.created_at),
      ...(key.last_used_at === null ? {} : { last_used_at: formatInstant(key.last_used_at) }),
      ...presentEnd(endOfKey(key)),
    })),
    links: await countLinks(reader, row.id, at),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  };
}

function presentEnd(end: Instant | null): { readonly expires_at?: string } {
  return end === null ? {} : { expires_at: formatInstant(end) };
}
