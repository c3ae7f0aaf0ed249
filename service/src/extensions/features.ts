/** What this installation offers at present. */
import type { Reader } from '@clockproof/platform/database/database';
import type { components } from '../generated/service-types.js';
import { readPeopleAccess } from './rows.js';

/**
 * @param extensionsEnabled EXTENSIONS_ENABLED: without extensions there is nothing to write for people with, or to link
 */
export async function readFeatures(
  reader: Reader,
  extensionsEnabled: boolean,
): Promise<components['schemas']['Features']> {
  const access = await readPeopleAccess(reader);
  return {
    extensions: extensionsEnabled,
    people_writes: extensionsEnabled && access.people_writes === 1,
    personal_links: extensionsEnabled && access.personal_links === 1,
    // Events are pulled in this version; neither way of being told has come yet.
    terminals: access.terminals === 1,
    webhooks: false,
    websocket: false,
  };
}
