import { describe, expect, it } from '@jest/globals';
import { accessOf, actingCompany, actorOf, authorOf, idempotencyScope, personActedFor, type AbsenceCaller } from './on-behalf.js';

const key: AbsenceCaller = {
  kind: 'key', keyId: 'key_1', extensionId: 'ext_1', name: 'Planner', scopes: ['write:absences'], companyId: 7, actsForEveryone: true, leading: false, peopleWrites: true,
};
const link: AbsenceCaller = { kind: 'link', linkId: 'lnk_1', extensionId: 'ext_1', name: 'Planner', personId: 12, companyId: 7, leading: false };

describe('a company key', () => {
  it('names the person, and acts in its company alone', () => {
    expect([personActedFor(key, 12), actingCompany(key)]).toEqual([12, 7]);
    expect(() => personActedFor(key, undefined)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => actingCompany({ ...key, companyId: null })).toThrow(expect.objectContaining({ code: 'company_mismatch' }));
    expect(() => actingCompany({ ...key, actsForEveryone: false })).toThrow(expect.objectContaining({ code: 'company_mismatch' }));
  });

  it('reaches everything the extension created in the company', () => {
    expect(accessOf(key, '"v1"')).toEqual({ by: 'extension', extensionId: 'ext_1', companyId: 7, leading: false, ifMatch: '"v1"' });
  });
});

describe('a personal link', () => {
  it('acts for its person and refuses to name anybody, also that person', () => {
    expect([personActedFor(link, undefined), actingCompany(link)]).toEqual([12, 7]);
    for (const userId of [12, 13]) expect(() => personActedFor(link, userId)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('reaches what the extension created for its person', () => {
    expect(accessOf(link, undefined)).toMatchObject({ extensionId: 'ext_1', companyId: 7, personId: 12 });
  });

  it('is named as link in the log and the record, and has idempotency keys of its own', () => {
    expect([actorOf(link), authorOf(link).kind, idempotencyScope(link)]).toEqual([{ kind: 'personal_link', id: 'lnk_1', name: 'Planner' }, 'personal_link', 'lnk_1']);
    expect([actorOf(key), authorOf(key).kind, idempotencyScope(key)]).toEqual([{ kind: 'extension', id: 'ext_1', name: 'Planner' }, 'extension', 'ext_1']);
  });
});
