import { requirement } from '../../kit/requirement.js';

export default requirement({
  id: 'SEC-025',
  suite: 'security',
  level: 'must',
  says: 'Acting for everyone without a company is refused, and so is an unknown scope.',
  covers: [
    'Acting for everyone requires the binding to a company, whose people user_id names.',
    'There are six scopes: four to read, two to write.',
  ],
  async check(world) {
    const admin = await world.admin();
    const base = { name: 'Kit incomplete', mode: 'api', scopes: ['write:clock'], acting: 'everyone' };
    (await admin.post('/app/admin/extensions', base)).is(422, 'extension_incomplete');
    const company = await world.company();
    (await admin.post('/app/admin/extensions', { ...base, company_id: company.id, scopes: ['write:everything'] })).is(
      400,
      'invalid_request',
    );
  },
});
