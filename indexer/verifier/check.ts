/**
 * Checks a person's proof file, steps 1 to 7 of `docs/protocols/month-proof.md`. An independent reading of that page:
 * it shares no code with the service that made the file. Pure: the answers of indexes are handed in.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { isHash, type Part, type ProofFile, readProofFile, WrongForm } from './read-file.js';

/** Values that the user knows from elsewhere. */
export interface Expectation {
  readonly company?: string | undefined;
  readonly person?: string | undefined;
  readonly sender?: string | undefined;
}

/** A root that an index lists for company and period. */
export interface ListedProof {
  readonly tx: string;
  readonly sender: string;
  readonly merkle_root: string;
  readonly checkpoint: number;
}

/** The answer of one index; it was asked for root, company token, period and, if known, sender. */
export interface IndexAnswer {
  readonly index: string;
  /** `unreachable` if it did not answer. */
  readonly verdict: 'match' | 'mismatch' | 'unknown' | 'unreachable';
  /** A code that says why it does not decide. */
  readonly reason?: string | undefined;
  /** Undefined if it did not list the period to the end. */
  readonly listedProofs?: readonly ListedProof[] | undefined;
  /** It has the whole history of every sender and lags behind in nothing. */
  readonly complete: boolean;
}

export type Outcome = 'passed' | 'failed' | 'open';

export interface Step {
  readonly number: number;
  readonly outcome: Outcome;
  /** The key of its sentence in `words`. */
  readonly word: string;
  /** Values in the sentence. */
  readonly names: readonly string[];
}

export interface Check {
  readonly steps: readonly Step[];
  /** Undefined if it is not of the form. */
  readonly file?: ProofFile;
}

const levels = 48;
const places = 2 ** levels;

/** @param text of the file. @param answers none if no index was asked */
export function checkProof(text: string, expectation: Expectation = {}, answers: readonly IndexAnswer[] = []): Check {
  let file: ProofFile;
  try {
    file = readProofFile(text);
  } catch (error) {
    // Nested deeper than the stack: no such file is of the form.
    const part = error instanceof WrongForm ? error.message : 'file';
    const openSteps = [2, 3, 4, 5, 6, 7].map((number) => step(number, 'open', 'not_done'));
    return { steps: [step(1, 'failed', 'form', part), ...openSteps] };
  }
  const hiddenCount = file.parts.filter(({ text }) => text === undefined).length;
  return {
    file,
    steps: [
      step(1, 'passed', hiddenCount === 0 ? 'form_whole' : 'form_hidden', String(hiddenCount)),
      checkPath(file),
      checkSlot(file),
      checkTokens(file, expectation),
      checkLedger(answers),
      checkSender(file, expectation, answers),
      checkRevision(file, expectation, answers),
    ],
  };
}

const step = (number: number, outcome: Outcome, word: string, ...names: string[]): Step => ({
  number,
  outcome,
  word,
  names,
});

/** Step 2: the parts belong to the root. */
function checkPath({ parts, slot, path, root }: ProofFile): Step {
  if (path.length !== levels || !path.every(isHash) || !isPlace(slot)) return step(2, 'failed', 'path_form');
  let index = slot;
  let hash = treeHash(parts.map(partHash));
  for (const sibling of path.map(hexToBytes)) {
    hash = index % 2 === 1 ? node(sibling, hash) : node(hash, sibling);
    index = Math.floor(index / 2);
  }
  return bytesToHex(hash) === root ? step(2, 'passed', 'path', root) : step(2, 'failed', 'path', root);
}

const isPlace = (slot: unknown): slot is number =>
  Number.isSafeInteger(slot) && (slot as number) >= 0 && (slot as number) < places;

const node = (left: Uint8Array, right: Uint8Array) => sha256(concatBytes(Uint8Array.of(1), left, right));

function partHash({ name, hash, salt, text }: Part): Uint8Array {
  if (text === undefined) return hexToBytes(hash!);
  const domain = utf8ToBytes(`clockproof part 1\n${name}\n`);
  return sha256(concatBytes(Uint8Array.of(0), domain, hexToBytes(salt!), utf8ToBytes(text)));
}

/** RFC 6962, section 2.1, over hashes of leaves. */
function treeHash(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return node(treeHash(hashes.slice(0, split)), treeHash(hashes.slice(split)));
}

/** Step 3: the place is the only one that this person has. */
function checkSlot({ head, slot }: ProofFile): Step {
  const { company_token: company, person_token: person, period, revision, attempt } = head;
  const hash = sha256(utf8ToBytes(`clockproof slot 1\n${company}\n${period}\n${revision}\n${attempt}\n${person}`));
  return step(3, Number.parseInt(bytesToHex(hash.slice(0, 6)), 16) === slot ? 'passed' : 'failed', 'slot');
}

