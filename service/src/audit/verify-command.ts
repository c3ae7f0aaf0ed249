/** `audit verify`: walks the whole chain and reports the result, for operators and nightly jobs. */
import type { Reader } from '@clockproof/platform/database/database';
import { verifyAudit } from './audit.js';

export interface CommandResult {
  readonly exitCode: 0 | 1 | 64;
  readonly text: string;
}

const usage = `usage: audit verify [--head <entry>:<hash>]

Checks that no entry of the audit log was altered, removed, moved or cut off. Note the head it prints somewhere outside of the database, and hand it in next
time: whoever can rewrite the whole table could otherwise cut its newest entries.`;

/**
 * @param words the command line after `audit`
 * @returns 0 intact, 1 altered, 64 (EX_USAGE) invalid command line
 */
export async function runAuditCommand(reader: Reader, words: readonly string[]): Promise<CommandResult> {
  const [verb, option, head, ...rest] = words;
  const known = head === undefined ? undefined : /^([1-9][0-9]{0,15}):([0-9a-f]{64})$/.exec(head);
  if (
    verb !== 'verify' ||
    rest.length > 0 ||
    (option !== undefined && (option !== '--head' || known === null || known === undefined))
  )
    return { exitCode: 64, text: usage };
  const found = await verifyAudit(
    reader,
    known === undefined || known === null ? undefined : { sequence: Number(known[1]), hash: known[2]! },
  );
  if (!found.intact)
    return {
      exitCode: 1,
      text: `audit log NOT intact: entry ${found.firstBad} is ${found.why === 'cut' ? 'missing at the end' : found.why}`,
    };
  return {
    exitCode: 0,
    text: `audit log intact: ${found.entries} entries\nhead ${found.head.sequence}:${found.head.hash}`,
  };
}
