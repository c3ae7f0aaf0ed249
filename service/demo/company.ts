/**
 * The demo's two companies: people, departments, extensions in each connection mode, a terminal. Made by the same verbs
 * that the doors of the service use.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { addExtension } from '../src/access/integrations/extensions.js';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import type { NewExtension } from '../src/extensions/extensions.js';
import type { Scope } from '../src/generated/contract.js';
import { addDepartment, recordCompany, recordPerson } from '../src/people/people.js';
import type { CompanyId, PersonId } from '../src/store/ids.js';
import type { SealingKeys } from '../src/store/sealing/sealing-keys.js';
import type { Write } from '../src/store/write.js';
import { addTerminal } from '../src/terminals/pairing.js';
import { type CastCompany, cast, emailOf } from './cast.js';
import type { TargetBadge, TargetCompany, TargetExtension, TargetTerminal } from './target.js';

export const system = { kind: 'system', name: 'demo' } as const;

const everyScope: readonly Scope[] = [
  'read:users',
  'read:time_entries',
  'read:leave_entries',
  'read:clock_states',
  'write:clock',
  'write:absences',
];
const readScopes = everyScope.filter((scope) => scope.startsWith('read:'));
const linkableScopes = everyScope.filter((scope) => scope !== 'read:users');

const extensions: readonly (readonly [NewExtension, number | undefined])[] = [
  [{ name: 'Schichtplan', mode: 'api', acting: 'everyone', scopes: everyScope }, 0],
  [
    {
      name: 'Lohnbüro',
      mode: 'webhooks',
      acting: 'everyone',
      scopes: readScopes,
    },
    0,
  ],
  [{ name: 'Anzeigetafel', mode: 'websocket', acting: 'personal_link', scopes: readScopes }, 0],
  [
    {
      name: 'Feierabend',
      mode: 'api',
      acting: 'personal_link',
      scopes: linkableScopes,
      linkable: true,
      redirectUris: ['http://localhost:4000/callback', 'com.example.feierabend:/callback'],
      linkDays: 90,
    },
    undefined,
  ],
];

export interface FoundedCompany {
  readonly id: CompanyId;
  readonly cast: CastCompany;
  /** People in the order of the cast. */
  readonly people: readonly { readonly id: PersonId; readonly email: string }[];
}

/** @param write at the beginning of the story: time is tracked from that day on */
export async function foundCompanies(write: Write): Promise<readonly FoundedCompany[]> {
  const companies: FoundedCompany[] = [];
  for (const company of cast) {
    const { name, timeZone, region, domain } = company;
    const id = await recordCompany(write, { name, timeZone, country: 'DE', region });
    const departments = new Map<string, number>();
    const people: { id: PersonId; email: string }[] = [];
    for (const person of company.people) {
      const department = departments.get(person.department) ?? (await addDepartment(write, id, person.department));
      departments.set(person.department, department);
      const email = emailOf(person, domain);
      const personId = await recordPerson(write, {
        companyId: id,
        firstName: person.firstName,
        lastName: person.lastName,
        email,
        departmentId: department,
        role: person.role,
        language: 'de',
        employmentStart: '2021-04-01',
        personnelNumber: `${domain.slice(0, 2).toUpperCase()}-${String(people.length + 1).padStart(4, '0')}`,
      });
      people.push({ id: personId, email });
    }
    companies.push({ id, cast: company, people });
  }
  await switchPeopleAccess(write, { writes: true, links: true, terminals: true });
  return companies;
}

/** The people who can sign in, with a password each. */
export function usersOf(
  { id, cast: { name, people: members }, people }: FoundedCompany,
  newPassword: () => string,
): TargetCompany {
  const users = members.flatMap(({ firstName, role, department, signsIn }, index) =>
    signsIn
      ? [{ ...people[index]!, first_name: firstName, password: newPassword(), totp_secret: '', role, department }]
      : [],
  );
  return { id, name, users };
}

export interface Integrations {
  readonly extensions: readonly TargetExtension[];
  readonly terminal: Omit<TargetTerminal, 'private_key' | 'confirmed'>;
}

/** Extensions and a terminal, made after the story: its events are not sent to anyone. */
export async function addIntegrations(
  write: Write,
  companies: readonly FoundedCompany[],
  randomBytes: RandomBytes,
  keys: SealingKeys,
  webhookUrl: string,
): Promise<Integrations> {
  const needs = { randomBytes, sealingKeys: keys, allowPrivateTargets: true };
  const targets: TargetExtension[] = [];
  for (const [extension, company] of extensions) {
    const companyId = company === undefined ? undefined : companies[company]!.id;
    const { id, clientId, key, webhookSecret } = await addExtension(write, needs, {
      ...extension,
      ...(companyId === undefined ? {} : { companyId }),
      ...(extension.mode === 'webhooks' ? { webhookUrl } : {}),
    });
    targets.push({
      id,
      name: extension.name,
      client_id: clientId,
      key,
      scopes: [...extension.scopes],
      mode: extension.mode,
      acting: extension.acting,
      company_id: companyId ?? null,
      leading: false,
      redirect_uris: [...(extension.redirectUris ?? [])],
      webhook_secret: webhookSecret ?? null,
    });
  }
  const { id: companyId } = companies[0]!;
  const name = 'Eingang Halle 2';
  const id = await addTerminal(
    write,
    { companyId, name, location: 'Hamburg, Tor Nord', issuingAllowed: true },
    randomBytes,
  );
  return { extensions: targets, terminal: { id, name, company_id: companyId } };
}

/** The person whose badge is issued at the door, and the kind of card. */
export interface Holder {
  readonly userId: PersonId;
  readonly card: string;
  readonly uid: string;
  readonly family: TargetBadge['family'];
}

export function holdersOf({ people }: FoundedCompany): readonly Holder[] {
  const holder = (index: number, card: string, uid: string, family: TargetBadge['family']) => ({
    userId: people[index]!.id,
    card,
    uid,
    family,
  });
  return [
    holder(0, 'jana', '04782e21801d80', 'desfire'),
    holder(1, 'emre', '04a17be2c35d81', 'ntag424'),
    holder(2, 'ole', '0413c9d2e47f80', 'desfire'),
  ];
}
