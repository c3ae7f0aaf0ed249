/** The questions to an index about a file, steps 5 and 7. */
import type { ProofFile } from './read-file.js';

/** @returns the address of an index in its one spelling; undefined if a browser may not open it */
export function indexAddress(text: string): string | undefined {
  if (!/^https?:\/\/[^/]/i.test(text)) return undefined;
  try {
    return new URL(text).href.replace(/\/+$/, '');
  } catch {
    return undefined;
  }
}

/** Whether a text is an address on the ledger, which may be short. */
export const isSender = (text: string): boolean => /^0x[0-9a-f]{1,64}$/i.test(text);

/** At most so many transactions that a file names are asked for. */
const maxTransactions = 10;

/** @param index its address. @returns one question for each transaction, and the list of the period */
export function questionsFor(
  index: string,
  { head, root, anchors }: ProofFile,
  sender: string | undefined,
): { readonly roots: readonly string[]; readonly list: string } {
  const base = `${index.replace(/\/+$/, '')}/api/v1`;
  const { company_token, period } = head;
  const query = new URLSearchParams({ root, company_token, period, ...(sender === undefined ? {} : { sender }) });
  const transactions = [...new Set(anchors.map(({ tx }) => tx))].slice(0, maxTransactions);
  return {
    roots: transactions.map((tx) => `${base}/verify/${encodeURIComponent(tx)}?${query}`),
    list: `${base}/companies/${encodeURIComponent(company_token)}/proofs?${new URLSearchParams({ period })}`,
  };
}
