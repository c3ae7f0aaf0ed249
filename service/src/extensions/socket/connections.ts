/**
 * The connections of this process. When something was committed, the new events are read once for all keys that read the
 * same, and handed to the connections that have read everything before; one that begins further back reads for itself
 * until it has caught up. Rights are read each time: a key that may not connect any more is disconnected, and a permission that was
 * taken away stops its events.
 */
import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Log } from '@clockproof/platform/log';
import { singleFlight } from '@clockproof/platform/single-flight';
import { hour, type Instant, second } from '@clockproof/platform/time/instant';
import type { WebSocket } from 'ws';
import type { ExtensionCaller } from '../../people/caller.js';
import { extensionsWithOwnEvents } from '../../store/event-rows.js';
import type { ChangeNotification, Hub } from '../../store/hub.js';
import type { ChangeSequence, KeyId } from '../../store/ids.js';
import { type Position, placeBefore, placeOf, positionText, settledPosition } from '../../store/position.js';
import { Refusal } from '../../store/refusal.js';
import type { Store } from '../../store/write.js';
import { type EventReader, readableEvents } from '../readable-events.js';
import { endOfKey, findExtension } from '../rows.js';
import { eventReaderOf } from '../webhooks/endpoints.js';
import { Connection, type Frame, frameOf, heartbeatSeconds, type Reason } from './connection.js';
import {
  addConnection,
  type ConnectedKey,
  connectedKeys,
  noteLiving,
  removeConnection,
  removeConnectionsOf,
} from './rows.js';

const maxPerKey = 5;
const replayHours = 72;
/** Of positions in the event feed. */
const prefix = 'evt_';
/** Events of one reader that are read at once. */
const stride = 500;
/** Events that a connection which catches up reads at once. */
const pageSize = 50;

export interface ConnectionsOptions {
  readonly db: Store;
  readonly hub: Hub;
  readonly clock: () => Instant;
  readonly randomBytes: RandomBytes;
  /** Names this process among the replicas. */
  readonly process: string;
  readonly log: Log;
}

export interface Connections {
  /**
   * Checks a request to connect.
   * @returns takes the open socket
   * @throws Refusal `connection_mode_mismatch`, `history_changed`, `sync_window_exceeded`
   */
  admit(
    caller: ExtensionCaller,
    after: string | undefined,
    at: Instant,
    client: Client,
  ): Promise<(socket: WebSocket) => void>;
  /** Heartbeats and rights: once a second. */
  tick(): Promise<void>;
  /** Open connections of this process. */
  count(): number;
  /** Asks the clients to connect to another process. */
  close(): Promise<void>;
}

/** Who connects. */
export interface Client {
  readonly address: string;
  /** Its `User-Agent`. */
  readonly agent: string | undefined;
}

interface OpenConnection {
  readonly connection: Connection;
  readonly socket: WebSocket;
  /** Of the position that it was told when it connected. */
  readonly epoch: string;
}

/** What a key reads, and a name that keys with the same rights share. */
interface Reading {
  readonly reader: EventReader;
  readonly rights: string;
}

/** In the log, where a round fails. */
const failing = 'handing out events failed';

