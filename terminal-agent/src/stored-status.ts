import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writeWhole } from './state-file.js';
import type { TerminalStatus } from './terminal-api.js';

/** The service's last status of this terminal: enough to go on without it. It contains no secret. */
export type StoredStatus = Pick<TerminalStatus, 'confirmed' | 'name' | 'offers' | 'offline_last_number' | 'seal_key'>;

const file = z.object({
  terminal_id: z.string(),
  confirmed: z.boolean(),
  name: z.string(),
  offers: z.object({
    info: z.boolean(),
    info_without_pin: z.boolean(),
    badge_and_pin: z.boolean(),
    offline: z.boolean(),
  }),
  offline_last_number: z.number().int().nonnegative(),
  seal_key: z.string().exactOptional(),
});

const pathIn = (stateFolder: string): string => join(stateFolder, 'status.json');

/** Undefined if there is none, or it is another terminal's, or damaged: the service will say it again. */
export async function loadStatus(stateFolder: string, terminalId: string): Promise<StoredStatus | undefined> {
  const text = await readIfThere(pathIn(stateFolder));
  try {
    const { terminal_id, ...status } = file.parse(JSON.parse(text ?? ''));
    return terminal_id === terminalId ? status : undefined;
  } catch {
    return undefined;
  }
}

/** Written only where something changed: the status is asked for every few seconds. */
export async function storeStatus(stateFolder: string, terminalId: string, status: StoredStatus): Promise<void> {
  const { confirmed, name, offers, offline_last_number, seal_key } = status;
  const content = { terminal_id: terminalId, confirmed, name, offers, offline_last_number, seal_key };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (text !== (await readIfThere(pathIn(stateFolder)))) await writeWhole(pathIn(stateFolder), text);
}
