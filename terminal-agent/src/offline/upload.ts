import type { TerminalApi } from '../terminal-api.js';
import type { OfflineJournal } from './journal.js';

/** The outcome of uploading the waiting stamps. */
export interface UploadOutcome {
  /** Results by kind: `accepted`, `duplicate`, `too_old` … */
  readonly results: Readonly<Record<string, number>>;
  /** The reason why some still wait: the service's sentence, or that it did not answer. */
  readonly obstacle?: string;
}

/**
 * Uploads the waiting stamps, one upload at a time, and prints the outcome; what stays the same is printed once.
 *
 * @param onSettled called after each one.
 */
export function uploads(
  journal: OfflineJournal,
  api: Pick<TerminalApi, 'offline'>,
  print: (line: string) => void,
  onSettled: () => void = () => undefined,
): () => Promise<void> {
  let isUploading = false;
  let printedObstacle: string | undefined;
  return async () => {
    if (isUploading || journal.waiting().length === 0) return;
    isUploading = true;
    const { results, obstacle } = await uploadJournal(journal, api).catch((error: unknown) => ({
      results: {},
      obstacle: String(error),
    }));
    isUploading = false;
    const kept = Object.entries(results).filter(([result]) => keptByService.has(result));
    const texts = kept.map(([result, count]) => `${count} ${result}`);
    if (texts.length > 0) print(`Offline stamps uploaded: ${texts.join(', ')}`);
    if (obstacle !== undefined && obstacle !== printedObstacle) print(`Offline stamps wait: ${obstacle}`);
    printedObstacle = obstacle;
    if (journal.stopped())
      print('Offline stamps: another device uses the key of this terminal. Pair it again with a new key.');
    onSettled();
  };
}

const batchSize = 100;

/** The service has the stamp, as an entry or as an unresolved stamp. Any other result leaves it here. */
const keptByService: ReadonlySet<string> = new Set([
  'accepted',
  'duplicate',
  'conflict',
  'too_old',
  'in_future',
  'unknown_card',
  'unexpected_number',
  'not_sealed',
  'too_many',
]);

function obstacleOf(result: string): string {
  return result === 'deferred'
    ? 'too many unresolved stamps of this terminal await a decision'
    : `the service answered ${result}`;
}

/**
 * Sends the journal once in ascending order, one batch after the other, until the service does not answer. Stamps that
 * it does not keep stay in the journal and are sent again next time: the service takes each number once.
 */
export async function uploadJournal(
  journal: OfflineJournal,
  api: Pick<TerminalApi, 'offline'>,
): Promise<UploadOutcome> {
  const results: Record<string, number> = {};
  let obstacle: string | undefined;
  for (let sentCount = 0; ; ) {
    const batch = journal
      .waiting()
      .filter(({ number }) => number > sentCount)
      .slice(0, batchSize);
    if (batch.length === 0) return { results, ...(obstacle === undefined ? {} : { obstacle }) };
    const reply = await api.offline({ stamps: batch.map(({ number, sealed }) => ({ number, sealed })) });
    if (reply.kind !== 'answered') return { results, obstacle: reply.kind === 'refused' ? reply.error : reply.reason };
    const resultsByNumber = new Map(reply.body.results.map(({ number, result }) => [number, result]));
    const keptNumbers = new Set<number>();
    for (const { number } of batch) {
      const result = resultsByNumber.get(number);
      if (result === undefined) obstacle = 'the service left results out';
      else results[result] = (results[result] ?? 0) + 1;
      if (result !== undefined && keptByService.has(result)) keptNumbers.add(number);
      else if (result !== undefined) obstacle = obstacleOf(result);
    }
    if (batch.some(({ number }) => resultsByNumber.get(number) === 'conflict')) await journal.stop();
    if (keptNumbers.size > 0) await journal.acknowledge(keptNumbers);
    sentCount = batch.at(-1)!.number;
  }
}
