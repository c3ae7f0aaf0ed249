/**
 * The connections of this process. After a commit, the new events are read once for all keys with the same rights, and
 * handed to the connections that have read everything before; a connection further back reads alone until it has caught
 * up. Rights are read each time: a key that may not connect any more is disconnected, and a permission that was taken
 * away stops its events.
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
import { endOfKey, findExtension } from '../rows.js';
import { eventReaderOf } from '../webhooks/endpoints.js';
import { Connection, heartbeatSeconds, type Reason } from './connection.js';
import { groupByRights, handOutOnce, type Reading, readBehind, readingOf } from './hand-out.js';
import { type ConnectedKey, connectedKeys, noteLiving, removeConnectionsOf } from './rows.js';
import { type Client, forgetConnection, storeConnection } from './stored-connections.js';

const replayHours = 72;
/** Prefix of positions in the event feed. */
const prefix = 'evt_';

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

interface OpenConnection {
  readonly connection: Connection;
  readonly socket: WebSocket;
  /** The epoch of the position in its hello message. */
  readonly epoch: string;
}

/** In the log, if a round fails. */
const failureText = 'handing out events failed';

export function createConnections({ db, hub, clock, randomBytes, process, log }: ConnectionsOptions): Connections {
  const openConnections = new Map<string, OpenConnection>();
  /** Everything up to here has been handed out. */
  let position: ChangeSequence = 0;
  let livingNoted = 0;
  let isClosing = false;
  /** The rights of each key, as of the last look. */
  let readers = new Map<KeyId, Reading>();
  const catchingUp = new Set<Connection>();

  const run = singleFlight(
    async () => {
      if (openConnections.size === 0) return;
      await checkRights();
      await handOut();
    },
    log,
    failureText,
  );

  /** Disconnects the keys that may not connect any more. */
  async function checkRights(): Promise<void> {
    const at = clock();
    const keys = new Map((await connectedKeys(db, process)).map((key) => [key.key_id, key]));
    readers = new Map([...keys].map(([id, key]) => [id, readingOf(eventReaderOf(key, at))]));
    for (const { connection } of openConnections.values()) endIfNotAllowed(connection, keys.get(connection.keyId), at);
  }

  /** Reads the new events once for all keys with the same rights. */
  async function handOut(): Promise<void> {
    // A commit in the meantime is for the next round, which begins with the rights.
    const { epoch, place: head } = await settledPosition(db);
    // History may have been set back: clients connect again with their position, and learn it there.
    for (const entry of openConnections.values()) if (entry.epoch !== epoch) entry.connection.end('restart');
    while (position < head) {
      const span = { from: position, head };
      const withOwnEvents = await extensionsWithOwnEvents(db, span.from, head);
      const upToDate = [...openConnections.values()].flatMap(({ connection }) =>
        connection.position < span.from ? [] : [connection],
      );
      position = await handOutOnce(db, groupByRights(upToDate, readers, withOwnEvents), span);
      // Connections that opened in the meantime read alone.
      for (const { connection } of openConnections.values()) if (connection.position < position) catchUp(connection);
    }
  }

  function catchUp(connection: Connection): void {
    if (catchingUp.has(connection) || connection.isEnded) return;
    catchingUp.add(connection);
    readBehind(
      db,
      connection,
      () => position,
      () => readers.get(connection.keyId),
    )
      // The next event or tick tries again.
      .catch((error: unknown) => log.warn({ err: error, connection: connection.id }, 'reading events failed'))
      .finally(() => catchingUp.delete(connection));
  }

  function take(
    { extensionId, keyId }: ExtensionCaller,
    socket: WebSocket,
    client: Client,
    from: ChangeSequence,
    newestPosition: Position,
  ): void {
    const connection = new Connection({
      id: `con_${base62(12, randomBytes)}`,
      extensionId,
      keyId,
      line: socket,
      clock,
      position: from,
      newest: `${prefix}${positionText(newestPosition)}`,
    });
    listenTo(socket, connection, log);
    socket.on('close', (code) => {
      connection.isEnded = true;
      openConnections.delete(connection.id);
      log.info({ connection: connection.id, extension: extensionId, code }, 'WebSocket closed');
      if (!isClosing) void forget(connection);
    });
    if (isClosing) return void connection.end('restart');
    // Without connections nothing is handed out, and the first one begins at the newest position.
    if (openConnections.size === 0) position = newestPosition.place;
    openConnections.set(connection.id, { connection, socket, epoch: newestPosition.epoch });
    log.info({ connection: connection.id, extension: extensionId }, 'WebSocket opened');
    remember(connection, client).catch((error: unknown) => {
      log.error({ err: error, connection: connection.id }, 'noting a WebSocket failed');
      socket.close(1011);
    });
  }

  async function remember(connection: Connection, client: Client): Promise<void> {
    const isStored = await storeConnection(db, connection, client, { process, at: clock() });
    if (!isStored) return connection.end('too_many_connections');
    // It ended before it was stored.
    if (!openConnections.has(connection.id)) return forget(connection);
    await run();
    if (connection.position < position) catchUp(connection);
  }

  /** If that fails, its row goes with those of the process. */
  const forget = (connection: Connection) =>
    forgetConnection(db, connection, clock()).catch((error: unknown) =>
      log.warn({ err: error, connection: connection.id }, 'forgetting a WebSocket failed'),
    );

  const unsubscribe = hub.subscribe(({ place, changes }: ChangeNotification) => {
    if (openConnections.size === 0) return;
    if (changes === undefined || changes.some(({ family }) => family === 'connection')) void tickAll();
    else if (place > position || changes.some(({ family }) => endsRights.has(family))) void run();
  });

  const tickAll = singleFlight(
    async () => {
      if (openConnections.size === 0) return;
      const at = clock();
      if (at - livingNoted >= heartbeatSeconds * second) {
        livingNoted = at;
        await db.runMaintenance('connections', (tx) => noteLiving(tx, process, at));
      }
      await run();
      for (const { connection } of [...openConnections.values()]) {
        connection.tick();
        if (connection.position < position) catchUp(connection);
      }
    },
    log,
    failureText,
  );

  return {
    async admit(caller, after, at, client) {
      const { from, newest: newestPosition } = await startOf(db, caller, after, at);
      return (socket) => take(caller, socket, client, from, newestPosition);
    },
    tick: () => tickAll(),
    count: () => openConnections.size,
    async close() {
      isClosing = true;
      unsubscribe();
      await closeAll([...openConnections.values()]);
      await db.runMaintenance('connections', (tx) => removeConnectionsOf(tx, process)).catch(() => undefined);
    },
  };
}

