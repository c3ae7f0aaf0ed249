/**
 * APDUs as exchanged with the reader (ISO/IEC 7816-4). Native commands of DESFire and NTAG 424 DNA are wrapped: `90 INS
 * 00 00 [Lc data] 00`, answered by data and the status word `91 SS`.
 */
import { octets } from './octets.js';

/** Instruction bytes of the native commands used here. */
export const instruction = {
  authenticateIso: 0x1a,
  selectApplication: 0x5a,
  getVersion: 0x60,
  getKeyVersion: 0x64,
  authenticateEv2First: 0x71,
  authenticateAes: 0xaa,
  additionalFrame: 0xaf,
  changeKey: 0xc4,
  createApplication: 0xca,
} as const;

/** Status words that a dialogue distinguishes. */
export const statusWord = {
  ok: 0x9100,
  additionalFrame: 0x91af,
  outOfMemory: 0x910e,
  illegalCommand: 0x911c,
  integrityError: 0x911e,
  noSuchKey: 0x9140,
  permissionDenied: 0x919d,
  applicationNotFound: 0x91a0,
  authenticationDelay: 0x91ad,
  authenticationError: 0x91ae,
  commandAborted: 0x91ca,
  duplicate: 0x91de,
  isoOk: 0x9000,
  isoFileNotFound: 0x6a82,
  isoInstructionNotSupported: 0x6d00,
  isoClassNotSupported: 0x6e00,
} as const;

export function wrapNative(ins: number, data: Uint8Array | readonly number[] = []): Uint8Array {
  return data.length === 0
    ? octets([0x90, ins, 0x00, 0x00, 0x00])
    : octets([0x90, ins, 0x00, 0x00, data.length], data, [0x00]);
}

/** ISOSelectFile by DF name. */
export function isoSelectFile(name: Uint8Array): Uint8Array {
  return octets([0x00, 0xa4, 0x04, 0x00, name.length], name, [0x00]);
}

export interface Reply {
  /** SW1 and SW2 as one number: 0x9100. */
  readonly status: number;
  readonly data: Uint8Array;
}

/**
 * @returns undefined if there is no status word: the card has left the field (readers report that as an empty
 * response).
 */
export function parseReply(apdu: Uint8Array): Reply | undefined {
  if (apdu.length < 2) return undefined;
  const end = apdu.length - 2;
  return { status: (apdu[end]! << 8) | apdu[end + 1]!, data: apdu.subarray(0, end) };
}
