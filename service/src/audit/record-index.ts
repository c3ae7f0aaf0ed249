/**
 * The newest hash of every record that the log names, in 48 bytes each: a million records take 96 MB at most, however
 * long their history. Keys and hashes are kept as 16 bytes of their SHA-256; the entry that named a record has both in
 * full.
 */
import { createHash } from 'node:crypto';

export interface RecordMention {
  /** The audit entry with the record's newest hash. */
  readonly sequence: number;
  readonly removed: boolean;
  /** Named by an adoption: the record is older than the log's hashes. */
  readonly adopted: boolean;
  readonly seen: boolean;
  isHash(hash: string): boolean;
}

const keyBytes = 16;
const hashBytes = 16;
const slotBytes = 48;
const [sequenceAt, flagsAt] = [keyBytes + hashBytes, keyBytes + hashBytes + 8];
const flags = { used: 1, removed: 2, adopted: 4, seen: 8 } as const;

export interface RecordIndex {
  /** How many records are there that were not removed. */
  readonly size: number;
  set(key: string, hash: string | null, sequence: number, adopted: boolean): void;
  get(key: string): RecordMention | undefined;
  markSeen(key: string): void;
  /** Entries that name records that are there in the log and were not marked as seen. */
  unseen(): Iterable<{ readonly sequence: number; matches(key: string): boolean }>;
}

export function createRecordIndex(): RecordIndex {
  let capacity = 1_024;
  let used = 0;
  let size = 0;
  let slots = Buffer.alloc(capacity * slotBytes);

  const digest = (text: string) => createHash('sha256').update(text).digest().subarray(0, keyBytes);
  /** Where the key is, or the free slot for it. */
  const find = (table: Buffer, count: number, key: Uint8Array): number => {
    for (let slot = Buffer.from(key).readUInt32LE(0) % count; ; slot = (slot + 1) % count) {
      const at = slot * slotBytes;
      if (table[at + flagsAt] === 0 || table.compare(key, 0, keyBytes, at, at + keyBytes) === 0) return at;
    }
  };
  const grow = () => {
    const larger = Buffer.alloc(capacity * 2 * slotBytes);
    for (let at = 0; at < slots.length; at += slotBytes) {
      if (slots[at + flagsAt] === 0) continue;
      const to = find(larger, capacity * 2, slots.subarray(at, at + keyBytes));
      slots.copy(larger, to, at, at + slotBytes);
    }
    slots = larger;
    capacity *= 2;
  };
  const has = (at: number, flag: number) => (slots[at + flagsAt]! & flag) !== 0;

  return {
    get size() {
      return size;
    },
    set(key, hash, sequence, adopted) {
      if (used >= capacity / 2) grow();
      const name = digest(key);
      const at = find(slots, capacity, name);
      if (!has(at, flags.used)) used++;
      else if (!has(at, flags.removed)) size--;
      if (hash !== null) size++;
      slots.set(name, at);
      slots.set(digest(hash ?? ''), at + keyBytes);
      slots.writeDoubleLE(sequence, at + sequenceAt);
      slots[at + flagsAt] = flags.used | (hash === null ? flags.removed : 0) | (adopted ? flags.adopted : 0);
    },
    get(key) {
      const at = find(slots, capacity, digest(key));
      if (!has(at, flags.used)) return undefined;
      const hashed = Buffer.from(slots.subarray(at + keyBytes, at + keyBytes + hashBytes));
      return {
        sequence: slots.readDoubleLE(at + sequenceAt),
        removed: has(at, flags.removed),
        adopted: has(at, flags.adopted),
        seen: has(at, flags.seen),
        isHash: (hash) => hashed.equals(digest(hash)),
      };
    },
    markSeen(key) {
      const at = find(slots, capacity, digest(key));
      if (has(at, flags.used)) slots[at + flagsAt]! |= flags.seen;
    },
    *unseen() {
      for (let at = 0; at < slots.length; at += slotBytes) {
        if (!has(at, flags.used) || has(at, flags.removed) || has(at, flags.seen)) continue;
        const name = Buffer.from(slots.subarray(at, at + keyBytes));
        yield { sequence: slots.readDoubleLE(at + sequenceAt), matches: (key) => name.equals(digest(key)) };
      }
    },
  };
}
