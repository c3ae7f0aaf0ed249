/**
 * Asks an index about a file, steps 5 and 7. The index is not trusted: it decides neither how much is read nor how
 * long.
 */
import { addressOf, type IndexAnswer, type ListedProof } from './check.js';
import { isSender, questionsFor } from './questions.js';
import { isHash, type ProofFile } from './read-file.js';

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

/** The message is a code, `reason` of the answer. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** @param sender the one that the user was told. @returns its answer; `unreachable` if it gives none that can be read */
export async function askIndex(
  index: string,
  file: ProofFile,
  sender: string | undefined,
  fetch: Fetch,
): Promise<IndexAnswer> {
  const get = async (url: string): Promise<Json> => {
    const signal = AbortSignal.timeout(answerMilliseconds);
    const response = await fetch(url, { redirect: 'error', signal }).catch(() => {
      throw new NoAnswer('unreachable');
    });
    if (response.status !== 200) throw new NoAnswer(`http_${response.status}`);
    return JSON.parse(await textOf(response.body, signal)) as Json;
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
    const answers: Pick<IndexAnswer, 'verdict' | 'reason'>[] = [];
    for (const url of roots) {
      answers.push(readVerdict(await get(url), isOtherLedger(status, file)));
      if (answers.at(-1)!.verdict === 'match') break;
    }
    const senders = Array.isArray(status['addresses']) ? status['addresses'] : [];
    const isRead = senders.length === 0 || (sender !== undefined && senders.includes(addressOf(sender)));
    const answer =
      answers.find(({ verdict }) => verdict === 'match') ??
      answers.find(({ verdict }) => verdict === 'unknown') ??
      answers[0];
    return {
      index,
      ...(answer ?? { verdict: 'unknown', reason: 'not_listed' }),
      listedProofs,
      complete: status['history'] === 'complete' && status['state'] === 'ready' && isRead,
    };
  } catch (error) {
    // Anything but an answer of the form is none of an index.
    const reason = error instanceof NoAnswer ? error.message : 'no_index';
    return { index, verdict: 'unreachable', reason, complete: false };
  }
}

/** Whether the index follows another chain or package than those of the file: what it lacks then says nothing. */
function isOtherLedger(status: Json, { anchors }: ProofFile): boolean {
  return (
    anchors.length > 0 &&
    anchors.every((anchor) => anchor.chain !== status['chain_id'] || anchor.package !== status['package'])
  );
}

function readVerdict(answer: Json, isOther: boolean): Pick<IndexAnswer, 'verdict' | 'reason'> {
  const { verdict, reason } = answer;
  if (verdict === 'match' || verdict === 'mismatch') return { verdict };
  if (reason === 'not_found' && isOther) return { verdict: 'unknown', reason: 'other_ledger' };
  // It has read everything, and the ledger has no such transaction: it was never written.
  if (reason === 'not_found') return { verdict: 'mismatch' };
  return {
    verdict: 'unknown',
    reason: typeof reason === 'string' && /^[a-z_]{1,40}$/.test(reason) ? reason : 'no_index',
  };
}

/** Heeds the signal itself: the `fetch` of Node 20 may forget it once the headers have arrived. */
async function textOf(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Promise<string> {
  const reader = body?.getReader();
  signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (signal.aborted) throw new NoAnswer('unreachable');
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
      // They are printed: an index must not choose the words.
      if (!/^\w{1,64}$/.test(tx) || !isSender(sender) || !isHash(merkle_root) || !Number.isSafeInteger(checkpoint))
        throw new NoAnswer('no_index');
      proofs.push({ tx, sender, merkle_root, checkpoint });
    }
    if (next === null) return proofs;
    query = `&cursor=${encodeURIComponent(String(next))}`;
  }
  return undefined;
}
