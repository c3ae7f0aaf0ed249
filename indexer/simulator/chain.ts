/**
 * Contents of the simulated ledger: checkpoints of transactions with events, packages with upgrades. Only grows; nodes
 * see more or less of it.
 */

import { createHash } from 'node:crypto';
import { addressOf, base58, digestOf, type Field } from './encode.js';

export interface ChainEvent {
  /** Position in its transaction. */
  readonly index: number;
  readonly transaction: ChainTransaction;
  /** Package id that defined the struct, module and struct name. */
  readonly definedBy: string;
  readonly module: string;
  readonly struct: string;
  readonly fields: readonly Field[];
}

export interface ChainTransaction {
  /** Position among all transactions. */
  readonly number: number;
  readonly digest: string;
  readonly sender: string;
  readonly checkpoint: number;
  /** Package whose function was called directly. */
  readonly called: string;
  readonly events: readonly ChainEvent[];
}

export interface ChainPackage {
  readonly address: string;
  readonly version: number;
  readonly original: string;
  readonly definingIds: readonly string[];
  readonly publishedBy: ChainTransaction;
}

export interface NewEvent {
  readonly definedBy?: string;
  readonly module?: string;
  readonly struct?: string;
  readonly fields: readonly Field[];
}
export interface NewTransaction {
  readonly sender: string;
  readonly called?: string;
  readonly events: readonly NewEvent[];
}

export interface Chain {
  readonly name: string;
  /** 32 bytes of the genesis checkpoint's digest. */
  readonly genesis: Uint8Array;
  readonly head: number;
  timeOf(checkpoint: number): number;
  readonly transactions: readonly ChainTransaction[];
  transaction(digest: string): ChainTransaction | undefined;
  /** Events whose struct a package defined, in ledger order; with a sender only that one's. Without a package: all. */
  events(definedBy?: string, sender?: string): readonly ChainEvent[];
  layoutFields(type: string): readonly Field[] | undefined;
  packages(address: string): readonly ChainPackage[];
  /** Adds one checkpoint holding these transactions. */
  append(transactions: readonly NewTransaction[]): readonly ChainTransaction[];
  publish(word: string, upgradeOf?: string, definesNewStructs?: boolean): ChainPackage;
}

export interface ChainOptions {
  /** Digests and addresses are made from it. */
  readonly name?: string;
  /** The source of the chain's identifier; the name by default. */
  readonly genesis?: string;
  /** Milliseconds since 1970 of checkpoint 0, and between checkpoints; or a clock. */
  readonly start?: number;
  readonly interval?: number;
  readonly clock?: () => number;
}

export function createChain({
  name = 'simulated',
  genesis: origin = name,
  start = Date.UTC(2026, 9, 1),
  interval = 250,
  clock,
}: ChainOptions = {}): Chain {
  const genesis = createHash('sha256').update(`genesis of ${origin}`).digest();
  const times: number[] = [];
  const transactions: ChainTransaction[] = [];
  const byDigest = new Map<string, ChainTransaction>();
  const byPackage = new Map<string, ChainEvent[]>();
  const allEvents: ChainEvent[] = [];
  const packages = new Map<string, ChainPackage>();
  const layouts = new Map<string, readonly Field[]>();

  const list = <T>(map: Map<string, T[]>, key: string) => {
    let list = map.get(key);
    if (list === undefined) {
      list = [];
      map.set(key, list);
    }
    return list;
  };
  const addTransaction = ({ sender, called, events }: NewTransaction, checkpoint: number) => {
    const number = transactions.length;
    const transactionEvents: ChainEvent[] = [];
    const transaction: ChainTransaction = {
      number,
      digest: digestOf(name, 'transaction', number),
      sender,
      checkpoint,
      called: called ?? events[0]?.definedBy ?? addressOf('nobody'),
      events: transactionEvents,
    };
    for (const { definedBy = transaction.called, module = 'anchor', struct = 'ProofAnchored', fields } of events) {
      const event: ChainEvent = { index: transactionEvents.length, transaction, definedBy, module, struct, fields };
      transactionEvents.push(event);
      allEvents.push(event);
      list(byPackage, definedBy).push(event);
      list(byPackage, `${definedBy} ${sender}`).push(event);
      layouts.set(`${definedBy}::${module}::${struct}`, fields);
    }
    transactions.push(transaction);
    byDigest.set(transaction.digest, transaction);
    return transaction;
  };

  const chain: Chain = {
    name,
    genesis,
    transactions,
    get head() {
      return times.length - 1;
    },
    timeOf: (checkpoint) => times[checkpoint] ?? 0,
    transaction: (digest) => byDigest.get(digest),
    events: (definedBy, sender) =>
      definedBy === undefined
        ? allEvents
        : (byPackage.get(sender === undefined ? definedBy : `${definedBy} ${sender}`) ?? []),
    layoutFields: (type) => layouts.get(type),
    packages(address) {
      const versions = packages.get(address);
      return versions === undefined
        ? []
        : [...packages.values()]
            .filter((version) => version.original === versions.original)
            .sort((a, b) => a.version - b.version);
    },
    append(transactions) {
      const checkpoint = times.length;
      times.push(clock === undefined ? start + checkpoint * interval : Math.max(clock(), times.at(-1) ?? 0));
      return transactions.map((transaction) => addTransaction(transaction, checkpoint));
    },
    publish(word, upgradeOf, definesNewStructs = false) {
      const address = addressOf(`package ${name} ${word}`);
      const [publishedBy] = chain.append([
        { sender: addressOf('publisher'), called: addressOf('package 0x2'), events: [] },
      ]);
      const earlierVersions = upgradeOf === undefined ? [] : chain.packages(upgradeOf);
      const original = earlierVersions[0]?.address ?? address;
      const definingIds = [
        ...new Set([...(earlierVersions.at(-1)?.definingIds ?? [address]), ...(definesNewStructs ? [address] : [])]),
      ];
      const version: ChainPackage = {
        address,
        version: earlierVersions.length + 1,
        original,
        definingIds,
        publishedBy: publishedBy!,
      };
      packages.set(address, version);
      return version;
    },
  };
  // Every chain has an event of its own in its first epoch.
  chain.append([
    {
      sender: `0x${'0'.repeat(64)}`,
      called: `0x${'3'.padStart(64, '0')}`,
      events: [
        { module: 'system', struct: 'SystemEpochInfoEvent', fields: [{ name: 'epoch', type: 'u64', number: 0n }] },
      ],
    },
  ]);
  return chain;
}

/** The chain's identifier as the node of a dialect gives it: whole digest in Base58, or its first four bytes in hex. */
export function chainIdentifier(chain: Chain, isWhole: boolean): string {
  return isWhole ? base58(chain.genesis) : Buffer.from(chain.genesis.subarray(0, 4)).toString('hex');
}

export interface AnchoredProof {
  readonly companyToken: string;
  readonly period: string;
  readonly merkleRoot: Uint8Array;
}

/** The struct that the anchor writes. */
export function proofFields({ companyToken, period, merkleRoot }: AnchoredProof): Field[] {
  return [
    { name: 'company_token', type: 'string', text: companyToken },
    { name: 'period', type: 'string', text: period },
    { name: 'merkle_root', type: 'bytes', bytes: merkleRoot },
  ];
}
