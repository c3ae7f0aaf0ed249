/** A card in the field. */
export interface PresentCard {
  /** 4, 7 or 10 bytes as the reader reports them, unproven; undefined if the card could not be read. */
  readonly uid: Uint8Array | undefined;
}

export type ReaderState =
  | { readonly kind: 'ready'; readonly name: string }
  /** Nothing can be read for now; `sentence` says why, for the operator. The reader tries again. */
  | { readonly kind: 'waiting'; readonly sentence: string }
  /** Nothing can be read any more until the process is started again. */
  | { readonly kind: 'broken'; readonly sentence: string };

/** The card left the field, or does not answer any more. */
export class CardGone extends Error {
  override readonly name = 'CardGone';
}

/**
 * One card reader. One card at a time, one command at a time. A card counts from when it is put down while the reader
 * watches: one that lay there before is passed over until it has been taken away, so that a restart stamps for no one.
 */
export interface Reader {
  onCard(listener: (card: PresentCard) => void): void;
  onRemoved(listener: () => void): void;
  onReaderState(listener: (state: ReaderState) => void): void;
  /** Begins to watch. Problems with the reader are reported by {@link Reader.onReaderState}. */
  start(): Promise<void>;
  /**
   * One C-APDU in, one R-APDU out. A reply shorter than a status word means that the card left in the middle of the
   * command.
   * @throws {CardGone}
   */
  transmit(command: Uint8Array): Promise<Uint8Array>;
  /**
   * Resets the card in the field, which ends its authenticated session.
   * @throws {CardGone}
   */
  reset(): Promise<void>;
  close(): Promise<void>;
}
