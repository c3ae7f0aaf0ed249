import { createPasswords, type Passwords } from '../src/access/password.js';

/** Argon2id all the same, but quick: its cost is tested beside its rule. */
export const quickPasswords: Passwords = createPasswords({ memoryKiB: 1_024, passes: 1, lanes: 1 });