/** @throws Refusal see {@link Connections.admit} */
async function startOf(
  db: Store,
  { extensionId }: ExtensionCaller,
  after: string | undefined,
  at: Instant,
): Promise<{ readonly from: ChangeSequence; readonly newest: Position }> {
  const extension = await findExtension(db, extensionId);
  if (extension?.mode !== 'websocket') throw new Refusal('connection_mode_mismatch');
  const newestPosition = await settledPosition(db);
  if (after === undefined) return { from: newestPosition.place, newest: newestPosition };
  const from = await placeOf(db, after.slice(prefix.length), newestPosition);
  if (from < (await placeBefore(db, at - replayHours * hour))) throw new Refusal('sync_window_exceeded');
  return { from, newest: newestPosition };
}

/** Protocol errors close the socket with their code (RFC 6455 §7.4.1). */
function listenTo(socket: WebSocket, connection: Connection, log: Log): void {
  socket.on('error', (error) => log.debug({ err: error, connection: connection.id }, 'WebSocket failed'));
  socket.on('message', () => connection.noteActivity());
  socket.on('pong', () => connection.noteActivity());
}

/** Asks the clients to connect again, and waits two seconds at most. */
async function closeAll(openConnections: readonly OpenConnection[]): Promise<void> {
  const closings = openConnections.map(
    ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  for (const { connection } of openConnections) connection.end('restart');
  const timer = setTimeout(() => {
    for (const { socket } of openConnections) socket.terminate();
  }, 2 * second);
  await Promise.all(closings);
  clearTimeout(timer);
}

/** Families of the audit log with which a key may lose its connection or rights. */
const endsRights: ReadonlySet<string> = new Set(['extension', 'company']);

function endIfNotAllowed(connection: Connection, key: ConnectedKey | undefined, at: Instant): void {
  const reason = key === undefined ? undefined : lostRight(key, at);
  if (reason !== undefined) connection.end(reason);
}

function lostRight(key: ConnectedKey, at: Instant): Reason | undefined {
  const end = endOfKey(key);
  if (end !== null && end <= at) return 'key_revoked';
  if (key.mode !== 'websocket') return 'mode_changed';
  return key.company_active === 1 ? undefined : 'company_inactive';
}
