/** What reaches several rooms when a person or a company changes, verb by verb, on a real database. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, formatInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkPasswordLink } from '../../src/access/invitation.js';
import { hasSecondFactor } from '../../src/access/rows.js';
import { addCompany, changeCompany } from '../../src/hr/companies.js';
import { eraseRecordsOf } from '../../src/hr/erase-person.js';
import {
  addPerson,
  changePerson,
  clearSecondFactor,
  deactivateAccount,
  issueInvitation,
  reactivateAccount,
  removeCompanyAccount,
  replaceRoles,
} from '../../src/hr/people.js';
import { presentDepartments } from '../../src/hr/present-company.js';
import {
  addScheduleOfCompany,
  addScheduleOfPerson,
  removeScheduleOfCompany,
  removeScheduleOfPerson,
} from '../../src/hr/schedules.js';
import { actorOf } from '../../src/people/actor.js';
import {
  addDepartment,
  changeDepartmentName,
  chooseLanguage,
  recordPerson,
  removeDepartment,
} from '../../src/people/people.js';
import { findCompany, findPerson, type PersonRow } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { Refusal } from '../../src/store/refusal.js';
import type { Write } from '../../src/store/write.js';
import { activateBadge, beginBadge, findBadgeById } from '../../src/terminals/badges/rows.js';
import { factorKeysOf, giveCredentials } from '../browser.js';
import { hire } from '../builders.js';
import { addApp, consent, exchange, link } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';
import { berlin } from '../zones.js';

const today = '2026-11-23';

describe.each(oneDialect)('the lifecycle of a person on %s', (dialect) => {
  let world: World;
  let root: { readonly person: PersonRow };
  let chief: { readonly person: PersonRow };
  let number = 0;
  beforeEach(async () => {
    world = await createWorld(dialect);
    root = { person: await join('super_admin') };
    chief = { person: await join('company_admin') };
  });
  afterEach(() => world.close());

  /** Somebody new in Nord, with a password and a second factor. */
  async function join(role: PersonRow['role'] = 'employee', companyId = world.nord): Promise<PersonRow> {
    const name = `Person${++number}`;
    const person = {
      companyId,
      firstName: name,
      lastName: 'Neu',
      email: `${name}@clockproof.example`,
      role,
      language: 'en',
      employmentStart: '2020-01-01',
    };
    const id = await world.write((write) => recordPerson(write, person));
    await giveCredentials(world, [id], await factorKeysOf(world, dataKey));
    return (await find(id))!;
  }
  const find = (id: number) => findPerson(world.db, id, allCompanies);
  const write = <T>(verb: (write: Write) => Promise<T>, admin = chief) =>
    world.service.store.write({ actor: actorOf(admin.person), at: world.now() }, verb);
  /** The code a verb is refused with; undefined where it is done. */
  async function refusal(verb: (tx: Write) => Promise<unknown>): Promise<string | undefined> {
    try {
      await write(verb);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }
  async function issueBadge({ id, company_id }: PersonRow): Promise<string> {
    const badge = `bdg_${String(++number).padStart(16, '0')}`;
    await write(async (tx) => {
      const row = { id: badge, company_id, person_id: id, uid_hash: badge, key_number: 1, key_version: 1 };
      await beginBadge(tx, { ...row, created_at: world.now() });
      const card = { family: 'desfire', aid: 'c10c4b', locked: 0, issued_terminal_id: 'trm_1' } as const;
      await activateBadge(tx, badge, card, world.now());
      const details = { person: id, family: card.family };
      await tx.audit({ companyId: company_id, action: 'badge.issued', subject: `badge ${badge}`, details });
    });
    return badge;
  }
  const readStatus = async (token: string) => (await world.call('GET', '/api/v1/me', { key: token })).status;

  const invitations = () => ({ randomBytes: world.randomBytes, keys: world.service.sealingKeys });
  /** Every verb about a person, on somebody. */
  const verbsOn = (admin: { person: PersonRow }, { id, ...person }: PersonRow) =>
    ({
      change: (tx: Write) => changePerson(tx, admin, id, { last_name: 'Anders' }),
      deactivate: (tx: Write) => deactivateAccount(tx, admin, id, today),
      'set roles': (tx: Write) => replaceRoles(tx, admin, id, []),
      invite: (tx: Write) => issueInvitation(tx, admin, id, invitations()),
      'reset the second factor': (tx: Write) => clearSecondFactor(tx, admin, id, invitations()),
      'unlink the account': (tx: Write) => removeCompanyAccount(tx, admin, id),
      erase: (tx: Write) => eraseRecordsOf(tx, admin, id, { confirmName: `${person.first_name} ${person.last_name}` }),
    }) as const;

  it('the own company’s admin and super admins administer people, and nobody else', async () => {
    const zoe = await join('employee', world.sued);
    for (const [name, verb] of Object.entries(verbsOn(chief, zoe)))
      expect([name, await refusal(verb)]).toEqual([name, 'not_found']);
    const week = [480, 480, 480, 480, 480, 0, 0] as const;
    const schedule = { validFrom: '2027-01-01', week };
    for (const verb of [
      (tx: Write) => reactivateAccount(tx, chief, zoe.id),
      (tx: Write) => addScheduleOfPerson(tx, chief, zoe.id, schedule),
      (tx: Write) => removeScheduleOfPerson(tx, chief, zoe.id, 1),
      (tx: Write) => addScheduleOfCompany(tx, chief, world.sued, schedule),
      (tx: Write) => removeScheduleOfCompany(tx, chief, world.sued, 1),
      (tx: Write) => changeCompany(tx, chief, world.sued, { name: 'Mein' }),
      (tx: Write) => addPerson(tx, chief, { companyId: world.sued, firstName: 'X', lastName: 'Y', language: 'de' }),
    ])
      expect(await refusal(verb)).toBe('not_found');
    expect(await find(zoe.id)).toEqual(zoe);
    expect(await refusal((tx) => changePerson(tx, root, zoe.id, { last_name: 'Weiter' }))).toBeUndefined();
  });

  it('departments of a person belong to their own company', async () => {
    const foreignDepartment = await world.write((tx) => addDepartment(tx, world.sued, 'Hof'));
    const person = await join();
    expect(await refusal((tx) => changePerson(tx, chief, person.id, { department_id: foreignDepartment }))).toBe(
      'invalid_request',
    );
    expect(await refusal((tx) => changeDepartmentName(tx, world.nord, foreignDepartment, 'Unser'))).toBe('not_found');
    expect(await refusal((tx) => removeDepartment(tx, world.nord, foreignDepartment))).toBe('not_found');
    expect(await refusal((tx) => changePerson(tx, chief, person.id, { department_id: world.office }))).toBeUndefined();
  });

  it('approvers belong to the own company, and each department shows them by last name', async () => {
    const [second, first, third] = [await join('approver'), await join('approver'), await join('approver')];
    await join('approver', world.sued);
    await write((tx) => changePerson(tx, chief, first.id, { last_name: 'Abend' }));
    await write((tx) => changePerson(tx, chief, third.id, { last_name: 'Zeit' }));
    for (const { approvers } of await presentDepartments(world.db, world.nord))
      expect(approvers.map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });

  it('a change of a person records roles and language before and after', async () => {
    const person = await join();
    const grant = { role: 'company_admin', companyId: world.nord } as const;
    await write((tx) => replaceRoles(tx, root, person.id, [grant]));
    await write((tx) => chooseLanguage(tx, person, 'de'));
    const entries = await world.db.all<{ details: string }>(
      `SELECT details FROM audit_entries WHERE subject = :subject AND action IN ('person.roles_changed', 'profile.changed')
       ORDER BY sequence`,
      { subject: `person ${person.id}` },
    );
    expect(entries.map(({ details }) => JSON.parse(details))).toEqual([
      { before: [], after: [grant] },
      { changed: ['language'] },
    ]);
    const [change] = await world.db.all<{ changes: string }>(
      'SELECT changes FROM person_changes WHERE person_id = :id ORDER BY id DESC LIMIT 1',
      { id: person.id },
    );
    expect(JSON.parse(change!.changes)).toEqual([{ member: 'language', old: 'en', new: 'de' }]);
  });

  it('a personnel number is unique in the company, not in the installation', async () => {
    const hireWithNumber = (companyId: number) => (tx: Write) =>
      hire(tx, {
        companyId,
        firstName: 'Nora',
        lastName: 'Neu',
        personnelNumber: 'N-1',
      });
    expect(await refusal(hireWithNumber(world.nord))).toBeUndefined();
    expect(await refusal(hireWithNumber(world.nord))).toBe('value_taken');
    expect(await refusal(hireWithNumber(world.sued))).toBeUndefined();
  });

  it('only super admins change a super admin', async () => {
    const secondAdmin = await join('super_admin');
    for (const [name, verb] of Object.entries(verbsOn(chief, secondAdmin)))
      expect([name, await refusal(verb)]).toEqual([name, 'forbidden']);
    expect(await find(secondAdmin.id)).toEqual(secondAdmin);
    const person = await join();
    expect(await refusal((tx) => replaceRoles(tx, chief, person.id, [{ role: 'super_admin' }]))).toBe('forbidden');
    expect(await refusal((tx) => replaceRoles(tx, root, secondAdmin.id, []))).toBeUndefined();
    expect((await find(secondAdmin.id))!.role).toBe('employee');
  });

  it('the installation always has a super admin', async () => {
    expect(await refusal((tx) => deactivateAccount(tx, root, root.person.id, today))).toBe('last_admin');
    expect(await refusal((tx) => replaceRoles(tx, root, root.person.id, []))).toBe('last_admin');
  });

  it('the company of the last super admin who can sign in stays active', async () => {
    const setActive = (companyId: number, active: 0 | 1) => (tx: Write) =>
      changeCompany(tx, root, companyId, { active });
    const other = await join('super_admin', world.sued);
    expect(await refusal(setActive(world.nord, 0))).toBeUndefined();
    expect(await refusal(setActive(world.sued, 0))).toBe('last_admin');
    // Nobody of a deactivated company can sign in, so its super admin does not count.
    expect(await refusal((tx) => replaceRoles(tx, root, other.id, []))).toBe('last_admin');
    expect(await refusal(setActive(world.nord, 1))).toBeUndefined();
    expect(await refusal(setActive(world.sued, 0))).toBeUndefined();
  });

  it('deactivation ends sessions, links, open consents and badges at once', async () => {
    const app = await addApp(world, 'Leaving');
    const [leaver, colleague] = [await join(), await join()];
    const [leaverLink, colleagueLink] = [
      await link(world, app, leaver.id, ['read:clock_states']),
      await link(world, app, colleague.id, ['read:clock_states']),
    ];
    const code = await consent(leaverLink.browser, app, ['read:clock_states']);
    const [leaverBadge, colleagueBadge] = [await issueBadge(leaver), await issueBadge(colleague)];

    await write((tx) => deactivateAccount(tx, chief, leaver.id, today));
    expect(await find(leaver.id)).toMatchObject({ active: 0, employment_end: today });
    expect((await leaverLink.browser.call('GET', '/app/session')).status).toBe(401);
    expect(await readStatus(leaverLink.access_token)).toBe(401);
    expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await findBadgeById(world.db, leaverBadge))!.state).toBe('blocked');

    expect((await colleagueLink.browser.call('GET', '/app/session')).status).toBe(200);
    expect(await readStatus(colleagueLink.access_token)).toBe(200);
    expect((await findBadgeById(world.db, colleagueBadge))!.state).toBe('active');
  });

  it('a refused deactivation changes nothing', async () => {
    const app = await addApp(world, 'Staying');
    const person = await join();
    const appLink = await link(world, app, person.id, ['read:clock_states']);
    const badge = await issueBadge(person);
    expect(await refusal((tx) => deactivateAccount(tx, chief, person.id, '2026-11-24'))).toBe('invalid_request');
    expect(await find(person.id)).toEqual(person);
    expect(await readStatus(appLink.access_token)).toBe(200);
    expect((await findBadgeById(world.db, badge))!.state).toBe('active');
  });

  it('a re-activated person has no links, sessions and badges', async () => {
    const app = await addApp(world, 'Returning');
    const person = await join();
    const appLink = await link(world, app, person.id, ['read:clock_states']);
    const badge = await issueBadge(person);
    const code = await consent(appLink.browser, app, ['read:clock_states']);
    await write((tx) => deactivateAccount(tx, chief, person.id, today));
    await write((tx) => reactivateAccount(tx, chief, person.id));
    expect(await find(person.id)).toMatchObject({ active: 1, employment_end: null });
    expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await readStatus(appLink.access_token)).toBe(401);
    expect((await appLink.browser.call('GET', '/app/session')).status).toBe(401);
    expect((await findBadgeById(world.db, badge))!.state).toBe('blocked');
    expect((await world.as(person.id)).cookies.size).toBeGreaterThan(0);
  });

  it('only an active person is invited, and the newest invitation counts', async () => {
    const person = await join();
    const invite = () => write((tx) => issueInvitation(tx, chief, person.id, invitations()));
    const [first, second] = [await invite(), await invite()];
    await expect(checkPasswordLink(world.db, 'invitation', first.token, world.now())).rejects.toThrow(
      'one_time_link_invalid',
    );
    expect((await checkPasswordLink(world.db, 'invitation', second.token, world.now())).person.id).toBe(person.id);
    await write((tx) => changePerson(tx, chief, person.id, { employment_end: '2026-11-22' }));
    expect(await refusal(verbsOn(chief, person).invite)).toBe('employment_ended');
    await write((tx) => changePerson(tx, chief, person.id, { employment_end: today }));
    expect(await refusal(verbsOn(chief, person).invite)).toBeUndefined();
    await write((tx) => deactivateAccount(tx, chief, person.id, today));
    expect(await refusal(verbsOn(chief, person).invite)).toBe('employment_ended');
  });

  it('an invitation lasts seven days', async () => {
    const person = await join();
    const { token, expiresAt } = await write((tx) => issueInvitation(tx, chief, person.id, invitations()));
    expect(expiresAt).toBe(world.now() + 7 * day);
    expect((await checkPasswordLink(world.db, 'invitation', token, expiresAt - 1)).person.id).toBe(person.id);
    await expect(checkPasswordLink(world.db, 'invitation', token, expiresAt)).rejects.toThrow('one_time_link_invalid');
  });

  it('the removal of a second factor ends every session', async () => {
    const person = await join();
    const browser = await world.as(person.id);
    await write((tx) => clearSecondFactor(tx, chief, person.id, invitations()));
    expect((await browser.call('GET', '/app/session')).status).toBe(401);
    expect(await hasSecondFactor(world.db, person.id)).toBe(false);
    const at = formatInstant(world.now());
    await giveCredentials(world, [person.id], await factorKeysOf(world, dataKey));
    const newBrowser = await world.as(person.id);
    expect((await newBrowser.call('GET', '/app/notices')).body).toMatchObject({
      unread: 1,
      data: [{ kind: 'access_changed', access_change: 'reset', at }],
    });
  });

  it('a person is erased after deactivation, by the name typed in full', async () => {
    const person = await join();
    const erase = (name: string) => (tx: Write) => eraseRecordsOf(tx, chief, person.id, { confirmName: name });
    const name = `${person.first_name} ${person.last_name}`;
    expect(await refusal(erase(name))).toBe('still_in_use');
    await write((tx) => deactivateAccount(tx, chief, person.id, today));
    expect(await refusal(erase(person.first_name))).toBe('invalid_request');
    expect(await find(person.id)).toBeDefined();
    expect(await refusal(erase(name))).toBeUndefined();
    expect(await find(person.id)).toBeUndefined();
  });

  it('a super admin deactivates a company with the links of its people and of no others', async () => {
    const place = { timeZone: berlin, country: 'DE' };
    const company = await write((tx) => addCompany(tx, root, { name: 'Westwind', ...place }));
    const app = await addApp(world, 'Everywhere');
    const [insider, outsider] = [await join('employee', company.id), await join()];
    const companyAdmin = { person: await join('company_admin', company.id) };
    const [insiderLink, outsiderLink] = [
      await link(world, app, insider.id, ['read:clock_states']),
      await link(world, app, outsider.id, ['read:clock_states']),
    ];
    const [insiderCode, outsiderCode] = [
      await consent(insiderLink.browser, app, ['read:clock_states']),
      await consent(outsiderLink.browser, app, ['read:clock_states']),
    ];
    const setActive = (admin: { person: PersonRow }, active: boolean) => (tx: Write) =>
      changeCompany(tx, admin, company.id, { active: active ? 1 : 0 });
    expect(await refusal(setActive(companyAdmin, false))).toBe('forbidden');
    expect(await readStatus(insiderLink.access_token)).toBe(200);
    expect(await refusal(setActive(root, false))).toBeUndefined();
    expect(await readStatus(insiderLink.access_token)).toBe(401);
    expect(await readStatus(outsiderLink.access_token)).toBe(200);
    expect((await insiderLink.browser.call('GET', '/app/session')).status).toBe(401);
    expect((await outsiderLink.browser.call('GET', '/app/session')).status).toBe(200);
    expect((await exchange(world, app, outsiderCode)).body).toHaveProperty('access_token');
    await write(setActive(root, true));
    expect(await readStatus(insiderLink.access_token)).toBe(401);
    expect((await exchange(world, app, insiderCode)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('the region of a company is a known one', async () => {
    const change = (settings: object) => refusal((tx) => changeCompany(tx, chief, world.nord, settings));
    const companyBefore = await findCompany(world.db, world.nord);
    expect(await change({ region: 'DE-XX' })).toBe('invalid_request');
    // The region is held against the country, whichever of the two changes.
    expect(await change({ country: 'AT' })).toBe('invalid_request');
    expect(await findCompany(world.db, world.nord)).toEqual(companyBefore);
    const place = { timeZone: berlin, country: 'DE', region: 'AT-9' };
    expect(await refusal((tx) => addCompany(tx, root, { name: 'Nirgends', ...place }))).toBe('invalid_request');
  });
});
