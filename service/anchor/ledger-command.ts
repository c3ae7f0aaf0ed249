/** ANCHOR_COMMAND: the operator's own client of the ledger, with its own keys. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isBase58Digest } from '@clockproof/platform/bytes/base58';
import type { Expectation } from './ledger-index.js';

/** After every failure, the command may have written: only the indexes know. */
export type CommandOutcome =
  | { readonly tx: string }
  | { readonly failure: 'not_started' | 'failed' | 'timeout' | 'no_digest'; readonly words: string };

export type LedgerCommand = (root: Omit<Expectation, 'sender'>) => Promise<CommandOutcome>;

const maxOutputBytes = 64 * 1024;
const limited = fileURLToPath(new URL('./limited.js', import.meta.url));

/** @param env without the key of the service */
export function createLedgerCommand(
  command: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string | undefined>>,
): LedgerCommand {
  const { SERVICE_KEY: _, ...commandEnv } = env;
  return ({ company_token, period, merkle_root }) =>
    new Promise((resolve) => {
      const args = [limited, String(timeoutMs), ...command, company_token, period, merkle_root];
      const child = spawn(process.execPath, args, { env: commandEnv, stdio: ['pipe', 'pipe', 'pipe'] });
      const output = keepText(child.stdout);
      const complaint = keepText(child.stderr);
      child.on('error', (error) => resolve({ failure: 'not_started', words: error.message }));
      child.on('close', (code) => resolve(outcomeOf(code, output().trim(), lastLine(complaint()), timeoutMs)));
    });
}

function outcomeOf(code: number | null, output: string, complaint: string, timeoutMs: number): CommandOutcome {
  if (code === 0 && isBase58Digest(output)) return { tx: output };
  if (code === 0) return { failure: 'no_digest', words: `it printed ${JSON.stringify(output.slice(0, 100))}` };
  if (code === 124) return { failure: 'timeout', words: `it was ended after ${timeoutMs} ms` };
  if (code === 127) return { failure: 'not_started', words: complaint };
  return { failure: 'failed', words: `exit code ${code}: ${complaint}` };
}

function keepText(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length < maxOutputBytes) text += chunk.toString('utf8');
  });
  return () => text;
}

const lastLine = (text: string): string => (text.trim().split('\n').at(-1) ?? '').slice(0, 300);
