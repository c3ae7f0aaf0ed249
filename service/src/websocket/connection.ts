/**
 * One connection: which events are not acknowledged, and when they are sent again. Events go out in the order of their
 * sequence, so that a client resumes from one number. It holds numbers and no payloads, at most a hundred; what has to be
 * sent again is read again.
 */
import { type Instant, second } from '@clockproof/platform/time/instant';
import { eventText } from '../events/events.js';
import type { EventRow } from '../events/rows.js';
import type { ChangeSequence, ExtensionId, KeyId } from '../ids.js';

/** Events sent and not acknowledged; then the connection reads no further. */
const windowSize = 100;
export const heartbeatSeconds = 30;
const resendAfter = 30 * second;
/** Bytes that the client has not read. */
const mostUnread = 1024 * 1024;

const reasons = {
  restart: 1012,
  key_revoked: 4401,
  mode_changed: 4403,
  company_inactive: 4403,
  replaced: 4409,
  slow_reader: 4429,
} as const;
export type Reason = keyof typeof reasons;

/** What a connection uses of its socket. */
interface Line {
  readonly bufferedAmount: number;
  send(message: Buffer, options: { readonly binary: false }): void;
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
  /** Reads an event again and hands it to {@link Connection.resend}, if the key may still read it. */
  readonly readAgain: (connection: Connection, sequence: ChangeSequence) => void;
  /** There is room again for a connection that stopped reading. */
  readonly hasRoom: (connection: Connection) => void;
}

/** Frames of an event, made once for all connections. */
export interface Frame {
  readonly sequence: ChangeSequence;
  readonly message: Buffer;
}

export function frameOf(row: EventRow): Frame {
  const { sequence } = row;
  const message = Buffer.from(`{"type":"event","envelope_id":"${envelopeId(sequence)}","event":${eventText(row)}}`);
  return { sequence, message };
}

/** The same for every connection: the sequence says which event it is. */
const envelopeId = (sequence: ChangeSequence) => `env_${String(sequence).padStart(10, '0')}`;
const acknowledgement = /^\{"type":"ack","envelope_id":"env_(\d{10,16})"\}$/;

export class Connection {
  readonly id: string;
  readonly extensionId: ExtensionId;
  readonly keyId: KeyId;
  position: ChangeSequence;
  ended = false;
  readonly #options: ConnectionOptions;
  /** Since when each event waits for its acknowledgement. */
  readonly #pending = new Map<ChangeSequence, Instant>();
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

  /** Every event for this client up to here is acknowledged. */
  get acknowledged(): ChangeSequence {
    const [oldest] = this.#pending.keys();
    return oldest === undefined ? this.position : oldest - 1;
  }

  /** How many events fit. */
  get room(): number {
    return windowSize - this.#pending.size;
  }

  /** Enough fit to be worth reading. */
  get hasRoom(): boolean {
    return this.room >= windowSize / 2;
  }

  /** Takes the events after its position, as far as there is room. @param upTo what the frames reach to */
  take(frames: readonly Frame[], upTo: ChangeSequence): void {
    for (const frame of frames) {
      if (frame.sequence <= this.position) continue;
      if (this.ended || this.room <= 0) return;
      this.position = frame.sequence;
      this.#send(frame.sequence, frame.message);
    }
    this.position = Math.max(this.position, upTo);
  }

  #send(sequence: ChangeSequence, message: Buffer): void {
    const { line, clock } = this.#options;
    if (line.bufferedAmount > mostUnread) {
      this.end('slow_reader');
      return;
    }
    this.#pending.set(sequence, clock());
    line.send(message, { binary: false });
  }

  /** What {@link ConnectionOptions.readAgain} found; undefined if the key may not read it any more. */
  resend(sequence: ChangeSequence, message: Buffer | undefined): void {
    if (!this.#pending.has(sequence) || this.ended) return;
    if (message === undefined) this.#done(sequence);
    else this.#send(sequence, message);
  }

  /** A frame of the client. */
  received(data: Buffer, isBinary: boolean): void {
    this.heard();
    if (this.ended) return;
    if (isBinary) {
      this.#refuse(1003, 'send text');
      return;
    }
    const text = data.toString('utf8');
    const sequence = acknowledgement.exec(text)?.[1] ?? acknowledgedIn(text);
    if (sequence === undefined) {
      this.#refuse(1008, 'send acknowledgements');
      return;
    }
    this.#done(Number(sequence));
  }

  /** Any frame shows that the client lives, a pong as well. */
  heard(): void {
    this.#heardAt = this.#options.clock();
  }

  #done(sequence: ChangeSequence): void {
    if (this.#pending.delete(sequence) && this.hasRoom) this.#options.hasRoom(this);
  }

  /** Pings, sends again, gives up. */
  tick(): void {
    const { line, clock } = this.#options;
    const at = clock();
    if (this.ended) return;
    if (at - this.#heardAt >= 2 * heartbeatSeconds * second) {
      this.ended = true;
      line.terminate();
      return;
    }
    if (at - this.#pingedAt >= heartbeatSeconds * second) {
      this.#pingedAt = at;
      line.ping();
    }
    // A client that does not read gets no more of the same.
    if (line.bufferedAmount > 0) return;
    for (const [sequence, since] of this.#pending) {
      if (at - since < resendAfter) continue;
      this.#pending.set(sequence, at);
      this.#options.readAgain(this, sequence);
    }
  }

  /** Says why, and closes. */
  end(reason: Reason): void {
    if (this.ended) return;
    this.ended = true;
    this.#say({ type: 'disconnect', reason });
    this.#options.line.close(reasons[reason], reason);
  }

  #refuse(code: number, reason: string): void {
    this.ended = true;
    this.#options.line.close(code, reason);
  }

  #say(message: object): void {
    this.#options.line.send(Buffer.from(JSON.stringify(message)), { binary: false });
  }
}

/** The digits of the envelope that a client acknowledges; undefined if the text is no acknowledgement. */
function acknowledgedIn(text: string): string | undefined {
  try {
    const message = JSON.parse(text) as Record<string, unknown> | null;
    if (message?.['type'] !== 'ack' || Object.keys(message).length !== 2) return undefined;
    const id = message['envelope_id'];
    return typeof id === 'string' && /^env_[A-Za-z0-9]{1,60}$/.test(id)
      ? (/^env_(\d+)$/.exec(id)?.[1] ?? '0')
      : undefined;
  } catch {
    return undefined;
  }
}
