/**
 * Dialogues with the cards that lie on the reader, one at a time: the next card waits until the last one is done with.
 */
import { hex, openDialogues } from '../dialogue.js';
import type { PresentCard, Reader } from '../reader/reader.js';
import type { World } from '../world.js';
import { cardEnd } from './answers.js';
import type { Link } from './link.js';
import type { Event } from './machine.js';

/** Dialogues with one card before the service counts as away. */
const maxAttempts = 2;
/**
 * Milliseconds: an answer that is lost so soon was lost with an idle connection. One that never comes is not waited for
 * twice, because the person stands there.
 */
const retryWithin = 2_000;

export interface CardVisits {
  /** Lets the card that lies there prove itself. */
  prove(visit: number, uid: string, link: Link | undefined): void;
  /** Ends the dialogue. */
  forget(): void;
  /** Resolves when the last dialogue is over. */
  whenFinished(): Promise<void>;
}

export function openCardVisits(
  reader: Reader,
  { sleep, elapsed, print }: World,
  send: (event: Event) => void,
  signal: AbortSignal,
): CardVisits {
  let work: Promise<void> = Promise.resolve();
  let presence = new AbortController();
  let dialogue = new AbortController();
  let present: { readonly uid: string; readonly card: PresentCard } | undefined;

  reader.onCard((card) => {
    presence = new AbortController();
    // ISO/IEC 14443-3: a single-size UID that begins with 08 is random: a phone, a watch, or a card with random ID.
    if (card.uid === undefined || (card.uid.length === 4 && card.uid[0] === 0x08)) return send({ kind: 'no_badge' });
    present = { uid: hex(card.uid), card };
    send({ kind: 'card', uid: present.uid });
  });
  reader.onRemoved(() => presence.abort());

  const prove = async (visit: number, uid: Uint8Array, absence: AbortSignal, { api }: Link): Promise<void> => {
    const dialogues = openDialogues({ reader, api, sleep, elapsed });
    const retryEnd = elapsed() + retryWithin;
    for (let attempt = 1; !absence.aborted; attempt += 1) {
      const result = await dialogues.prove(uid, absence);
      const reset = absence.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        send({ kind: 'proved', visit, proof: result, uid: hex(uid) });
        await reset;
        return;
      }
      await reset;
      if (result.next === 'issued' && result.pin !== undefined) {
        send({ kind: 'choose_pin', visit, uid: hex(uid), choice: result.pin });
        return;
      }
      if (result.next === 'lost' && attempt < maxAttempts && elapsed() < retryEnd && !absence.aborted) continue;
      await dialogues.endOpenSession();
      send({ kind: 'ended', visit, how: cardEnd(result) });
      return;
    }
    send({ kind: 'ended', visit, how: 'removed' });
    await dialogues.endOpenSession();
  };

  return {
    prove(visit, uid, link) {
      dialogue.abort();
      dialogue = new AbortController();
      const absence = AbortSignal.any([dialogue.signal, presence.signal, signal]);
      if (present?.uid !== uid || link === undefined) return;
      const { card } = present;
      work = work
        .then(() => prove(visit, card.uid!, absence, link))
        .catch((error: unknown) => {
          print(`Fault: ${String(error)}`);
          send({ kind: 'ended', visit, how: 'unreachable' });
        });
    },
    forget: () => dialogue.abort(),
    whenFinished: () => work,
  };
}
