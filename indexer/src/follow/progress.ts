/** The progress of a long reading: a bar on a terminal, otherwise a line in the log every few seconds. */
import type { Log } from '@clockproof/platform/log';
import type { CatchUpContext } from './catch-up.js';

export interface ProgressOptions {
  readonly log: Log;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  readonly terminal?: { readonly isTTY?: boolean; write(text: string): unknown };
}

const pauseOnTerminal = 100;
const pauseInLog = 5_000;
const width = 30;

export function createProgress({ log, now, terminal = process.stderr }: ProgressOptions): CatchUpContext['onPage'] {
  let shownAt = -Infinity;
  let proofs = 0;
  let isDrawn = false;
  return (stream, view, decodedEvents) => {
    proofs += decodedEvents.proofs.length;
    const span = view.sequence - stream.fromCheckpoint + 1;
    const ratio = stream.backfilled
      ? 1
      : span <= 0
        ? 0
        : Math.min(1, Math.max(0, (stream.watermark - stream.fromCheckpoint + 1) / span));
    const isDue = now() - shownAt >= (terminal.isTTY === true ? pauseOnTerminal : pauseInLog);
    if (stream.backfilled) {
      if (isDrawn) terminal.write('\n');
      isDrawn = false;
      return;
    }
    if (!isDue) return;
    shownAt = now();
    if (terminal.isTTY === true) {
      isDrawn = true;
      terminal.write(
        `\r  reading the ledger ${bar(ratio)} ${(ratio * 100).toFixed(1).padStart(5)} %  checkpoint ${stream.watermark} of ${view.sequence}, ${proofs} proofs `,
      );
    } else {
      log.info(
        { done_ratio: Math.floor(ratio * 10_000) / 10_000, checkpoint: stream.watermark, head: view.sequence, proofs },
        'reading the ledger',
      );
    }
  };
}

export function bar(ratio: number): string {
  const filledWidth = Math.round(ratio * width);
  return `[${'#'.repeat(filledWidth)}${'.'.repeat(width - filledWidth)}]`;
}
