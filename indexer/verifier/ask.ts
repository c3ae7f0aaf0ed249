/**
 * Asks an index about a file, steps 5 and 7. The index is not trusted: it decides neither how much is read nor how
 * long.
 */
import { addressOf, type IndexAnswer, type ListedProof } from './check.js';
import { questionsFor } from './questions.js';
import type { ProofFile } from './read-file.js';

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  options: { readonly redirect: 'error'; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; readonly body: ReadableStream<Uint8Array> | null }>;

const answerMilliseconds = 30_000;
/** A month has a handful of roots; anybody may add to them, but not without end. */
const maxPages = 20;
const maxAnswerBytes = 4 * 1024 * 1024;

type Json = Readonly<Record<string, unknown>>;

/**
 * @param sender the one that the user was told. @returns its answer; `unreachable` where it gives none that can be read
 */
export async function askIndex(
  index: string,
  file: ProofFile,
  sender: string | undefined,
  fetch: Fetch,
): Promise<IndexAnswer> {
  const get = async (url: string): Promise<Json> => {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerMilliseconds) });
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    return JSON.parse(await textOf(response.body)) as Json;
  };
  try {
    const { list } = questionsFor(index, file, sender);
    const status = await get(`${index.replace(/\/+$/, '')}/api/v1/status`);
    const listedProofs = await listOf(list, get);
    const matchingProofs = (listedProofs ?? []).filter(
      (proof) =>
        proof.merkle_root === file.root && (sender === undefined || addressOf(proof.sender) === addressOf(sender)),
    );
    // The index's own list first; then the anchors in the file.
    const { roots } = questionsFor(index, { ...file, anchors: [...matchingProofs, ...file.anchors] }, sender);
    const verdicts: IndexAnswer['verdict'][] = [];
    for (const url of roots) {
      const { verdict, reason } = await get(url);
      // It has read everything, and the ledger has no such transaction: it was never written.
      verdicts.push(
        verdict === 'match' ? 'match' : verdict === 'mismatch' || reason === 'not_found' ? 'mismatch' : 'unknown',
      );
      if (verdict === 'match') break;
    }
    const senders = Array.isArray(status['addresses']) ? status['addresses'] : [];
    const isRead = senders.length === 0 || (sender !== undefined && senders.includes(addressOf(sender)));
    return {
      index,
      verdict: verdicts.includes('match')
        ? 'match'
        : verdicts.length === 0 || verdicts.includes('unknown')
          ? 'unknown'
          : 'mismatch',
      listedProofs,
      complete: status['history'] === 'complete' && status['state'] === 'ready' && isRead,
    };
  } catch {
    return { index, verdict: 'unreachable', complete: false };
  }
}

async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return text + decoder.decode();
    size += value.length;
    if (size > maxAnswerBytes) throw new Error(`more than ${maxAnswerBytes} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}

/** @returns undefined if the list has more pages than are read */
async function listOf(url: string, get: (url: string) => Promise<Json>): Promise<ListedProof[] | undefined> {
  const proofs: ListedProof[] = [];
  let query = '';
  for (let page = 0; page < maxPages; page++) {
    const { data, next_cursor: next } = await get(`${url}${query}`);
    for (const { tx, sender, merkle_root, checkpoint } of data as ListedProof[]) {
      if (![tx, sender, merkle_root].every((member) => typeof member === 'string') || !Number.isSafeInteger(checkpoint))
        throw new Error('this is no list of proofs');
      proofs.push({ tx, sender, merkle_root, checkpoint });
    }
    if (next === null) return proofs;
    query = `&cursor=${encodeURIComponent(String(next))}`;
  }
  return undefined;
}
