/**
 * Passwords: the rules, and argon2id (RFC 9106, its second recommended option: 64 MiB, 3 passes, 4 lanes, above OWASP's
 * requirement). The hash contains its parameters, so that they can be raised and old hashes renewed at the next
 * sign-in.
 */
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { Refusal } from '../store/refusal.js';

export interface PasswordCost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

export const passwordCost: PasswordCost = { memoryKiB: 65_536, passes: 3, lanes: 4 };

const concurrency = 2;
const queueLimit = 50;

export interface Passwords {
  /** PHC string with all parameters. @throws Refusal `rate_limited` too many are waiting */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches the hash. Without a hash, a dummy hash is verified, so that unknown and known people
   * take the same time.
   * @throws Refusal `rate_limited` too many are waiting
   */
  verify(storedHash: string | null | undefined, password: string): Promise<boolean>;
  /** Whether a stored hash has outdated parameters. */
  isOutdated(storedHash: string): boolean;
}

/** Each hash takes 64 MiB and a processor: two run at once, fifty wait, further requests are refused. */
export function createPasswords(cost: PasswordCost = passwordCost): Passwords {
  // argon2id is the library's default.
  const options = { memoryCost: cost.memoryKiB, timeCost: cost.passes, parallelism: cost.lanes };
  const parameters = `$argon2id$v=19$m=${cost.memoryKiB},t=${cost.passes},p=${cost.lanes}$`;
  // A dummy hash that no password matches: verifying a salt and digest of zeros costs as much as any other.
  const dummyHash = `${parameters}${'A'.repeat(22)}$${'A'.repeat(43)}`;
  const enqueue = createQueue(concurrency, queueLimit);
  return {
    hash: (password) => enqueue(() => hash(password, options)),
    async verify(storedHash, password) {
      const isMatch = await enqueue(() => verify(storedHash ?? dummyHash, password));
      return isMatch && storedHash !== null && storedHash !== undefined;
    },
    isOutdated: (storedHash) => !storedHash.startsWith(parameters),
  };
}

/** At most `width` at once and `depth` waiting. @throws Refusal `rate_limited` beyond that */
export function createQueue(width: number, depth: number): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(width);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= width + depth)
      throw new Refusal('rate_limited', { headers: { 'retry-after': '5' }, reason: 'too many passwords to check' });
    return limit(work);
  };
}

const minLength = 12;
const maxLength = 256;

/**
 * Words common in lists of leaked passwords, and keyboard rows. zxcvbn-ts took 0.2 to 12 s for a password, on the
 * thread that also answers stamps, and rates `Sommer2026!Sommer` as very strong. No list is asked over the network.
 */
const wellKnown = [
  'password',
  'passwort',
  'kennwort',
  'passwd',
  'welcome',
  'willkommen',
  'letmein',
  'iloveyou',
  'ichliebedich',
  'qwertyuiop',
  'qwertzuiop',
  'qwerty',
  'qwertz',
  'asdfghjkl',
  'yxcvbnm',
  'zxcvbnm',
  'asdf',
  'admin',
  'administrator',
  'root',
  'user',
  'login',
  'master',
  'superman',
  'batman',
  'dragon',
  'monkey',
  'football',
  'baseball',
  'fussball',
  'princess',
  'sunshine',
  'shadow',
  'trustno',
  'hello',
  'hallo',
  'secret',
  'geheim',
  'test',
  'changeme',
  'default',
  'company',
  'sommer',
  'winter',
  'fruehling',
  'herbst',
  'summer',
  'spring',
  'autumn',
  'schalke',
  'borussia',
  'bayern',
  'starwars',
  'freedom',
  'whatever',
  'michael',
  'charlie',
  'daniel',
  'thomas',
  'january',
  'januar',
  'abc',
  'clockproof',
  'xyz',
  'love',
  'google',
  'internet',
  'computer',
  'samsung',
  'pokemon',
  'mustang',
  'killer',
  'hunter',
  'ranger',
  'correcthorsebatterystaple',
].sort((a, b) => b.length - a.length);

const leetMap: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
  7: 't',
};

/**
 * Refuses the first tries of guessing programs: common words and keyboard rows, the person's own name and address, runs
 * and repetitions, alone, combined, and disguised with digits, signs and look-alikes. At least eight other characters
 * must remain.
 * @param personalTexts names and e-mail address of the person
 * @throws Refusal `password_refused`
 */
export function refuseWeakPassword(password: string, personalTexts: readonly string[] = []): void {
  if ([...password].length < minLength || password.length > maxLength) throw new Refusal('password_refused');
  const personalWords = personalTexts
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}]+/u))
    .filter((word) => word.length >= 3);
  const lower = password.toLowerCase();
  for (const spelling of [lower, [...lower].map((character) => leetMap[character] ?? character).join('')]) {
    let remainder = spelling;
    for (const word of [...personalWords, ...wellKnown]) remainder = remainder.replaceAll(word, '');
    if (effectiveLength(remainder) < 8) throw new Refusal('password_refused');
  }
}

/** Characters that do not just repeat or continue the previous one, or an earlier part. */
function effectiveLength(text: string): number {
  const characters = [...text.replace(/(.{1,6}?)\1+/gu, '$1')];
  return characters.filter((character, index) => {
    const step = index === 0 ? undefined : character.codePointAt(0)! - characters[index - 1]!.codePointAt(0)!;
    return step === undefined || Math.abs(step) > 1;
  }).length;
}
