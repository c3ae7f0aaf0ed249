/** Reading events for connections: once for all that read the same, or for one that has fallen behind. */
import type { Reader } from '@clockproof/platform/database/database';
import type { ChangeSequence, ExtensionId, KeyId } from '../../store/ids.js';
import { type EventReader, readableEvents } from '../readable-events.js';
import { type Connection, type Frame, frameOf } from './connection.js';

/** Events of one reader that are read at once. */
const stride = 500;
/** Events that a connection which catches up reads at once. */
const pageSize = 50;

/** A key's events, and a name that keys with the same rights share. */
export interface Reading {
  readonly reader: EventReader;
  readonly rights: string;
}

export function readingOf(reader: EventReader): Reading {
  const { extensionId: _, ...rights } = reader;
  return { reader, rights: JSON.stringify(rights) };
}

interface Group {
  readonly reader: EventReader;
  readonly members: Connection[];
}

/** @param withOwnEvents extensions with events for them alone: they share nothing */
export function groupByRights(
  connections: readonly Connection[],
  readings: ReadonlyMap<KeyId, Reading>,
  withOwnEvents: { has(extensionId: ExtensionId): boolean },
): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const connection of connections) {
    const reading = readings.get(connection.keyId);
    if (reading === undefined) continue;
    const { reader, rights } = reading;
    const name = withOwnEvents.has(connection.extensionId) ? `${reader.extensionId} ${rights}` : rights;
    const group = groups.get(name) ?? { reader, members: [] };
    groups.set(name, group);
    group.members.push(connection);
  }
  return [...groups.values()];
}

/**
 * Hands the events between two positions to connections that have read everything before.
 * @returns the position reached: if a reader has more events than are read at once, everyone goes as far as it has got
 */
export async function handOutOnce(
  db: Reader,
  groups: readonly Group[],
  { from, head }: { readonly from: ChangeSequence; readonly head: ChangeSequence },
): Promise<ChangeSequence> {
  const frames = new Map<ChangeSequence, Frame>();
  let upTo = head;
  const batches: { readonly readable: readonly Frame[]; readonly members: readonly Connection[] }[] = [];
  for (const { reader, members } of groups) {
    const rows = await readableEvents(db, reader, { after: from, upTo: head, since: 0, limit: stride });
    if (rows.length === stride) upTo = Math.min(upTo, rows.at(-1)!.sequence);
    const readable = rows.map((row) => {
      const frame = frames.get(row.sequence) ?? frameOf(row);
      frames.set(row.sequence, frame);
      return frame;
    });
    batches.push({ readable, members });
  }
  for (const { readable, members } of batches) {
    const frames = readable.filter(({ sequence }) => sequence <= upTo);
    for (const connection of members) connection.take(frames, upTo);
  }
  return upTo;
}

/** Lets a connection read alone until it has reached the position of the others. */
export async function readBehind(
  db: Reader,
  connection: Connection,
  position: () => ChangeSequence,
  findReading: () => Reading | undefined,
): Promise<void> {
  while (!connection.isEnded && connection.position < position()) {
    const currentReading = findReading();
    // Its row is not stored yet.
    if (currentReading === undefined) return;
    const upTo = position();
    const walk = { after: connection.position, upTo, since: 0, limit: pageSize };
    const rows = await readableEvents(db, currentReading.reader, walk);
    // One after the other: a page of large events would fill the buffer of a client that reads well.
    for (const row of rows) {
      connection.take([frameOf(row)], row.sequence);
      await connection.whenWritten();
    }
    if (rows.length < pageSize) connection.take([], upTo);
  }
}
