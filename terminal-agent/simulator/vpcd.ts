/**
 * The card's end of vpcd, the virtual smart card reader of the vsmartcard project. The driver inside pcscd listens, the
 * card connects: connecting is putting the card down, closing is taking it away. Every message is a length (16 bits,
 * most significant byte first) and as many bytes. One byte is a control code, of which only "get ATR" is answered;
 * anything else is a C-APDU, answered by the R-APDU.
 */
import { connect, type Socket } from 'node:net';
import { type CardInField, exchangeWith } from './faults.js';

const powerOff = 0x00;
const reset = 0x02;
const getAtr = 0x04;

/** ATR of a contactless card whose historical bytes are the single 80 of DESFire and NTAG 424 DNA. */
const atr = Buffer.from('3b8180018080', 'hex');

export interface InsertedCard {
  /** Commands the card got, without those for its presence. */
  readonly commands: string[];
  /** The number of resets by pcscd. */
  readonly resets: () => number;
  /** Takes the card away. */
  remove(): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly removal: Promise<void>;
}

/**
 * Puts a card into the virtual reader.
 *
 * @param beforeReply called with the number of each command; may take the card away in the middle of it, or leave it
 * unanswered.
 * @param saveCard called after every command, before its reply goes out: the card remembers every reply.
 */
export async function insertCard(
  port: number,
  card: CardInField,
  beforeReply: (count: number) => 'answer' | 'leave' | 'hang' = () => 'answer',
  saveCard: () => Promise<void> = () => Promise.resolve(),
): Promise<InsertedCard> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  card.reset();
  const commands: string[] = [];
  let resets = 0;
  let pendingBytes = Buffer.alloc(0);

  const answer = (message: Buffer): void => {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(message.length);
    socket.write(Buffer.concat([head, message]));
  };
  const command = async (message: Buffer): Promise<void> => {
    commands.push(message.toString('hex'));
    const { reply, delay } = exchangeWith(card, message);
    const behaviour = beforeReply(commands.length);
    await saveCard();
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    if (behaviour === 'leave' || reply === undefined) socket.destroy();
    else if (behaviour === 'answer') answer(Buffer.from(reply));
  };
  const handle = (message: Buffer): void => {
    if (message.length > 1) return void command(message);
    if (message[0] === getAtr) answer(atr);
    if (message[0] === reset) resets += 1;
    if (message[0] === reset || message[0] === powerOff) card.reset();
  };

  socket.on('data', (part) => {
    pendingBytes = Buffer.concat([pendingBytes, part]);
    while (pendingBytes.length >= 2 && pendingBytes.length >= 2 + pendingBytes.readUInt16BE()) {
      const end = 2 + pendingBytes.readUInt16BE();
      const message = pendingBytes.subarray(2, end);
      pendingBytes = pendingBytes.subarray(end);
      handle(message);
    }
  });
  socket.on('error', () => undefined);
  const removal = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    commands,
    resets: () => resets,
    removal,
    remove() {
      socket.destroy();
      return removal;
    },
  };
}