export function createConnections({ db, hub, clock, randomBytes, process, log }: ConnectionsOptions): Connections {
  const open = new Map<string, OpenConnection>();
  /** Everything up to here has been handed out. */
  let position: ChangeSequence = 0;
  let livingNoted = 0;
  let closing = false;
  /** What each key reads, as of the last look. */
  let readers = new Map<KeyId, Reading>();
  const catchingUp = new Set<Connection>();

  const run = singleFlight(
    async () => {
      if (open.size === 0) return;
      await checkRights();
      await handOut();
    },
    log,
    failing,
  );

  /** Disconnects the keys that may not connect any more. */
  async function checkRights(): Promise<void> {
    const at = clock();
    const keys = new Map((await connectedKeys(db, process)).map((key) => [key.key_id, key]));
    readers = new Map([...keys].map(([id, key]) => [id, readingOf(eventReaderOf(key, at))]));
    for (const { connection } of open.values()) {
      const key = keys.get(connection.keyId);
      const reason = key === undefined ? undefined : lostRight(key, at);
      if (reason !== undefined) connection.end(reason);
    }
  }

  /** Reads what is new once for all keys that read the same. */
  async function handOut(): Promise<void> {
    // What is committed meanwhile is for the next round, which begins with the rights.
    const { epoch, place: head } = await settledPosition(db);
    // History may have been set back: clients connect again with their position, which tells them.
    for (const one of open.values()) if (one.epoch !== epoch) one.connection.end('restart');
    while (position < head) {
      const from = position;
      const walk = { after: from, upTo: head, since: 0, limit: stride };
      const own = await extensionsWithOwnEvents(db, from, head);
      const groups = new Map<string, { readonly reader: EventReader; readonly members: Connection[] }>();
      for (const { connection } of open.values()) {
        const reading = readers.get(connection.keyId);
        if (connection.position < from || reading === undefined) continue;
        const name = own.has(connection.extensionId) ? nameAlone(reading) : reading.rights;
        const group = groups.get(name) ?? { reader: reading.reader, members: [] };
        groups.set(name, group);
        group.members.push(connection);
      }
      const frames = new Map<ChangeSequence, Frame>();
      // If a reader has more events than are read at once, everyone goes as far as it has got.
      let upTo = head;
      const read: { readonly readable: readonly Frame[]; readonly members: readonly Connection[] }[] = [];
      for (const { reader, members } of groups.values()) {
        const rows = await readableEvents(db, reader, walk);
        if (rows.length === stride) upTo = Math.min(upTo, rows.at(-1)!.sequence);
        const readable = rows.map((row) => {
          const frame = frames.get(row.sequence) ?? frameOf(row);
          frames.set(row.sequence, frame);
          return frame;
        });
        read.push({ readable, members });
      }
      for (const { readable, members } of read) {
        const reached = readable.filter(({ sequence }) => sequence <= upTo);
        for (const connection of members) connection.take(reached, upTo);
      }
      position = upTo;
      // Those that connected meanwhile read for themselves.
      for (const { connection } of open.values()) if (connection.position < position) catchUp(connection);
    }
  }

  function catchUp(connection: Connection): void {
    if (catchingUp.has(connection) || connection.ended) return;
    catchingUp.add(connection);
    readBehind(connection)
      // The next event or tick tries again.
      .catch((error: unknown) => log.warn({ err: error, connection: connection.id }, 'reading events failed'))
      .finally(() => catchingUp.delete(connection));
  }

  async function readBehind(connection: Connection): Promise<void> {
    while (!connection.ended && connection.position < position) {
      // Its row is not stored yet.
      const reading = readers.get(connection.keyId);
      if (reading === undefined) return;
      const upTo = position;
      const walk = { after: connection.position, upTo, since: 0, limit: pageSize };
      const rows = await readableEvents(db, reading.reader, walk);
      // One after the other: a page of large events would fill the buffer of a client that reads well.
      for (const row of rows) {
        connection.take([frameOf(row)], row.sequence);
        await connection.written();
      }
      if (rows.length < pageSize) connection.take([], upTo);
    }
  }

  function take(
    caller: ExtensionCaller,
    socket: WebSocket,
    client: Client,
    from: ChangeSequence,
    newest: Position,
  ): void {
    const connection = new Connection({
      id: `con_${base62(12, randomBytes)}`,
      extensionId: caller.extensionId,
      keyId: caller.keyId,
      line: socket,
      clock,
      position: from,
      newest: `${prefix}${positionText(newest)}`,
    });
    // Protocol errors close the socket with their code (RFC 6455 §7.4.1).
    socket.on('error', (error) => log.debug({ err: error, connection: connection.id }, 'WebSocket failed'));
    socket.on('message', () => connection.heard());
    socket.on('pong', () => connection.heard());
    socket.on('close', (code) => {
      connection.ended = true;
      open.delete(connection.id);
      log.info({ connection: connection.id, extension: caller.extensionId, code }, 'WebSocket closed');
      if (!closing) void forget(connection);
    });
    if (closing) {
      connection.end('restart');
      return;
    }
    // Without connections nothing is handed out, and the first one begins at the newest position.
    if (open.size === 0) position = newest.place;
    const { epoch } = newest;
    open.set(connection.id, { connection, socket, epoch });
    log.info({ connection: connection.id, extension: caller.extensionId }, 'WebSocket opened');
    remember(connection, client).catch((error: unknown) => {
      log.error({ err: error, connection: connection.id }, 'noting a WebSocket failed');
      socket.close(1011);
    });
  }

  const touched = ({ extensionId }: Connection) => ({
    family: 'connection',
    company: null,
    parties: [`extension ${extensionId}`],
  });

  /** Stores a connection, for its page and for the number that a key may have. */
  async function remember(connection: Connection, { address, agent }: Client): Promise<void> {
    const at = clock();
    const { id, extensionId, keyId } = connection;
    const isAdded = await db.write({ actor: { kind: 'system' }, at }, (write) => {
      write.unaudited('progress');
      write.touch(touched(connection));
      const row = {
        id,
        extension_id: extensionId,
        key_id: keyId,
        process,
        opened_at: at,
        seen_at: at,
        address,
        agent: agentOf(agent),
      };
      return addConnection(write, row, maxPerKey);
    });
    if (!isAdded) return connection.end('too_many_connections');
    // It ended before it was stored.
    if (!open.has(id)) return forget(connection);
    await run();
    if (connection.position < position) catchUp(connection);
  }

  async function forget(connection: Connection): Promise<void> {
    await db
      .write({ actor: { kind: 'system' }, at: clock() }, async (write) => {
        write.unaudited('progress');
        write.touch(touched(connection));
        await removeConnection(write, connection.id);
      })
      // Its row goes with those of the process.
      .catch((error: unknown) => log.warn({ err: error, connection: connection.id }, 'forgetting a WebSocket failed'));
  }

  const unsubscribe = hub.subscribe(({ place, changes }: ChangeNotification) => {
    if (open.size === 0) return;
    if (changes === undefined || changes.some(({ family }) => family === 'connection')) void ticking();
    else if (place > position || changes.some(({ family }) => endsRights.has(family))) void run();
  });

  const ticking = singleFlight(
    async () => {
      if (open.size === 0) return;
      const at = clock();
      if (at - livingNoted >= heartbeatSeconds * second) {
        livingNoted = at;
        await db.runMaintenance('connections', (tx) => noteLiving(tx, process, at));
      }
      await run();
      for (const { connection } of [...open.values()]) {
        connection.tick();
        if (connection.position < position) catchUp(connection);
      }
    },
    log,
    failing,
  );

  return {
    async admit(caller, after, at, client) {
      const extension = await findExtension(db, caller.extensionId);
      if (extension?.mode !== 'websocket') throw new Refusal('connection_mode_mismatch');
      const newest = await settledPosition(db);
      if (after === undefined) return (socket) => take(caller, socket, client, newest.place, newest);
      const from = await placeOf(db, after.slice(prefix.length), newest);
      if (from < (await placeBefore(db, at - replayHours * hour))) throw new Refusal('sync_window_exceeded');
      return (socket) => take(caller, socket, client, from, newest);
    },
    tick: () => ticking(),
    count: () => open.size,
    async close() {
      closing = true;
      unsubscribe();
      const closed = [...open.values()].map(
        ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      );
      for (const { connection } of open.values()) connection.end('restart');
      const timer = setTimeout(() => {
        for (const { socket } of open.values()) socket.terminate();
      }, 2 * second);
      await Promise.all(closed);
      clearTimeout(timer);
      await db.runMaintenance('connections', (tx) => removeConnectionsOf(tx, process)).catch(() => undefined);
    },
  };
}

/** Families of the audit log with which a key may lose its connection or what it reads. */
const endsRights: ReadonlySet<string> = new Set(['extension', 'company']);

/** Its beginning, without characters that no page shows. */
function agentOf(agent: string | undefined): string | null {
  return (
    agent
      ?.replace(/[^\x20-\x7e]/g, '')
      .slice(0, 200)
      .trim() || null
  );
}

function lostRight(key: ConnectedKey, at: Instant): Reason | undefined {
  const end = endOfKey(key);
  if (end !== null && end <= at) return 'key_revoked';
  if (key.mode !== 'websocket') return 'mode_changed';
  return key.company_active === 1 ? undefined : 'company_inactive';
}

function readingOf(reader: EventReader): Reading {
  const { extensionId: _, ...rights } = reader;
  return { reader, rights: JSON.stringify(rights) };
}

/** Where events are for one extension alone, it shares nothing. */
const nameAlone = ({ reader, rights }: Reading) => `${reader.extensionId} ${rights}`;
