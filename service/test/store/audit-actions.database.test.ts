/** What the log says was done has a place in the filter of its page, and words where an app did it for a person. */

import { dialects } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeAction } from '../../src/access/oauth/linked-app-actions.js';
import { linkScopes, operations, writeScopes } from '../../src/generated/contract.js';
import { actionsForPeople, auditActions, auditFamilies } from '../../src/store/audit/actions.js';
import { factorKeysOf, giveCredentials } from '../browser.js';
import { addApp, link } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

describe('the actions of the audit log', () => {
  it.each(['de', 'en'] as const)(
    'each action of the audit log belongs to a family that the page offers in %s, and no others',
    async (language) => {
      const file: string = `../../web/src/words/${language}.js`;
      const words = ((await import(file)) as Record<string, { audit_families: Record<string, string> }>)[language]!;
      expect(Object.keys(words.audit_families).sort()).toEqual([...auditFamilies].sort());
      for (const action of auditActions)
        expect([action, Object.keys(words.audit_families).filter((family) => action.startsWith(family))]).toEqual([
          action,
          [expect.any(String)],
        ]);
      expect(new Set(Object.values(words.audit_families)).size).toBe(auditFamilies.length);
    },
  );
});

describe.each(dialects)('writes of a personal link on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
  });
  afterAll(() => world.close());

  it('each write of a personal link has words in both languages', async () => {
    const app = await addApp(world, 'Everything', { companyId: world.nord });
    const leadingApp = await addApp(world, 'Leading', { companyId: world.nord, leading: true });
    const operationIds: string[] = [];
    let days = 0;
    for (const linkedApp of [app, leadingApp]) {
      const { access_token: key } = await link(world, linkedApp, world.people.ada, linkScopes);
      const call = async (
        id: keyof typeof operations,
        body: object | undefined,
        path: string = operations[id].path,
      ) => {
        const answer = await world.call(
          operations[id].method.toUpperCase(),
          `/api/v1${path.replace(/^\/api\/v1/, '')}`,
          {
            key,
            ...(body === undefined
              ? {}
              : {
                  body,
                  ...(id === 'updateAbsence' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
                }),
          },
        );
        expect([id, Math.floor(answer.status / 100), answer.body['code']]).toEqual([id, 2, undefined]);
        operationIds.push(id);
        world.advance(60_000);
        return answer.body;
      };
      for (const id of ['clockIn', 'startBreak', 'endBreak', 'clockOut'] as const) await call(id, {});
      for (const type of ['vacation', 'sickness']) {
        const date = `2027-03-0${++days}`;
        const { id } = await call('createAbsence', { type, start_date: date, end_date: date });
        // What stands already is changed by a leading system alone.
        if (linkedApp === leadingApp || type === 'vacation')
          await call('updateAbsence', { comment: 'later' }, operations.updateAbsence.path.replace('{id}', String(id)));
        await call('deleteAbsence', undefined, operations.deleteAbsence.path.replace('{id}', String(id)));
      }
    }
    // Nothing that a link may write is left out.
    const writeOperations = Object.entries(operations)
      .filter(
        ([, { method, scope, security }]) =>
          method !== 'get' &&
          (writeScopes as readonly (string | null)[]).includes(scope) &&
          security.some((schemes: readonly string[]) => schemes.includes('personalLink')),
      )
      .map(([id]) => id);
    expect([...new Set(operationIds)].sort()).toEqual(writeOperations.sort());
    const entries = await world.db.all<{ action: string; details: string | null }>(
      "SELECT action, details FROM audit_entries WHERE actor_kind = 'personal_link'",
    );
    expect(entries.length).toBeGreaterThan(16);
    const loggedActions = [...new Set(entries.map((entry) => entry.action))];
    expect(actionsForPeople).toEqual(expect.arrayContaining(loggedActions));
    for (const language of ['de', 'en-GB'])
      for (const entry of entries) expect(describeAction(entry, language)).toMatch(/^[A-ZÄÖÜ][^.]+$/);
    expect(new Set(actionsForPeople.map((action) => describeAction({ action, details: null }, 'de'))).size).toBe(
      actionsForPeople.length,
    );
    expect(describeAction({ action: 'absence.requested', details: '{"status":"approved"}' }, 'en')).toBe(
      'Recorded an absence',
    );
  });
});
