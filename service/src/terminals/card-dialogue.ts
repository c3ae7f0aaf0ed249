/**
 * The dialogue of a card session. It is a generator (cards/); the session row stores its initial values and the
 * transcript of replies, encrypted. Each step replays them, so that any process can continue after any restart.
 */

import { toHex } from '@clockproof/platform/bytes/encoding';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Transaction } from '../store/tables.js';
import { companyCardKeys } from './badges/badges.js';
import type { BadgeRow } from './badges/rows.js';
import { type Dialogue, type DialogueProgress, randomTape, replay } from './cards/dialogue.js';
import { badgeKey } from './cards/diversify.js';
import { type Issue, issueCard, issueRandomBytes } from './cards/issue.js';
import { type Proof, proofRandomBytes, proveCard } from './cards/prove.js';
import { proveAndRenew, type RenewingProof, renewalRandomBytes } from './cards/renew.js';
import { adminKeyNumber, type CardKeySet, ntag424Aid, stampKeyNumber } from './cards/write-keys.js';
import type { CardSessionRow } from './rows.js';

export interface CardNeeds {
  readonly dataKey: DataKey;
  readonly randomBytes: RandomBytes;
}

export type Purpose =
  /** From the version that the badge proved last up to the newest one that was sent to it. */
  | { readonly kind: 'proof'; readonly from: number; readonly upTo: number }
  /** A proof with which the badge gets a newer key. */
  | { readonly kind: 'renewal'; readonly from: number; readonly upTo: number; readonly to: number }
  | { readonly kind: 'issue'; readonly lock: boolean };

/** The initial values of a dialogue and the replies so far; hex, because it is encrypted as JSON. */
export interface Transcript {
  readonly purpose: Purpose;
  readonly uid: string;
  readonly random: string;
  readonly replies: readonly string[];
}

export type Outcome = Proof | RenewingProof | Issue;

const randomLength = { proof: proofRandomBytes, renewal: renewalRandomBytes, issue: issueRandomBytes } as const;
/**
 * The application on DESFire, as transmitted. Keys differ by company anyway; one identifier makes our cards
 * recognisable.
 */
const desfireAid = Buffer.from('c10c4b', 'hex');
/** The card itself, outside of every application. */
const cardLevelAid = Buffer.from('000000', 'hex');

export const aidOf = { desfire: toHex(desfireAid), ntag424: toHex(ntag424Aid) } as const;

export function beginTranscript({ randomBytes }: CardNeeds, uid: Uint8Array, purpose: Purpose): Transcript {
  return { purpose, uid: toHex(uid), random: toHex(randomBytes(randomLength[purpose.kind])), replies: [] };
}

const associatedData = (sessionId: string) => `card session ${sessionId}`;

export function sealTranscript({ dataKey }: CardNeeds, sessionId: string, transcript: Transcript): Uint8Array {
  return dataKey.seal(associatedData(sessionId), Buffer.from(JSON.stringify(transcript)));
}

export function openTranscript(
  { dataKey }: CardNeeds,
  { id, sealed }: Pick<CardSessionRow, 'id' | 'sealed'>,
): Transcript {
  return JSON.parse(Buffer.from(dataKey.open(associatedData(id), sealed)).toString()) as Transcript;
}

/** The next command, or the outcome. */
export async function replayTranscript(
  tx: Transaction,
  { dataKey }: CardNeeds,
  badge: BadgeRow,
  transcript: Transcript,
): Promise<DialogueProgress<Outcome>> {
  return replay(
    await dialogueOf(tx, dataKey, badge, transcript),
    transcript.replies.map((reply) => Buffer.from(reply, 'hex')),
  );
}

async function dialogueOf(
  tx: Transaction,
  dataKey: DataKey,
  badge: BadgeRow,
  { purpose, uid: uidHex, random }: Transcript,
): Promise<Dialogue<Outcome>> {
  const uid = Buffer.from(uidHex, 'hex');
  const tape = randomTape(Buffer.from(random, 'hex'));
  const keys = await companyCardKeys(tx, dataKey, badge.company_id);
  const keyedCard = {
    uid,
    desfireAid,
    keysOf: (version: number) => {
      const company = keys.of(version);
      return company && keySetOf(company, uid);
    },
  };
  if (purpose.kind === 'issue')
    return issueCard({ ...keyedCard, keyVersion: badge.key_version, lock: purpose.lock }, tape);
  const { from, upTo } = purpose;
  const [aid, keyNumber] = [Buffer.from(badge.aid!, 'hex'), badge.key_number];
  const proving = {
    family: badge.family!,
    aid,
    keyNumber,
    from,
    upTo,
    keyOf: (version: number) => {
      const company = keys.of(version);
      return company && badgeKey(company, { uid, aid, keyNumber });
    },
  };
  return purpose.kind === 'proof'
    ? proveCard(proving, tape)
    : proveAndRenew({ ...keyedCard, ...proving, keyVersion: purpose.to, locked: badge.locked === 1 }, tape);
}

function keySetOf(company: Uint8Array, uid: Uint8Array): CardKeySet {
  const key = (aid: Uint8Array, keyNumber: number) => badgeKey(company, { uid, aid, keyNumber });
  const keysFor = (aid: Uint8Array) => ({ admin: key(aid, adminKeyNumber), stamp: key(aid, stampKeyNumber) });
  return { desfire: keysFor(desfireAid), ntag424: keysFor(ntag424Aid), card: key(cardLevelAid, adminKeyNumber) };
}
