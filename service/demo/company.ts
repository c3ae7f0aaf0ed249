/**
 * The demo's two companies: people, departments, extensions in each connection mode, a terminal. Made by the same verbs
 * that the doors of the service use.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { addExtension, type NewExtension } from '../src/extensions/extensions.js';
import type { Scope } from '../src/generated/contract.js';
import { switchPeopleAccess } from '../src/integrations/people-access.js';
import { addCompany, addDepartment, addPerson } from '../src/people/people.js';
import type { PersonRow } from '../src/people/rows.js';
import type { SealingKeys } from '../src/sealing/sealing-keys.js';
import { addTerminal } from '../src/terminals/pairing.js';
import { issueSecret } from '../src/webhooks/secrets.js';
import type { Write } from '../src/write/write.js';
import type { TargetBadge, TargetCompany, TargetExtension, TargetTerminal } from './target.js';

export const system = { kind: 'system', name: 'demo' } as const;
type Role = PersonRow['role'];

const everyScope: readonly Scope[] = [
  'read:users',
  'read:time_entries',
  'read:leave_entries',
  'read:clock_states',
  'write:clock',
  'write:absences',
];
const reading = everyScope.filter((scope) => scope.startsWith('read:'));
const linkable = everyScope.filter((scope) => scope !== 'read:users');

const cast: readonly {
  readonly name: string;
  readonly timeZone: string;
  readonly region: string;
  readonly domain: string;
  readonly people: readonly (readonly [string, string, string, Role])[];
}[] = [
  {
    name: 'Nordlicht Logistik GmbH',
    timeZone: 'Europe/Berlin',
    region: 'DE-HH',
    domain: 'nordlicht-logistik.example',
    people: [
      ['Jana', 'Petersen', 'Disposition', 'employee'],
      ['Emre', 'Yıldız', 'Lager', 'employee'],
      ['Ole', 'Hansen', 'Lager', 'employee'],
      ['Mia', 'Brandt', 'Disposition', 'approver'],
      ['Lena', 'Krüger', 'Verwaltung', 'company_admin'],
      ['Tariq', 'Aziz', 'Lager', 'employee'],
      ['Sina', 'Voss', 'Verwaltung', 'super_admin'],
    ],
  },
  {
    name: 'Südwind Energie AG',
    timeZone: 'Europe/Berlin',
    region: 'DE-BY',
    domain: 'suedwind-energie.example',
    people: [
      ['Anton', 'Huber', 'Montage', 'employee'],
      ['Resi', 'Maier', 'Montage', 'employee'],
      ['Paul', 'Wagner', 'Planung', 'approver'],
      ['Vroni', 'Lechner', 'Planung', 'company_admin'],
      ['Kofi', 'Mensah', 'Montage', 'employee'],
    ],
  },
];

const extensions: readonly (readonly [NewExtension, number | undefined])[] = [
  [{ name: 'Schichtplan', mode: 'api', acting: 'everyone', scopes: everyScope }, 0],
  [
    {
      name: 'Lohnbüro',
      mode: 'webhooks',
      acting: 'personal_link',
      scopes: reading,
      webhookUrl: 'https://lohnbuero.example/clockproof',
    },
    0,
  ],
  [{ name: 'Anzeigetafel', mode: 'websocket', acting: 'personal_link', scopes: reading }, 0],
  [
    {
      name: 'Feierabend',
      mode: 'api',
      acting: 'personal_link',
      scopes: linkable,
      linkable: true,
      redirectUris: ['http://localhost:4000/callback', 'com.example.feierabend:/callback'],
      linkDays: 90,
    },
    undefined,
  ],
];

export interface DemoCompany {
  readonly companies: readonly TargetCompany[];
  readonly extensions: readonly TargetExtension[];
  readonly terminal: Omit<TargetTerminal, 'private_key' | 'confirmed'>;
  /** Whose badges are issued at the door, and on what kind of card. */
  readonly holders: readonly {
    readonly userId: number;
    readonly card: string;
    readonly uid: string;
    readonly family: TargetBadge['family'];
  }[];
}

/** Everything in one transaction: a demo that was stopped half way begins again from nothing. */
export async function foundCompanies(
  write: Write,
  randomBytes: RandomBytes,
  keys: SealingKeys,
  passwordOf: (email: string) => string,
): Promise<DemoCompany> {
  const { at } = write;
  const companies: TargetCompany[] = [];
  for (const { name, timeZone, region, domain, people } of cast) {
    const id = await addCompany(write, { name, timeZone, country: 'DE', region });
    const departments = new Map<string, number>();
    const users: TargetCompany['users'][number][] = [];
    for (const [firstName, lastName, department, role] of people) {
      if (!departments.has(department)) departments.set(department, await addDepartment(write, id, department));
      const email = `${firstName}.${lastName}@${domain}`
        .toLowerCase()
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .replaceAll('ı', 'i');
      const userId = await addPerson(write, {
        companyId: id,
        firstName,
        lastName,
        email,
        departmentId: departments.get(department)!,
        role,
        language: 'de',
        employmentStart: '2021-04-01',
        personnelNumber: `${domain.slice(0, 2).toUpperCase()}-${String(users.length + 1).padStart(4, '0')}`,
      });
      users.push({
        id: userId,
        first_name: firstName,
        email,
        password: passwordOf(email),
        totp_secret: '',
        role,
        department,
      });
    }
    companies.push({ id, name, users });
  }
  await switchPeopleAccess(write, { writes: true, links: true, terminals: true });
  const added: TargetExtension[] = [];
  for (const [extension, company] of extensions) {
    const companyId = company === undefined ? undefined : companies[company]!.id;
    const { id, clientId, key } = await addExtension(
      write,
      { ...extension, ...(companyId === undefined ? {} : { companyId }) },
      randomBytes,
    );
    added.push({
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
      webhook_secret: extension.mode === 'webhooks' ? await issueSecret(write, id, keys, randomBytes, at) : null,
    });
  }
  const nord = companies[0]!;
  const name = 'Eingang Halle 2';
  const terminalId = await addTerminal(write, { companyId: nord.id, name, location: 'Hamburg, Tor Nord' }, randomBytes);
  const holder = (index: number, card: string, uid: string, family: TargetBadge['family']) => ({
    userId: nord.users[index]!.id,
    card,
    uid,
    family,
  });
  return {
    companies,
    extensions: added,
    terminal: { id: terminalId, name, company_id: nord.id },
    holders: [
      holder(0, 'jana', '04782e21801d80', 'desfire'),
      holder(1, 'emre', '04a17be2c35d81', 'ntag424'),
      holder(2, 'ole', '0413c9d2e47f80', 'desfire'),
    ],
  };
}