/** Step 4: the tokens are those that the person knows. */
function checkTokens({ head }: ProofFile, { company, person }: Expectation): Step {
  if (company !== undefined && company !== head.company_token)
    return step(4, 'failed', 'company_token', head.company_token);
  if (person !== undefined && person !== head.person_token) return step(4, 'failed', 'person_token', head.person_token);
  if (company !== undefined && person !== undefined) return step(4, 'passed', 'tokens');
  if (company !== undefined) return step(4, 'open', 'company_only', head.person_token);
  if (person !== undefined) return step(4, 'open', 'person_only', head.company_token);
  return step(4, 'open', 'tokens', head.company_token, head.person_token);
}

const namesOf = (answers: readonly IndexAnswer[]) => answers.map(({ index }) => index).join(', ');

/** Step 5: the root stands on the ledger. One index that says otherwise is enough to fail. */
function checkLedger(answers: readonly IndexAnswer[]): Step {
  if (answers.length === 0) return step(5, 'open', 'ledger');
  const against = answers.filter(({ verdict }) => verdict === 'mismatch');
  if (against.length > 0) return step(5, 'failed', 'ledger', namesOf(against));
  const silentAnswers = answers.filter(({ verdict }) => verdict !== 'match');
  if (silentAnswers.length > 0)
    return step(
      5,
      'open',
      'ledger_unknown',
      silentAnswers.map(({ index, reason }) => (reason === undefined ? index : `${index} (${reason})`)).join(', '),
    );
  return step(
    5,
    'passed',
    new Set(answers.map(({ index }) => index)).size > 1 ? 'ledger' : 'ledger_one',
    namesOf(answers),
  );
}

/** Short forms of an address are padded with zeros. */
export const addressOf = (text: string): string =>
  `0x${text.trim().toLowerCase().replace(/^0x/, '').padStart(64, '0')}`;

/** Step 6: the sender is the one that the person knows. The senders in the file are a hint. */
function checkSender({ anchors }: ProofFile, { sender }: Expectation, answers: readonly IndexAnswer[]): Step {
  if (sender === undefined) return step(6, 'open', 'sender', [...new Set(anchors.map((a) => a.sender))].join(', '));
  // Each index was asked with the sender.
  if (answers.some(({ verdict }) => verdict === 'mismatch')) return step(6, 'failed', 'sender', sender);
  if (answers.length > 0 && answers.every(({ verdict }) => verdict === 'match'))
    return step(6, 'passed', 'sender', sender);
  if (anchors.length > 0 && anchors.every((anchor) => addressOf(anchor.sender) !== addressOf(sender)))
    return step(6, 'failed', 'sender_hint', sender);
  return step(6, 'open', 'sender_unasked', sender);
}

/** Step 7: nothing later was anchored. Without a sender, the company's anchors look like a stranger's. */
function checkRevision({ head, root }: ProofFile, { sender }: Expectation, answers: readonly IndexAnswer[]): Step {
  if (answers.length === 0) return step(7, 'open', 'revision');
  const otherProofs: ListedProof[] = [];
  for (const { listedProofs = [] } of answers) {
    const senderProofs = listedProofs.filter(
      (proof) => sender === undefined || addressOf(proof.sender) === addressOf(sender),
    );
    const firstCheckpoint = Math.min(
      ...senderProofs.filter((proof) => proof.merkle_root === root).map((proof) => proof.checkpoint),
    );
    const rest = senderProofs.filter(({ merkle_root }) => merkle_root !== root && merkle_root !== head.previous_root);
    const earlierRoots = new Set(
      rest.filter(({ checkpoint }) => checkpoint < firstCheckpoint).map((proof) => proof.merkle_root),
    );
    // Revisions 1 … r-2 may stand before it; r-1 is the one that the head names.
    otherProofs.push(
      ...(earlierRoots.size <= Math.max(head.revision - 2, 0)
        ? rest.filter((p) => p.checkpoint >= firstCheckpoint)
        : rest),
    );
  }
  const names = [...new Set(otherProofs.map((proof) => `${proof.merkle_root} (${proof.sender}, ${proof.tx})`))].join(
    ', ',
  );
  if (otherProofs.length > 0) return step(7, sender === undefined ? 'open' : 'failed', 'revision_others', names);
  const completeAnswers = answers.filter(
    (answer) => answer.complete && answer.verdict === 'match' && answer.listedProofs !== undefined,
  );
  if (completeAnswers.length < answers.length) return step(7, 'open', 'revision_unknown');
  return step(
    7,
    sender === undefined ? 'open' : 'passed',
    sender === undefined ? 'revision_sender' : 'revision',
    namesOf(answers),
  );
}
