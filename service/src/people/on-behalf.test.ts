import { describe, expect, it } from '@jest/globals';
import { accessOf, authorOf } from '../absences/author.js';

const key = {
  kind: 'key',
  keyId: 'key_1',
  extensionId: 'ext_1',
  name: 'Planner',
  scopes: ['write:absences'],
  scope: { company: 7 },
  companyActive: true,
  actsForEveryone: true,
  leading: false,
  peopleWrites: true,
} as const;
const link = {
  kind: 'link',
  linkId: 'lnk_1',
  extensionId: 'ext_1',
  name: 'Planner',
  personId: 12,
  companyId: 7,
  scopes: ['write:absences'],
  leading: false,
  peopleWrites: true,
  expiresAt: 0,
} as const;

describe('the access of a caller to its records', () => {
  it('a company key may access all records of its extension in the company', () => {
    expect(accessOf(key, '"v1"')).toEqual({
      by: 'extension',
      extensionId: 'ext_1',
      scope: { company: 7 },
      leading: false,
      ifMatch: '"v1"',
    });
    expect(authorOf(key)).toEqual({ kind: 'extension', extension: { id: 'ext_1', name: 'Planner', leading: false } });
  });

  it('a personal link may access the records of its person', () => {
    expect(accessOf(link, undefined)).toMatchObject({ extensionId: 'ext_1', scope: { company: 7, person: 12 } });
    expect(authorOf(link).kind).toBe('personal_link');
  });

  it('a key that does not act for everyone in a company may access no record', () => {
    for (const caller of [
      { ...key, scope: { all: true } as const },
      { ...key, actsForEveryone: false },
    ])
      expect(() => accessOf(caller, undefined)).toThrow(expect.objectContaining({ code: 'company_mismatch' }));
  });
});
