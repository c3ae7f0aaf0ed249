/**
 * `admin invite` and `admin reset`: an operator lets a super admin back in, or makes one. The commands ask for no
 * password: they run where the database is.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { formatInstant } from '@clockproof/platform/time/instant';
import { createInvitation } from '../access/one-time-links.js';
import { resetAccess } from '../access/second-factor/second-factor.js';
import { takeWay } from '../access/ways-in.js';
import { nameOf } from '../people/actor.js';
import { recordPerson } from '../people/people.js';
import { changeRoles, rolesOf } from '../people/roles.js';
import { type CompanyRow, findCompany, findPersonAnywhere, listPeopleByName, type PersonRow } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Write } from '../store/write.js';
import { listActiveCompanies } from './rows.js';

/** The command cannot do this; the message is for the operator. */
export class AdminFault extends Error {
  override readonly name = 'AdminFault';
}

interface Needs {
  readonly baseUrl: string;
  readonly randomBytes: RandomBytes;
  readonly keys: SealingKeys;
}

/**
 * Makes the person with this address a super admin, adds them if there is no such person, and invites them to choose a
 * password. Their second factor stays.
 * @param name first and last name of a person who is to be added, and the company: its id, needed if there are several
 * @returns the text for the operator, with the link, which is available only here @throws {AdminFault}
 */
export async function inviteSuperAdmin(
  write: Write,
  {
    email,
    name,
    companyId,
  }: {
    readonly email: string;
    readonly name: readonly [string, string] | undefined;
    readonly companyId: number | undefined;
  },
  needs: Needs,
): Promise<string> {
  const existingPerson = await findByEmail(write, email);
  const person = existingPerson ?? (await add(write, email, name, companyId));
  refuseWhoLeft(person);
  const roles = await rolesOf(write, person.id);
  if (person.role !== 'super_admin') {
    await changeRoles(write, person.id, person.company_id, [...roles, { role: 'super_admin' }]);
    await takeWay(write, 'superAdminByCommand', person.id);
  }
  return [
    `${nameOf(person)} <${email}> of ${person.company_name} is a super admin${existingPerson === undefined ? ', newly added' : ''}`,
    await invitation(write, person, needs),
  ].join('\n');
}

/** Ends everything a person signs in with, and prints the link that alone leads back in. @throws {AdminFault} */
export async function resetPerson(write: Write, email: string, needs: Needs): Promise<string> {
  const person = await findByEmail(write, email);
  if (person === undefined) throw new AdminFault(`nobody here has the address ${email}`);
  refuseWhoLeft(person);
  await resetAccess(write, 'resetByCommand', { personId: person.id, companyId: person.company_id });
  return [
    `${nameOf(person)} <${email}> of ${person.company_name}: password, second factors and recovery codes have ended, and all sessions`,
    await invitation(write, person, needs),
  ].join('\n');
}

async function findByEmail(write: Write, email: string): Promise<PersonRow | undefined> {
  const people = await listPeopleByName(write, allCompanies, {
    active: undefined,
    search: email,
    after: undefined,
    limit: 1_000,
  });
  return people.find((person) => person.email?.toLowerCase() === email.toLowerCase());
}

async function add(
  write: Write,
  email: string,
  name: readonly [string, string] | undefined,
  companyId: number | undefined,
): Promise<PersonRow> {
  if (name === undefined)
    throw new AdminFault(`nobody here has the address ${email}; to add this person, say --name "FIRST LAST"`);
  const company = companyId === undefined ? await onlyCompany(write) : await findCompany(write, companyId);
  if (company?.active !== 1) throw new AdminFault(await companyFault(write));
  const [firstName, lastName] = name;
  const id = await recordPerson(write, {
    companyId: company.id,
    firstName,
    lastName,
    email,
    role: 'super_admin',
    language: company.country === 'DE' || company.country === 'AT' ? 'de' : 'en',
  });
  return (await findPersonAnywhere(write, id))!;
}

async function onlyCompany(write: Write): Promise<CompanyRow | undefined> {
  const [first, second] = await listActiveCompanies(write, 2);
  return first === undefined || second !== undefined ? undefined : findCompany(write, first.id);
}

/** Companies that a message names. */
const maxNamed = 50;

async function companyFault(write: Write): Promise<string> {
  const active = await listActiveCompanies(write, maxNamed + 1);
  if (active.length === 0) return 'there is no company yet: start the service and follow the set-up link it prints';
  const names = active.slice(0, maxNamed).map(({ id, name }) => `${id} (${name})`);
  return `say which company with --company: ${names.join(', ')}${active.length > maxNamed ? ', …' : ''}`;
}

function refuseWhoLeft(person: PersonRow): void {
  if (person.active === 0 || person.company_active === 0)
    throw new AdminFault(
      `${nameOf(person)} cannot sign in: ${person.active === 0 ? 'the account' : 'the company'} is deactivated; name somebody else`,
    );
}

async function invitation(write: Write, person: PersonRow, { baseUrl, ...needs }: Needs): Promise<string> {
  const { token, expiresAt } = await createInvitation(
    write,
    // The operator has the link and hands it on: it is not sent by e-mail.
    { personId: person.id, companyId: person.company_id, email: null },
    needs,
  );
  return `to choose a password, once and until ${formatInstant(expiresAt)}:\n  ${baseUrl}/invitation#${token}`;
}
