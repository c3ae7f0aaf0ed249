import { crockford, type RandomBytes } from '@clockproof/platform/bytes/random-text';

/** 130 random bits that stand for an installation, a company or a person in proofs; never changed. */
export function proofToken(randomBytes: RandomBytes): string {
  return crockford(26, randomBytes).toLowerCase();
}
