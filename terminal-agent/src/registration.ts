import { join } from 'node:path';
import { z } from 'zod';
import { ConfigurationFaults } from './config.js';
import { readIfThere, writeWhole } from './state-file.js';

/** The result of pairing. It contains no secret. */
export interface Registration {
  readonly terminalId: string;
  readonly serviceUrl: string;
}

const file = z.object({ terminal_id: z.string().regex(/^trm_[0-9A-Za-z_-]+$/), service_url: z.string() });

const pathIn = (stateFolder: string): string => join(stateFolder, 'terminal.json');

export async function storeRegistration(stateFolder: string, registration: Registration): Promise<void> {
  const content = { terminal_id: registration.terminalId, service_url: registration.serviceUrl };
  await writeWhole(pathIn(stateFolder), `${JSON.stringify(content, null, 2)}\n`);
}

/** @throws {ConfigurationFaults} if this PC is not paired, or with another service. */
export async function loadRegistration(stateFolder: string, serviceUrl: URL): Promise<Registration> {
  const registration = await registrationIfThere(stateFolder, serviceUrl);
  if (registration === undefined)
    throw new ConfigurationFaults([
      'this PC is not paired: add a terminal in the admin area and run the command pair with its code',
    ]);
  return registration;
}

/**
 * As {@link loadRegistration}, or undefined if this PC is not paired.
 *
 * @throws {ConfigurationFaults} if it is paired with another service.
 */
export async function registrationIfThere(stateFolder: string, serviceUrl: URL): Promise<Registration | undefined> {
  const text = await readIfThere(pathIn(stateFolder));
  if (text === undefined) return undefined;
  const result = file.safeParse(json(text));
  if (!result.success) throw new ConfigurationFaults([`${pathIn(stateFolder)} is damaged: pair the terminal again`]);
  const registration = { terminalId: result.data.terminal_id, serviceUrl: result.data.service_url };
  if (registration.serviceUrl !== serviceUrl.href) {
    throw new ConfigurationFaults([
      `SERVICE_URL is ${serviceUrl.href}, but this PC is paired with ${registration.serviceUrl}: change it back, or pair again with pair <code>`,
    ]);
  }
  return registration;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
