/** The state of a terminal's device, which it reports with each request for its status. */

import { second } from '@clockproof/platform/time/instant';
import { defined } from '../store/defined.js';
import type { Write } from '../store/write.js';
import { type DeviceFacts, findIssuingWindow, saveDeviceFacts, type TerminalRow } from './rows.js';
import { noteRun } from './runs.js';

/** The report of a device; omitted members are not known to have changed. */
export type DeviceReport = { readonly [Fact in keyof DeviceFacts]?: DeviceFacts[Fact] | undefined } & {
  readonly run?: string | undefined;
};

/** The state of a terminal after its device has reported. */
export interface TerminalStanding {
  readonly stopped: 'failed_proofs' | 'key_copied' | undefined;
  /** The issuing that is open at it. */
  readonly issuing: Awaited<ReturnType<typeof findIssuingWindow>>;
}

/** A device that asks more often, and has nothing new to say, is noted no more often than this. */
const minReportGap = 20 * second;

/** Notes that the terminal was seen, and its report. */
export async function seeDevice(
  write: Write,
  terminal: TerminalRow,
  { run, agent_version, reader, reader_state, clock_offset_ms, offline_waiting }: DeviceReport,
): Promise<TerminalStanding> {
  write.unaudited('nonce');
  const isOne = run === undefined ? terminal.key_copied_at === null : await noteRun(write, terminal, run);
  const facts = defined({ agent_version, reader, reader_state, clock_offset_ms, offline_waiting });
  const isNew = Object.entries(facts).some(([fact, value]) => terminal[fact as keyof DeviceFacts] !== value);
  if (isNew || terminal.last_seen_at === null || write.at - terminal.last_seen_at >= minReportGap) {
    await saveDeviceFacts(write, terminal.id, facts, write.at);
    write.touch({ family: 'terminal', company: terminal.company_id, parties: [] });
  }
  return {
    stopped: !isOne ? 'key_copied' : terminal.proofs_stopped_at !== null ? 'failed_proofs' : undefined,
    issuing: await findIssuingWindow(write, terminal.id, write.at),
  };
}
