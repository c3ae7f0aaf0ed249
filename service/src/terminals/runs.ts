/**
 * Two devices with one key: a copied disk, or a stolen key. The program of a device names itself with a random word,
 * new at each start. A program that has ended never comes back, so one that goes on after a later one has begun runs on
 * another device. Restarts, retries and jumps of the device's clock cannot look like that.
 */

import { day } from '@clockproof/platform/time/instant';
import { companyAdmins, notify } from '../inbox/notices.js';
import type { Write } from '../store/write.js';
import { terminalActor } from './card-refusal.js';
import { nonceLifetime } from './request-signature.js';
import { beginRun, findRun, hasLaterRun, hasRuns, stopCopiedKey, type TerminalRow } from './rows.js';

/** The last requests of a program may still arrive, but no longer than their signatures are valid. */
const overlap = nonceLifetime;
/** A run that is forgotten and goes on begins again, and then finds the other one. */
const memory = day;
/** The run of a program that names none, at a terminal whose program does. */
const unnamedRun = '';

/**
 * Notes that this run of the terminal's program goes on. If a later one has begun before, both devices are stopped
 * until the terminal is paired again, with a key of its own.
 * @returns whether the terminal takes badges
 */
export async function noteRun(write: Write, terminal: TerminalRow, run: string): Promise<boolean> {
  const { at } = write;
  if (terminal.confirmed_at === null || terminal.key_copied_at !== null) return terminal.key_copied_at === null;
  const knownRun = await findRun(write, terminal.id, run);
  if (knownRun === undefined) await beginRun(write, { terminal_id: terminal.id, run, first_at: at }, at - memory);
  else if (await hasLaterRun(write, knownRun, at - overlap)) {
    await stop(write, terminal);
    return false;
  }
  return true;
}

/** Like {@link noteRun}, for a request that the program of the terminal would name. */
export async function noteRunOfCard(write: Write, terminal: TerminalRow, run: string | undefined): Promise<boolean> {
  if (run === undefined && !(await hasRuns(write, terminal.id))) return true;
  return noteRun(write, terminal, run ?? unnamedRun);
}

/** The keys of badges are not on the device, so they stay; offline stamps that wait there can still be uploaded. */
async function stop(write: Write, terminal: TerminalRow): Promise<void> {
  // If two requests find it, one reports it.
  if (!(await stopCopiedKey(write, terminal.id, write.at))) return;
  await notify(write, await companyAdmins(write, terminal.company_id), { kind: 'key_copied', terminal: terminal.id });
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'terminal.key_copied',
    subject: `terminal ${terminal.id}`,
  });
}
