/** Decisions about several requests in one call, as the pages send them when they are left. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

describe('bulk decisions', () => {
  let world: World;
  let ada: Browser;
  let rhea: Browser;
  let ids: string[];
  beforeEach(async () => {
    world = await createWorld('sqlite');
    ada = await world.as(world.people.ada);
    rhea = await world.as(await addSuperAdmin(world, { companyId: world.nord }));
    for (const date of ['2026-12-01', '2026-12-02', '2026-12-03'])
      await ada.call('POST', '/app/me/absences', { body: { type: 'vacation', start_date: date, end_date: date } });
    const { body } = await rhea.call('GET', '/app/approvals');
    ids = (body['data'] as { id: string }[]).map(({ id }) => id);
  });
  afterEach(() => world.close());

  const decide = (body: object) => rhea.call('POST', '/app/approvals/decisions', { body });
  const countAudits = async () =>
    (await world.db.get<{ count: number }>(
      "SELECT count(*) AS count FROM audit_entries WHERE action LIKE 'absence.%'",
    ))!.count;

  it('a refused decision leaves the others in force, and a repetition has no second effect', async () => {
    await rhea.call('POST', `/app/approvals/${ids[1]}/reject`, { body: { comment: 'Stocktaking' } });
    const approve = () => decide({ ids: [...ids, 'apr_999'], outcome: 'approved' });
    const results = {
      data: [
        { id: ids[0] },
        { id: ids[1], refusal: 'already_decided' },
        { id: ids[2] },
        { id: 'apr_999', refusal: 'not_found' },
      ],
    };
    expect(await approve()).toMatchObject({ status: 200, body: results });
    const audits = await countAudits();
    expect(await approve()).toMatchObject({ status: 200, body: results });
    expect(await countAudits()).toBe(audits);
    const { body } = await ada.call('GET', '/app/me/absences?from=2026-12-01&to=2026-12-31');
    expect((body['data'] as { status: string }[]).map(({ status }) => status).sort()).toEqual([
      'approved',
      'approved',
      'rejected',
    ]);
  });

  it('a rejection without a reason is refused with invalid_request', async () => {
    expect(await decide({ ids, outcome: 'rejected' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'comment', code: 'required' }] },
    });
  });
});
