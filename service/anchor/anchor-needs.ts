/** The parts and settings of a pass. */
import type { Log } from '@clockproof/platform/log';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CommandOutcome, LedgerCommand } from './ledger-command.js';
import type { LedgerIndex } from './ledger-index.js';
import type { Commitments } from './service-api.js';

export interface AnchorNeeds {
  readonly service: Commitments;
  readonly indexes: readonly LedgerIndex[];
  readonly command: LedgerCommand;
  /** Longest run of the command, in milliseconds. */
  readonly timeoutMs: number;
  readonly sender: string;
  readonly log: Log;
  readonly clock: () => Instant;
  /** True once the process is to end: then nothing else is begun. */
  readonly stopped?: () => boolean;
  readonly onCommand?: (outcome: 'written' | Extract<CommandOutcome, { failure: string }>['failure']) => void;
  readonly onFault?: (fault: string) => void;
}
