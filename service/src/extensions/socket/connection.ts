/**
 * One open WebSocket: events go out in the order of their sequence, so that a client resumes from one number. Nothing
 * is acknowledged; a client that reads more slowly than events arrive is closed, and resumes from what it has stored.
 */
import { type Instant, second } from '@clockproof/platform/time/instant';
import type { EventRow } from '../../store/event-rows.js';
import { eventText } from '../../store/events.js';
import type { ChangeSequence, ExtensionId, KeyId } from '../../store/ids.js';

export const heartbeatSeconds = 30;
/** Bytes that the client has not read. */
const maxUnread = 1024 * 1024;

const closeCodes = {
  restart: 1012,
  key_revoked: 4401,
  mode_changed: 4403,
  company_inactive: 4403,
  too_many_connections: 4409,
  slow_reader: 4429,
} as const;
export type Reason = keyof typeof closeCodes;

/** The part of the socket that a connection uses. */
interface Line {
  readonly bufferedAmount: number;
  send(message: Buffer, options: { readonly binary: false }, onWritten?: () => void): void;
  ping(): void;
  close(code: number, reason?: string): void;
  terminate(): void;
}

interface ConnectionOptions {
  readonly id: string;
  readonly extensionId: ExtensionId;
  readonly keyId: KeyId;
  readonly line: Line;
  readonly clock: () => Instant;
  /** Events up to here have been read for this connection. */
  readonly position: ChangeSequence;
  /** The newest position at the time of connecting, as the client can send it back. */
  readonly newest: string;
}

/** The message of an event, made once for all connections. */
export interface Frame {
  readonly sequence: ChangeSequence;
  readonly message: Buffer;
}

export function frameOf(row: EventRow): Frame {
  return { sequence: row.sequence, message: Buffer.from(`{"type":"event","event":${eventText(row)}}`) };
}

export class Connection {
  readonly id: string;
  readonly extensionId: ExtensionId;
  readonly keyId: KeyId;
  position: ChangeSequence;
  isEnded = false;
  readonly #options: ConnectionOptions;
  /** Resolves when all that was sent has been written. */
  #written: Promise<void> = Promise.resolve();
  #heardAt: Instant;
  #pingedAt: Instant;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.id = options.id;
    this.extensionId = options.extensionId;
    this.keyId = options.keyId;
    this.position = options.position;
    this.#heardAt = this.#pingedAt = options.clock();
    this.#say({
      type: 'hello',
      connection_id: options.id,
      position: options.newest,
      heartbeat_s: heartbeatSeconds,
    });
  }

  /** Sends the events after its position. @param upTo the position that the frames reach */
  take(frames: readonly Frame[], upTo: ChangeSequence): void {
    const { line } = this.#options;
    for (const { sequence, message } of frames) {
      if (sequence <= this.position) continue;
      if (line.bufferedAmount > maxUnread) this.end('slow_reader');
      if (this.isEnded) return;
      this.position = sequence;
      this.#written = new Promise((resolve) => line.send(message, { binary: false }, () => resolve()));
    }
    this.position = Math.max(this.position, upTo);
  }

  /** Resolves when everything sent has been written: a sender that waits for it does not outrun the client. */
  whenWritten(): Promise<void> {
    return this.#written;
  }

  /** Any frame shows that the client lives, a pong as well. Its content does not matter. */
  noteActivity(): void {
    this.#heardAt = this.#options.clock();
  }

  /** Pings, and gives up. */
  tick(): void {
    const { line, clock } = this.#options;
    const at = clock();
    if (this.isEnded) return;
    if (at - this.#heardAt >= 2 * heartbeatSeconds * second) {
      this.isEnded = true;
      line.terminate();
    } else if (at - this.#pingedAt >= heartbeatSeconds * second) {
      this.#pingedAt = at;
      line.ping();
    }
  }

  /** Says why, and closes. */
  end(reason: Reason): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#say({ type: 'disconnect', reason });
    this.#options.line.close(closeCodes[reason], reason);
  }

  #say(message: object): void {
    this.#options.line.send(Buffer.from(JSON.stringify(message)), { binary: false });
  }
}
