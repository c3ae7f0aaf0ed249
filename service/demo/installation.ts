/** The contents of a new demo: companies with three weeks behind them, integrations, and people who can sign in. */
import { randomBytes } from 'node:crypto';
import { base62 } from '@clockproof/platform/bytes/random-text';
import { hour } from '@clockproof/platform/time/instant';
import { localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { setPassword } from '../src/access/credentials.js';
import { createPasswords } from '../src/access/password.js';
import { enrolTotp } from '../src/access/second-factor/second-factor.js';
import { toBase32 } from '../src/access/second-factor/totp.js';
import type { Service } from '../src/service.js';
import { firstDayOfStory } from './calendar.js';
import { cast } from './cast.js';
import { addIntegrations, type FoundedCompany, foundCompanies, system, usersOf } from './company.js';
import { say } from './say.js';
import { tellStory } from './story.js';
import type { Target, TargetCompany } from './target.js';

/** @returns the companies, in which people have worked until now */
export async function foundWorkingCompanies({ store }: Service): Promise<readonly FoundedCompany[]> {
  const now = Date.now();
  const { timeZone } = cast[0]!;
  const from = firstDayOfStory(localDateAt(now, timeZone));
  const companies = await store.write({ actor: system, at: startOfDay(from, timeZone) + 6 * hour }, foundCompanies);
  say(`two companies with ${companies.reduce((sum, { people }) => sum + people.length, 0)} people were made`);
  const stamps = await tellStory({ store, companies, from, now });
  say(`they have worked since ${from}: ${stamps} stamps, absences, a correction, requests that wait`);
  return companies;
}

/** Adds the data with which tools drive the companies. */
export async function equipCompanies(
  service: Service,
  foundedCompanies: readonly FoundedCompany[],
  webhookUrl: string,
): Promise<Omit<Target, 'service' | 'indexer' | 'ledger'>> {
  const { extensions, terminal } = await service.store.write({ actor: system, at: Date.now() }, (write) =>
    addIntegrations(write, foundedCompanies, randomBytes, service.sealingKeys, webhookUrl),
  );
  const companies = await giveCredentials(
    foundedCompanies.map((company) => usersOf(company, newPassword)),
    service,
  );
  const admin = companies.flatMap((company) => company.users).find((user) => user.role === 'super_admin')!;
  return {
    super_admin: { email: admin.email, password: admin.password, totp_secret: admin.totp_secret },
    companies,
    extensions,
    terminals: [{ ...terminal, private_key: Buffer.alloc(32).toString('base64'), confirmed: false }],
    badges: [],
    proofs: [],
  };
}

function newPassword(): string {
  return Array.from({ length: 4 }, () => base62(4, randomBytes)).join('-');
}

/**
 * Passwords and second factors, so that people of the demo can sign in. Hashing is slow on purpose and done before
 * the transaction.
 */
async function giveCredentials(
  companies: readonly TargetCompany[],
  { store, sealingKeys: keys }: Service,
): Promise<TargetCompany[]> {
  const passwords = createPasswords();
  const result: TargetCompany[] = [];
  for (const company of companies) {
    const users = await Promise.all(
      company.users.map(async (user) => {
        const passwordHash = await passwords.hash(user.password);
        const secret = randomBytes(20);
        await store.write({ actor: system, at: Date.now() }, async (write) => {
          await setPassword(write, { personId: user.id, companyId: company.id, passwordHash });
          await enrolTotp(write, { personId: user.id, companyId: company.id, secret, keys });
        });
        return { ...user, totp_secret: toBase32(secret) };
      }),
    );
    result.push({ ...company, users });
  }
  return result;
}
