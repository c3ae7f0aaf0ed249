/** The features that are currently available. */
import type { Reader } from '@clockproof/platform/database/database';
import type { components } from '../generated/service-types.js';
import { readPeopleAccess } from './rows.js';

/** @param extensionsEnabled EXTENSIONS_ENABLED: without extensions, nothing can write for people or be linked */
export async function readFeatures(
  reader: Reader,
  extensionsEnabled: boolean,
): Promise<components['schemas']['Features']> {
  const access = await readPeopleAccess(reader);
  return {
    extensions: extensionsEnabled,
    people_writes: extensionsEnabled && access.people_writes === 1,
    personal_links: extensionsEnabled && access.personal_links === 1,
    terminals: access.terminals === 1,
    webhooks: extensionsEnabled,
    websocket: extensionsEnabled,
  };
}
