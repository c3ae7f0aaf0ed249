/** Second status byte of a native answer (`91 SS`). */
export const Status = {
  ok: 0x00,
  noChange: 0x0c,
  illegalCommand: 0x1c,
  integrityError: 0x1e,
  noSuchKey: 0x40,
  lengthError: 0x7e,
  permissionDenied: 0x9d,
  parameterError: 0x9e,
  applicationNotFound: 0xa0,
  authenticationDelay: 0xad,
  authenticationError: 0xae,
  moreFrames: 0xaf,
  commandAborted: 0xca,
  countError: 0xce,
  duplicate: 0xde,
} as const;
export type Status = (typeof Status)[keyof typeof Status];

/** A command the card does not carry out. It ends the authenticated state, as every status but 00 and AF does. */
export class CardError extends Error {
  override readonly name = 'CardError';
  constructor(readonly status: Status) {
    super(`card answers 91${status.toString(16).padStart(2, '0')}`);
  }
}
